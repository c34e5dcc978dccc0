import type { HookAnswer, HookEvent, HookHandler, WithPorts } from '../../protocol/ports.js';
import { createFormatterFor } from '../../registry/render.js';
import type { Context } from '../../run/context.js';
import { createMemoryHookHandlers } from './hearing.js';

/**
 * Handles harness events for memory (memory.md, Hooks); nothing here throws or blocks an event. Because every hook
 * loads this file, it loads all other code only if there is a memory.
 */

/** Maximum number of characters that a session gets when it begins. */
const LONGEST = 2_400;

const TELL =
  'dev-cli remembers this project. Whenever you make a choice, or set or change an aim, record it with the reason: `dev-cli memory decide --text T --reason R`. `dev-cli context` shows the rest.';

export const HANDLERS: readonly HookHandler[] = createMemoryHookHandlers(
  async (context: Context & WithPorts, event, directory) => {
    if (event.on !== 'session-start') {
      (await import('./facts.js')).noteFacts(context, event, directory);
      return null;
    }
    // If the context cannot be built, the `context` command will say why.
    return tellContext(context, event).catch(() => ({ tell: TELL }));
  },
);

/** Gives the context to a session that begins, or that continues after a compaction. */
async function tellContext(context: Context & WithPorts, { cwd }: HookEvent): Promise<HookAnswer> {
  const [{ showContext }, { openMemory }] = await Promise.all([import('./context-command.js'), import('./memory.js')]);
  const scene = { context, memory: openMemory(context, cwd), options: { signal: context.signal } };
  const { text } = await showContext(scene, 'plain');
  const open = await tellInbox(context).catch(() => '');
  const last = `${open === '' ? '' : `${open}\n`}${TELL}`;
  return { tell: `${cut(text?.(createFormatterFor(undefined)) ?? '', LONGEST - last.length)}${last}` };
}

/** Says how many items wait in the inbox. Loads the code that counts them only if something can wait. */
async function tellInbox(context: Context & WithPorts): Promise<string> {
  const { root, reader, store } = context;
  const isLogged = reader.list(`${root}/.ai/events`).includes('events.jsonl');
  if (!isLogged && (await store.streams()).length === 0) return '';
  return (await context.ports.tellInbox())(context);
}

/** Cuts a text to as many whole lines as fit. */
function cut(text: string, longest: number): string {
  const lines = `${text}\n`;
  if (lines.length <= longest) return text === '' ? '' : lines;
  return `${lines.slice(0, lines.lastIndexOf('\n', longest - 4))}\n…\n`;
}
