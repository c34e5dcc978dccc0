import { existsSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { DEV_DIRECTORY } from '../../../project/layout.js';
import { listAncestors } from '../../../project/root.js';
import { findGitDirectories } from '../../../project/work-trees.js';
import { executeFile, findProgram } from '../../../work/processes.js';
import { isWithin } from './place.js';
import type { ToolScope } from './tool.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The sandbox that confines commands to the work tree (runtime.md, Tools): bubblewrap, if it works. */
export interface Sandbox {
  /** The user's home directory, absolute; null if the environment has none. */
  home: string | null;
  /** The value of PATH. */
  searchPath: string;
  /** Whether commands may use the host's network. */
  network: boolean;
}

/**
 * The only parts of /run that stay visible: host name resolution, and NixOS's programs. Sockets in /run would let a
 * command act outside the sandbox.
 */
const KEPT = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager/resolv.conf', '/run/current-system'];

/**
 * Checks once whether the sandbox works.
 * @returns null if commands run without one: the setting is `off`, or it is `auto` and the sandbox does not work;
 * `missing` if the sandbox is required but does not work
 * @throws DevCliError `INTERRUPTED`
 */
export async function probeSandbox(
  setting: 'auto' | 'require' | 'off',
  { env, network, signal }: { env: Environment; network: boolean; signal: AbortSignal },
): Promise<Sandbox | 'missing' | null> {
  if (setting === 'off') return null;
  const none = setting === 'require' ? 'missing' : null;
  const searchPath = env['PATH'] ?? '';
  if (process.platform !== 'linux' || !findProgram('bwrap', { searchPath, cwd: '/' })) return none;
  const [bwrap = '', ...args] = [...buildBase(network), '--', '/bin/sh', '-c', ':'];
  const { error } = await executeFile(bwrap, args, { cwd: '/', env, signal, timeoutSeconds: 10, maxBuffer: 65_536 });
  return error === null ? { home: env['HOME'] ?? null, searchPath, network } : none;
}

function buildBase(network: boolean): string[] {
  const apart = ['bwrap', '--die-with-parent', '--unshare-pid', '--unshare-ipc', ...(network ? [] : ['--unshare-net'])];
  const base = '--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /run'.split(' ');
  return [...apart, ...base, ...KEPT.flatMap((path) => ['--ro-bind-try', path, path])];
}

/**
 * Builds the command that runs another in the sandbox. Everything is read-only except the work tree and an empty
 * `/tmp`; within the work tree, `.git`, `.dev` and dev-cli itself are read-only, too. Of HOME, only directories in PATH
 * are visible.
 */
export function wrapInSandbox(
  argv: readonly string[],
  { workTree, root, own }: Pick<ToolScope, 'workTree' | 'root' | 'own'>,
  { home, searchPath, network }: Sandbox,
): string[] {
  const tree = realpathSync.native(workTree);
  const hidden = home === null || home === '/' ? null : findReal(home);
  const { top } = listAncestors(tree);
  const git = top === null ? null : findGitDirectories(top);
  const homes = [tree, findReal(root) ?? root].map((one) => join(one, DEV_DIRECTORY));
  const mine = findReal(own);
  const program = mine !== null && isWithin(tree, mine) ? mine : null;
  const steering = new Set([top && join(top, '.git'), git?.own, git?.common, ...homes, program]);
  // If the work tree is a subdirectory of a repository, git still needs to read the whole repository.
  const around = top !== null && top !== tree && (hidden === null || !isWithin(top, hidden)) ? top : null;
  return [
    ...buildBase(network),
    ...(hidden === null ? [] : ['--tmpfs', hidden, ...listPrograms(searchPath, hidden)]),
    ...(around === null ? [] : ['--ro-bind', around, around]),
    ...['--bind', tree, tree],
    ...[...steering].flatMap((path) => (path && existsSync(path) ? ['--ro-bind', path, path] : [])),
    ...['--chdir', tree, '--', ...argv],
  ];
}

/** Mounts directories of PATH that are in HOME or lead there, each at its own path. The rest of HOME stays hidden. */
function listPrograms(searchPath: string, home: string): string[] {
  return searchPath.split(delimiter).flatMap((directory) => {
    const real = isAbsolute(directory) ? findReal(directory) : null;
    const at = [directory, real].find((one) => one !== null && isWithin(home, one));
    return real === null || real === home || !at ? [] : ['--ro-bind', real, at];
  });
}

function findReal(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
