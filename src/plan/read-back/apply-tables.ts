import type { Chunk } from '../markdown/chunks.js';
import {
  foldTokens,
  getTokensKey,
  splitAtCommas,
  type Token,
  takeLeadingMatch,
  writeTyped,
} from '../markdown/tokens.js';
import type { PlanContent, PlanRequirement } from '../model/schema.js';
import type { Notes } from './fault.js';
import { FreeIds } from './free-ids.js';
import { applyList, noteLines } from './list.js';
import { cutForMessage, type PlanTableRow, readTableRows } from './parts.js';
import { applyText } from './restore.js';

/** Applies edits to the tables of PLAN.md: requirements and decisions. */

/** A part as it was rendered, and as it was edited. */
export interface EditedPart {
  before: Chunk | undefined;
  after: Chunk | undefined;
}

/** A change to the cell `proved by` of a requirement. */
export interface ProofChange {
  requirement: string;
  line: number;
  /** For example `todo-1/ac-1`. */
  added: readonly string[];
  removed: readonly string[];
}

const REQUIREMENT_COLUMNS = ['id', 'requirement', 'in the words of', 'proved by'];
const DECISION_COLUMNS = ['decision', 'why', 'by', 'for'];

/**
 * Applies the edits to the requirements table. Returns changes to its column `proved by` as `proofs`, since they have
 * to be applied to the acceptances.
 */
export function applyRequirements(
  old: readonly PlanRequirement[],
  edited: EditedPart,
  unheard: Notes,
  notes: Notes,
): { requirements: PlanRequirement[]; proofs: ProofChange[] } {
  const rows = (chunk: Chunk | undefined, to: Notes) =>
    readTableRows(chunk, REQUIREMENT_COLUMNS, to).map((row) => ({
      ...row,
      name: writeTyped(row.cells[0] ?? []) || null,
    }));
  const proofs: ProofChange[] = [];
  const found = notes.faults.length;
  const after = rows(edited.after, notes);
  // If the table cannot be read, a missing row does not mean that somebody removed it.
  if (after.length === 0 && notes.faults.length > found) return { requirements: [...old], proofs };
  const free = new FreeIds('r', [...old.map(({ id }) => id), ...after.flatMap(({ name }) => name ?? [])]);
  const lists = { old, before: rows(edited.before, unheard), after, name: 'requirements', isUnique: true };
  const placed = applyList<PlanRequirement, PlanTableRow>(lists, notes, ({ cells, line, name }, was) => {
    const id = name || (was?.value.id ?? free.next());
    const proved = readProofs(cells[3] ?? [], line, notes);
    const proofsBefore = was?.value.id === id ? readProofs(was.item.cells[3] ?? [], line, unheard) : [];
    proofs.push({
      requirement: id,
      line,
      added: proved.filter((proof) => !proofsBefore.includes(proof)),
      removed: proofsBefore.filter((proof) => !proved.includes(proof)),
    });
    const said = readQuote(cells[2] ?? []);
    if (said === null) {
      notes.refuse(line, 'the words are quoted as the request: "…" or the user: "…"');
      // Keeps the row although it is refused. Without it, all references to the requirement would be refused as well.
      return { id, quote: '', from: 'request', text: '' };
    }
    const [cellsBefore, old] = [was?.item.cells ?? [], was?.value];
    return {
      ...old,
      id,
      quote: applyText(said.words, readQuote(cellsBefore[2] ?? [])?.words, old?.quote),
      from: said.from,
      text: applyText(cells[1] ?? [], cellsBefore[1], old?.text),
    };
  });
  return { requirements: noteLines(placed, '/requirements', notes), proofs };
}

interface Quote {
  from: PlanRequirement['from'];
  words: Token[];
}

function readQuote(cell: readonly Token[]): Quote | null {
  const taken = takeLeadingMatch(cell, /^the (request|user): ?["“]/);
  const last = taken?.rest.at(-1);
  if (!taken || last?.kind !== 'text' || !/["”]$/.test(last.value)) return null;
  const words = foldTokens([...taken.rest.slice(0, -1), { ...last, value: last.value.slice(0, -1) }]);
  return { from: taken.found[1] === 'user' ? 'user' : 'request', words };
}

function readProofs(cell: readonly Token[], line: number, notes: Notes): string[] {
  const said = splitAtCommas(cell).map((piece) => writeTyped(piece));
  if (said.length === 0 || (said.length === 1 && said[0] === 'nothing')) return [];
  return said.flatMap((proof) => {
    const [, id] = /^([A-Za-z0-9][\w-]*\/[A-Za-z0-9][\w-]*)(?: \((?:agent|person)\))?$/.exec(proof) ?? [];
    if (id === undefined) notes.refuse(line, `"${cutForMessage(proof)}" names no acceptance: write todo-1/ac-1`);
    return id ?? [];
  });
}

type Decision = NonNullable<PlanContent['decisions']>[number];

/** Applies the edits to the decisions table. */
export function applyDecisions(old: readonly Decision[], edited: EditedPart, unheard: Notes, notes: Notes): Decision[] {
  // Rows have no names and are matched by text and position, so that an edited decision stays the same decision.
  const rows = (chunk: Chunk | undefined, to: Notes) =>
    readTableRows(chunk, DECISION_COLUMNS, to).map((row) => ({ ...row, name: null }));
  const lists = { old, before: rows(edited.before, unheard), after: rows(edited.after, notes), name: 'decisions' };
  const placed = applyList<Decision, PlanTableRow>(lists, notes, ({ cells, line }, was) => {
    const before = was?.item.cells ?? [];
    const { reason, serves, ...kept } = was?.value ?? { text: '', by: 'user' as const };
    const by = writeTyped(cells[2] ?? []);
    if (by !== 'user' && by !== 'agent' && by !== 'assumed') {
      notes.refuse(line, `a decision is by user, agent or assumed, not by "${cutForMessage(by)}"`);
      return null;
    }
    const why = applyText(cells[1] ?? [], before[1], reason);
    const isFor = was !== null && getTokensKey(before[3] ?? []) === getTokensKey(cells[3] ?? []);
    const whom = isFor ? serves : readServed(cells[3] ?? []);
    return {
      ...kept,
      text: applyText(cells[0] ?? [], before[0], kept.text),
      ...(why ? { reason: why } : {}),
      by,
      ...(whom === undefined ? {} : { serves: whom }),
    };
  });
  return noteLines(placed, '/decisions', notes);
}

function readServed(cell: readonly Token[]): string[] | undefined {
  const ids = splitAtCommas(cell).map((piece) => writeTyped(piece));
  return ids.length === 0 || (ids.length === 1 && ids[0] === 'all') ? undefined : ids;
}
