import { spawn } from 'node:child_process';

/** Whether a browser can be shown to whoever sits here. */
export function hasDisplay(env: NodeJS.ProcessEnv, platform: string = process.platform): boolean {
  if (platform === 'win32' || platform === 'darwin') return !env['SSH_CONNECTION'];
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/** Opens a link in the user's browser; where that cannot be started, the link that was printed has to do. */
export function openLink(link: string, env: NodeJS.ProcessEnv): void {
  const [program = '', ...args] = listOpener(link, process.platform);
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

/** The argument vector that opens a link; no shell reads it, but for the one of Windows, to which a link is one word. */
export function listOpener(link: string, platform: string): string[] {
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', link];
  return [platform === 'darwin' ? 'open' : 'xdg-open', link];
}
