import type { Answer } from '../base/answer.js';
import { omitUndefined } from '../base/defined.js';
import { nameMarkedHarness } from '../base/harness-mark.js';
import { isRecord } from '../base/json.js';
import { VOICES } from '../generated/harnesses.js';
import type { ShownAction } from '../run/action.js';
import { boundRunning } from '../run/bare-action.js';
import type { ReadContext } from '../run/context.js';
import { type CallResult, renderAction, renderEnvelopeText } from './action-text.js';

/**
 * Builds the answer to `next`: the action and any warnings.
 * @param full whether to include the fields that only dev-cli uses
 */
export function buildActionAnswer(
  action: ShownAction,
  { full, warnings }: { full: boolean; warnings: readonly string[] },
  reader: ActionReader,
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
 * @param reader the reader for whom `how` is worded; null to leave `how` out, since nobody is to carry out the action
 */
export function buildActionView(action: ShownAction, full: boolean, reader: ActionReader | null): object {
  if (action.action === 'done' || action.action === 'held') return orderMembers(action);
  const { full: inner, ...own } = action;
  const plain = { ...own, ...omitUndefined({ how: reader === null ? undefined : describeHow(action, reader) }) };
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

// The order of an action's members in JSON, those that a reader needs first at the top. It does not depend on whether
// the action was just built or read from disk. Members in no list come between FIRST and LAST, sorted by name.
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
export function renderEnvelope(result: CallResult, reader: ActionReader): Answer {
  const { name, status, completed, duplicate, round, collected, ran, next } = result;
  const repeated: readonly string[] = (next?.action === 'done' && next.warnings) || [];
  const warnings = result.warnings.filter((line) => !repeated.includes(line));
  return {
    exit: 0,
    json: {
      ok: true,
      run: name,
      ...omitUndefined({ status, completed, duplicate, round }),
      ...(collected === undefined ? {} : { collected: collected.map((row) => ({ ...row })) }),
      ...(ran.length === 0 ? {} : { ran }),
      ...(warnings.length === 0 ? {} : { warnings }),
      next: next === null ? null : buildActionView(next, false, reader),
    },
    text: (format) => renderEnvelopeText(result, format),
  };
}

/** Who reads an action: the caller and, for a caller whose harness no hook has named, the harness mark. */
export type ActionReader = Pick<ReadContext, 'caller' | 'mark'>;

type Voice = (typeof VOICES)[string];

/** The wording for any other harness, and for a person. */
const OTHER: Voice = {
  ask: 'your question tool, or',
  start:
    'A subagent each: `dev-cli-<type>`, else `<type>`, else any that can write files; hand over `tell`. Ack once they are back.',
};

/**
 * Chooses the wording by the harness that hooks or DEV_CLI_HARNESS name, or else by the mark (harness.md, How a harness
 * is known).
 */
function chooseVoice({ caller, mark }: ActionReader): Voice {
  return VOICES[caller.harness ?? ''] ?? VOICES[nameMarkedHarness(mark) ?? ''] ?? OTHER;
}

/**
 * Describes how an action is carried out in the calling harness, where that is not obvious (protocol.md §2); undefined
 * if nothing needs to be said. Worded when the action is printed, since a run may continue in another harness.
 */
function describeHow(action: ShownAction, reader: ActionReader): string | undefined {
  const voice = chooseVoice(reader);
  const ask = `Ask with ${voice.ask} in your message; then end your turn.`;
  switch (action.action) {
    case 'dispatch-subagents':
      return describeStart(voice, action.parallel && action.agents.length > 1, 'the last');
    case 'engine-dispatch':
      return describeTasks(voice, action.tasks.length, action.running.length);
    case 'wait-for-user':
      return action.answer === undefined ? ask : undefined;
    case 'llm':
    case 'llm-loop':
    case 'llm+cli': {
      const said = [action.asks === 'user' ? ask : '', DATA[action.data?.form ?? 'none']].filter(Boolean);
      return said.length === 0 ? undefined : said.join(' ');
    }
    case 'running':
    case 'done':
    case 'held':
      return undefined;
    default:
      action satisfies never;
  }
}

const DATA = {
  none: '',
  sections: '`data.write`, in one go: Markdown, a heading `## <id>` for each section of `need`.',
  json: '`data.write`, in one go: one JSON document.',
  markdown: '`data.write`, in one go: Markdown.',
} as const;

/**
 * Describes how to start agents, and when to acknowledge.
 * @param isTogether whether several agents are to be started in one message
 * @param notice for agents in the background, which give notice when they end: whether to run the ack after `each`
 * notice or after `the last`
 */
function describeStart({ start, calls }: Voice, isTogether: boolean, notice: string): string {
  return start.replace('<calls>', calls?.[isTogether ? 1 : 0] ?? '').replace('<notice>', notice);
}

function describeTasks(voice: Voice, fresh: number, out: number): string {
  const start = fresh === 0 ? [] : [describeStart(voice, fresh > 1, 'each')];
  const until = fresh === 0 ? (voice.wait ?? '') : '';
  const running = out === 0 ? [] : [`Those under \`running\` are at work: start none of them again${until}.`];
  return [...start, ...running].join(' ');
}
