/** Shows a text by the user's pager; where there is none, or it cannot be started, as it is. */
export async function showPage(
  text: string,
  { env, write }: { env: NodeJS.ProcessEnv; write: (text: string) => boolean },
): Promise<void> {
  const shown = text.endsWith('\n') ? text : `${text}\n`;
  const pager = env['PAGER'] ?? 'less';
  if (pager === '' || !(await isShownBy(await import('node:child_process'), pager, shown, env))) write(shown);
}

/** By a shell, as every program that honours PAGER starts it: it may hold options. */
function isShownBy(
  { spawn }: typeof import('node:child_process'),
  pager: string,
  text: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `command -v ${firstWord(pager)} >/dev/null || exit 127; ${pager}`], {
      // Without a locale less takes every other sign for a byte that it cannot show.
      env: { LESS: 'FRX', LESSCHARSET: 'utf-8', ...env },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.on('error', () => resolve(false));
    child.on('close', (exit) => resolve(exit !== 127));
    // Whoever leaves the pager early has seen enough.
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
}

function firstWord(command: string): string {
  return command.trim().split(/\s+/)[0] ?? '';
}
