import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import { DevCliError } from '../base/errors.js';
import { askForLine } from './ask.js';
import { toPlainText } from './plain.js';

/** What a pager needs from its process. */
interface Around {
  env: NodeJS.ProcessEnv;
  write: (text: string) => boolean;
  /** A screen returns after the pager and wipes what was printed, so the pager must wait for the person. */
  isOverScreen?: boolean;
}

/** Milliseconds that are too short for reading a page: a pager that ends within them has not waited. */
const GLANCE = 500;

/** Milliseconds between two checks of a growing file. */
const LOOK = 250;

/** Shows a text in the user's pager; prints it where there is no pager, or the pager cannot start. */
export async function showPage(text: string, around: Around): Promise<void> {
  const shown = text.endsWith('\n') ? text : `${text}\n`;
  const fill = async (child: ChildProcess) => void child.stdin?.end(shown);
  await page(around, { fill, otherwise: shown });
}

/** Shows a file, cleaned, from its beginning, and what is appended to it until the person leaves the pager. */
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
  /** Printed where there is no pager. */
  otherwise: string;
  /** The first command for less. */
  begin?: string;
}

/** Shows something in the pager. Over a screen it stays until the person leaves it, whichever pager it is. */
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
 * Starts the pager through a shell, like every program that honours PAGER: the variable may contain options. @returns
 * false where there is no pager
 */
async function startPager(env: NodeJS.ProcessEnv, fill: Page['fill']): Promise<boolean> {
  const pager = env['PAGER'] ?? 'less';
  if (pager === '') return false;
  // The shell survives a Ctrl-C that is meant for the pager.
  const line = `command -v ${firstWord(pager)} >/dev/null || exit 127; trap : INT; ${pager}`;
  const exit = await runInFront('/bin/sh', ['-c', line], {
    // Without a locale less treats every character beyond ASCII as bytes that it cannot show.
    env: { LESSCHARSET: 'utf-8', ...env },
    fill,
  });
  return exit !== 127;
}

/**
 * Runs a program that owns the terminal until it ends: Ctrl-C goes to that program alone.
 * @param options.fill writes the program's input; absent, the input is the terminal
 * @returns its exit code; 127 where it cannot be started
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
    // A person may leave the pager before it has read all its input.
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
