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

/** A change to a session's mark (harness.md, Sessions). */
export type SessionChange =
  /** A call binds the session to a run. `before` lists the session's earlier runs that may still continue. */
  | { becomes: 'bound'; run: string; before: readonly string[] }
  /** `heard`: a hook has reported the session. `told`: the user was warned that no hook has reported it. */
  | { becomes: 'heard' | 'told' }
  /** The session has ended: `left` if it was bound to a run, `forgotten` if not. */
  | { becomes: 'left'; runId: string }
  | { becomes: 'forgotten' }
  /** The session takes over a run that an ended session has left, unless another session is bound to the run. */
  | { becomes: 'successor'; run: string; runId: string };

const UNKNOWN: SessionMark = { run: null, heard: false, before: [] };

/** The files of all sessions, by file name. */
interface SessionFiles {
  names(): string[];
  read(name: string): string | null;
  /** @param text null removes the file */
  write(name: string, text: string | null): void;
}

/** Changes a session's file. The caller must hold the common lock. @returns whether the change took place */
export function changeSession(files: SessionFiles, own: string, change: SessionChange): boolean {
  const text = files.read(own);
  const { run, heard, before } = text === null ? UNKNOWN : parseSession(text);
  switch (change.becomes) {
    case 'heard':
      if (!heard) files.write(own, renderSession({ run, heard: true, before }));
      return true;
    case 'told':
      if (text === null) files.write(own, 'unheard, and told so\n');
      return true;
    case 'bound':
      files.write(own, renderSession({ run: requireName(change.run), heard, before: change.before }));
      return true;
    case 'forgotten':
      files.write(own, null);
      return true;
    case 'left':
      files.write(own, `left ${change.runId}\n${renderBefore(before)}`);
      return true;
    case 'successor': {
      const all = files.names().map((name) => ({ name, text: files.read(name) ?? '' }));
      const ended = all.filter((one) => one.text.split('\n', 1)[0] === `left ${change.runId}`);
      if (ended.length === 0 || all.some((one) => parseSession(one.text).run === change.run)) return false;
      for (const { name } of ended) if (name !== own) files.write(name, null);
      const inherited = [...before, ...ended.flatMap((one) => parseSession(one.text).before)];
      files.write(
        own,
        renderSession({
          run: change.run,
          heard,
          before: [...new Set(inherited)].filter((name) => name !== change.run),
        }),
      );
      return true;
    }
  }
}

/** Renders the file of a session that is bound to a run or that a hook has reported. */
function renderSession({ run, heard, before }: SessionMark): string {
  return `${run ?? ''}\n${heard && run !== null ? 'heard\n' : ''}${renderBefore(before)}`;
}

const renderBefore = (before: readonly string[]) => before.map((name) => `before ${name}\n`).join('');

/** Applies `changeSession` on disk, under the common lock. Throws system errors. @param root absolute, without links */
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
