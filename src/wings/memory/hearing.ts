import { isDirectory } from '../../project/root.js';
import { findWingRoot } from '../../project/wing-streams.js';
import type { HookAnswer, HookEvent, HookHandler } from '../../protocol/ports.js';
import type { ReadContext } from '../../run/context.js';

/** Which events memory hears of (memory.md, Hooks). */

/** What a handler of memory needs of a call. */
export type Hearing = Pick<ReadContext, 'root' | 'workTree' | 'clock' | 'caller' | 'signal'>;

const EVENTS = ['session-start', 'user-prompt-submit', 'post-tool-use', 'stop'] as const;

/**
 * The handlers of memory.
 * @param answer asked where there is a memory, `directory`, and the event tells something to it
 */
export function listHandlers<C extends Hearing>(
  answer: (context: C, event: HookEvent, directory: string) => Promise<HookAnswer | null>,
): HookHandler[] {
  const handle = async (context: C, event: HookEvent): Promise<HookAnswer | null> => {
    const directory = tells(event) ? findMemory(context, event.cwd) : null;
    return directory === null ? null : answer(context, event, directory);
  };
  // The kinds match, which TypeScript cannot follow through a union.
  return EVENTS.map((on) => ({ id: 'memory', on, handle }) as unknown as HookHandler);
}

/** The directory of the memory of a call; null where nothing is remembered. @throws DevCliError `IO` */
function findMemory({ root }: Hearing, cwd: string): string | null {
  const directory = `${findWingRoot(root, cwd, 'memory')}/.dev/memory`;
  return isDirectory(directory) ? directory : null;
}

function tells(event: HookEvent): boolean {
  switch (event.on) {
    case 'session-start':
      return true;
    case 'user-prompt-submit':
      return event.agent === null && event.attended && event.prompt.trim() !== '';
    case 'post-tool-use':
      return !event.failed && event.files.length > 0;
    case 'stop':
      return event.said !== null;
    case 'pre-tool-use':
    case 'session-end':
      return false;
  }
}
