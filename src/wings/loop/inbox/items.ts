import { formatInstant } from '../../../base/clock.js';
import type { Instruction, Invocation } from '../../../base/invocation.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { Context } from '../../../run/context.js';
import { CONFIG } from '../config.js';
import { type InboxItem, type InboxReason, openInbox, sortItems } from '../core/inbox.js';
import { findActiveLease } from '../core/leases.js';
import { findUndecided } from '../decisions/ticket.js';
import { readLoopFiles } from '../files.js';
import { GOALS, type LoopGoal, listGoals } from '../goals.js';
import { scanLog } from '../log.js';
import type { AttemptSite, LoopPorts, WaitingRun } from '../site.js';
import type { LoopState } from '../state-schema.js';
import { LOOP } from '../streams.js';

/** Collects everything that waits for a person: items from the log, and runs that wait (loop-operations.md, Inbox). */

/** The ports that the inbox needs. */
export type InboxPorts = Pick<LoopPorts, 'listWaiting'>;

type InboxSite = Pick<AttemptSite, 'context' | 'streams'>;

/** An item as shown to people. */
export interface InboxItemView extends Omit<InboxItem, 'event_id' | 'reason_code'> {
  event_id: string | null;
  reason_code: InboxReason | 'gate' | 'halted';
  /** The run that waits. */
  run: string | null;
  /** How a person resolves the item; null if it is closed, or cannot be resolved by a command. */
  answer: Invocation | Instruction | null;
}

/** The items, and the goals that they refer to. */
export interface Inbox {
  items: InboxItemView[];
  /** All goals; null if the root has no `.ai/config.yaml`. */
  goals: LoopGoal[] | null;
}

/**
 * Reads all items, including closed ones: high priority first, then the newest. An item whose cause is gone counts as
 * closed.
 * @throws DevCliError `SCHEMA_INVALID`, `STATE_CORRUPT`, `STATE_NEWER`, `IO`
 */
export async function readInbox(ports: InboxPorts, { context, streams }: InboxSite): Promise<Inbox> {
  const isProject = context.reader.read(`${context.root}/${CONFIG}`) !== null;
  const goals = isProject ? listGoals(readLoopFiles(context).goals) : null;
  const state = await streams.read(LOOP);
  const fold = openInbox();
  scanLog(context, fold.take);
  const at = formatInstant(context.clock.now());
  const told = fold.list().map((item): InboxItemView => {
    const given = state.answers[item.inbox_id];
    const latest_action = given?.action ?? item.latest_action;
    const isAnswered = given !== undefined && given.action !== 'defer';
    const resolved = item.resolved || isAnswered || (goals !== null && isGone(item, goals, state, at));
    return { ...item, latest_action, resolved, run: null, answer: resolved ? null : buildAnswer(context, item, goals) };
  });
  const runs = (await ports.listWaiting(context)).flatMap((one) => makeRunItem(one, state.answers) ?? []);
  const parked = await listElsewhere(context, state);
  return { items: sortItems([...told.reverse(), ...runs, ...parked]), goals };
}

/** Counts the open items, and those of high priority. @throws DevCliError as `readInbox` */
export async function countOpen(ports: InboxPorts, site: InboxSite) {
  const open = (await readInbox(ports, site)).items.filter(({ resolved }) => !resolved);
  return {
    unresolved_items: open.length,
    high_priority_unresolved: open.filter(({ priority }) => priority === 'high').length,
  };
}

/** Renders the count as a sentence for people; empty if nothing waits, or the inbox cannot be read. */
export async function describeOpenItems(ports: InboxPorts, site: InboxSite): Promise<string> {
  const count = await countOpen(ports, site).catch(() => null);
  return count === null ? '' : renderOpen(count.unresolved_items);
}

export const renderOpen = (count: number): string =>
  count === 0 ? '' : `${count} ${count === 1 ? 'item waits' : 'items wait'} for a person: dev-cli inbox list`;

/**
 * Returns the command or instruction that resolves an item. For a blocked goal, that is a reply or, if the goal waits
 * for a decision, the decision; for a branch that could not be moved, removing the obstacle comes first.
 */
function buildAnswer(
  context: Context,
  { inbox_id: id, reason_code: code, goal_id, classification }: InboxItem,
  goals: readonly LoopGoal[] | null,
): Invocation | Instruction {
  const approve = { command: 'inbox act', input: { id, action: 'approve', operator: 'NAME' } };
  // An answer alone does not remove the obstacle.
  if (code === 'action_escalate') return ['Clear the obstacle, then ', approve];
  if (code !== 'action_block') return approve;
  if (classification !== 'decision-pending') return { ...approve, input: { ...approve.input, reason: 'YOUR ANSWER' } };
  const goal = goals?.find((one) => one.id === goal_id);
  if (goal === undefined || findUndecided(context, goal) === null) return approve;
  const file = goal.decision_file;
  if (file === null) return [`Lower its uncertainty in ${GOALS}, then `, approve];
  const spike = { command: 'decision spike', input: { file, command: 'LINE', accept: true } };
  return ['Have the alternatives tried: ', spike, `; or accept one in ${toBoundedLine(file, 200)}, then `, approve];
}

/** Returns whether the cause of an item is gone. */
function isGone(item: InboxItem, goals: readonly LoopGoal[], state: LoopState, at: string): boolean {
  const { goal_id: id, reason_code } = item;
  if (id === null) return false;
  const goal = goals.find((one) => one.id === id);
  if (goal === undefined || goal.status === 'done' || goal.status === 'dropped') return true;
  switch (reason_code) {
    case 'action_block':
      return goal.status !== 'blocked';
    case 'action_escalate':
      return !Object.values(state.attempts).some((one) => one.goal === id && one.state === 'unmoved');
    case 'claim_collision':
      return findActiveLease(state.leases, id, at) === null;
    case 'security_failure':
    case 'baseline_blocked':
      return false;
  }
}

/** Lists a fleet's attempts whose run waits for a person but is not on this machine. */
async function listElsewhere({ store }: Context, { attempts }: LoopState): Promise<InboxItemView[]> {
  const items: InboxItemView[] = [];
  for (const { goal, run, state, facts, startedAt } of Object.values(attempts)) {
    if (state !== 'parked' || run === null || (await store.read(run)).snapshot !== null) continue;
    items.push({
      ...{ inbox_id: `inbox-${run}-parked`, event_id: null, goal_id: goal, priority: 'high', reason_code: 'gate', run },
      ...{ summary: facts?.run?.said ?? 'its run waits', timestamp: startedAt, latest_action: null, resolved: false },
      ...{ classification: null, answer: { command: 'fleet take', input: { goal } } },
    });
  }
  return items;
}

function makeRunItem(waiting: WaitingRun, answers: LoopState['answers']): InboxItemView | null {
  const { kind, run, action, goal, summary, since, answer } = waiting;
  if (kind === 'blocked') return null;
  const inbox_id = `inbox-${run}-${action}`;
  const given = answers[inbox_id];
  const deferred = given?.action === 'defer' && given.at >= since;
  return {
    ...{ inbox_id, event_id: null, goal_id: goal, priority: kind === 'gate' ? 'high' : 'medium', reason_code: kind },
    ...{ summary, timestamp: since, latest_action: deferred ? 'defer' : null, resolved: false, classification: null },
    ...{ run, answer: answer ?? null },
  };
}
