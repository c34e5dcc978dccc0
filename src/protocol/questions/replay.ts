import type { Answer } from '../../base/answer.js';
import { noSuchRunError } from '../../base/name.js';
import { sha256 } from '../../base/sha256.js';
import type { HistoryContext } from '../../run/context.js';
import { renderDocumentsAt } from '../../run/documents/recovery.js';
import { collectRenderings } from '../../run/documents/renderings.js';
import type { RunState } from '../../run/state.js';
import type { Entry, Replay, ReplayOptions } from '../../store/store.js';
import { type ReplayReport, renderReplay } from '../../views/replay-text.js';
import { findRun } from '../find/find-run.js';
import { readCheckpoint, TORN_WARNING } from './checkpoint.js';

/** Documents that only dev-cli writes: a difference in one of them is always an error, never a note. */
const OWN = new Set(['recipe.json']);

/**
 * `replay --check`: rebuilds a run from its journal alone and reports where the disk differs (storage.md, A commit).
 * Exits with 3 if something differs; writes nothing.
 * @param given the run's name, if any
 * @throws DevCliError `NO_SUCH_RUN`, `JOURNAL_CORRUPT` and any error of the store
 */
export async function checkReplay(context: HistoryContext, given: unknown): Promise<Answer> {
  const name = await findRun(context, given, false);
  const { look, report } = runReplay(name);
  const json = report(await context.store.replay(name, look));
  if (json.entries === 0 && json.ok) throw noSuchRunError(name);
  return { exit: json.ok ? 0 : 3, json, text: () => renderReplay(json) };
}

/**
 * `replay --at SEQ`: prints the state as it was after that entry (storage.md, History). Writes nothing.
 * @throws DevCliError `NO_SUCH_RUN`, `UNKNOWN_ENTRY`, `JOURNAL_CORRUPT` and any error of the store
 */
export async function showReplay(context: HistoryContext, given: unknown, seq: number): Promise<Answer> {
  const name = await findRun(context, given, false);
  const { snapshot: state, first, last, at, documents, torn } = await readCheckpoint(context, name, seq);
  const { past } = await context.store.read(name);
  for (const [path, content] of renderDocumentsAt(past, state, last)) documents.set(path, sha256(content));
  const json = {
    ok: true,
    run: name,
    runId: state.runId,
    seq,
    commit: { first, last, at },
    ...(torn ? { warnings: [TORN_WARNING] } : {}),
    documents: Object.fromEntries([...documents].sort(([a], [b]) => (a < b ? -1 : 1))),
    state,
  };
  return { exit: 0, json, recorded: true };
}

/** Creates the checks that the replay of a run adds to the store's own, and the function that builds its report. */
export function runReplay(name: string): {
  look: ReplayOptions<RunState>;
  report: (result: Replay<RunState>) => ReplayReport;
} {
  const runs = new Set<string>();
  const collector = collectRenderings();
  const look: ReplayOptions<RunState> = {
    isOwn: (path) => OWN.has(path),
    entry(entry) {
      collector.take(entry);
      return findForeignEntry(runs, entry);
    },
    renderings: (state, contents) =>
      new Map([...collector.render(state, contents)].map(([path, { content }]) => [path, content])),
  };
  const report = ({ entries, documents, objects, snapshot, notes, ...result }: Replay<RunState>): ReplayReport => {
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

/** Returns the problem with an entry whose run never began in this journal; empty if there is none. */
function findForeignEntry(runs: Set<string>, { type, data }: Entry): string[] {
  const runId = String(data['runId']);
  if (type === 'init') runs.add(runId);
  return runs.has(runId) ? [] : [`belongs to the run ${runId}, which was not begun here`];
}
