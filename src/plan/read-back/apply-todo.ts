import {
  foldTokens,
  getOnlyCode,
  getTokensKey,
  splitAtCommas,
  splitBetweenCode,
  type Token,
  takeLeadingMatch,
  writeTokens,
  writeTyped,
} from '../markdown/tokens.js';
import type { CommandAcceptance } from '../model/commands.js';
import type { PlanAcceptance, PlanRule, PlanTodo } from '../model/schema.js';
import { renderProse } from '../page/prose.js';
import { type AcceptanceText, applyCommandFacts, type CommandFacts, readAcceptance } from './acceptance-text.js';
import { applyFacts, type TodoEdit } from './apply-facts.js';
import type { Notes } from './fault.js';
import { FreeIds } from './free-ids.js';
import { applyList, noteLines, type PlanEntry } from './list.js';
import { applyText, readRule, restoreInvisible } from './restore.js';
import { type LabelledPart, TODO_PARTS, type TodoPart } from './todo-text.js';

/** Creates a todo with defaults in all fields but its id. */
export function createTodo(id: string): PlanTodo {
  return {
    id,
    title: '',
    type: 'work',
    risk: 'medium',
    dependsOn: [],
    inputs: [],
    outputs: [],
    files: [],
    steps: [],
    mustNotDo: [],
    references: [],
    acceptance: [],
  };
}

/** Parts whose entries have unique names. */
const IDS: ReadonlySet<TodoPart> = new Set(['inputs', 'outputs', 'acceptance']);

/** A line of a labelled part. */
interface Line extends PlanEntry {
  tokens: readonly Token[];
  /** Whether the text is on the same line as the label, after it, rather than on a line below. */
  isBeside: boolean;
}

/** Applies the edits to a todo. Unchanged entries keep their exact values. */
export function applyTodo(edit: TodoEdit, notes: Notes): PlanTodo {
  const { todo, before, after, pointer } = edit;
  for (const { line, problem } of after.faults) notes.refuse(line, problem);
  const edited = <V>(part: TodoPart, old: readonly V[], read: Parameters<typeof applyList<V, Line>>[2]) => {
    const lists = { before: listLines(before?.parts.get(part), part), after: listLines(after.parts.get(part), part) };
    const name = `the entries of **${TODO_PARTS[part]}**`;
    const line = after.parts.get(part)?.line;
    if (line !== undefined) notes.place(`${pointer}/${part}`, line);
    return noteLines(
      applyList({ old, name, isUnique: IDS.has(part), ...lists }, notes, read),
      `${pointer}/${part}`,
      notes,
    );
  };
  const prose = (part: 'steps', old: readonly string[]) =>
    edited(part, old, ({ tokens }, was) => applyText(tokens, null, was?.value));
  const plain = (part: 'files' | 'references', old: readonly string[]) =>
    edited(part, old, (line, was) => restoreInvisible(writePlain(line, part), was?.value ?? ''));
  const changed: PlanTodo = {
    ...todo,
    title: applyTitle(edit, notes),
    inputs: edited('inputs', todo.inputs, ({ tokens, line }, was) => {
      const input = readInput(tokens);
      if (input === null)
        notes.refuse(line, 'an input is written `name` from `${todo-1.outputs.name}`, or from a text in backticks');
      const isSame = was !== null && readInput(was.item.tokens)?.from === input?.from;
      const from = isSame ? was.value.from : restoreInvisible(input?.from ?? '', was?.value.from ?? '');
      return input && { ...input, from };
    }),
    outputs: edited('outputs', todo.outputs, ({ tokens, line }, was) => {
      const output = readOutput(tokens);
      if (output === null) notes.refuse(line, 'an output is written `name`: what it holds');
      const before = was && readOutput(was.item.tokens)?.description;
      return output && { ...output, description: applyText(output.description, before, was?.value.description) };
    }),
    files: plain('files', todo.files),
    steps: prose('steps', todo.steps),
    mustNotDo: edited(
      'mustNotDo',
      todo.mustNotDo,
      ({ tokens }, was): PlanRule => readRule(tokens, was && { rule: was.value, tokens: was.item.tokens }),
    ),
    references: plain('references', todo.references),
    acceptance: applyAcceptance(todo.acceptance, edited, notes),
  };
  return applyFacts({ ...edit, todo: changed }, notes);
}

function applyTitle({ todo, before, after, pointer }: TodoEdit, notes: Notes): string {
  notes.place(`${pointer}/title`, after.line);
  if (after.title.length === 0) notes.refuse(after.line, 'this todo has no title');
  return applyText(after.title, before?.title, todo.title);
}

/** Lists the lines of a part, including text on the label's line. */
function listLines(part: LabelledPart | undefined, name: TodoPart): Line[] {
  if (part === undefined) return [];
  const { line, inline } = part;
  const isPlain = name === 'files' || name === 'references';
  const places = isPlain ? splitAtCommas(inline) : [inline].filter(({ length }) => length > 0);
  const beside = name === 'files' ? places.flatMap(splitBetweenCode) : places;
  const lines = [
    ...beside.map((tokens) => ({ line, tokens, isBeside: true })),
    ...part.entries.flatMap((entry) => (entry.tokens.length > 0 ? { ...entry, isBeside: false } : [])),
  ];
  return lines.map((each) => ({ ...each, key: getTokensKey(each.tokens), name: readName(each, name) }));
}

function readName(line: Pick<Line, 'tokens' | 'isBeside'>, part: TodoPart): string | null {
  const { tokens } = line;
  switch (part) {
    case 'inputs':
      return readInput(tokens)?.name ?? null;
    case 'outputs':
      return readOutput(tokens)?.name ?? null;
    case 'acceptance':
      return takeLeadingMatch(tokens, /^([A-Za-z0-9][A-Za-z0-9_-]*)(?=[:,])/)?.found[1] ?? null;
    case 'files':
    case 'references':
      // PLAN.md shows references in backticks only if all of them are single words. An edit to one reference may thus
      // change the backticks of the others, so the names by which lines are matched ignore backticks.
      return writePlain(line, part);
    case 'steps':
    case 'mustNotDo':
      return null;
  }
}

/** Returns a path, glob or reference as text, whether or not it is in backticks. */
function writePlain({ tokens, isBeside }: Pick<Line, 'tokens' | 'isBeside'>, part: 'files' | 'references'): string {
  const code = getOnlyCode(tokens);
  if (part === 'files' || isBeside) return code ?? (part === 'files' ? writeTyped(tokens) : writeTokens(tokens));
  // In a list of references, PLAN.md shows plain text as code if it would otherwise be taken for markup. Such code is
  // read back as the plain text that it was.
  const text = writeTokens(tokens);
  const bare = tokens.map(({ value }) => value).join('');
  return renderProse(bare) === text ? bare : text;
}

function readInput(tokens: readonly Token[]): { name: string; from: string } | null {
  const named = takeName(tokens);
  const taken = named && takeLeadingMatch(named.rest, /^\s*from\s*/);
  if (!named || !taken || taken.rest.length === 0) return null;
  return { name: named.name, from: getOnlyCode(taken.rest) ?? writeTyped(taken.rest) };
}

function readOutput(tokens: readonly Token[]): { name: string; description: Token[] } | null {
  const named = takeName(tokens);
  const taken = named && takeLeadingMatch(named.rest, /^\s*:\s*/);
  if (!named || !taken || taken.rest.length === 0) return null;
  return { name: named.name, description: taken.rest };
}

function takeName(tokens: readonly Token[]): { name: string; rest: Token[] } | null {
  const [first, ...rest] = tokens;
  if (first?.kind === 'code') return { name: first.value, rest: foldTokens(rest) };
  const taken = takeLeadingMatch(tokens, /^([A-Za-z_][A-Za-z0-9_-]*)(?=:|\s+from\b)/);
  return taken?.found[1] === undefined ? null : { name: taken.found[1], rest: taken.rest };
}

type Was = { value: PlanAcceptance; item: Pick<Line, 'tokens'> } | null;
type Edited = (
  part: 'acceptance',
  old: readonly PlanAcceptance[],
  read: (line: Line, was: Was) => PlanAcceptance | null,
) => PlanAcceptance[];

/**
 * Applies the edits to a todo's acceptances. An acceptance with the same id keeps fields that PLAN.md does not show.
 */
function applyAcceptance(old: readonly PlanAcceptance[], edited: Edited, notes: Notes): PlanAcceptance[] {
  const made = edited('acceptance', old, ({ tokens, line }, was) => {
    const text = readAcceptance(tokens);
    if (text.kind !== 'fault') return applyOne(text, was);
    notes.refuse(line, text.problem);
    return null;
  });
  const free = new FreeIds(
    'ac',
    [...old, ...made].map(({ id }) => id),
  );
  return made.map((item) => (item.id === '' ? { ...item, id: free.next() } : item));
}

function applyOne(text: Exclude<AcceptanceText, { kind: 'fault' }>, was: Was): PlanAcceptance {
  const old = was?.value;
  const id = text.id ?? old?.id ?? '';
  const shown = was === null ? null : readAcceptance(was.item.tokens);
  const proves = old?.proves === undefined ? {} : { proves: old.proves };
  if (text.kind !== 'command') {
    const before = shown === null || shown.kind === 'command' || shown.kind === 'fault' ? null : shown.text;
    const kept = old?.kind === text.kind ? old : proves;
    const said = old === undefined || old.kind === 'command' ? '' : old.text;
    return { ...kept, id, kind: text.kind, text: applyText(text.text, before, said) };
  }
  const isCommand = old?.kind === 'command';
  const before = shown?.kind === 'command' && isCommand ? shown : null;
  const kept: CommandAcceptance = isCommand ? old : { id, kind: 'command', run: text.run, ...proves };
  const isSame = before !== null && JSON.stringify(before.run) === JSON.stringify(text.run);
  const run = isSame ? kept.run : text.run;
  return applyCommandFacts({ ...kept, id, run }, before?.facts ?? DEFAULTS, restoreFacts(text.facts, kept));
}

const DEFAULTS: CommandFacts = { exit: [0], contains: null, lacks: null, cwd: null, timeout: null };

function restoreFacts(facts: CommandFacts, { expect = {}, cwd = '' }: CommandAcceptance): CommandFacts {
  const restore = (text: string | null, before = '') => (text === null ? null : restoreInvisible(text, before));
  return {
    ...facts,
    contains: restore(facts.contains, expect.stdoutContains),
    lacks: restore(facts.lacks, expect.stdoutLacks),
    cwd: restore(facts.cwd, cwd),
  };
}
