import { nameMarkedHarness } from '../base/harness-mark.js';
import { VOICES } from '../generated/harnesses.js';
import type { ShownAction } from '../run/action.js';
import type { ReadContext } from '../run/context.js';

/** Who reads an action: its caller, and the mark of the harness. */
export type Reader = Pick<ReadContext, 'caller' | 'mark'>;

type Voice = (typeof VOICES)[string];

/** The words for any other harness, and for a person. */
const OTHER: Voice = {
  ask: 'your question tool, or',
  start:
    'A subagent each: `dev-cli-<type>`, else `<type>`, else any that can write files; hand over `tell`. Ack once they are back.',
};

/** By the name that hooks or DEV_CLI_HARNESS tell, or by the mark (harness.md, How a harness is known). */
function chooseVoice({ caller, mark }: Reader): Voice {
  return VOICES[caller.harness ?? ''] ?? VOICES[nameMarkedHarness(mark) ?? ''] ?? OTHER;
}

/**
 * Says how an action is done in the harness that calls, where that is not plain (protocol.md §2). It is made when the
 * action is printed, since a run may go on in another harness; undefined where nothing is to be said.
 */
export function describeHow(action: ShownAction, reader: Reader): string | undefined {
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
 * How agents are started, and when they are back.
 * @param notice after which notice of a background agent the ack is run
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
