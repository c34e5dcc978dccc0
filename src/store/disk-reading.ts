import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../base/errors.js';
import { isName } from '../base/name.js';
import { readActive } from './active.js';
import { diskFiles } from './documents.js';
import { insideDirectory, isMissing, readRegular } from './inside.js';
import { pathError, withIoErrors } from './io.js';
import { withJournal } from './journal-file.js';
import type { ReadMedium } from './medium.js';
import { readObject } from './objects.js';
import { RUNS, runPath } from './paths.js';
import { readSession } from './sessions.js';

/** Far more than any snapshot has, in bytes; what is larger is not read into memory. */
const LARGEST_STATE = 256 * 1024 * 1024;

/** Where things lie on disk. */
export interface DiskPlaces {
  /** Absolute, without links. */
  root: string;
  /** `<root>/.dev`. */
  home: string;
  /** A directory below the root that may not be a link out of it. */
  inside(path: string): string;
  /** A run's directory, or something in it. */
  inRun(stream: string, name?: string): string;
  /** Runs `work` on a path of the run with errors that name it. */
  at<T>(stream: string, name: string, work: (path: string) => T): T;
}

/**
 * The places below a root, looked at anew at each question: what was a directory may have become a link.
 * @throws DevCliError `IO` when the root is not there, and where a link leads out of it; but for `at`, methods throw system errors too
 */
export function diskPlaces(directory: string): DiskPlaces {
  const root = withIoErrors(directory, directory, () => realpathSync.native(directory));
  const inside = (path: string): string => insideDirectory(root, path);
  const inRun = (stream: string, name = ''): string => join(inside(runPath(stream)), name);
  return {
    root,
    home: join(root, '.dev'),
    inside,
    inRun,
    at: (stream, name, work) => withIoErrors(join(root, runPath(stream, name)), root, () => work(inRun(stream, name))),
  };
}

/**
 * What is read of the directory `<root>/.dev` (storage.md, Layout).
 * @throws every method: DevCliError `IO`
 */
export function diskReading({ root, home, inside, at }: DiskPlaces): ReadMedium {
  return {
    streams() {
      return withIoErrors(join(root, RUNS), root, () => {
        const directory = inside(RUNS);
        return entriesOf(directory)
          .filter((name) => isName(name) && mayHoldRun(join(directory, name)))
          .sort();
      });
    },

    state(stream) {
      return at(stream, 'state.json', (path) => {
        try {
          const content = readRegular(path, LARGEST_STATE);
          if (content !== null) return content.toString('utf8');
          // No snapshot of ours: as unusable as one that does not parse.
          if (lstatSync(path).isFile()) return '';
        } catch (error) {
          if (systemCode(error) === 'ENOENT') return null;
          throw error;
        }
        throw pathError(path, root, 'it is no regular file', 'Move what is there away, then repeat the same call.');
      });
    },

    journal(stream, use) {
      return at(stream, 'events.jsonl', (path) => withJournal(path, root, use));
    },

    files(stream) {
      return diskFiles(root, stream);
    },

    object(stream, digest) {
      return at(stream, 'objects', (directory) => readObject(directory, digest));
    },

    active() {
      return withIoErrors(join(home, 'active-spec'), root, () => readActive(home));
    },

    session(id) {
      return withIoErrors(join(home, 'sessions'), root, () => readSession(root, id));
    },
  };
}

/**
 * What is no journal, or cannot be looked at, is somebody's run all the same, and so is one that has lost its journal: who
 * reads it is told what is wrong.
 */
function mayHoldRun(directory: string): boolean {
  try {
    const journal = lstatSync(join(directory, 'events.jsonl'), { throwIfNoEntry: false });
    if (journal !== undefined && (!journal.isFile() || journal.size > 0)) return true;
    return lstatSync(join(directory, 'state.json'), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true;
  }
}

/** Names of the directories in a directory; a link is none. */
function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch (error) {
    if (isMissing(error) && !existsSync(directory)) return [];
    throw error;
  }
}
