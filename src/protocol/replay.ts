import type { Answer } from '../base/answer.js';
import { noSuchRun } from '../base/no-such-run.js';
import type { HistoryContext } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { Difference, Entry, Replay, ReplayLook } from '../store/store.js';
import { findRun } from './find-run.js';
import { momentOf, TORN } from './moment.js';

/** Documents that nobody but dev-cli writes. */
const OWN = new Set(['recipe.json']);

/** What `replay --check` prints. */
interface Report {
  ok: boolean;
  run: string;
  runId: string | null;
  /** How many runs the journal holds. */
  runs: number;
  entries: number;
  documents: number;
  objects: number;
  differences: Difference[];
  notes: Difference[];
}

/**
 * `replay --check`: rebuilds a run from its journal alone and tells where the disk differs (storage.md, A commit). A report:
 * exit 3 when something differs, and nothing is changed.
 * @throws DevCliError `NO_SUCH_RUN`, `JOURNAL_CORRUPT` and what the store throws
 */
export async function replayCheck(context: HistoryContext, given: unknown): Promise<Answer> {
  const name = await findRun(context, given, false);
  const { look, report } = runReplay(name);
  const json = report(await context.store.replay(name, look));
  if (json.entries === 0 && json.ok) throw noSuchRun(name);
  return { exit: json.ok ? 0 : 3, json, text: () => text(json) };
}

/**
 * `replay --at SEQ`: the state as it was after that entry. Writes nothing.
 * @throws DevCliError `NO_SUCH_RUN`, `UNKNOWN_ENTRY`, `JOURNAL_CORRUPT` and what the store throws
 */
export async function replayAt(context: HistoryContext, given: unknown, seq: number): Promise<Answer> {
  const name = await findRun(context, given, false);
  const { snapshot: state, first, last, at, documents, torn } = await momentOf(context, name, seq);
  const json = {
    ok: true,
    run: name,
    runId: state.runId,
    seq,
    commit: { first, last, at },
    ...(torn ? { warnings: [TORN] } : {}),
    documents: Object.fromEntries([...documents].sort(([a], [b]) => (a < b ? -1 : 1))),
    state,
  };
  return { exit: 0, json, recorded: true };
}

/** What a replay of a run looks at beside what every store looks at, and the report made of it. */
export function runReplay(name: string): { look: ReplayLook; report: (result: Replay<RunState>) => Report } {
  const runs = new Set<string>();
  const look: ReplayLook = { isOwn: (path) => OWN.has(path), entry: (entry) => ofAnotherRun(runs, entry) };
  const report = ({ entries, documents, objects, snapshot, notes, ...result }: Replay<RunState>): Report => {
    const differences = [...result.differences];
    if (snapshot !== null && snapshot.name !== name) {
      differences.push({ path: 'events.jsonl', problem: `is the journal of "${snapshot.name}"` });
    }
    const ok = differences.length === 0;
    const runId = snapshot?.runId ?? null;
    return { ok, run: name, runId, runs: runs.size, entries, documents, objects, differences, notes };
  };
  return { look, report };
}

/** Every entry belongs to a run that began before it, in this journal. */
function ofAnotherRun(runs: Set<string>, { type, data }: Entry): string[] {
  const runId = String(data['runId']);
  if (type === 'init') runs.add(runId);
  return runs.has(runId) ? [] : [`belongs to the run ${runId}, which never began here`];
}

function text({ ok, run, entries, documents, objects, differences, notes }: Report): string {
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  const head = ok ? `${run}: as the journal says` : `${run}: ${count} from the journal`;
  return [
    `${head} (${entries} entries, ${documents} documents, ${objects} contents)`,
    ...differences.map((difference) => `✗ ${differenceLine(difference)}`),
    ...notes.map((note) => `· ${differenceLine(note)}`),
  ].join('\n');
}

/** A difference on one line: where, then what. */
export function differenceLine({ seq, path, pointer, problem }: Difference): string {
  const where = [path, pointer, ...(seq === undefined ? [] : [`entry ${seq}`])].filter((part) => part !== undefined);
  return `${where.join(' ')}: ${problem}`;
}
