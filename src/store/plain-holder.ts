// door: seldom

import { identifyProcess } from './process.js';

/** The process that a lock of another program names, by a line `pid: N`, as this machine has it; null without such a line. */
export function readPlainHolder(text: string) {
  const pid = Number(/^["']?pid["']?:[ \t]*["']?(\d{1,10})["']?[ \t]*(?:#.*)?\r?$/m.exec(text)?.[1]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  const { host } = identifyProcess();
  return { host, pid, start: null, token: String(pid), at: 'an unknown time', for: 'another program' };
}
