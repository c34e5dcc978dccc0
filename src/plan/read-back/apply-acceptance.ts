import type { Token } from '../markdown/tokens.js';
import type { CommandAcceptance } from '../model/commands.js';
import type { PlanAcceptance } from '../model/schema.js';
import { type AcceptanceText, applyCommandFacts, type CommandFacts, readAcceptance } from './acceptance-text.js';
import type { Notes } from './fault.js';
import { FreeIds } from './free-ids.js';
import type { Item } from './list.js';
import { applyText, restoreInvisible } from './restore.js';

interface Line extends Item {
  tokens: readonly Token[];
}
type Was = { value: PlanAcceptance; item: Line } | null;
type Edited = (
  part: 'acceptance',
  old: readonly PlanAcceptance[],
  read: (line: Line, was: Was) => PlanAcceptance | null,
) => PlanAcceptance[];

/** Applies the edits of what a todo is judged by; what PLAN.md does not show of an acceptance stays with its id. */
export function applyAcceptance(old: readonly PlanAcceptance[], edited: Edited, notes: Notes): PlanAcceptance[] {
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
