import type { Answer } from '../../../base/answer.js';
import { cutToSecond, formatInstant } from '../../../base/clock.js';
import { DevCliError } from '../../../base/errors.js';
import { type CommandFormatter, renderInstruction } from '../../../base/invocation.js';
import { stripInvisible } from '../../../base/visible.js';
import { maskSecrets } from '../../../documents/foreign.js';
import type { HandlersOf } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { openLoopBackend } from '../backend.js';
import { readInstant } from '../core/log-lines.js';
import { flushEventsQuietly } from '../log.js';
import { requireText } from '../queue/commands.js';
import type { LoopCall, LoopPorts } from '../site.js';
import { LOOP } from '../streams.js';
import {
  applyInboxAnswer,
  findGoalStatus,
  finishAnswers,
  type InboxContext,
  recordInboxAnswer,
  refuseAnswer,
} from './answers.js';
import { answerGate } from './gate.js';
import { type Inbox, type InboxItemView, type InboxPorts, readInbox } from './items.js';
import type { INBOX_SPECS } from './specs.js';

/** `inbox list|summary|act` (loop-operations.md, Inbox). */

type Input<Name extends keyof HandlersOf<typeof INBOX_SPECS>> = Parameters<HandlersOf<typeof INBOX_SPECS>[Name]>[1];

type Ports = InboxPorts & Pick<LoopPorts, 'openFleet'>;

/** Default and maximum number of items that `inbox summary` shows. */
const TOP = 10;
const MOST = 1_000;
/** Maximum characters of a reason. */
const LONGEST = 4_000;

/**
 * Lists the open items and, if asked, the closed ones.
 * @throws DevCliError `SCHEMA_INVALID`, `STATE_CORRUPT`, `STATE_NEWER`, `LOCKED`, `IO`
 */
export async function listInboxItems(
  ports: Ports,
  context: Context,
  { includeResolved = false }: Input<'inbox list'>,
  call: LoopCall,
): Promise<Answer> {
  const { items: all, goals } = (await read(ports, context, call)).inbox;
  const items = all.filter(({ resolved }) => includeResolved || !resolved);
  const none =
    goals === null ? 'No run waits for a person, and there are no goals here.' : 'Nothing waits for a person.';
  return {
    exit: 0,
    json: { ok: true, items: items.map(describe), count: items.length, include_resolved: includeResolved },
    text: (format) => renderItems(items, format) || none,
  };
}

/** Counts the open items, and shows the first ones. @throws DevCliError as `listInboxItems`, `USAGE` */
export async function summarizeInbox(
  ports: Ports,
  context: Context,
  { topK = TOP }: Input<'inbox summary'>,
  call: LoopCall,
): Promise<Answer> {
  if (topK > MOST) throw new DevCliError('USAGE', `--top-k takes a number from 0 to ${MOST}.`, { fix: 'Take fewer.' });
  const { items } = (await read(ports, context, call)).inbox;
  const open = items.filter(({ resolved }) => !resolved);
  const counts: Record<string, number> = {};
  for (const { reason_code: code } of open) counts[code] = (counts[code] ?? 0) + 1;
  const high = open.filter(({ priority }) => priority === 'high').length;
  const top = open.slice(0, topK);
  return {
    exit: 0,
    json: {
      ...{ ok: true, total_items: items.length, unresolved_items: open.length, high_priority_unresolved: high },
      ...{ by_reason_code: counts, top_items: top.map(describe) },
    },
    text: (format) =>
      [
        `Open: ${open.length} of ${items.length}; of high priority: ${high}.`,
        ...Object.entries(counts).map(([code, count]) => `  ${code}: ${count}`),
        ...(top.length === 0 ? [] : [renderItems(top, format)]),
      ].join('\n'),
  };
}

/**
 * Answers an item.
 * @throws DevCliError `INBOX_REFUSED`, `TERMINAL_REQUIRED`, `USAGE`, `NO_PROJECT`, `SCHEMA_INVALID`, `LOCKED`, `IO`;
 * for a gate, any code of `approve`
 */
export async function answerInboxItem(
  ports: Ports & Pick<LoopPorts, 'askAtGate'>,
  context: Context,
  input: Input<'inbox act'>,
  call: LoopCall,
): Promise<Answer> {
  const { id, action } = input;
  if (context.mark !== null)
    throw new DevCliError(
      'TERMINAL_REQUIRED',
      `A person must do this: ${context.mark} is set, so an agent is calling.`,
      {
        fix: 'Show the user what `answer` says: the user runs it in a terminal of their own, outside the harness.',
        answer: { command: 'inbox list', input: {} },
      },
    );
  const operator = requireText('--operator', input.operator);
  const reason = readReason(input.reason);
  const { desk, inbox } = await read(ports, context, call);
  const item = inbox.items.find((one) => one.inbox_id === id);
  if (item === undefined) throw refuseAnswer('unknown', id, 'there is no such item');
  if (item.resolved) throw refuseAnswer('closed', id, await explainClosed(desk, id));
  requireTransition(item, input);
  const { goal_id: goal, reason_code: reasonCode, classification } = item;
  const said = { goal, reasonCode, classification, action, operator, reason };
  let told: Answer | null = null;
  if (reasonCode === 'halted' && action !== 'defer')
    throw refuseAnswer('not_answered_here', id, 'a halted run is continued by its own command', {
      ...(item.answer !== null && { fix: Array.isArray(item.answer) ? item.answer : [item.answer] }),
      ...(item.answer !== null && 'command' in item.answer && { answer: item.answer }),
    });
  // The run itself records the answer to a gate, and accepts only one.
  if (reasonCode === 'gate' && action !== 'defer')
    told = await answerGate(
      ports.askAtGate,
      context,
      item,
      { action, choice: input.choice ?? null, note: reason },
      call,
    );
  const isDone = reasonCode === 'gate' || action === 'defer';
  const answer = await recordInboxAnswer(desk, id, said, isDone);
  if (!isDone && desk.isHere) await applyInboxAnswer(desk, id, answer);
  await flushEventsQuietly(desk);
  const status = findGoalStatus(reasonCode, action);
  const resolved = action !== 'defer';
  const isToMove = reasonCode === 'action_escalate' && action === 'approve';
  const isElsewhere = !desk.isHere && !isDone ? ' once its desk has carried that out' : '';
  const then = isToMove ? '; its branch is moved by the auto at work, or the next, once nothing is in the way' : '';
  return {
    exit: 0,
    json: { ok: true, inbox_id: id, action, operator_id: operator, goal_id: goal, goal_status: status, resolved },
    text: (format) =>
      told?.text?.(format) ??
      `${id}: ${action}${goal === null || status === null ? '' : `; ${goal} is ${status}${isElsewhere}`}${then}${resolved ? '.' : '; it stays open.'}`,
  };
}

/** Reads the inbox, after carrying out and logging answers that an interrupted call left unfinished. */
async function read(ports: Ports, context: Context, call: LoopCall): Promise<{ desk: InboxContext; inbox: Inbox }> {
  const { streams, desk: port } = await openLoopBackend(ports, context, call);
  const desk = { context, streams, isHere: port === null || (await port.isHere()) };
  await finishAnswers(desk);
  await flushEventsQuietly(desk);
  return { desk, inbox: await readInbox(ports, desk) };
}

async function explainClosed({ streams }: InboxContext, id: string): Promise<string> {
  const given = (await streams.read(LOOP)).answers[id];
  return given === undefined || given.action === 'defer'
    ? 'it is closed'
    : `${given.operator} answered it with ${given.action}`;
}

function requireTransition(item: InboxItemView, { action, goalStatus, choice }: Input<'inbox act'>): void {
  const allowed = action === 'approve' ? 'active' : action === 'reject' ? 'blocked' : null;
  if (goalStatus !== undefined && (goalStatus !== allowed || item.goal_id === null))
    throw refuseAnswer(
      'unauthorized_transition',
      item.inbox_id,
      `unauthorized transition: ${action} to ${goalStatus}; ${allowed === null || item.goal_id === null ? 'leave --goal-status out' : `${action} makes a goal ${allowed}`}`,
    );
  if (choice !== undefined && (item.reason_code !== 'gate' || action === 'defer'))
    throw new DevCliError('USAGE', '--choice is for gates, with approve or reject.', { fix: 'Leave --choice out.' });
}

function readReason(given: string | undefined): string | null {
  const reason = maskSecrets(stripInvisible(given ?? '')).trim();
  if (reason.length <= LONGEST) return reason === '' ? null : reason;
  throw new DevCliError('USAGE', `--reason takes at most ${LONGEST} characters.`, {
    fix: 'Shorten it, and name a file that contains the rest.',
  });
}

function describe({ run: _, classification: __, ...item }: InboxItemView) {
  return item;
}

function renderItems(items: readonly InboxItemView[], format: CommandFormatter): string {
  return items
    .map(({ inbox_id, priority, reason_code, goal_id, run, summary, timestamp, latest_action, resolved, answer }) => {
      const about = [reason_code, goal_id ?? run].filter((one) => one !== null).join(' ');
      const how = answer === null ? '' : 'command' in answer ? format(answer) : renderInstruction(answer, format);
      const state = resolved ? 'closed, ' : latest_action === 'defer' ? 'deferred, ' : '';
      return [
        `${priority.padEnd(6)} ${about}: ${summary} (${state}${inbox_id}, since ${renderInstant(timestamp)})`,
        ...(how === '' ? [] : [`         ${how}`]),
      ].join('\n');
    })
    .join('\n');
}

/** Renders a time of the log, which has an offset, and one of a run in the same form; any other text as it is. */
function renderInstant(timestamp: string | null): string {
  const at = readInstant(timestamp);
  return at === null ? (timestamp ?? 'an unknown time') : cutToSecond(formatInstant(at));
}
