import { join } from 'node:path';
import { isName } from '../base/name.js';
import { activePathIn, readActive, readMark } from './active.js';
import { removeFile } from './documents.js';
import { syncDirectory, writeDurably } from './durable.js';

/** Files of the root that tell which run is active and which runs guard (storage.md, Layout). */
export interface RootMarks {
  guard(stream: string, seq: number | null): void;
  movePointer(stream: string, move: 'set' | 'clear'): void;
  setActive(stream: string | null): void;
}

interface MarksOptions {
  /** Absolute, without links. */
  root: string;
  /** Runs a change of the root's files under the root's lock. */
  underRootLock: (change: () => void) => void;
  /** Whether the journal of a stream says that it guards, or a commit of it is under way. */
  mayGuard: (stream: string) => boolean;
  /** Whether the last commit of a stream guards. */
  guards: (stream: string) => boolean;
}

/**
 * The marks of a root. All changes are made under the root's lock, which is taken after a run's own.
 * @throws every method: DevCliError `LOCKED`, `IO`, system errors
 */
export function rootMarks({ root, underRootLock, mayGuard, guards }: MarksOptions): RootMarks {
  const home = join(root, '.dev');
  const guardPath = join(home, 'guard');
  const activePath = activePathIn(home);

  function remove(path: string): void {
    if (removeFile(path)) syncDirectory(home);
  }

  return {
    setActive(stream) {
      underRootLock(() => (stream === null ? remove(activePath) : writeDurably(activePath, `${stream}\n`, root)));
    },

    movePointer(stream, move) {
      // Without the lock first: most commits find it as it should be.
      if ((readActive(home) === stream) === (move === 'set')) return;
      underRootLock(() => {
        if (move === 'set') writeDurably(activePath, `${stream}\n`, root);
        else if (readActive(home) === stream) remove(activePath);
      });
    },

    guard(stream, seq) {
      const wanted = (lines: Map<string, number>): Map<string, number> => {
        const kept = [...lines].filter(([name]) => name !== stream && mayGuard(name));
        if (seq !== null) kept.push([stream, lines.get(stream) ?? seq]);
        return new Map(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
      };
      const before = readMark(guardPath);
      const settled = before === null ? seq === null : render(wanted(linesOf(before))) === before;
      // A line that no commit stands behind yet may be taken out by somebody else's commit: then it is written again.
      if (settled && (seq === null || guards(stream))) return;
      underRootLock(() => {
        const text = readMark(guardPath);
        const next = render(wanted(linesOf(text ?? '')));
        if (next !== text) writeDurably(guardPath, next, root);
      });
    },
  };
}

/** `<name> <seq>` per line behind the first; a line of another form counts for nothing. */
function linesOf(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const line of text.split('\n').slice(1)) {
    const [name = '', seq = '', ...more] = line.split(' ');
    if (isName(name) && /^\d{1,15}$/.test(seq) && more.length === 0) lines.set(name, Number(seq));
  }
  return lines;
}

function render(lines: ReadonlyMap<string, number>): string {
  return [lines.size > 0 ? 'ask' : 'open', ...[...lines].map(([name, seq]) => `${name} ${seq}`), ''].join('\n');
}
