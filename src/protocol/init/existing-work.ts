import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import { isSameJson } from '../../base/json.js';
import { GOAL_FILE, removeGoalFile } from '../../project/own-places.js';
import type { Context } from '../../run/context.js';
import { createDocumentOverlay, readFileFacts } from '../../run/documents/pending.js';
import { isHeldByPerson, refuseHeld } from '../../run/hold.js';
import { readStateIfReadable } from '../../run/other-executions.js';
import { readPlan } from '../../run/plan/content.js';
import type { RecipeState } from '../../run/recipe-state.js';
import type { RunState } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';
import type { StreamState } from '../../store/store.js';
import { isAtItsPlace } from '../trust/place.js';
import { isTrustedHere } from '../trust/run-place.js';
import { executesAtOnce, type InitInput, type PreparedRun } from './prepare.js';

/**
 * Refuses work that another run is already doing (protocol.md §5), or that a person has held under another name
 * (control.md, Releasing).
 * @param beside.prepared the run to be begun; absent if the run exists and only its goal is being given
 * @param beside.instead the command that starts the work despite the other run
 * @throws DevCliError `RUN_SAME_GOAL` when a live run of another name has the same goal, unless `--new` was given;
 * `RUN_HELD`
 */
export async function refuseSameGoal(
  context: Context,
  name: string,
  { goal, new: anew }: Pick<InitInput, 'goal' | 'new'>,
  { prepared, instead }: { prepared?: PreparedRun; instead?: Invocation },
): Promise<void> {
  const wanted = normalizeGoal(goal ?? '');
  const begun = prepared?.kind === 'new' ? prepared : undefined;
  const own = normalizeGoal(begun?.goal ?? goal ?? '');
  for (const other of await context.store.streams()) {
    const state = other === name ? null : await readStateIfReadable(context, other);
    if (state === null) continue;
    const theirs = normalizeGoal(state.goal ?? '');
    const isSameWork = own !== '' && own === theirs;
    if (
      isHeldByPerson(state) &&
      (isSameWork || (begun !== undefined && (await isPlanOf(context, name, other, begun))))
    ) {
      refuseHeld(context, state, `to begin its work under the name "${name}"`);
    }
    if (anew === true || state.status !== 'live' || wanted === '' || theirs !== wanted) continue;
    throw new DevCliError('RUN_SAME_GOAL', `"${other}" is live with the same goal. --new starts another run for it.`, {
      run: other,
      fix: { command: 'next', input: { name: other } },
      ...omitUndefined({ instead }),
    });
  }
}

/** Whether every todo of the plan to be executed is also in another run's plan: it is a copy or a part of that plan. */
async function isPlanOf(
  context: Context,
  name: string,
  other: string,
  { captured }: Extract<PreparedRun, { kind: 'new' }>,
): Promise<boolean> {
  if (!executesAtOnce(captured)) return false;
  const [mine, theirs] = await Promise.all(
    [name, other].map(async (one) => readPlan(createDocumentOverlay((await context.store.read(one)).files))),
  );
  const titles = new Set(theirs?.todos.map(({ title }) => normalizeGoal(title)));
  return mine?.todos.every(({ title }) => titles.has(normalizeGoal(title))) === true;
}

/** Normalizes case, white space and punctuation, since two sessions may write the same goal differently. */
function normalizeGoal(goal: string): string {
  return goal
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\s]+/gu, ' ')
    .trim();
}

/**
 * Returns a warning about outputs that agents have already written, since the pending dispatch does not mention them.
 */
export function describeWrittenOutputs({ state, files }: Transaction): string[] {
  const promised = Object.entries(state.pendingAction?.before ?? {});
  const action = state.pendingAction?.action;
  if (action !== 'dispatch-subagents' && action !== 'engine-dispatch') return [];
  const written = promised.filter(([path, before]) => {
    const now = readFileFacts(files, path);
    return now !== null && !isSameJson(now, before);
  });
  if (written.length === 0) return [];
  const all = `${written.length} of ${promised.length}`;
  return [
    `${all} outputs of this action are already written: run its ack before anything else; the ack names what is missing`,
  ];
}

/**
 * Removes `.dev/goal.md`, which was written only to pass the goal to this call. Does nothing if the run has not
 * recorded that goal, since the file is then still needed, or if `--goal` named another file, since that is the user's.
 * @param goal the goal's text
 * @param from.cwd directory of the call
 * @param from.typed `--goal` as it was typed
 * @throws any error of the store
 */
export async function removeUsedGoal(
  context: Context,
  name: string,
  goal: unknown,
  { cwd, typed }: { cwd: string; typed: unknown },
): Promise<void> {
  if (typeof goal !== 'string' || typed !== `@${GOAL_FILE}`) return;
  const { snapshot } = await context.store.read(name);
  if (snapshot?.goal === goal.trim()) removeGoalFile([context.root, cwd]);
}

/**
 * Returns the previous run of this name. Drops the approvals of a run from elsewhere, because somebody else gave them
 * (protocol.md, Place).
 */
export function findPreviousRun(context: Context, { snapshot }: StreamState<RunState>): RunState | null {
  if (snapshot === null || isAtItsPlace(context, snapshot) || isTrustedHere(context, snapshot)) return snapshot;
  const { planGate, workflow, ...rest } = snapshot;
  return {
    ...dropApprovals(rest),
    workflow: workflow === null ? null : { ...workflow, earlier: workflow.earlier.map(dropApprovals) },
    ...(planGate === undefined ? {} : { planGate: { ...planGate, approved: false } }),
  };
}

function dropApprovals<R extends Pick<RecipeState, 'gates' | 'engine'>>(recipe: R): R {
  const { gates, engine } = recipe;
  const stale = Object.entries(gates).map(([id, gate]) => [id, { ...gate, stale: true }]);
  const asked = engine?.planApproved === undefined ? {} : { planApproved: null };
  return {
    ...recipe,
    gates: Object.fromEntries(stale),
    engine: engine === null ? null : { ...engine, commandsApproved: null, ...asked },
  };
}
