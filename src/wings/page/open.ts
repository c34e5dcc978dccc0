import { spawn } from 'node:child_process';

/** Returns whether a browser would open on the person's own screen; on Windows and macOS, not over SSH. */
export function hasDisplay(env: NodeJS.ProcessEnv, platform: string = process.platform): boolean {
  if (platform === 'win32' || platform === 'darwin') return !env['SSH_CONNECTION'];
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/** Opens a link in the person's browser. A failure is ignored, because the link is also printed. */
export function openLink(link: string, env: NodeJS.ProcessEnv): void {
  const [program = '', ...args] = listOpener(link, process.platform);
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

/** Returns the argument vector that opens a link. Only on Windows does a shell parse the link, as a single word. */
export function listOpener(link: string, platform: string): string[] {
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', link];
  return [platform === 'darwin' ? 'open' : 'xdg-open', link];
}
