import { DevCliError } from '../../../base/errors.js';
import { runReplay } from '../../../protocol/questions/replay.js';
import type { Context } from '../../../run/context.js';
import { getRunDirectory } from '../../../run/paths.js';
import { renderReplayDifference } from '../../../views/replay-text.js';
import { buildErrorFinding, buildFinding, type CiFinding } from './finding.js';

const JOURNAL = 'events.jsonl';

/**
 * Replays all journals, as `replay --check` does; a fresh clone has none. Faults of a journal become findings.
 * @throws any other error
 */
export async function checkJournals(store: Context['store']): Promise<{ journals: number; findings: CiFinding[] }> {
  const checked = { journals: 0, findings: [] as CiFinding[] };
  for (const name of await store.streams()) {
    const directory = getRunDirectory(name);
    try {
      const { look, report } = runReplay(name);
      const { differences, notes, entries } = report(await store.replay(name, look));
      if (entries + differences.length > 0) checked.journals++;
      for (const one of differences) {
        const { seq, path = JOURNAL } = one;
        const file = path.startsWith('/') ? path.slice(1) : `${directory}/${path}`;
        // Each entry is one line, so `seq` is the line number.
        const line = path === JOURNAL && seq !== undefined ? { line: seq } : {};
        checked.findings.push(
          buildFinding('journal', { file, ...line, message: `${name}: ${renderReplayDifference(one)}` }),
        );
      }
      for (const { path, problem: message } of notes.filter((note) => note.path === JOURNAL))
        checked.findings.push(buildFinding('journal', { severity: 'warning', file: `${directory}/${path}`, message }));
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      checked.journals++;
      checked.findings.push(buildErrorFinding('journal', `${directory}/${JOURNAL}`, error));
    }
  }
  return checked;
}
