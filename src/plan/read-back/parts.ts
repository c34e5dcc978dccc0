import { findSuggestion } from '../../base/suggest.js';
import { type Chunk, type ChunkPiece, parseChunk, splitChunks } from '../markdown/chunks.js';
import { getTokensKey, type Token } from '../markdown/tokens.js';
import type { Notes } from './fault.js';
import type { PlanEntry } from './list.js';
import { findMeantId, type IsId, readTodoId } from './todo-text.js';

/** The parts of PLAN.md and their headings. */
export const PLAN_PARTS = {
  requirements: 'Requirements',
  changes: 'What changes',
  decisions: 'Decisions',
  mustNotDo: 'Must not be done',
  assumptions: 'Unconfirmed',
  uncovered: 'Words of the request that no requirement covers',
  overview: 'Todos',
  people: 'What a person has to do',
  risks: 'Risks',
  commands: 'Commands, run by dev-cli',
  commits: 'Commits',
  context: 'Context',
  request: 'Request',
} as const;
/** A part of PLAN.md with a heading of its own. */
export type PlanPart = keyof typeof PLAN_PARTS;

const HEADINGS = Object.values(PLAN_PARTS);
const PART_OF = new Map(Object.entries(PLAN_PARTS).map(([part, title]) => [title.toLowerCase(), part as PlanPart]));

/** PLAN.md, split into its parts. */
export interface PlanText {
  /** The part that begins with `# Plan`. */
  head: Chunk | null;
  parts: ReadonlyMap<PlanPart, Chunk>;
  /** The todos in order; a todo without an id is new. */
  todos: readonly { id: string | null; chunk: Chunk }[];
}

/** Splits PLAN.md into its parts. Refuses headings that are not parts. */
export function readPlanText(text: string, isId: IsId, notes: Notes): PlanText {
  let head: Chunk | null = null;
  const parts = new Map<PlanPart, Chunk>();
  const todos: { id: string | null; chunk: Chunk }[] = [];
  for (const chunk of splitChunks(text)) {
    const heading = chunk.text.split('\n', 1)[0] ?? '';
    switch (chunk.depth) {
      case 0:
        for (const { line } of parseChunk(chunk).pieces)
          notes.refuse(line, 'no text is allowed before the title of the plan');
        break;
      case 1:
        if (head === null) head = chunk;
        else
          notes.refuse(
            chunk.line,
            `a second title, "${cutForMessage(heading)}": a part begins with ##, a todo with ###`,
          );
        break;
      case 2: {
        const name = heading.replace(/^ *##\s*|[\s#:]+$/g, '').replace(/\s+/g, ' ');
        const part = PART_OF.get(name.toLowerCase());
        const first = part && parts.get(part);
        if (part === undefined) notes.refuse(chunk.line, describeUnknown(name));
        else if (first !== undefined)
          notes.refuse(chunk.line, `a second part "${PLAN_PARTS[part]}"; the first is in line ${first.line}`);
        else parts.set(part, chunk);
        break;
      }
      case 3: {
        const id = readTodoId(chunk, isId);
        const meant = id === null ? findMeantId(chunk, isId) : null;
        if (meant !== null) notes.refuse(chunk.line, `write ### [ ] ${meant}: …, or the title of a new todo`);
        todos.push({ id: id ?? meant, chunk });
        break;
      }
      default:
        notes.refuse(
          chunk.line,
          `the heading "${cutForMessage(heading)}" is not allowed: a part begins with ##, a todo with ###`,
        );
    }
  }
  return { head, parts, todos };
}

function describeUnknown(name: string): string {
  if (/^\[[ xX]?\]|^todo-/.test(name)) return 'the heading of a todo begins with ###';
  const near = findSuggestion(cutForMessage(name), HEADINGS);
  return `there is no part "${cutForMessage(name)}"; ${near === undefined ? `the parts of a plan are ${HEADINGS.join(', ')}` : `did you mean "${near}"?`}`;
}

/** Shortens a text to 60 characters for a message. */
export function cutForMessage(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

export interface PlanListEntry extends PlanEntry {
  tokens: readonly Token[];
  nested: readonly { line: number; tokens: readonly Token[] }[];
}

/** Lists the entries of a part that is a list. Refuses any other content. */
export function readListEntries(chunk: Chunk | undefined, notes: Notes, isNested = false): PlanListEntry[] {
  return listPieces(chunk).flatMap((piece) => {
    if (piece.kind !== 'entry') {
      notes.refuse(
        piece.line,
        `${describePiece(piece)} is not allowed here: each entry is a line that begins with "- "`,
      );
      return [];
    }
    if (!isNested) {
      for (const { line } of piece.nested)
        notes.refuse(line, 'a list in a list has no place here: each entry is one line');
    }
    const key = [piece, ...piece.nested].map(({ tokens }) => getTokensKey(tokens)).join('\n');
    return piece.tokens.length === 0 ? [] : [{ ...piece, key }];
  });
}

export interface PlanTableRow extends PlanEntry {
  cells: readonly Token[][];
}

/** Lists the rows of a part that is a table. Refuses any other content and other columns. */
export function readTableRows(chunk: Chunk | undefined, columns: readonly string[], notes: Notes): PlanTableRow[] {
  const pieces = listPieces(chunk);
  const rows = pieces.flatMap((piece): PlanTableRow[] => {
    if (piece.kind !== 'row') {
      notes.refuse(
        piece.line,
        `${describePiece(piece)} is not allowed here: each row is a line such as ${renderRow(columns)}`,
      );
      return [];
    }
    const { line, cells } = piece;
    if (cells.length > columns.length) {
      notes.refuse(line, `this row has ${cells.length} cells, not ${columns.length}: a | in a text is written \\|`);
    }
    return [{ line, cells, key: cells.map(getTokensKey).join('\0|') }];
  });
  const [head, ...body] = rows;
  const titles = (head?.cells ?? []).map((cell) => getTokensKey(cell).toLowerCase());
  if (head !== undefined && String(titles) !== String(columns)) {
    notes.refuse(head.line, `the columns of this table are ${columns.join(', ')}, in this order`);
    return [];
  }
  return body.filter(({ cells }) => cells.some((cell) => cell.length > 0));
}

function renderRow(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}

function listPieces(chunk: Chunk | undefined): ChunkPiece[] {
  return chunk === undefined ? [] : parseChunk(chunk).pieces;
}

/** Describes the kind of a piece of Markdown in words, for a message. */
export function describePiece(piece: ChunkPiece): string {
  switch (piece.kind) {
    case 'paragraph':
      return 'this text';
    case 'entry':
      return 'a list';
    case 'row':
      return 'a table';
    case 'code':
      return 'a block of code';
    case 'other':
      return piece.what;
  }
}
