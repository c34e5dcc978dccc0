import { DevCliError } from '../../base/errors.js';
import { canonicalJson } from '../../base/json.js';
import { GOAL_FILE, removeGoalFile } from '../../project/goal-file.js';
import type { Context } from '../../run/context.js';
import { readFileFacts } from '../../run/pending-documents.js';
import type { RunState } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';
import type { StreamState } from '../../store/store.js';
import { isAtItsPlace } from '../trust/place.js';
import { isTrustedHere } from '../trust/run-place.js';
import type { InitInput } from './prepare.js';

// What `init` does about work that was begun before it, and about the goal that it took.

/**
 * The same work is not begun twice by a session that does not know of the first.
 * @throws DevCliError `RUN_SAME_GOAL`
 */
export async function refuseSameGoal(context: Context, name: string, { goal, new: anew }: InitInput): Promise<void> {
  const wanted = normalizeGoal(goal ?? '');
  if (wanted === '' || anew === true) return;
  for (const other of await context.store.streams()) {
    if (other === name || normalizeGoal((await readLiveGoal(context, other)) ?? '') !== wanted) continue;
    throw new DevCliError('RUN_SAME_GOAL', `"${other}" is live with the same goal. --new starts another run for it.`, {
      run: other,
      fix: { command: 'next', input: { name: other } },
    });
  }
}

/** A goal without what two people, or two sessions, would write differently. */
function normalizeGoal(goal: string): string {
  return goal
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\s]+/gu, ' ')
    .trim();
}

async function readLiveGoal(context: Context, name: string): Promise<string | null> {
  try {
    const { snapshot } = await context.store.read(name);
    return snapshot?.status === 'live' ? snapshot.goal : null;
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}

/** Who comes back to a dispatch must not start again what was delivered: the action itself says the same as ever. */
export function describeWrittenOutputs({ state, files }: Transaction): string[] {
  const promised = Object.entries(state.pendingAction?.before ?? {});
  const action = state.pendingAction?.action.action;
  if (action !== 'dispatch-subagents' && action !== 'engine-dispatch') return [];
  const written = promised.filter(([path, before]) => {
    const now = readFileFacts(files, path);
    return now !== null && canonicalJson(now) !== canonicalJson(before);
  });
  if (written.length === 0) return [];
  const all = `${written.length} of ${promised.length}`;
  return [
    `${all} outputs of this action are written already: run its ack before anything else; it names what is missing`,
  ];
}

/**
 * Removes `.dev/goal.md` once the run has the goal that stood in it: it was written for this call alone. Any other file that was
 * named is the user's, and after a refusal or for another goal it is needed again.
 * @param from where the call was made, and what stood there for the goal
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

/** The run of this name before. What was approved in one from elsewhere was approved by somebody else. */
export function findPreviousRun(context: Context, { snapshot }: StreamState<RunState>): RunState | null {
  if (snapshot === null || isAtItsPlace(context, snapshot) || isTrustedHere(context, snapshot)) return snapshot;
  const gates = Object.entries(snapshot.gates).map(([id, gate]) => [id, { ...gate, stale: true }]);
  const { engine, planGate, ...rest } = snapshot;
  const asked = engine?.planApproved === undefined ? {} : { planApproved: null };
  return {
    ...rest,
    gates: Object.fromEntries(gates),
    engine: engine === null ? null : { ...engine, commandsApproved: null, ...asked },
    ...(planGate === undefined ? {} : { planGate: { ...planGate, approved: false } }),
  };
}
