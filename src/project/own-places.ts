import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { readStats, resolvePath } from '../store/inside.js';
import { pathError, withIoErrors } from '../store/io.js';

/**
 * Refuses a place in a project that a link leads out of it, into git's own directory, or nowhere: such links come with a clone, and
 * what is said of the place would not hold where it leads. For what writes there; nothing need be there yet.
 * @param root absolute
 * @param path relative to it
 * @throws DevCliError `IO`, naming the link
 */
export function requireInside(root: string, path: string): void {
  withIoErrors(join(root, path), root, () => {
    const real = realpathSync(root);
    let at = real;
    for (const name of path.split('/')) {
      at = join(at, name);
      const stats = readStats(at);
      if (stats === undefined) return;
      if (!stats.isSymbolicLink()) continue;
      const led = resolvePath(real, at);
      const fault = led.kind === 'inside' ? judgeTarget(real, led.path) : FAULTS[led.kind];
      if (fault !== null) {
        const target = resolve(dirname(at), readlinkSync(at));
        const fix = 'Remove that link or move what it leads to into the project, then repeat the command.';
        throw pathError(join(root, relative(real, at)), root, `it is a link to ${target}, ${fault}`, fix);
      }
      if (led.kind === 'inside') at = led.path;
    }
  });
}

/** Whether a directory of a project lies in it, after links are followed. @param directory absolute */
export function isOwnDirectory(root: string, directory: string): boolean {
  return resolvePath(realpathSync(root), join(realpathSync(root), relative(root, directory))).kind === 'inside';
}

const FAULTS = { outside: 'which is outside of the project', loop: 'which leads in a circle' };

function judgeTarget(root: string, path: string): string | null {
  if (relative(root, path).split('/').includes('.git')) return 'which is git’s own';
  return existsSync(path) ? null : 'which is not there';
}
