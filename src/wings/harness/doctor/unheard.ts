import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import { RUNS } from '../../../project/layout.js';
import type { Context } from '../../../run/context.js';
import { withIoErrors } from '../../../store/io.js';
import type { Harness } from '../adapter.js';
import { pathExists, readFileText } from '../install/disk.js';
import { isHookLine } from '../install/hook-line.js';
import { parseSettings } from '../install/settings.js';
import { listHookLines } from './guard.js';

/** Detects sessions in which the project's hooks do not run (harness.md, Sessions). */

/**
 * Returns whether a working hook leaves a trace of a new session here: it does if there are runs, or if hooks are
 * installed into the project.
 * @param besides the name of a run that does not count, because this call has begun it
 * @throws DevCliError `IO`
 */
export function leavesTrace(root: string, besides?: string): boolean {
  if (pathExists(join(root, '.dev/install.json'))) return true;
  const runs = join(root, RUNS);
  return pathExists(runs) && withIoErrors(runs, null, () => readdirSync(runs)).some((name) => name !== besides);
}

/**
 * Warns, once per session, that none of the hooks in the project's settings has reported the session.
 * @param harness the harness of the session
 * @param session the session's id, from the harness
 * @param cwd absolute directory of the call
 * @param begun the name of the run that this call has begun
 * @returns the warning; null if hooks were heard, could not have left a trace, or are not installed
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
  // If this cannot be recorded, the warning is repeated at the next call.
  await store.changeSession(session, { becomes: 'told' }).catch(() => {});
  const { title } = harness;
  return [
    `no hook of dev-cli has been heard in this session of ${title}: nothing guards the run, and no prompt opens a gate.`,
    isBelow(cwd, root)
      ? `${title} reads the hooks of ${root} only if it is started there, but this session is in ${cwd}. Tell the user, who can start it there or run \`dev-cli install --harness ${id} --user\`.`
      : 'Tell the user; `dev-cli doctor` looks for the cause.',
  ].join(' ');
}

/** Returns whether a directory is below another. */
export function isBelow(directory: string, root: string): boolean {
  return directory !== root && directory.startsWith(root === '/' ? root : `${root}/`);
}

function hasHooks(root: string, { settings: { path: place }, events }: Harness): boolean {
  const path = join(root, place);
  const settings = parseSettings(readFileText(path) ?? '', path);
  return listHookLines(settings, events['session-start']).some(({ line }) => isHookLine(line));
}
