import { renderCount } from '../base/words.js';
import type { ReplayDifference } from '../store/store.js';

/** The JSON of `replay --check`. */
export interface ReplayReport {
  ok: boolean;
  run: string;
  runId: string | null;
  /** The number of runs in the journal. */
  runs: number;
  entries: number;
  documents: number;
  objects: number;
  differences: ReplayDifference[];
  /** Differences that are not faults: documents that a person or an agent has edited since. */
  notes: ReplayDifference[];
}

/** Renders the report for a person. */
export function renderReplay({ ok, run, entries, documents, objects, differences, notes }: ReplayReport): string {
  const head = ok
    ? `${run}: matches the journal`
    : `${run}: ${renderCount(differences.length, 'difference')} from the journal`;
  return [
    `${head} (${renderCount(entries, 'entry', 'entries')}, ${renderCount(documents, 'document')}, ${renderCount(objects, 'content')})`,
    ...differences.map((difference) => `✗ ${renderReplayDifference(difference)}`),
    ...notes.map((note) => `· ${renderReplayDifference(note)}`),
  ].join('\n');
}

/** Renders a difference on one line: the position, then the problem. */
export function renderReplayDifference({ seq, path, pointer, problem }: ReplayDifference): string {
  const where = [path, pointer, ...(seq === undefined ? [] : [`entry ${seq}`])].filter((part) => part !== undefined);
  return `${where.join(' ')}: ${problem}`;
}
