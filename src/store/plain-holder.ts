// door: seldom

import { identifyProcess } from './process.js';

/** Reads the process that another program's lock names by `pid: N`, assuming it is on this machine; null if none. */
export function readPlainHolder(text: string) {
  const pid = Number(/^["']?pid["']?:[ \t]*["']?(\d{1,10})["']?[ \t]*(?:#.*)?\r?$/m.exec(text)?.[1]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  const { host } = identifyProcess();
  return { host, pid, start: null, token: String(pid), at: 'an unknown time', for: 'another program' };
}
