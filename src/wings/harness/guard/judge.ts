import { HIDES_WRITER } from '../../../generated/harness-events.js';
import type { HookAnswer, HookEvent } from '../../../protocol/ports.js';
import { type GuardedRun, judgeWrite, type ResolvedWrite, type Writer } from './guard.js';
import { findGuardedRun, type JudgingContext } from './judging-run.js';
import { listCallWrites, resolveCall } from './writes.js';

/** Applies the guard: determines what a tool call would write, and has the run judge it (harness.md, Guard). */

type ToolCall = Extract<HookEvent, { on: 'pre-tool-use' }>;

/** Returns whether a call writes nothing, so that no run has to be read. */
export function writesNothing({ tool, input }: ToolCall): boolean {
  return listCallWrites(tool, input)?.paths.length === 0;
}

/**
 * Refuses a tool call that writes something the live run does not allow.
 * @returns null if the call may proceed
 * @throws the store's errors; the hook line then blocks the tool
 */
export async function judgeCall(context: JudgingContext, event: ToolCall): Promise<HookAnswer | null> {
  if (writesNothing(event)) return null;
  const run = await findGuardedRun(context, event.session);
  if (run === null) return null;
  const isHidden = HIDES_WRITER[context.caller.harness ?? ''] === true;
  const writer: Writer = event.agent !== null ? 'subagent' : isHidden ? 'unknown' : 'main';
  const writes = resolveCall(event, context);
  const why = writes === null ? `${event.tool} does not say what it writes.` : judgeAll(writes, run, writer);
  if (why === null) return null;
  return {
    refuse: `dev-cli: ${why} If the user wants it anyway, they can run \`dev-cli guard off ${run.name}\` in a terminal of their own.`,
  };
}

/** Returns why one of the writes is forbidden; null if all are allowed. */
function judgeAll(writes: readonly ResolvedWrite[], run: GuardedRun, writer: Writer): string | null {
  for (const write of writes) {
    const why = judgeWrite(write, run, writer);
    if (why !== null) return why;
  }
  return null;
}
