import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import { RUNS } from '../../../project/layout.js';
import type { Context } from '../../../run/context.js';
import { withIoErrors } from '../../../store/io.js';
import type { Harness } from '../adapter.js';
import { exists, readText } from '../install/disk.js';
import { isHookLine } from '../install/hook-line.js';
import { parseSettings } from '../install/settings.js';
import { listHookLines } from './guard.js';

/** Sessions in which the hooks that a project has are not heard (harness.md, Sessions). */

/**
 * Whether a session that begins leaves a trace here where hooks run: there are runs, or they are installed into the project.
 * @param besides the name of a run that was not there yet
 * @throws DevCliError `IO`
 */
export function leavesTrace(root: string, besides?: string): boolean {
  if (exists(join(root, '.dev/install.json'))) return true;
  const runs = join(root, RUNS);
  return exists(runs) && withIoErrors(runs, null, () => readdirSync(runs)).some((name) => name !== besides);
}

/**
 * Says, once for a session, that none of the hooks in the project's settings has told of it.
 * @param harness whose session it is
 * @param session its id, as the harness tells it
 * @param cwd absolute directory of the call
 * @param begun the name of the run that this call has begun
 * @returns the warning; null where hooks were heard, may not have left a trace, or were never promised
 */
export async function warnOfSilence(
  { store, root }: Pick<Context, 'store' | 'root'>,
  { harness: id, session, cwd, begun }: { harness: HarnessId; session: string; cwd: string; begun: string | undefined },
): Promise<string | null> {
  let harness: Harness;
  try {
    if (!leavesTrace(root, begun) || (await store.sessionMark(session)) !== null) return null;
    harness = (await import('../harness.js')).HARNESSES[id];
    if (!hasHooks(root, harness)) return null;
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
  // Where nothing can be written, it is said again.
  await store.changeSession(session, { becomes: 'told' }).catch(() => {});
  const { title } = harness;
  return [
    `no hook of dev-cli has been heard in this session of ${title}: nothing guards the run, and no prompt opens a gate.`,
    isBelow(cwd, root)
      ? `${title} reads the hooks of ${root} only where it is started there, and this is ${cwd}. Tell the user, who can start it there or run \`dev-cli install --harness ${id} --user\`.`
      : 'Tell the user; `dev-cli doctor` says what it knows of the cause.',
  ].join(' ');
}

/** Whether a directory lies below another. */
export function isBelow(directory: string, root: string): boolean {
  return directory !== root && directory.startsWith(root === '/' ? root : `${root}/`);
}

function hasHooks(root: string, { settings: { path: place }, events }: Harness): boolean {
  const path = join(root, place);
  const settings = parseSettings(readText(path) ?? '', path);
  return listHookLines(settings, events['session-start']).some(({ line }) => isHookLine(line));
}
