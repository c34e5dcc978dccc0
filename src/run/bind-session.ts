import type { Context } from './context.js';
import { readStateIfReadable } from './other-executions.js';

/**
 * Binds a session to a run. It keeps those of its runs before that may still go on: such a one has it back once this run has ended
 * (harness.md, Sessions).
 * @throws DevCliError `IO`, `LOCKED`
 */
export async function bindSession(context: Context, session: string, run: string): Promise<void> {
  const mark = await context.store.sessionMark(session);
  const before: string[] = [];
  for (const name of [mark?.run ?? null, ...(mark?.before ?? [])]) {
    if (name === null || name === run || before.includes(name)) continue;
    const status = (await readStateIfReadable(context, name))?.status;
    if (status === 'live' || status === 'halted') before.push(name);
  }
  await context.store.changeSession(session, { becomes: 'bound', run, before });
}
