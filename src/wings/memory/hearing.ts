import { isExistingDirectory } from '../../project/root.js';
import { findWingRoot } from '../../project/wing-streams.js';
import type { HookAnswer, HookEvent, HookHandler } from '../../protocol/ports.js';
import type { ReadContext } from '../../run/context.js';

/** Defines the hook events that memory handles (memory.md, Hooks). */

/** The part of the context that handlers of memory need. */
export type Hearing = Pick<ReadContext, 'root' | 'workTree' | 'clock' | 'caller' | 'signal'>;

const EVENTS = ['session-start', 'user-prompt-submit', 'post-tool-use', 'stop'] as const;

/**
 * Creates the handlers of memory.
 * @param answer called only if memory is set up, in `directory`, and the event is relevant to it
 */
export function createMemoryHookHandlers<C extends Hearing>(
  answer: (context: C, event: HookEvent, directory: string) => Promise<HookAnswer | null>,
): HookHandler[] {
  const handle = async (context: C, event: HookEvent): Promise<HookAnswer | null> => {
    const directory = tells(event) ? findMemory(context, event.cwd) : null;
    return directory === null ? null : answer(context, event, directory);
  };
  // The event types match, but TypeScript cannot track that through a union.
  return EVENTS.map((on) => ({ id: 'memory', on, handle }) as unknown as HookHandler);
}

/** Returns the directory of the memory for a call; null if memory is not set up. @throws DevCliError `IO` */
function findMemory({ root }: Hearing, cwd: string): string | null {
  const directory = `${findWingRoot(root, cwd, 'memory')}/.dev/memory`;
  return isExistingDirectory(directory) ? directory : null;
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
