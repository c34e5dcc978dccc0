import { join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { isName } from '../base/name.js';
import { nativeCrc32 } from '../store/crc.js';
import type { DirectoryMedium } from '../store/directory.js';
import { removeFile } from '../store/documents.js';
import { syncDirectory, writeDurably } from '../store/durable.js';
import { withIoErrors } from '../store/io.js';
import { readTail } from '../store/journal.js';
import type { Marker } from '../store/store.js';
import { activePath, readActive, readSmall } from './pointers.js';

/** What changes in `.dev` with a commit of a run (storage.md, Layout). */
export type RunMarks = {
  /** Whether this run guards its tree from now on. */
  guarded: boolean;
  /** `set` makes the run the active one, `clear` removes the pointer when it names this run. */
  pointer?: 'set' | 'clear';
};

/** Moves what names the active run. */
export interface ActivePointer {
  set(run: string | null): void;
  /** `set` makes the run the active one, `clear` removes the pointer when it names this run. */
  move(run: string, move: 'set' | 'clear'): void;
}

/**
 * Keeps the file that says which runs guard, and the pointer to the active run. All changes are made under the common lock.
 * @throws every method: DevCliError `LOCKED`, `IO`
 */
export function projectMarks(medium: DirectoryMedium): { marker: Marker; pointer: ActivePointer } {
  const { root, home } = medium.places;
  const pointer = activePointer(medium);
  const guardPath = join(home, 'guard');

  /** Whether the last commit of a run guards. */
  function guards(run: string): boolean {
    return medium.journal(run, (bytes) => readTail(bytes, nativeCrc32).last?.marks?.['guarded'] === true);
  }

  /**
   * Whether the journal of a run says that it guards, or a commit of it is under way. The lock first: a commit that began after
   * it was found free adds its line again under the common lock. A run that cannot be read may guard: it keeps its line, and
   * holds no other run back.
   */
  function mayGuard(run: string): boolean {
    try {
      return medium.isLocked(run) || guards(run);
    } catch (error) {
      if (error instanceof DevCliError) return true;
      throw error;
    }
  }

  /** Notes that the run guards its tree since `seq`, or (null) no longer does. Writes only a change. */
  function guard(run: string, seq: number | null): void {
    const wanted = (lines: Map<string, number>): Map<string, number> => {
      const kept = [...lines].filter(([name]) => name !== run && mayGuard(name));
      if (seq !== null) kept.push([run, lines.get(run) ?? seq]);
      return new Map(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
    };
    withIoErrors(guardPath, root, () => {
      const before = readSmall(guardPath);
      const settled = before === null ? seq === null : render(wanted(linesOf(before))) === before;
      // A line that no commit stands behind yet may be taken out by somebody else's commit: then it is written again.
      if (settled && (seq === null || guards(run))) return;
      medium.exclusively(() => {
        const text = readSmall(guardPath);
        const next = render(wanted(linesOf(text ?? '')));
        if (next !== text) writeDurably(guardPath, next, root);
      });
    });
  }

  const marker: Marker = {
    prepare(run, { guarded }, seq) {
      if (guarded === true) guard(run, seq);
    },
    undo(run, { guarded }, before) {
      if (guarded === true && before?.['guarded'] !== true) guard(run, null);
    },
    follow(run, { pointer: move }) {
      if (move === 'set' || move === 'clear') pointer.move(run, move);
    },
    settle(run, { guarded }) {
      if (guarded === false) guard(run, null);
    },
  };
  return { marker, pointer };
}

function activePointer(medium: DirectoryMedium): ActivePointer {
  const { root, home } = medium.places;
  const path = activePath(home);
  const change = (work: () => void): void => withIoErrors(path, root, () => medium.exclusively(work));
  const name = (run: string): void => writeDurably(path, `${run}\n`, root);
  const remove = (): void => {
    if (removeFile(path)) syncDirectory(home);
  };
  return {
    set: (run) => change(() => (run === null ? remove() : name(run))),
    move(run, move) {
      withIoErrors(path, root, () => {
        // Without the lock first: most commits find it as it should be.
        if ((readActive(home) === run) === (move === 'set')) return;
        medium.exclusively(() => {
          if (move === 'set') name(run);
          else if (readActive(home) === run) remove();
        });
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
