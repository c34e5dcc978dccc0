/**
 * Judges, from its final state, a run whose processes were killed again and again. Pure, so that tests can show that it
 * detects faults.
 */

/** The members of a line of events.jsonl that are judged. */
export interface Line {
  seq: number;
  type: string;
  more?: true;
  data: { runId: string; actionId?: string; key?: string; block?: string; outcome?: string; reused?: boolean };
}

/**
 * The answers that the caller read on standard output before the call was killed, and the state on the disk at the end.
 */
export interface Evidence {
  entries: Line[];
  /** Ids of actions whose acknowledgement was answered. */
  acknowledged: string[];
  /** Lines for which `draft update --append` answered. */
  appended: string[];
  /** Every line that was ever passed to `draft update --append`; all are different. */
  tried: string[];
  draft: string;
  /**
   * What each execution of an external command wrote down when it ran: its action's id, or `orphan` if its runner was
   * already dead.
   */
  effects: string[];
  /** Whether the journal rebuilds state.json byte for byte. */
  replays: boolean;
  outcome: string | null;
}

/** Returns every problem: anything lost, doubled or inconsistent. Empty if the run is intact. */
export function faultsOf(evidence: Evidence): string[] {
  return [
    ...(evidence.replays ? [] : ['the journal does not replay to state.json']),
    ...(evidence.outcome === 'completed' ? [] : [`the run ended as ${evidence.outcome}`]),
    ...numbering(evidence.entries),
    ...acknowledgements(evidence),
    ...appends(evidence),
    ...commands(evidence),
  ];
}

function numbering(entries: Line[]): string[] {
  return entries.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`entry ${index + 1} has the number ${seq}`]));
}

function acknowledgements({ entries, acknowledged }: Evidence): string[] {
  const recorded = counted(
    entries.filter(({ type }) => type === 'acknowledged').map(({ data }) => data.actionId ?? ''),
  );
  return [
    ...acknowledged.filter((id) => !recorded.has(id)).map((id) => `lost: ${id} was acknowledged`),
    ...doubled(recorded, 1).map((id) => `doubled: ${id} is acknowledged ${recorded.get(id)} times`),
  ];
}

function appends({ appended, tried, draft }: Evidence): string[] {
  const there = counted(draft.split('\n').map((line) => line.trim()));
  return [
    ...appended.filter((line) => !there.has(line)).map((line) => `lost: the draft lacks ${line}`),
    ...tried.filter((line) => (there.get(line) ?? 0) > 1).map((line) => `doubled: the draft has ${line} twice`),
  ];
}

function commands({ entries, effects }: Evidence): string[] {
  const started = entries.filter(({ type }) => type === 'command-started');
  const finished = entries.filter(({ type }) => type === 'command-finished');
  const starts = counted(started.map(({ data }) => data.key ?? ''));
  const ends = counted(finished.map(({ data }) => data.key ?? ''));
  const byAction = new Map(started.map(({ data }) => [data.actionId ?? '', data.key ?? '']));
  const interrupted = new Set(
    finished.filter(({ data }) => data.outcome?.startsWith('interrupted')).map(({ data }) => data.key ?? ''),
  );
  const left = counted(effects);
  const orphans = left.get('orphan') ?? 0;
  left.delete('orphan');
  const green = finished.filter(({ data }) => data.outcome === 'exit 0').map(({ data }) => data.key ?? '');
  const effective = new Set([...left.keys()].map((action) => byAction.get(action)));
  return [
    ...doubled(starts, 1).map((key) => `doubled: ${key} is started twice`),
    ...doubled(ends, 1).map((key) => `doubled: ${key} is finished twice`),
    ...[...starts.keys()].filter((key) => !ends.has(key)).map((key) => `lost: ${key} is started and never finished`),
    ...[...left.keys()]
      .filter((action) => !byAction.has(action))
      .map((action) => `an effect for ${action}, not started`),
    ...doubled(left, 1).map((action) => `doubled: the effect of ${action} happened ${left.get(action)} times`),
    ...green.filter((key) => !effective.has(key)).map((key) => `lost: ${key} is green without an effect`),
    ...(orphans > interrupted.size ? [`${orphans} effects without a runner, ${interrupted.size} interrupted`] : []),
  ];
}

function counted(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function doubled(counts: ReadonlyMap<string, number>, allowed: number): string[] {
  return [...counts].filter(([, count]) => count > allowed).map(([value]) => value);
}
