import { readFileSync, statSync } from 'node:fs';
import { canonicalJson } from '../base/json.js';
import { loadLazily } from '../base/lazy.js';
import { sha256 } from '../base/sha256.js';

const os = loadLazily<typeof import('node:os')>('node:os');

/**
 * A digest of machine, user and directory: by it a directory is known again wherever it was moved to, and a copy is told from
 * it. The device is left out: its number may be another one after the next start of the machine.
 * @param directory absolute; it is there
 * @throws system errors
 */
export function computePlaceDigest(directory: string): string {
  const { ino } = statSync(directory, { bigint: true });
  return sha256(canonicalJson([machineId(), process.getuid?.() ?? -1, String(ino)]));
}

/**
 * What tells this machine from others, without starting a process. A host's name is the second choice: it may be given anew
 * with each network, at least behind its first dot.
 */
function machineId(): string {
  try {
    const id = readFileSync('/etc/machine-id', 'utf8').trim();
    if (id !== '') return id;
  } catch {
    // No such file on this system, or none for us to read.
  }
  return os().hostname().split('.', 1)[0] ?? '';
}
