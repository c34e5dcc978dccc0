import type { Answer } from '../base/answer.js';
import { loadLazily } from '../base/lazy.js';
import { HARNESS_IDS, type HarnessId } from '../generated/harnesses.js';
import { readSession } from '../project/pointers.js';
import { judgeCall, writesNothing } from '../wings/harness/guard/judge.js';
import { readPayload } from '../wings/harness/hooks/payload.js';
import { renderReply } from '../wings/harness/hooks/reply.js';
import { createReadContext } from './context.js';
import type { Environment } from './environment.js';
import { HEARS_OF_TOOLS } from './ports.js';

const os = loadLazily<typeof import('node:os')>('node:os');

/** The harness of `hook pre-tool-use --harness NAME`, in just these words; null for another command line. */
export function findJudgedHarness(words: readonly string[]): HarnessId | null {
  const [command, event, option, name, ...more] = words;
  const isJudged = command === 'hook' && event === 'pre-tool-use' && option === '--harness' && more.length === 0;
  return isJudged ? (HARNESS_IDS.find((id) => id === name) ?? null) : null;
}

/**
 * Answers the event that agents cause most without anything that could change a run or takes long to load (house.md, Speed).
 * @returns null where the whole program has to answer
 * @throws whatever went wrong; the whole program then answers
 */
export async function answerToolCall(
  text: string,
  harness: HarnessId,
  environment: Environment,
): Promise<Answer | null> {
  if (HEARS_OF_TOOLS) return null;
  const event = readPayload(text, { event: 'pre-tool-use', harness, cwd: environment.cwd, unattended: false });
  if (event?.on !== 'pre-tool-use') return null;
  if (writesNothing(event)) return renderReply(event.on, harness, {});
  const context = createReadContext(environment);
  const caller = { ...context.caller, harness };
  const store = { ...context.store, sessionMark: async (id: string) => readSession(context.root, id) };
  const home = environment.env['HOME'] || os().homedir();
  return renderReply(event.on, harness, (await judgeCall({ ...context, store, caller, home }, event)) ?? {});
}
