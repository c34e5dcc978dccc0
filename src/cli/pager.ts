import { once } from 'node:events';

/** Shows a text by the user's pager; where there is none, or it cannot be started, as it is. */
export async function showPage(
  text: string,
  { env, write }: { env: NodeJS.ProcessEnv; write: (text: string) => boolean },
): Promise<void> {
  const shown = text.endsWith('\n') ? text : `${text}\n`;
  const pager = env['PAGER'] ?? 'less';
  if (pager === '' || !(await isShownBy(pager, shown, env))) write(shown);
}

/** By a shell, as every program that honours PAGER starts it: it may hold options. */
async function isShownBy(pager: string, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { spawn } = await import('node:child_process');
  const child = spawn('/bin/sh', ['-c', `command -v ${firstWord(pager)} >/dev/null || exit 127; ${pager}`], {
    // Without a locale less takes every other sign for a byte that it cannot show.
    env: { LESS: 'FRX', LESSCHARSET: 'utf-8', ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // Whoever leaves the pager early has seen enough.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  const [exit] = await once(child, 'close').catch(() => [127]);
  return exit !== 127;
}

function firstWord(command: string): string {
  return command.trim().split(/\s+/)[0] ?? '';
}
