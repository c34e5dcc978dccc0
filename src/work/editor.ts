import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { askPs, childProcess, readProcFields } from './processes.js';

/** The editor of the person at the terminal. */

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the user's editor as git does: `$VISUAL` where the terminal can move its cursor, `$EDITOR`, `vi`. An empty variable is
 * none.
 * @returns null where nothing is set and the terminal is too plain for `vi`
 */
export function findEditor(env: Environment): string | null {
  const isDumb = (env['TERM'] || 'dumb') === 'dumb';
  const visual = isDumb ? undefined : env['VISUAL'];
  return visual || env['EDITOR'] || (isDumb ? null : 'vi');
}

/** The characters for which git has a shell read the command: it may hold options, quotes, variables. */
const FOR_A_SHELL = /[|&;<>()$`\\"' \t\n*?[#~=%]/;

/** Returns the argument vector that opens a file; the path is an argument, and no part of what a shell reads. */
export function buildEditorCommand(editor: string, path: string): readonly [string, ...string[]] {
  return FOR_A_SHELL.test(editor) ? ['/bin/sh', '-c', `${editor} "$@"`, editor, path] : [editor, path];
}

/**
 * Opens a file in the user's editor and waits until it is closed. Ctrl-C is the editor's meanwhile, as for git; a signal that
 * ends this process ends the editor, too.
 * @param path absolute
 * @throws DevCliError `COMMAND_FAILED` where there is no editor, it cannot be started, or it fails
 */
export async function runEditor(
  path: string,
  { env, signal }: { env: Environment; signal: AbortSignal },
): Promise<void> {
  const editor = findEditor(env);
  if (editor === null) throw editorError('No editor is set, and the terminal is too plain for vi', SET_ONE);
  const [program, ...args] = buildEditorCommand(editor, path);
  const named = JSON.stringify(editor.slice(0, 200));
  const [exit, by] = await whileEditorHearsKeys(async () => {
    const child = childProcess().spawn(program, args, { stdio: 'inherit', env: { ...env } });
    // A shell hands SIGTERM on to nobody.
    const end = () => child.pid !== undefined && endProcessTree(child.pid);
    signal.addEventListener('abort', end, { once: true });
    return once(child, 'close')
      .catch((error: Error) => {
        if (getSystemCode(error) === 'ENOENT') return [127, null];
        throw editorError(`The editor ${named} could not be started`, SET_ONE, error);
      })
      .finally(() => signal.removeEventListener('abort', end));
  });
  if (exit === 127) throw editorError(`The editor ${named} was not found`, SET_ONE);
  if (exit === 0) return;
  const how = by === null ? `with exit status ${exit}` : `by ${by}`;
  throw editorError(`The editor ${named} ended ${how}`, 'Close the editor without an error to have the text applied.');
}

const SET_ONE = 'Set VISUAL or EDITOR to an editor that waits until the file is closed, then repeat the command.';

function editorError(what: string, fix: string, cause?: Error): DevCliError {
  return new DevCliError('COMMAND_FAILED', `${what}; nothing was applied.`, { fix, ...(cause && { cause }) });
}

/** The keys of a terminal reach every process in front: these are for the editor. */
const KEYS = ['SIGINT', 'SIGQUIT'] as const;

async function whileEditorHearsKeys<T>(work: () => Promise<T>): Promise<T> {
  const ignore = () => {};
  const before = KEYS.map((key) => [key, process.rawListeners(key)] as const);
  for (const [key] of before) process.removeAllListeners(key).on(key, ignore);
  try {
    return await work();
  } finally {
    for (const [key, listeners] of before) {
      process.off(key, ignore);
      for (const listener of listeners) process.on(key, listener as () => void);
    }
  }
}

/** Index into the result of `readProcFields` (proc(5): field 4). */
const PARENT = 1;

/** A process by its number, with its parent's. */
type Process = readonly [pid: number, parent: number];

/**
 * Sends SIGTERM to a process and to all that it has started, oldest first, so that none of them begins another. For processes
 * that need the terminal, and so cannot have a group of their own.
 */
export function endProcessTree(pid: number): void {
  const all = process.platform === 'linux' ? listFromProc() : listFromPs();
  const found = [pid];
  // Grows on the way.
  for (const parent of found) found.push(...all.flatMap(([child, of]) => (of === parent ? [child] : [])));
  for (const one of found) {
    try {
      process.kill(one, 'SIGTERM');
    } catch (error) {
      const code = getSystemCode(error);
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    }
  }
}

function listFromProc(): Process[] {
  return readdirSync('/proc').flatMap((name): Process[] => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [[Number(name), Number(readProcFields(name)[PARENT])]];
    } catch {
      // It has ended since the directory was read.
      return [];
    }
  });
}

function listFromPs(): Process[] {
  const answer = askPs(['-A', '-o', 'pid=', '-o', 'ppid=']);
  return [...answer.matchAll(/^\s*(\d+)\s+(\d+)/gm)].map(([, pid, parent]) => [Number(pid), Number(parent)]);
}
