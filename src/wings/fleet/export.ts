import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { renderCount } from '../../base/words.js';
import type { Context } from '../../run/context.js';
import { openShared } from './backend.js';
import { writeStreamDirectory } from './entries.js';
import type { FleetCall, FleetPorts } from './ports.js';

/** `fleet export` (fleet.md, Commands). @throws DevCliError `USAGE` if the directory exists, `FLEET_UNAVAILABLE`, `IO` */
export async function exportStream(
  { loop }: FleetPorts,
  context: Context,
  directory: string,
  call: FleetCall,
): Promise<Answer> {
  const { project } = loop.requireFleet(context);
  const path = resolve(call.cwd, directory);
  if (existsSync(path))
    throw new DevCliError('USAGE', `${directory} already exists.`, { fix: 'Name a new directory.' });
  const { pool } = await openShared(context, call);
  const entries = await writeStreamDirectory(pool, project, path);
  return {
    exit: 0,
    json: { ok: true, path, entries },
    text: () => `${path}: ${renderCount(entries, 'entry', 'entries')}.`,
  };
}
