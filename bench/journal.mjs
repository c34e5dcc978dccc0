import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * Lengthens a run's journal with entries like those that record a person's prompt, with their patches. Also updates the
 * snapshot to match the last entry, so that `replay --check` finds nothing wrong.
 * @param {string} directory the run's directory
 * @param {number} length how many entries the journal should have
 */
export function growJournal(directory, length) {
  const stateFile = join(directory, 'state.json');
  const journalFile = join(directory, 'events.jsonl');
  const state = JSON.parse(readFileSync(stateFile, 'utf8'));
  const { crc: _, ...last } = JSON.parse(readFileSync(journalFile, 'utf8').trimEnd().split('\n').at(-1) ?? '');
  const lines = [readFileSync(journalFile, 'utf8')];
  for (let seq = state.seq + 1; seq <= length; seq++) {
    const patch = [{ op: 'replace', path: '/seq', value: seq }];
    const data = { runId: state.runId, what: 'a prompt' };
    const by = { kind: 'hook', via: 'bench' };
    lines.push(line({ ...last, seq, at: state.updatedAt, type: 'human', by, data, patch, files: [] }));
  }
  writeFileSync(journalFile, lines.join(''));
  writeFileSync(stateFile, readFileSync(stateFile, 'utf8').replace(/^ "seq": \d+,$/m, ` "seq": ${length},`));
}

/** Renders an entry as src/store/line.ts does, with a checksum over all the other members. */
function line(entry) {
  const body = JSON.stringify(entry);
  return `${body.slice(0, -1)},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}\n`;
}
