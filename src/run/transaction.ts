import type { Caller } from '../base/caller.js';
import { DevCliError } from '../base/errors.js';
import { findCurrentBlock, findOutcome, findRestingState } from '../machine/position.js';
import type { RunMarks } from '../project/marks.js';
import { ARTIFACTS, isGuarded, listArtifacts } from '../recipe/declared.js';
import type { CapturedRecipe, ResolvedBlock } from '../recipe/resolved.js';
import type { Decision, NewEntry, StreamState } from '../store/store.js';
import type { WorkTreeStatus } from '../work/baseline.js';
import { getPollWait, type ReadContext } from './context.js';
import type { EntryData, EntryType } from './entries.js';
import { recordSizes } from './lost-documents.js';
import type { OtherExecution } from './other-executions.js';
import type { Directories } from './paths.js';
import { createWorkspace, type Documents, type PendingDocuments } from './pending-documents.js';
import type { RunState } from './state.js';
import { summarize } from './summarize.js';

/** What a CLI block did on the way, told in the answer as `ran`. */
export interface RanStep {
  block: string;
  ok: boolean;
  summary: string;
}

/**
 * One decision in the making: the snapshot being changed, the documents being written, what will be recorded.
 * Lives inside a single `decide`; only its commit is seen by anybody (storage.md, A commit).
 */
export interface Transaction {
  readonly place: Directories;
  /** With the recipe that is at work; of a workflow, another one from the moment on at which the next phase begins. */
  captured: CapturedRecipe;
  readonly files: PendingDocuments;
  readonly state: RunState;
  /** The instant of the commit. */
  readonly at: string;
  readonly by: Caller;
  readonly entries: { type: EntryType; data: EntryData<EntryType> }[];
  /** Told in the answer, not kept. */
  readonly warnings: string[];
  readonly ran: RanStep[];
  /** Why the next action is issued, beyond the recipe: a review that rejected, the user's reason. Read first. */
  readonly because: string[];
  /** The work tree as it is, read before the decision; null where there is no repository. */
  readonly tree: () => WorkTreeStatus | null;
  /** Other runs that carry out a plan in the same work tree. Asked when an execution begins; then none of them begins meanwhile. */
  readonly others: () => readonly OtherExecution[];
  /** At `init`: the run of this name before the one that begins. Null in every other transaction. */
  readonly earlier: RunState | null;
  /** Seconds that a printed poll waits for a command at work. */
  readonly pollWait: number;
}

/** The part of a transaction that only reads; a question, which has no transaction, has it too. */
export interface Standing {
  readonly place: Directories;
  readonly captured: CapturedRecipe;
  readonly files: Documents;
  readonly state: RunState;
}

/** What a condition sees (recipes.md, Conditions). Every declared name is present, null when unset. */
export type ConditionScope = Record<string, unknown>;

/** Records an entry of this transaction. */
export function recordEntry<T extends EntryType>(tx: Transaction, type: T, data: Omit<EntryData<T>, 'runId'>): void {
  tx.entries.push({ type, data: { runId: tx.state.runId, ...data } as EntryData<T> });
}

/**
 * The block of that id in the captured recipe.
 * @throws DevCliError `INTERNAL` when machine and recipe disagree
 */
export function getBlock({ captured }: Pick<Standing, 'captured'>, id: string): ResolvedBlock {
  const block = captured.recipe.blocks.find((candidate) => candidate.id === id);
  if (block === undefined) throw new DevCliError('INTERNAL', `The captured recipe has no block "${id}".`);
  return block;
}

export function recordStepSummary(tx: Transaction, block: string, summary: string): void {
  const step = tx.state.steps[block];
  tx.state.steps[block] = { ...step, status: step?.status ?? 'pending', at: tx.at, summary: summary.slice(0, 300) };
}

/** Remembers why a block failed; `status`, `manifest` and the end tell it. */
export function recordFault(tx: Transaction, block: string, code: string, message: string): void {
  tx.state.lastError = { code, message: message.slice(0, 500), block, at: tx.at };
}

export function openTransaction(
  context: ReadContext,
  head: StreamState<RunState>,
  state: RunState,
  captured: CapturedRecipe,
  { tree, others }: Surroundings = NOTHING_KNOWN,
  earlier: RunState | null = null,
): Transaction {
  const workTree = state.workTree === '.' ? context.root : state.workTree;
  return {
    place: { root: context.root, workTree },
    captured,
    files: createWorkspace(head.files),
    state,
    at: head.at,
    by: context.caller,
    entries: [],
    warnings: [],
    ran: [],
    because: [],
    tree: () => tree(workTree),
    others: () => others(state.name, workTree),
    earlier,
    pollWait: getPollWait(context),
  };
}

/** The store's decision for a finished transaction. */
export function closeTransaction<A>(tx: Transaction, head: StreamState<RunState>, answer: A): Decision<RunState, A> {
  const entries = tx.entries.map((entry): NewEntry => ({ type: entry.type, by: tx.by, data: { ...entry.data } }));
  const [first, ...rest] = entries;
  if (first === undefined) return { answer };
  const { state } = tx;
  entries.forEach((entry, index) => {
    appendEvent(state, { seq: head.seq + 1 + index, at: tx.at, type: entry.type, summary: summarize(entry) });
  });
  const last = head.seq + entries.length;
  numberGates(tx, head.seq);
  if (state.pendingAction?.issuedAt === tx.at && state.pendingAction.issuedSeq === 0) {
    state.pendingAction.issuedSeq = last;
  }
  if (state.sourcesRefused?.seq === 0) state.sourcesRefused.seq = last;
  if (state.lastHuman?.seq === 0) state.lastHuman.seq = last;
  state.written = writtenDocuments(tx);
  state.updatedAt = tx.at;
  derive(
    state,
    tx.captured.recipe.blocks.map((block) => block.id),
  );
  refreshInputs(tx);
  state.documents = recordSizes(tx);
  return { answer, entries: [first, ...rest], snapshot: state, files: tx.files.changes(), marks: marksOf(tx) };
}

/** A gate tells at which entry of the journal it was decided. */
function numberGates({ state, entries }: Transaction, before: number): void {
  entries.forEach((entry, index) => {
    if (entry.type !== 'acknowledged' || !('block' in entry.data) || !('choice' in entry.data)) return;
    const gate = state.gates[entry.data.gate ?? entry.data.block];
    if (gate !== undefined) gate.seq = before + 1 + index;
  });
}

/** What this commit writes is known: only changes by others count as changed inputs (recipes.md, Staleness). */
function refreshInputs(tx: Transaction): void {
  for (const { path } of tx.files.changes()) {
    for (const inputs of Object.values(tx.state.inputHashes)) {
      if (Object.hasOwn(inputs, path)) inputs[path] = tx.files.digest(path);
    }
  }
}

function marksOf(tx: Transaction): RunMarks {
  const { state, captured } = tx;
  const marks: RunMarks = { guarded: state.status === 'live' && isGuarded(captured.recipe) };
  if (state.status === 'completed' || state.status === 'aborted') return { ...marks, pointer: 'clear' };
  const starts = tx.entries.some((entry) => entry.type === 'init');
  return starts && state.origin === null && state.workTree === '.' ? { ...marks, pointer: 'set' } : marks;
}

/**
 * Of dev-cli's own documents and those that the recipe names what this run has written so far, this transaction included: those
 * of an earlier run of the name lie in the same directory.
 */
export function writtenDocuments({ state, files, captured }: Transaction): string[] {
  const now = files.changes().map(({ path }) => path);
  const told = [...new Set([...ARTIFACTS, ...listArtifacts(captured)])];
  return told.filter((path) => state.written.includes(path) || now.includes(path));
}

/** The round that a block is in, from 1. */
export function getRound(tx: Standing, block: string | null): number {
  const counters = block === null ? undefined : tx.state.machine.counters[block];
  return Math.max(1, counters?.round ?? 1);
}

/** Events kept in the snapshot for `status` and `manifest`; the journal has them all. */
const EVENTS_KEPT = 20;

/** Sets what follows from the machine's position: `phase`, `currentBlock`, `blockIndex` (storage.md, state.json). */
function derive(state: RunState, blocks: readonly string[]): void {
  const block = findCurrentBlock(state.machine) ?? findRestingState(state.machine)?.block ?? null;
  state.currentBlock = block;
  state.blockIndex = block === null ? blocks.length : blocks.indexOf(block);
  state.phase = findOutcome(state.machine) ?? waitsFor(state);
}

/** Whom a live run waits for. */
function waitsFor(state: RunState): string {
  const action = state.pendingAction?.action;
  if (action === undefined || action.action === 'done') return state.status;
  if (action.action === 'running') return 'command';
  return action.action === 'wait-for-user' || action.asks === 'user' ? 'user' : 'agent';
}

/** Adds a line to the last events. */
function appendEvent(state: RunState, event: RunState['events'][number]): void {
  state.events.push(event);
  if (state.events.length > EVENTS_KEPT) state.events.splice(0, state.events.length - EVENTS_KEPT);
}

/** What a decision may ask about the world outside the store. Few do, and it takes longer than all the rest of a call. */
export interface Surroundings {
  /** The work tree at this absolute path; null where there is no repository. */
  tree: (workTree: string) => WorkTreeStatus | null;
  /** The executions of other runs in the work tree at this absolute path; none begins before the decision is committed. */
  others: (run: string, workTree: string) => readonly OtherExecution[];
}

/** Thrown by work that asks for something not yet known. */
export class UnknownError extends Error {
  constructor(
    readonly what: keyof Surroundings,
    readonly workTree: string,
    readonly run: string = '',
  ) {
    super(`${what} was asked for and is not known`);
  }
}

/** Nothing is known: every question throws. For work that asks none. */
export const NOTHING_KNOWN: Surroundings = {
  tree: (workTree) => {
    throw new UnknownError('tree', workTree);
  },
  others: (run, workTree) => {
    throw new UnknownError('others', workTree, run);
  },
};
