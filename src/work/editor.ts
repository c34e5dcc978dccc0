import { once } from 'node:events';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { endProcessTree } from './process-tree.js';
import { childProcess } from './processes.js';

/** Runs the editor of the person at the terminal. */

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the user's editor as git does: `$VISUAL` unless the terminal is dumb, then `$EDITOR`, then `vi`. An empty
 * variable counts as unset.
 * @returns null if nothing is set and the terminal is too plain for `vi`
 */
export function findEditor(env: Environment): string | null {
  const isDumb = (env['TERM'] || 'dumb') === 'dumb';
  const visual = isDumb ? undefined : env['VISUAL'];
  return visual || env['EDITOR'] || (isDumb ? null : 'vi');
}

/** Characters that make git run the editor through a shell, since they mark options, quotes or variables. */
const FOR_A_SHELL = /[|&;<>()$`\\"' \t\n*?[#~=%]/;

/** Returns the argument vector that opens a file. The path is passed as an argument, so no shell interprets it. */
export function buildEditorCommand(editor: string, path: string): readonly [string, ...string[]] {
  return FOR_A_SHELL.test(editor) ? ['/bin/sh', '-c', `${editor} "$@"`, editor, path] : [editor, path];
}

/**
 * Opens a file in the user's editor and waits until it is closed. Meanwhile Ctrl-C goes to the editor, as with git; a
 * signal that ends this process also ends the editor.
 * @param path absolute
 * @throws DevCliError `COMMAND_FAILED` if there is no editor, it cannot be started, or it fails
 */
export async function runEditor(
  path: string,
  { env, signal }: { env: Environment; signal: AbortSignal },
): Promise<void> {
  const editor = findEditor(env);
  if (editor === null) throw editorError('No editor is set, and the terminal cannot show vi', SET_ONE);
  const [program, ...args] = buildEditorCommand(editor, path);
  const named = JSON.stringify(editor.slice(0, 200));
  const [exit, by] = await whileEditorHearsKeys(async () => {
    const child = childProcess().spawn(program, args, { stdio: 'inherit', env: { ...env } });
    // Ends the whole tree of processes: a shell around the editor would not pass SIGTERM on to it.
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
  throw editorError(
    `The editor ${named} ended ${how}`,
    'Exit the editor without an error so that the text is applied.',
  );
}

const SET_ONE = 'Set VISUAL or EDITOR to an editor that waits until the file is closed, then repeat the command.';

function editorError(what: string, fix: string, cause?: Error): DevCliError {
  return new DevCliError('COMMAND_FAILED', `${what}; nothing was applied.`, { fix, ...(cause && { cause }) });
}

/** Signals that a key press sends to every foreground process; while the editor runs, only it should react to them. */
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
