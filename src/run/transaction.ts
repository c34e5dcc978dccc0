// outside: hook

import type { Caller } from '../base/caller.js';
import { DevCliError } from '../base/errors.js';
import { findCurrentBlock, findOutcome, findRestingState } from '../machine/position.js';
import type { RunMarks } from '../project/marks.js';
import type { CapturedRecipe } from '../recipe/captured.js';
import { DEFAULT_ARTIFACTS, isGuarded, listArtifacts } from '../recipe/declared.js';
import type { ResolvedBlock } from '../recipe/resolved.js';
import type { JournalPast, NewEntry, StreamState, TransactionDecision } from '../store/store.js';
import type { Baseline, WorkTreeStatus } from '../work/baseline.js';
import type { LoggedCommit } from '../work/commit-search.js';
import type { WorkTreeChanges } from '../work/git.js';
import { getPollWait, type ReadContext } from './context.js';
import { listShared } from './documents/artifacts.js';
import { recordSizes } from './documents/lost.js';
import { createDocumentOverlay, type Documents, type PendingDocuments } from './documents/pending.js';
import type { EntryData, EntryType } from './entries.js';
import { awaitsGoal } from './facts.js';
import type { OtherExecution } from './other-executions.js';
import type { Directories } from './paths.js';
import type { Simulation } from './simulation.js';
import type { RunDraft, RunState } from './state.js';
import { NO_OUTSIDE_FACTS, type OutsideFacts } from './surroundings.js';

/** The outcome of a CLI block, a todo or a stage during the call; the answer lists it under `ran`. */
export interface RanStep {
  block: string;
  ok: boolean;
  summary: string;
}

/**
 * A decision in progress: the snapshot being changed, the documents being written, the entries to be recorded. It
 * exists only within a single `decide`; others see only its commit (storage.md, A commit).
 */
export interface Transaction {
  readonly place: Directories;
  /** The captured recipe; in a workflow, the recipe of the current phase. It changes when the next phase begins. */
  captured: CapturedRecipe;
  readonly files: PendingDocuments;
  readonly state: RunDraft;
  /** Time of the commit. */
  readonly at: string;
  readonly by: Caller;
  readonly entries: { type: EntryType; data: EntryData<EntryType> }[];
  /** Warnings for this call's answer only. */
  readonly warnings: string[];
  readonly ran: RanStep[];
  /** Files that say why the next action is issued, such as a rejecting review; the agent opens them first. */
  readonly because: string[];
  /** Returns the status that the work tree had when the decision first read it; null without a repository. */
  readonly tree: () => WorkTreeStatus | null;
  /** Returns the differences between the work tree and a baseline; null if git can no longer tell. */
  readonly changes: (baseline: Baseline) => WorkTreeChanges | null;
  /** Returns the commits in a range, oldest first; null if git can no longer tell. */
  readonly commits: (range: { from: string | null; to: string }) => readonly LoggedCommit[] | null;
  /**
   * Lists other runs that execute a plan in the same work tree. From this call until the commit, no other execution can
   * begin, so the list stays true.
   */
  readonly others: () => readonly OtherExecution[];
  /** At `init`: the previous run of this name. Null in every other transaction. */
  readonly earlier: RunState | null;
  /** Seconds that a printed poll waits for a running command. */
  readonly pollWait: number;
  /** The journal up to this commit. */
  readonly past: JournalPast;
  /** Receives the state machines' decisions in a rehearsal. */
  readonly tell?: Simulation['tell'];
}

/** The read-only part of a transaction, which questions also use. */
export interface ReadTransaction {
  readonly place: Directories;
  readonly captured: CapturedRecipe;
  readonly files: Documents;
  readonly state: RunState;
}

/** Records an entry of this transaction. */
export function recordEntry<T extends EntryType>(tx: Transaction, type: T, data: Omit<EntryData<T>, 'runId'>): void {
  tx.entries.push({ type, data: { runId: tx.state.runId, ...data } as EntryData<T> });
}

/**
 * Returns a block of the captured recipe.
 * @throws DevCliError `INTERNAL` if the recipe has no such block
 */
export function getBlock({ captured }: Pick<ReadTransaction, 'captured'>, id: string): ResolvedBlock {
  const block = captured.recipe.blocks.find((candidate) => candidate.id === id);
  if (block === undefined) throw new DevCliError('INTERNAL', `The captured recipe has no block "${id}".`);
  return block;
}

/**
 * Records the summary of a block's step, cut to 300 characters.
 * @param exit exit code of its command; null if there is none
 */
export function recordStepSummary(tx: Transaction, block: string, summary: string, exit: number | null = null): void {
  const { exit: _, ...step } = tx.state.steps[block] ?? { status: 'pending' };
  const ended = exit === null ? {} : { exit };
  tx.state.steps[block] = { ...step, at: tx.at, summary: summary.slice(0, 300), ...ended };
}

/** Adds a warning to this call's answer and to the warnings listed when the run ends. */
export function recordWarning(tx: Transaction, line: string): void {
  tx.state.warnings.push(line);
  tx.warnings.push(line);
}

/** Records why a block failed, for `status`, `manifest` and the end of the run. */
export function recordFault(tx: Transaction, block: string, code: string, message: string): void {
  tx.state.lastError = { code, message: message.slice(0, 500), block, at: tx.at };
}

/**
 * Opens a transaction.
 * @param state the state that the body changes in place; a shared snapshot must be copied first, unless the body only
 * reads
 * @param earlier at `init`: the previous run of this name
 */
export function openTransaction(
  context: ReadContext,
  head: StreamState<RunState>,
  state: RunDraft,
  captured: CapturedRecipe,
  { tree, changes, commits, others }: OutsideFacts = NO_OUTSIDE_FACTS,
  earlier: RunState | null = null,
): Transaction {
  const workTree = state.workTree === '.' ? context.root : state.workTree;
  return {
    place: { root: context.root, workTree },
    captured,
    files: createDocumentOverlay(head.files),
    state,
    at: head.at,
    by: context.caller,
    entries: [],
    warnings: [],
    ran: [],
    because: [],
    tree: () => tree(workTree),
    changes: (baseline) => changes(workTree, baseline),
    commits: (range) => commits(workTree, range),
    others: () => others(state.name, workTree),
    earlier,
    pollWait: getPollWait(context),
    past: head.past,
    ...(context.simulation === undefined ? {} : { tell: context.simulation.tell }),
  };
}

/** Turns a finished transaction into the decision that the store expects. */
export function closeTransaction<A>(
  tx: Transaction,
  head: StreamState<RunState>,
  answer: A,
): TransactionDecision<RunState, A> {
  const entries = tx.entries.map((entry): NewEntry => ({ type: entry.type, by: tx.by, data: { ...entry.data } }));
  const [first, ...rest] = entries;
  if (first === undefined) return { answer };
  const { state } = tx;
  const last = head.seq + entries.length;
  recordEvents(tx, head.seq);
  numberGates(tx, head.seq);
  const { pendingAction, lastHuman } = state;
  if (pendingAction?.issuedAt === tx.at && pendingAction.issuedSeq === 0) {
    state.pendingAction = { ...pendingAction, issuedSeq: last };
  }
  const { sourcesRefused } = tx.state;
  if (sourcesRefused?.seq === 0) tx.state.sourcesRefused = { ...sourcesRefused, seq: last };
  if (lastHuman?.seq === 0) state.lastHuman = { ...lastHuman, seq: last };
  state.written = listWrittenDocuments(tx);
  state.updatedAt = tx.at;
  derivePosition(tx);
  refreshInputs(tx);
  state.documents = recordSizes(tx);
  return {
    answer,
    entries: [first, ...rest],
    snapshot: state,
    files: tx.files.changes(),
    rooms: tx.files.rooms(),
    marks: buildMarks(tx),
  };
}

/** How many events remain when the list is shortened, which happens once it has more than twice as many. */
const EVENTS_KEPT = 10;

/** The members of an entry's data that are copied to `events` of the state. */
const TOLD = ['block', 'actionId', 'todoId', 'command'] as const;

/**
 * Adds an event to the state for each entry of this commit (storage.md, state.json). Most commits only append to the
 * list of events, so that the change, which the journal records as a patch, stays small.
 */
function recordEvents({ state, entries, by, at }: Transaction, before: number): void {
  const made = entries.flatMap(({ type, data }, index): RunState['events'] => {
    if (isOutsideEntry(type)) return [];
    const told = Object.entries(data).filter(([key, value]) => TOLD.some((one) => one === key) && value !== undefined);
    return [{ seq: before + 1 + index, type, at, by: by.kind, ...Object.fromEntries(told) }];
  });
  const all = [...state.events, ...made];
  state.events = all.length > 2 * EVENTS_KEPT ? all.slice(-EVENTS_KEPT) : all;
}

/** Records in each decided gate the sequence number of the journal entry that decided it. */
function numberGates({ state: { gates }, entries }: Transaction, before: number): void {
  entries.forEach(({ type, data }, index) => {
    const isChoice = type === 'acknowledged' && 'block' in data && 'choice' in data;
    const isDecided = type === 'plan-applied' || type === 'plan-rejected';
    const key = isChoice ? (data.gate ?? data.block) : isDecided ? 'applyPlan' : '';
    const gate = gates[key];
    if (gate !== undefined) gates[key] = { ...gate, seq: before + 1 + index };
  });
}

/**
 * Digests of a block's inputs are recorded so that a later change makes the block stale. What this commit itself writes
 * must not count as such a change, so the recorded digests are brought up to date (recipes.md, Staleness).
 */
function refreshInputs({ state: { inputHashes }, files }: Transaction): void {
  for (const { path } of files.changes()) {
    for (const [block, inputs] of Object.entries(inputHashes)) {
      if (Object.hasOwn(inputs, path)) inputHashes[block] = { ...inputs, [path]: files.digest(path) };
    }
  }
}

function buildMarks(tx: Transaction): RunMarks {
  const { state, captured, files } = tx;
  const marks: RunMarks = {
    guarded: state.status === 'live' && state.unguarded !== true && isGuarded(captured.recipe),
  };
  const shared = state.outcome === null ? [] : listShared(captured, state, files);
  if (shared.length > 0) marks.shared = shared;
  if (state.status === 'completed' || state.status === 'aborted') return { ...marks, pointer: 'clear' };
  const starts = tx.entries.some((entry) => entry.type === 'init');
  return starts && state.origin === null && state.workTree === '.' ? { ...marks, pointer: 'set' } : marks;
}

/**
 * Lists the documents, out of dev-cli's own and the recipe's artifacts, that this run has written, including in this
 * transaction. Other documents in the directory may be from an earlier run of the name.
 */
export function listWrittenDocuments({ state, files, captured }: Transaction): string[] {
  const now = files.changes().map(({ path }) => path);
  const told = [...new Set([...DEFAULT_ARTIFACTS, ...listArtifacts(captured)])];
  return told.filter((path) => state.written.includes(path) || now.includes(path));
}

/** Returns the round of a block, from 1. */
export function getRound(tx: ReadTransaction, block: string | null): number {
  const counters = block === null ? undefined : tx.state.machine.counters[block];
  return Math.max(1, counters?.round ?? 1);
}

/**
 * Derives `phase`, `currentBlock`, `blockIndex` and `reviewRounds` from the machine's position and the reviews
 * (storage.md, state.json).
 */
function derivePosition({ state, captured }: Transaction): void {
  const { machine, reviews } = state;
  const blocks = captured.recipe.blocks.map(({ id }) => id);
  // Before the run has its goal, the machine has no position.
  const waits = awaitsGoal(state);
  const block = waits ? state.currentBlock : (findCurrentBlock(machine) ?? findRestingState(machine)?.block ?? null);
  state.currentBlock = block;
  // An aborted run has no current block but keeps the index that it reached.
  if (block !== null) state.blockIndex = blocks.indexOf(block);
  else if (state.outcome !== 'aborted') state.blockIndex = blocks.length;
  state.phase = (waits ? null : findOutcome(machine)) ?? findWaiter(state);
  state.reviewRounds = new Set(reviews.map(({ block, round }) => `${round} ${block}`)).size;
}

/** Returns who or what a live run is waiting for. */
function findWaiter(state: RunState): string {
  if (state.held !== undefined) return 'held';
  const action = state.pendingAction;
  if (action === null || action.action === 'done') return state.status;
  if (action.action === 'running') return 'command';
  return action.action === 'wait-for-user' || action.asks === 'user' ? 'user' : 'agent';
}

/** Types of entries that record something outside the run's own calls. */
const ASIDE: readonly EntryType[] = ['recovered', 'nudged', 'written', 'spent'];

/** Returns whether an entry of this type records something outside the run's own calls. */
export function isOutsideEntry(type: string): boolean {
  return ASIDE.some((one) => one === type);
}
