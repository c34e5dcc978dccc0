import { spawn } from 'node:child_process';

/** Returns whether a browser can open on the person's own screen. */
export function hasDisplay(env: NodeJS.ProcessEnv, platform: string = process.platform): boolean {
  if (platform === 'win32' || platform === 'darwin') return !env['SSH_CONNECTION'];
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/** Opens a link in the user's browser; if that fails, the printed link has to suffice. */
export function openLink(link: string, env: NodeJS.ProcessEnv): void {
  const [program = '', ...args] = listOpener(link, process.platform);
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

/**
 * Returns the argument vector that opens a link. No shell parses it, except on Windows, where the link is a single
 * word.
 */
export function listOpener(link: string, platform: string): string[] {
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', link];
  return [platform === 'darwin' ? 'open' : 'xdg-open', link];
}
