import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { requireName } from '../base/name.js';
import { isMissing } from '../store/inside.js';
import {
  findSessions,
  nameSessionFile,
  parseSession,
  readSmall,
  type SessionMark,
  writeSessionFile,
} from './pointers.js';

/** What becomes of a session (harness.md, Sessions). */
export type SessionChange =
  /** A call binds it to a run. */
  | { becomes: 'bound'; run: string }
  /** Hooks have told of it; or it was told that none has. */
  | { becomes: 'heard' | 'told' }
  /** It has ended while it was bound to a run; or to none. */
  | { becomes: 'left'; runId: string }
  | { becomes: 'forgotten' }
  /** It goes on with a run that another has left, if none is bound to it. */
  | { becomes: 'successor'; run: string; runId: string };

/** Runs that a session leaves behind and is still judged by. */
const MOST_BEFORE = 8;

/** The files of all sessions, by name. */
interface SessionFiles {
  names(): string[];
  read(name: string): string | null;
  /** @param text null removes the file */
  write(name: string, text: string | null): void;
}

/** Changes the file of a session, under the lock of all. @returns whether it became that */
export function changeSession(files: SessionFiles, own: string, change: SessionChange): boolean {
  const text = files.read(own);
  const mark = text === null ? null : parseSession(text);
  switch (change.becomes) {
    case 'heard':
      if (mark?.heard !== true) files.write(own, renderSession({ run: null, before: [], ...mark, heard: true }));
      return true;
    case 'told':
      if (text === null) files.write(own, 'unheard, and told so\n');
      return true;
    case 'bound':
      files.write(own, renderBinding(mark, requireName(change.run)));
      return true;
    case 'forgotten':
      files.write(own, null);
      return true;
    case 'left':
      files.write(own, `left ${change.runId}\n`);
      return true;
    case 'successor': {
      const all = files.names().map((name) => ({ name, text: files.read(name) ?? '' }));
      const ended = all.filter((one) => one.text.trim() === `left ${change.runId}`);
      if (ended.length === 0 || all.some((one) => parseSession(one.text).run === change.run)) return false;
      for (const { name } of ended) if (name !== own) files.write(name, null);
      files.write(own, renderBinding(mark, change.run));
      return true;
    }
  }
}

/** Renders the file of a session that is bound to a run, or that hooks have told of. */
function renderSession({ run, heard, before }: SessionMark): string {
  if (run === null) return '\n';
  return [run, ...(heard ? ['heard'] : []), ...before.map((name) => `before ${name}`), ''].join('\n');
}

/** Renders the file of a session that is now bound to `run`. @param mark what was known of it */
function renderBinding(mark: SessionMark | null, run: string): string {
  const left = mark?.run ? [mark.run, ...mark.before] : [];
  const before = left.filter((name) => name !== run).slice(0, MOST_BEFORE);
  return renderSession({ run, heard: mark?.heard === true, before });
}

/** The same on disk. Under the common lock. Throws system errors. @param root absolute, without links */
export function changeSessionOnDisk(root: string, id: string, change: SessionChange): boolean {
  const directory = findSessions(root);
  const files: SessionFiles = {
    names: () => listNames(directory),
    read: (name) => readSmall(join(directory, name)),
    write: (name, text) => writeSessionFile(root, name, text),
  };
  return changeSession(files, nameSessionFile(id), change);
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
