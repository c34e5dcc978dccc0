import { nameMarkedHarness } from '../base/harness-mark.js';
import type { ShownAction } from '../run/action.js';
import type { ReadContext } from '../run/context.js';

/** Who reads an action: its caller, and the mark of the harness. */
export type Reader = Pick<ReadContext, 'caller' | 'mark'>;

/** The harnesses that an action speaks to in their own words; any other, and a person, get general ones. */
type Voice = 'claude' | 'codex' | 'gemini' | 'other';

/** By the name that hooks or DEV_CLI_HARNESS tell, or by the mark (harness.md, How a harness is known). */
function chooseVoice({ caller, mark }: Reader): Voice {
  const { harness } = caller;
  const isNamed = harness === 'claude' || harness === 'codex' || harness === 'gemini';
  return isNamed ? harness : (nameMarkedHarness(mark) ?? 'other');
}

/**
 * Says how an action is done in the harness that calls, where that is not plain (protocol.md §2). It is made when the
 * action is printed, since a run may go on in another harness; undefined where nothing is to be said.
 */
export function describeHow(action: ShownAction, reader: Reader): string | undefined {
  const harness = chooseVoice(reader);
  switch (action.action) {
    case 'dispatch-subagents':
      return describeStart(harness, action.parallel && action.agents.length > 1, 'the last');
    case 'engine-dispatch':
      return describeTasks(harness, action.tasks.length, action.running.length);
    case 'wait-for-user':
      return action.answer === undefined ? ASKED[harness] : undefined;
    case 'llm':
    case 'llm-loop':
    case 'llm+cli': {
      const said = [action.asks === 'user' ? ASKED[harness] : '', DATA[action.data?.form ?? 'none']].filter(Boolean);
      return said.length === 0 ? undefined : said.join(' ');
    }
    case 'running':
    case 'done':
    case 'held':
      return undefined;
  }
}

const DATA = {
  none: '',
  sections: '`data.write`, in one go: Markdown, a heading `## <id>` for each section of `need`.',
  json: '`data.write`, in one go: one JSON document.',
  markdown: '`data.write`, in one go: Markdown.',
} as const;

const ASKED: Readonly<Record<Voice, string>> = {
  claude: 'Ask with AskUserQuestion, or in your message; then end your turn.',
  codex: 'Ask with request_user_input if you have it, else in your message; then end your turn.',
  gemini: 'Ask with ask_user, or in your message; then end your turn.',
  other: 'Ask with your question tool, or in your message; then end your turn.',
};

/**
 * How agents are started, and when they are back.
 * @param notice after which notice of a background agent the ack is run
 */
function describeStart(harness: Voice, isTogether: boolean, notice: string): string {
  switch (harness) {
    case 'claude': {
      const calls = isTogether ? 'Agent calls in one message' : 'Agent call';
      return `${calls}, run_in_background false: \`dev-cli-<type>\`, \`dev-cli:<type>\`, \`<type>\` or general-purpose; prompt: \`tell\`. Still in the background? End your turn, ack at ${notice} notice.`;
    }
    case 'codex':
      return 'Find the tool that starts agents (spawn_agent; else search your tools): as `dev-cli-<type>`, else `<type>`, else any; message: `tell`. At most six live at once: wait for each, then close it. Ack once they are back.';
    case 'gemini':
      return 'Call the agent `dev-cli-<type>`, else `<type>`, else any that can write files, with `tell`. Ack once they are back.';
    case 'other':
      return 'A subagent each: `dev-cli-<type>`, else `<type>`, else any that can write files; hand over `tell`. Ack once they are back.';
  }
}

function describeTasks(harness: Voice, fresh: number, out: number): string {
  const start = fresh === 0 ? [] : [describeStart(harness, fresh > 1, 'each')];
  const until = fresh === 0 && harness === 'claude' ? '; end your turn until one notifies you' : '';
  const running = out === 0 ? [] : [`Those under \`running\` are at work: start none of them again${until}.`];
  return [...start, ...running].join(' ');
}
