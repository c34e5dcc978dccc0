import { formatInstant } from '../../../base/clock.js';
import { DevCliError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json.js';
import { maskSecrets } from '../../../documents/foreign.js';
import { createFile } from '../../../project/own-places.js';
import { abortNamedRun } from '../../../protocol/control/abort.js';
import { removeTree } from '../../../work/trees.js';
import { buildEvent } from '../core/events.js';
import { classifyFailure } from '../core/judge.js';
import { decideGoal, findPause, type GoalChange } from '../core/schedule.js';
import { type LoopGoal, writeOutcome } from '../goals.js';
import { giveGoalBack, requireHold } from '../hold.js';
import { type AttemptSite, findRecords } from '../site.js';
import { nameAttempt, nameRecords, nameReference } from '../state.js';
import type { Attempt, Batch, GoalRecord, LoopState, Outcome, Verdict } from '../state-schema.js';
import { LOOP } from '../streams.js';
import { HANDOFFS, listHandoffs } from './handoffs.js';

/** The record of a goal that has none yet. */
export const NEW_GOAL: GoalRecord = { n: 0, counted: 0, notes: [] };

/**
 * Ends an attempt: writes the goal's status, its handoffs, its verdict and its event, then removes its tree
 * (loop-core.md, auto, step 7). Runs at the root. Idempotent.
 * @returns the outcome of the goal
 * @throws DevCliError `CLAIM_REFUSED`, `IO`; `LOCKED`, also if another root has become the fleet's desk;
 * `SCHEMA_INVALID` if goals.yaml has become unreadable
 */
export async function settleAttempt(site: AttemptSite, attempt: Attempt, goal: LoopGoal): Promise<Outcome> {
  const { streams, config, top, git } = site;
  const { verdict } = attempt;
  if (verdict === null) throw new Error('an attempt without a verdict is not settled');
  // Work on the branch stays done even if the lease has ended, so success needs no lease. A desk is always checked,
  // because after a change of desks the old one must not write here.
  if (!verdict.success || site.role.kind === 'desk') await requireHold(site, attempt);
  const most = goal.max_retries ?? config.max_retries;
  const known = (await streams.read(LOOP)).goals[attempt.goal] ?? NEW_GOAL;
  const change = decideGoal(verdict, known.counted, most);
  const owed = change.status === null ? null : await tryToWrite(site, attempt, change.status, verdict);
  copyHandoffs(site, attempt);
  await endRun(site, attempt, verdict);
  const outcome: Outcome = {
    ...{ success: verdict.success, classification: verdict.classification, action: change.action, attempts: attempt.n },
    ...{ ref: attempt.kept === null ? null : nameReference(attempt), reason: verdict.reason },
    changed: attempt.facts?.changed ?? [],
  };
  await streams.transact(LOOP, (state, at) => {
    const { [nameAttempt(attempt)]: open, ...attempts } = state.attempts;
    if (open === undefined) return { answer: undefined };
    return {
      answer: undefined,
      state: {
        ...state,
        ...{ attempts, batch: countIn(state.batch, attempt, verdict, outcome, { config, at }) },
        goals: { ...state.goals, [attempt.goal]: renewGoal(state.goals[attempt.goal] ?? known, change, owed) },
        unsent: [...state.unsent, buildAttemptEvent(attempt, verdict, change.action, at)],
      },
      entry: { type: 'settled', data: { id: nameAttempt(attempt), classification: verdict.classification } },
      documents: [{ path: `${nameRecords(attempt)}/verdict.json`, content: renderVerdict(attempt, verdict, at) }],
    };
  });
  await giveGoalBack(site, attempt.claim, verdict.classification);
  // A worker removes its own trees.
  if (site.role.kind === 'alone') await removeTree(top, attempt.tree, git);
  if (attempt.kept === null) await releaseReference(site, attempt);
  return outcome;
}

/** Removes the reference of an attempt of which no commit was kept. */
export async function releaseReference({ refs }: Pick<AttemptSite, 'refs'>, attempt: Attempt): Promise<void> {
  const name = nameReference(attempt);
  const from = (await refs.list(name)).get(name);
  if (from === attempt.base) await refs.move(name, { from, to: null });
}

/** Aborts the run of an attempt that is given up; the next attempt begins a new run. */
async function endRun({ context }: AttemptSite, { run, n, goal }: Attempt, { classification }: Verdict): Promise<void> {
  const { snapshot } = run === null ? { snapshot: null } : await context.store.read(run);
  if (run === null || snapshot?.status !== 'live') return;
  const why = `attempt ${n} of ${goal} ended: ${classification}`;
  await abortNamedRun({ ...context, session: null }, run, why).catch((error: unknown) => {
    // A run that a person holds cannot be aborted, so it stays.
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
  });
}

/** Writes the goal's status. @returns the status still to be written, if goals.yaml cannot be read */
async function tryToWrite(
  { context }: AttemptSite,
  { goal }: Attempt,
  status: 'done' | 'blocked',
  { reason }: Verdict,
): Promise<GoalRecord['owed'] | null> {
  const blockedReason = status === 'blocked' ? reason : null;
  try {
    await writeOutcome(context, { id: goal, status, blockedReason });
    return null;
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
    return { status, reason: blockedReason };
  }
}

/** Keeps people's notes for every later attempt, until the goal is done. */
function renewGoal(known: GoalRecord, { counted, status }: GoalChange, owed: GoalRecord['owed'] | null): GoalRecord {
  const { from: _, owed: __, ...rest } = known;
  return { ...rest, counted, notes: status === 'done' ? [] : known.notes, ...(owed ? { owed } : {}) };
}

/** Updates the figures of a batch after an attempt. */
function countIn(
  batch: LoopState['batch'],
  attempt: Attempt,
  { classification, success }: Verdict,
  outcome: Outcome,
  { config, at }: { config: AttemptSite['config']; at: string },
): Batch | null {
  if (batch === null) return null;
  const failed = classification === 'tool-error';
  // Handed-in work was not made by the tool, so it says nothing about the tool.
  const isHanded = attempt.zero === null && !failed;
  const saysNothing = isHanded || classification === 'interrupted';
  const toolErrors = failed ? batch.toolErrors + 1 : saysNothing ? batch.toolErrors : 0;
  const pause = failed ? findPause(config.backoff_minutes, toolErrors) : null;
  return {
    ...batch,
    toolErrors,
    pausedUntil: isHanded ? batch.pausedUntil : pause === null ? null : formatInstant(Date.parse(at) + pause * 60_000),
    failures: success ? 0 : batch.failures + (outcome.action === 'block' && classification !== 'blocked' ? 1 : 0),
    costUsd: batch.costUsd + attempt.costUsd,
    outcomes: { ...batch.outcomes, [attempt.goal]: outcome },
  };
}

/** Renders `verdict.json` of an attempt. */
export function renderVerdict(attempt: Attempt, verdict: Verdict, at: string): string {
  const { goal, n, base, kept, commit, facts, checks, sessions, runId, startedAt, tool, costUsd } = attempt;
  const document = {
    ...{ goal_id: goal, attempt: n, run_id: runId, ...verdict, base, commit },
    ...{ ref: kept === null ? null : nameReference(attempt), sessions, tool, started_at: startedAt, ended_at: at },
    ...{ cost_usd: costUsd, facts, checks, tests: checks[0]?.log ?? '' },
  };
  const mask = (_key: string, value: unknown) => (typeof value === 'string' ? maskSecrets(value) : value);
  return `${JSON.stringify(document, mask, 2)}\n`;
}

/** Builds the event that records an attempt as evidence (loop-core.md, Events). */
export function buildAttemptEvent(attempt: Attempt, verdict: Verdict, action: string, at: string): JsonObject {
  const { goal, n, runId, facts, kept, base, costUsd, startedAt } = attempt;
  const payload: JsonObject = {
    ...{ run_id: runId, goal_id: goal, attempt: n, success: verdict.success, classification: verdict.classification },
    failure_classification: verdict.success ? null : classifyFailure(verdict),
    ...{ reason: verdict.reason, action_taken: action, changed_files: [...(facts?.changed ?? [])] },
    ...{ cost_usd: costUsd, ref: kept === null ? null : nameReference(attempt), base },
    duration_ms: Math.max(0, Date.parse(at) - Date.parse(startedAt)),
  };
  // If the branch could not be moved, the key includes the time, so that every such failure makes a new inbox item.
  const time = action === 'escalate' ? `:${at}` : '';
  return buildEvent('auto_attempt', { key: `${runId}:${nameAttempt(attempt)}:${action}${time}`, at, payload });
}

/** Characters of the time in a handoff's name. */
const TIME = 17;

/** Copies an attempt's new handoffs to the root, each once; overwrites nothing. */
function copyHandoffs(site: AttemptSite, attempt: Attempt): void {
  const { context } = site;
  const there = `${context.root}/${HANDOFFS}`;
  const present = listHandoffs(context, there).map(({ text }) => text);
  for (const { name, text } of listHandoffs(context, `${findRecords(site, attempt)}/handoffs`)) {
    if (present.includes(text)) continue;
    const time = name.slice(0, TIME);
    for (
      let count = 1;
      !createFile(`${there}/${time}${count === 1 ? '' : `_${count}`}.md`, text, context.root);
      count += 1
    );
  }
}
