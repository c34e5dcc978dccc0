import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import { DevCliError } from '../base/errors.js';
import { ask } from './ask.js';
import { toPlainText } from './plain.js';

/** What a pager needs of its process. */
interface Around {
  env: NodeJS.ProcessEnv;
  write: (text: string) => boolean;
  /** A screen comes back behind the pager, and what was printed goes with it. */
  isOverScreen?: boolean;
}

/** Milliseconds within which nobody has read a page. */
const GLANCE = 500;

/** Milliseconds between two looks at a file that grows. */
const LOOK = 250;

/** Shows a text by the user's pager; where there is none, or it cannot be started, as it is. */
export async function showPage(text: string, around: Around): Promise<void> {
  const shown = text.endsWith('\n') ? text : `${text}\n`;
  const fill = async (child: ChildProcess) => void child.stdin?.end(shown);
  await page(around, { fill, otherwise: shown });
}

/** Shows a file from its beginning, and what is written to it until the pager is left; cleaned. */
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
  /** What is printed where there is no pager. */
  otherwise: string;
  /** What less does first. */
  begin?: string;
}

/** Has the pager show something. Over a screen it stays until the person leaves it, whatever pager that is. */
async function page(
  { env, write, isOverScreen = false }: Around,
  { fill, otherwise, begin = '' }: Page,
): Promise<void> {
  const begun = Date.now();
  const less = `${env['LESS'] ?? (isOverScreen ? 'R' : 'FRX')}${begin}`;
  if (!(await startPager({ ...env, LESS: less }, fill))) write(otherwise);
  if (!isOverScreen || Date.now() - begun > GLANCE) return;
  await ask('Enter goes back: ').catch((error) => {
    if (!(error instanceof DevCliError)) throw error;
  });
}

/** Starts the pager by a shell, as every program that honours PAGER does: it may hold options. @returns false where there is none */
async function startPager(env: NodeJS.ProcessEnv, fill: Page['fill']): Promise<boolean> {
  const pager = env['PAGER'] ?? 'less';
  if (pager === '') return false;
  // The shell outlives a Ctrl-C that is meant for the pager.
  const line = `command -v ${firstWord(pager)} >/dev/null || exit 127; trap : INT; ${pager}`;
  const exit = await runInFront('/bin/sh', ['-c', line], {
    // Without a locale less takes every other sign for a byte that it cannot show.
    env: { LESSCHARSET: 'utf-8', ...env },
    fill,
  });
  return exit !== 127;
}

/**
 * Runs a program that has the terminal until it ends: Ctrl-C is for it alone.
 * @param options.fill writes its input; left out, that is the terminal
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
    // Whoever leaves the pager early has seen enough.
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
