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

/** Where `plan edit` keeps a text until it is taken up or thrown away: `edit/` in the directory of a run, which git ignores. */
export interface PlanTextPlace {
  /** Absolute path of the text that an editor is opened on. */
  path: string;
  /** The same, relative to the root. */
  shown: string;
  /** What was kept about the text when it was begun; null where none is. @throws DevCliError `IO` */
  readOrigin(): string | null;
  /** @throws DevCliError `IO` */
  readText(): PlanText;
  /** Begins a text. @throws DevCliError `IO` */
  begin(origin: string, text: string): void;
  /** Puts a text back. @throws DevCliError `IO` */
  write(text: string): void;
  /** Whether an editor has left something beside the text, such as what it saves of work that was cut off. @throws DevCliError `IO` */
  hasMore(): boolean;
  /** Removes the text, and what an editor left beside it. @throws DevCliError `IO` */
  discard(): void;
}

/** The text as an editor left it. */
type PlanText = { kind: 'text'; text: string } | { kind: 'missing' } | { kind: 'unreadable'; problem: string };

const TEXT = 'PLAN.md';
const ORIGIN = 'origin.json';

/** Bytes of a text, and of what is kept about it: a plan of 10,000 todos is smaller. */
const LARGEST = 32 * 1024 * 1024;

/** @throws DevCliError `IO` where a link leads out of the root */
export function openPlanText(root: string, run: string): PlanTextPlace {
  const shown = `${RUNS}/${run}/edit/${TEXT}`;
  const directory = resolveDirectory(root, `${RUNS}/${run}/edit`);
  const path = join(directory, TEXT);
  const write = (text: string) => {
    withIoErrors(directory, root, () => {
      // An editor may have put something else in its place.
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
      // Last: a text without it was never begun.
      writeDurably(join(directory, ORIGIN), origin, root);
    },
    write,
    hasMore: () =>
      withIoErrors(directory, root, () => readdirSync(directory).some((name) => name !== TEXT && name !== ORIGIN)),
    discard: () => withIoErrors(directory, root, () => rmSync(directory, { recursive: true, force: true })),
  };
}

/** Undefined where nothing is, null for what is no regular file or too large. */
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
  if (content === null) return { kind: 'unreadable', problem: 'it is no regular file, or larger than 32 MB' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content) };
  } catch {
    return { kind: 'unreadable', problem: 'it is not UTF-8' };
  }
}

/** The lock of a text, or who has it. */
export type LockedText = Lock | { holder: LockRecord };

/**
 * Keeps a second `plan edit` away from the text. What a dead process left is taken over.
 * @throws DevCliError `IO`; `LOCKED` for a holder that cannot be looked up from here
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
