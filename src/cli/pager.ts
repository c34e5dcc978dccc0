import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import { DevCliError } from '../base/errors.js';
import { askForLine } from './ask.js';
import { toPlainText } from './plain.js';

/** The parts of its process that a pager uses. */
interface Around {
  env: NodeJS.ProcessEnv;
  write: (text: string) => boolean;
  /** Set if a screen returns after the pager and erases the output, so that the pager has to wait for the person. */
  isOverScreen?: boolean;
}

/** Nobody reads a page in this many milliseconds, so a pager that ends sooner did not wait for the person. */
const GLANCE = 500;

/** Milliseconds between two checks of a growing file. */
const LOOK = 250;

/** Shows a text in the user's pager; prints it if there is no pager or the pager cannot start. */
export async function showPage(text: string, around: Around): Promise<void> {
  const shown = text.endsWith('\n') ? text : `${text}\n`;
  const fill = async (child: ChildProcess) => void child.stdin?.end(shown);
  await page(around, { fill, otherwise: shown });
}

/**
 * Shows a file in the pager, without its control characters, and then whatever is appended to it, until the person
 * leaves.
 */
export async function followFile(path: string, around: Around): Promise<void> {
  const fill = async (child: ChildProcess) => {
    const decoder = new StringDecoder('utf8');
    let from = 0;
    let isOpen = true;
    child.once('close', () => {
      isOpen = false;
    });
    while (isOpen) {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > from) {
        for await (const bytes of createReadStream(path, { start: from, end: size - 1 }))
          child.stdin?.write(toPlainText(decoder.write(bytes as Buffer)));
        from = size;
      }
      await pause(LOOK);
    }
  };
  await page(around, { fill, otherwise: `The log is ${path}\n`, begin: ' +F' });
}

interface Page {
  fill: (child: ChildProcess) => Promise<void>;
  /** Printed if there is no pager. */
  otherwise: string;
  /** A command for `less` to begin with, such as ` +F`, which follows a growing file. */
  begin?: string;
}

/** Shows a page in the pager. Over a screen, asks for Enter if the pager ended without waiting for the person. */
async function page(
  { env, write, isOverScreen = false }: Around,
  { fill, otherwise, begin = '' }: Page,
): Promise<void> {
  const begun = Date.now();
  const less = `${env['LESS'] ?? (isOverScreen ? 'R' : 'FRX')}${begin}`;
  if (!(await startPager({ ...env, LESS: less }, fill))) write(otherwise);
  if (!isOverScreen || Date.now() - begun > GLANCE) return;
  await askForLine('Enter goes back: ').catch((error) => {
    if (!(error instanceof DevCliError)) throw error;
  });
}

/**
 * Starts the pager through a shell, as programs that honour PAGER do, since the variable may contain options.
 * @returns false if there is no pager
 */
async function startPager(env: NodeJS.ProcessEnv, fill: Page['fill']): Promise<boolean> {
  const pager = env['PAGER'] ?? 'less';
  if (pager === '') return false;
  // With `trap : INT`, the shell survives a Ctrl-C that is meant for the pager.
  const line = `command -v ${firstWord(pager)} >/dev/null || exit 127; trap : INT; ${pager}`;
  const exit = await runInFront('/bin/sh', ['-c', line], {
    // Without a locale, `less` treats characters beyond ASCII as bytes that it cannot show.
    env: { LESSCHARSET: 'utf-8', ...env },
    fill,
  });
  return exit !== 127;
}

/**
 * Runs a program that owns the terminal until it ends, so that only that program reacts to Ctrl-C.
 * @param options.fill writes the program's input; without it, the program reads the terminal
 * @returns the program's exit code; 127 if it cannot be started
 */
export async function runInFront(
  program: string,
  words: readonly string[],
  { env, fill }: { env: NodeJS.ProcessEnv; fill?: (child: ChildProcess) => Promise<void> },
): Promise<number | null> {
  const { spawn } = await import('node:child_process');
  const heard = process.rawListeners('SIGINT') as NodeJS.SignalsListener[];
  const ignore = () => {};
  process.removeAllListeners('SIGINT');
  process.on('SIGINT', ignore);
  try {
    const child = spawn(program, words, {
      env,
      stdio: [fill === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
    });
    // Writing fails if the person leaves the pager before it has read all its input. That does no harm.
    child.stdin?.on('error', () => {});
    const closed = once(child, 'close').catch(() => [127]);
    await fill?.(child);
    const [exit] = await closed;
    return exit;
  } finally {
    process.off('SIGINT', ignore);
    for (const one of heard) process.on('SIGINT', one);
  }
}

function firstWord(command: string): string {
  return command.trim().split(/\s+/)[0] ?? '';
}
