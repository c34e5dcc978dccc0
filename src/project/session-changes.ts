import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../store/inside.js';
import { findSessions, nameSessionFile, parseSession, readSmall, renderSession, writeSessionFile } from './pointers.js';

/** What becomes of a session besides the run that a call binds it to (harness.md, Sessions). */
export type SessionChange =
  /** Hooks have told of it; or it was told that none has. */
  | { becomes: 'heard' | 'told' }
  /** It has ended while it was bound to a run. */
  | { becomes: 'left'; runId: string }
  /** It goes on with a run that another has left, if none is bound to it. */
  | { becomes: 'successor'; run: string; runId: string };

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
  const { run, heard } = text === null ? { run: null, heard: false } : parseSession(text);
  switch (change.becomes) {
    case 'heard':
      if (!heard) files.write(own, renderSession({ run, heard: true }));
      return true;
    case 'told':
      if (text === null) files.write(own, 'unheard, and told so\n');
      return true;
    case 'left':
      files.write(own, `left ${change.runId}\n`);
      return true;
    case 'successor': {
      const all = files.names().map((name) => ({ name, text: files.read(name) ?? '' }));
      const ended = all.filter((one) => one.text.trim() === `left ${change.runId}`);
      if (ended.length === 0 || all.some((one) => parseSession(one.text).run === change.run)) return false;
      for (const { name } of ended) if (name !== own) files.write(name, null);
      files.write(own, renderSession({ run: change.run, heard }));
      return true;
    }
  }
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
