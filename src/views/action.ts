import type { Answer } from '../base/answer.js';
import { defined } from '../base/defined.js';
import { isRecord } from '../base/json.js';
import type { ShownAction } from '../run/action.js';
import { boundRunning } from '../run/running-tasks.js';
import { renderAction, renderEnvelopeText } from './action-text.js';
import type { CallResult } from './call-result.js';
import { describeHow, type Reader } from './how.js';

/**
 * The answer of `next`: the action, and beside it warnings.
 * @param full whether to include the fields that only dev-cli uses
 */
export function actionAnswer(
  action: ShownAction,
  { full, warnings }: { full: boolean; warnings: readonly string[] },
  reader: Reader,
): Pick<Answer, 'json' | 'text'> {
  const json = buildActionView(action, full, reader);
  if (warnings.length === 0) return { json, text: (format) => renderAction(action, format) };
  const own = action.action === 'done' ? (action.warnings ?? []) : [];
  return {
    json: { ...json, warnings: [...own, ...warnings] },
    text: (format) => [renderAction(action, format), ...warnings.map((line) => `warning: ${line}`)].join('\n'),
  };
}

/**
 * Builds the JSON of an action as `next` prints it (protocol.md §2).
 * @param full whether to include the fields that only dev-cli uses
 * @param reader whom it tells how it is done; null: nobody is to do it
 */
export function buildActionView(action: ShownAction, full: boolean, reader: Reader | null): object {
  if (action.action === 'done' || action.action === 'held') return orderMembers(action);
  const { full: inner, ...own } = action;
  const plain = { ...own, ...defined({ how: reader === null ? undefined : describeHow(action, reader) }) };
  if (!full && plain.action === 'engine-dispatch') {
    const { running, commands, ...dispatch } = plain;
    return orderMembers({
      ...dispatch,
      ...(running.length === 0 ? {} : boundRunning(running)),
      ...(commands.length === 0 ? {} : { commands }),
    });
  }
  if (!full || inner === undefined) return orderMembers(plain);
  const { agents, ...commands } = inner;
  if (plain.action !== 'dispatch-subagents') return orderMembers({ ...plain, ...commands });
  return orderMembers({
    ...plain,
    ...commands,
    agents: plain.agents.map((agent) => ({ ...agent, ...agents?.[agent.id] })),
  });
}

// The order of members. It puts first what a reader needs first, and is the same for an action that was just built and
// for one read from the disk; what is in no list stands between FIRST and LAST, by name.
const FIRST = 'run block action done actionId outcome round maxRounds asks summary'.split(' ');

const LAST =
  'how agents tasks pending running commands data artifact choices answer ack poll resume ruling instead progress'.split(
    ' ',
  );

const INNER = 'actionId id todoId substep attempt why label type promptFile output write form schema path'.split(' ');

function orderMembers(action: object): object {
  return orderKeys(action, FIRST, LAST);
}

function orderKeys(value: object, first: readonly string[], last: readonly string[]): object {
  const rank = (key: string): number => {
    if (first.includes(key)) return first.indexOf(key);
    return last.includes(key) ? 200 + last.indexOf(key) : 100;
  };
  const keys = Object.keys(value).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, orderNested((value as Record<string, unknown>)[key])]));
}

function orderNested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(orderNested);
  return isRecord(value) ? orderKeys(value, INNER, []) : value;
}

/** Renders the envelope around the next action, as JSON and as text (protocol.md, Envelope). */
export function renderEnvelope(result: CallResult, reader: Reader): Answer {
  const { name, status, completed, duplicate, round, collected, ran, next } = result;
  const repeated: readonly string[] = (next?.action === 'done' && next.warnings) || [];
  const warnings = result.warnings.filter((line) => !repeated.includes(line));
  return {
    exit: 0,
    json: {
      ok: true,
      run: name,
      ...defined({ status, completed, duplicate, round }),
      ...(collected === undefined ? {} : { collected: collected.map((row) => ({ ...row })) }),
      ...(ran.length === 0 ? {} : { ran }),
      ...(warnings.length === 0 ? {} : { warnings }),
      next: next === null ? null : buildActionView(next, false, reader),
    },
    text: (format) => renderEnvelopeText(result, format),
  };
}
