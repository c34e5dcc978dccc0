import type { Answer } from '../base/answer.js';
import { noSuchRun } from '../base/no-such-run.js';
import type { Difference, Entry } from '../store/store.js';
import type { Context } from './context.js';
import { findRun } from './find-run.js';

/** Documents that nobody but dev-cli writes. */
const OWN = new Set(['recipe.json']);

/**
 * `replay --check`: rebuilds a run from its journal alone and tells where the disk differs (storage.md, A commit). A report:
 * exit 3 when something differs, and nothing is changed.
 * @throws DevCliError `NO_SUCH_RUN`, `JOURNAL_CORRUPT` and what the store throws
 */
export async function replayCheck(context: Context, given: unknown): Promise<Answer> {
  const name = await findRun(context, given, false);
  const runs = new Set<string>();
  const result = await context.store.replay(name, {
    isOwn: (path) => OWN.has(path),
    entry: (entry) => ofAnotherRun(runs, entry),
  });
  const { entries, documents, objects, snapshot, notes } = result;
  if (entries === 0 && result.differences.length === 0) throw noSuchRun(name);
  const differences = [...result.differences];
  if (snapshot !== null && snapshot.name !== name) {
    differences.push({ path: 'events.jsonl', problem: `is the journal of "${snapshot.name}"` });
  }
  const ok = differences.length === 0;
  const json = {
    ok,
    run: name,
    runId: snapshot?.runId ?? null,
    runs: runs.size,
    entries,
    documents,
    objects,
    differences,
    notes,
  };
  return { exit: ok ? 0 : 3, json, text: () => text(json) };
}

/** Every entry belongs to a run that began before it, in this journal. */
function ofAnotherRun(runs: Set<string>, { type, data }: Entry): string[] {
  const runId = String(data['runId']);
  if (type === 'init') runs.add(runId);
  return runs.has(runId) ? [] : [`belongs to the run ${runId}, which never began here`];
}

function text(report: {
  ok: boolean;
  run: string;
  entries: number;
  documents: number;
  objects: number;
  differences: Difference[];
  notes: Difference[];
}): string {
  const { ok, run, entries, documents, objects, differences, notes } = report;
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  const head = ok ? `${run}: as the journal says` : `${run}: ${count} from the journal`;
  return [
    `${head} (${entries} entries, ${documents} documents, ${objects} contents)`,
    ...differences.map((difference) => `✗ ${line(difference)}`),
    ...notes.map((note) => `· ${line(note)}`),
  ].join('\n');
}

function line({ seq, path, pointer, problem }: Difference): string {
  const where = [path, pointer, ...(seq === undefined ? [] : [`entry ${seq}`])].filter((part) => part !== undefined);
  return `${where.join(' ')}: ${problem}`;
}
