import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Ids } from '../base/clock.js';
import { getSystemCode } from '../base/errors.js';
import { writeDurably } from '../store/durable.js';
import { readRegular, resolveDirectory } from '../store/inside.js';
import { withIoErrors } from '../store/io.js';
import { type Lock, type LockRecord, lockedError, tryLock } from '../store/lock.js';
import { identifyProcess } from '../store/process.js';
import { RUNS } from './layout.js';

/** Where `plan edit` keeps a text that is being edited: `edit/` in a run's directory, which git ignores. */
export interface PlanTextPlace {
  /** Absolute path of the text that an editor opens. */
  path: string;
  /** The same path, relative to the root. */
  shown: string;
  /** Reads the record that `begin` wrote about the text; null if there is none. @throws DevCliError `IO` */
  readOrigin(): string | null;
  /** @throws DevCliError `IO` */
  readText(): PlanText;
  /** Begins a new text. @throws DevCliError `IO` */
  begin(origin: string, text: string): void;
  /** Writes the text again. @throws DevCliError `IO` */
  write(text: string): void;
  /** Returns whether an editor left other files beside the text, such as a swap file. @throws DevCliError `IO` */
  hasMore(): boolean;
  /** Removes the text and anything that an editor left beside it. @throws DevCliError `IO` */
  discard(): void;
}

/** The text as an editor left it. */
type PlanText = { kind: 'text'; text: string } | { kind: 'missing' } | { kind: 'unreadable'; problem: string };

const TEXT = 'PLAN.md';
const ORIGIN = 'origin.json';

/** Maximum size in bytes of a text and of its record; even a plan of 10,000 todos is smaller. */
const LARGEST = 32 * 1024 * 1024;

/** @throws DevCliError `IO` if a link leads out of the root */
export function openPlanText(root: string, run: string): PlanTextPlace {
  const shown = `${RUNS}/${run}/edit/${TEXT}`;
  const directory = resolveDirectory(root, `${RUNS}/${run}/edit`);
  const path = join(directory, TEXT);
  const write = (text: string) => {
    withIoErrors(directory, root, () => {
      // An editor may have replaced the text with something other than a file.
      rmSync(path, { recursive: true, force: true });
      mkdirSync(directory, { recursive: true });
    });
    writeDurably(path, text, root);
  };
  return {
    path,
    shown,
    readOrigin: () =>
      withIoErrors(directory, root, () => readIfThere(join(directory, ORIGIN))?.toString('utf8') ?? null),
    readText: () => withIoErrors(path, root, () => decode(readIfThere(path))),
    begin(origin, text) {
      write(text);
      // Written last, since a text without this record counts as not begun.
      writeDurably(join(directory, ORIGIN), origin, root);
    },
    write,
    hasMore: () =>
      withIoErrors(directory, root, () => readdirSync(directory).some((name) => name !== TEXT && name !== ORIGIN)),
    discard: () => withIoErrors(directory, root, () => rmSync(directory, { recursive: true, force: true })),
  };
}

/** Reads a file: undefined if it does not exist, null if it is not a regular file or too large. */
function readIfThere(path: string): Buffer | null | undefined {
  try {
    return readRegular(path, LARGEST);
  } catch (error) {
    const code = getSystemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP' || code === 'ENXIO') return null;
    throw error;
  }
}

function decode(content: Buffer | null | undefined): PlanText {
  if (content === undefined) return { kind: 'missing' };
  if (content === null) return { kind: 'unreadable', problem: 'it is not a regular file, or it is larger than 32 MB' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content) };
  } catch {
    return { kind: 'unreadable', problem: 'it is not UTF-8' };
  }
}

/** The lock on a text or, if another process already has it, the record of that process. */
export type LockedText = Lock | { holder: LockRecord };

/**
 * Prevents a second `plan edit` of the same text. Takes over the lock of a dead process.
 * @throws DevCliError `IO`; `LOCKED` for a holder that cannot be looked up, such as one on another machine
 */
export function lockPlanText(root: string, run: string, { clock, ids }: { clock: Clock; ids: Ids }): LockedText {
  const path = join(resolveDirectory(root, `${RUNS}/${run}`), 'edit.lock');
  return withIoErrors(path, root, () => {
    const identity = identifyProcess();
    const got = tryLock(path, { identity, clock, ids, purpose: 'plan edit' });
    if ('release' in got) return got;
    const { holder } = got;
    if (holder === null || holder.host !== identity.host) throw lockedError(path, holder, identity, root);
    return { holder };
  });
}
