import { findSuggestion } from '../../base/suggest.js';
import type { Chunk, ChunkPiece } from '../markdown/chunks.js';
import { parseChunk } from '../markdown/chunks.js';
import { foldTokens, type Token, takeLeadingMatch, writeTokens } from '../markdown/tokens.js';
import type { PlanFault } from './fault.js';

/** Parses a todo of PLAN.md: its heading, its line of facts, its labelled parts. */

/** The parts of a todo, and their labels in PLAN.md. */
export const TODO_PARTS = {
  files: 'Files',
  inputs: 'Inputs',
  outputs: 'Outputs',
  steps: 'Steps',
  mustNotDo: 'Must not do',
  references: 'References',
  acceptance: 'Acceptance',
} as const;
/** A labelled part of a todo. */
export type TodoPart = keyof typeof TODO_PARTS;

const LABELS = Object.values(TODO_PARTS);
const PART_OF = new Map(Object.entries(TODO_PARTS).map(([part, label]) => [label.toLowerCase(), part as TodoPart]));

/** A line of a labelled part. */
export interface TodoLine {
  line: number;
  tokens: Token[];
}

export interface LabelledPart {
  line: number;
  /** The text after the label, on the same line. */
  inline: Token[];
  entries: TodoLine[];
}

/** A parsed todo of PLAN.md. */
export interface TodoText {
  line: number;
  title: Token[];
  /** The line `work, risk low, …`; null if it is missing. */
  facts: TodoLine | null;
  parts: ReadonlyMap<TodoPart, LabelledPart>;
  faults: PlanFault[];
}

const BOX_AND_ID = /^\s*(?:\\?\[[ xX]?\\?\]\s*)?(?:([A-Za-z0-9][A-Za-z0-9_-]*):(?:\s+|$))?/;

/**
 * Returns whether a word before a colon at the beginning of a title is an id: a known one, or one that looks like it.
 */
export type IsId = (word: string) => boolean;

/** Returns the id in the heading of a todo, without parsing the Markdown; null if there is none. */
export function readTodoId(chunk: Chunk, isId: IsId): string | null {
  const id = BOX_AND_ID.exec(getHeading(chunk))?.[1];
  return id === undefined || !isId(id) ? null : id;
}

const MARKS_AND_ID =
  /^(?:\\?\[[^\]]{0,2}\]|[\s*_`~])*(?:([A-Za-z0-9][A-Za-z0-9_-]*)[*_`~]*:|(todo-\d+)[*_`~]*(?=\s|$))/;

/** Returns the id that was probably meant in a heading where `readTodoId` finds none; null for a mere title. */
export function findMeantId(chunk: Chunk, isId: IsId): string | null {
  const [, before, alone] = MARKS_AND_ID.exec(getHeading(chunk)) ?? [];
  return before !== undefined && isId(before) ? before : (alone ?? null);
}

function getHeading({ text }: Chunk): string {
  return /^ {0,3}###[ \t]*([^\n]*)/.exec(text)?.[1] ?? '';
}

/** Parses a todo of PLAN.md, and collects the faults of its form. */
export function readTodo(chunk: Chunk, isId: IsId): TodoText {
  const [head = chunk, ...labelled] = cutAtLabels(chunk);
  const { title, pieces: above, line } = parseChunk(head);
  const pieces = [...above, ...labelled.flatMap((part) => parseChunk(part).pieces)];
  const faults: PlanFault[] = [];
  const parts = new Map<TodoPart, LabelledPart>();
  let facts: TodoLine | null = null;
  let open: LabelledPart | null = null;
  let isKnown = true;
  for (const piece of pieces.flatMap(splitAtLabels)) {
    const label = piece.kind === 'paragraph' ? readLabel(piece.tokens) : null;
    if (piece.kind === 'paragraph' && label !== null) {
      const part = PART_OF.get(label.name.toLowerCase());
      isKnown = part !== undefined;
      open = { line: piece.line, inline: label.rest, entries: [] };
      if (part === undefined) faults.push({ line: piece.line, problem: describeLabel(label.name) });
      else if (parts.has(part)) {
        faults.push({
          line: piece.line,
          problem: `a second **${TODO_PARTS[part]}** of the same todo: put both into one`,
        });
      } else parts.set(part, open);
    } else if (piece.kind === 'paragraph' && open === null && facts === null) {
      facts = { line: piece.line, tokens: piece.tokens };
    } else if (piece.kind === 'entry' && open !== null) {
      open.entries.push({ line: piece.line, tokens: piece.tokens });
      for (const nested of piece.nested) {
        faults.push({
          line: nested.line,
          problem: 'a list in a list is not allowed here: each entry is one line of text',
        });
      }
    } else if (isKnown) faults.push({ line: piece.line, problem: describeStray(piece, facts !== null) });
  }
  return { line, title: dropBoxAndId(title, isId), facts, parts, faults };
}

function dropBoxAndId(title: Token[], isId: IsId): Token[] {
  const taken = takeLeadingMatch(title, BOX_AND_ID);
  if (taken === null) return title;
  const id = taken.found[1];
  return id === undefined || isId(id) ? taken.rest : (takeLeadingMatch(title, /^\s*(?:\[[ xX]?\]\s*)?/)?.rest ?? title);
}

const LABELLED = new RegExp(`^\\*\\*(?:${LABELS.join('|')}):?\\*\\*`, 'i');

/** Splits a todo at lines that begin with a label, which Markdown would join to a list entry above. */
function cutAtLabels({ text, line, depth }: Chunk): Chunk[] {
  const parts: { line: number; lines: string[] }[] = [{ line, lines: [] }];
  for (const [index, row] of text.split('\n').entries()) {
    if (LABELLED.test(row)) parts.push({ line: line + index, lines: [] });
    parts.at(-1)?.lines.push(row);
  }
  return parts.map((part, index) => ({ line: part.line, depth: index === 0 ? depth : 0, text: part.lines.join('\n') }));
}

/** Splits a paragraph at labels, so that a label begins a part even without an empty line before it. */
function splitAtLabels(piece: ChunkPiece): ChunkPiece[] {
  if (piece.kind !== 'paragraph') return [piece];
  const starts = piece.tokens.flatMap((_, at) => (at > 0 && isLabelAt(piece.tokens, at) ? [at] : []));
  return [0, ...starts].map((from, index) => ({
    ...piece,
    tokens: foldTokens(piece.tokens.slice(from, starts[index])),
  }));
}

function isLabelAt(tokens: readonly Token[], at: number): boolean {
  const label = readLabel(tokens.slice(at));
  return label !== null && PART_OF.has(label.name.toLowerCase());
}

/** Reads `**Label** …`. */
function readLabel(tokens: readonly Token[]): { name: string; rest: Token[] } | null {
  const [open, text, close, ...rest] = tokens;
  if (open?.kind !== 'mark' || open.value !== '**' || text?.kind !== 'text' || close?.kind !== 'mark') return null;
  const after = takeLeadingMatch(foldTokens(rest), /^\s*:\s*/)?.rest ?? foldTokens(rest);
  return { name: text.value.replace(/:$/, '').trim(), rest: after };
}

function describeLabel(name: string): string {
  const near = findSuggestion(name.slice(0, 60), LABELS);
  const meant = near === undefined ? `the labels of a todo are ${LABELS.join(', ')}` : `did you mean **${near}**?`;
  return `there is no part **${name.slice(0, 60)}**; ${meant}`;
}

function describeStray(piece: ChunkPiece, hasFacts: boolean): string {
  switch (piece.kind) {
    case 'entry':
      return `this entry is not below a label; the labels of a todo are ${LABELS.join(', ')}`;
    case 'paragraph':
      return hasFacts
        ? 'this text is not allowed in a todo: make it a step, or an entry below another label'
        : 'the line `work, risk low, …` must be right below the heading';
    case 'other':
      return `${piece.what} is not allowed in a todo`;
    case 'row':
    case 'code':
      return `a ${piece.kind === 'row' ? 'table' : 'block of code'} is not allowed in a todo`;
  }
}

/** The parsed line of facts of a todo. */
export interface TodoFacts {
  type: string | null;
  risk: string | null;
  after: string[];
  serves: string[];
}

/** Reads `work, risk medium, after todo-1, serves r-1, r-2`. */
export function readTodoFacts({ line, tokens }: TodoLine): { facts: TodoFacts; faults: PlanFault[] } {
  const facts: TodoFacts = { type: null, risk: null, after: [], serves: [] };
  const faults: PlanFault[] = [];
  let open: string[] | null = null;
  for (const [at, fact] of writeTokens(tokens).replaceAll('`', '').split(',').entries()) {
    const word = fact.trim();
    const [, name, rest = ''] = /^(risk|after|serves)\s+(.*)$/s.exec(word) ?? [];
    if (word === '') continue;
    if (name === 'risk') facts.risk = rest;
    else if (name === 'after' || name === 'serves') {
      open = facts[name];
      open.push(rest);
    } else if (at === 0) facts.type = word;
    else if (open !== null && /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(word)) open.push(word);
    else {
      faults.push({
        line,
        problem: `"${word.slice(0, 60)}" is not one of work or verification, risk …, after …, serves …`,
      });
    }
  }
  return { facts, faults };
}
