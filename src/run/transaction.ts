import type { Caller } from '../base/caller.js';
import { DevCliError } from '../base/errors.js';
import type { JudgeResult } from '../documents/judge-result.js';
import type { CapturedRecipe, ResolvedBlock } from '../recipe/resolved.js';
import type { WorkTreeStatus } from '../work/git.js';
import type { TodoState } from './engine-rows.js';
import type { EntryData, EntryType } from './entries.js';
import type { Documents, PendingDocuments } from './pending-documents.js';
import type { RunState } from './state.js';

/** Where a run lives, for the paths that are printed. */
export interface Directories {
  /** Absolute. */
  root: string;
  /** Absolute; the root unless the run has a work tree of its own. */
  workTree: string;
}

/** What a CLI block did on the way, told in the answer as `ran`. */
export interface RanStep {
  block: string;
  ok: boolean;
  summary: string;
}

/** Another run that carries out a plan in the same work tree. */
export interface OtherExecution {
  name: string;
  todos: readonly Pick<TodoState, 'id' | 'type' | 'files' | 'status'>[];
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
  /** Decides a condition of the recipe over a scope. */
  readonly evaluate: EvaluateInScope;
  /** Judges the form of a task's result. */
  readonly judge: JudgeResult;
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

export type EvaluateInScope = (source: string, scope: ConditionScope) => boolean;

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
