import { formatDuration } from '../base/duration.js';
import { type CommandFormatter, type Instruction, renderInstruction } from '../base/invocation.js';
import { renderCount } from '../base/words.js';
import { toCommandName } from '../documents/command-words.js';
import { toBoundedLine } from '../documents/foreign.js';
import { summarizeEntry } from '../run/summarize.js';
import type { Entry } from '../store/store.js';
import { renderCaller } from './caller.js';
import type { ActionItem, EventItem, Evidence, HistoryItem, RunHistory } from './history-items.js';
import { renderTextRow, type TextRow } from './rows.js';

/** A run with only its newest items; `left` is the number of items left out. */
export type ShownRun = RunHistory & { left: number };

/** What `history` shows a person. */
export interface HistoryView {
  /** The name whose runs are shown. */
  name: string;
  runs: ShownRun[];
  /** How many runs the name has. */
  of: number;
  /** Whether digests are shown in full and quotations longer, as with `--step`. */
  detailed: boolean;
  warnings: string[];
  /** The current time in milliseconds. */
  now: number;
}

const MARKS: Record<ActionItem['result'], string> = {
  pending: '◐',
  done: '✓',
  'not passed': '↻',
  failed: '✗',
  dropped: '○',
};

/** The longest quotation, in characters. */
const QUOTED = 200;

/** Renders the history for a person: one line per item, with its evidence below. */
export function renderHistory(view: HistoryView, format: CommandFormatter): string {
  const earlier = listEarlier(view).map((part) => renderInstruction(part, format));
  return [
    ...view.runs.map((run) => renderRun(view, run).join('\n')),
    ...[...earlier, ...view.warnings].map((line) => `! ${line}`),
  ].join('\n\n');
}

/** Returns an instruction for seeing the runs that are not shown; empty if all are shown. */
export function listEarlier({ name, of, runs, detailed }: HistoryView): Instruction[] {
  if (of <= runs.length || detailed) return [];
  return [[`${of - runs.length} more of this name: `, { command: 'history', input: { name, all: true } }]];
}

function renderRun(view: HistoryView, run: ShownRun): string[] {
  const items = listMoments(view, run).flatMap(({ at, text, entry, below }) => [
    `${formatInstantToSecond(at)}  ${text}${entry === undefined ? '' : ` (entry ${entry})`}`,
    ...below.map((line) => `${' '.repeat(23)}${line}`),
  ]);
  return [...listHead(view, run, run.at).map(renderTextRow), '', ...items];
}

/**
 * Lists the lines that identify a run.
 * @param began its start, formatted for display
 */
export function listHead(view: HistoryView, run: ShownRun, began: string): TextRow[] {
  const end = run.status === 'live' ? view.now : Date.parse(run.lastAt);
  const took = formatDuration(end - Date.parse(run.at));
  const { forkedFrom: from } = run;
  return [
    ['', view.name, run.recipe, `${run.status} ${run.status === 'live' ? 'for' : 'after'} ${took}`, `(${run.runId})`],
    ['goal   ', quote(run.goal ?? '(none)')],
    ['began  ', `${began} by ${renderCaller(run.by)}`],
    ...(from === null ? [] : [['from   ', `${from.name} at entry ${from.seq} (${from.runId})`] as const]),
    ...(run.left === 0
      ? []
      : [
          [
            '       ',
            `${renderCount(run.left, 'earlier item')} ${run.left === 1 ? 'is' : 'are'} left out; --last ${run.left + run.items.length} shows all`,
          ] as const,
        ]),
  ];
}

/** Groups consecutive skipped blocks, which share a line. */
function groupSkipped(items: HistoryItem[]): HistoryItem[][] {
  const groups: HistoryItem[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (item.kind === 'skipped' && last?.[0]?.kind === 'skipped') last.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** An event in a run's history, ready to be shown. */
export interface HistoryMoment {
  at: string;
  /** `seq` of the entry that ended it or, while it is pending, of the one that began it. */
  seq: number;
  text: string;
  /** Equal to `seq`; set only if the entry's number is to be shown. */
  entry?: number;
  /** The evidence and other details, one per line. */
  below: string[];
}

/** Lists what happened in a run. */
export function listMoments(view: HistoryView, run: ShownRun): HistoryMoment[] {
  return groupSkipped(run.items).flatMap((items) => {
    const [item] = items;
    if (item === undefined) return [];
    if (item.kind === 'action') return [buildMoment(view, item)];
    const text = item.kind === 'skipped' ? `– ${items.map(getBlockId).join(', ')} skipped` : renderEvent(item);
    return [{ at: item.at, seq: item.seq, text, below: [] }];
  });
}

function getBlockId(item: HistoryItem): string {
  return 'block' in item && item.block !== undefined ? item.block : '';
}

/** Formats as `2026-11-21 21:38:00`, in UTC. */
function formatInstantToSecond(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

function buildMoment(view: HistoryView, item: ActionItem): HistoryMoment {
  const { block, actionId, round, cause } = item;
  const which = [
    actionId,
    ...((round ?? 1) > 1 ? [`round ${round}`] : []),
    ...(cause === 'enter' ? [] : [`(${cause})`]),
  ];
  const text = `${MARKS[item.result]} ${block} ${which.join(' ')}: ${renderResult(view, item)}`;
  const entry = item.endSeq ?? item.seq;
  const below = [
    ...item.refused.flatMap((refusal) => renderRefusal(view, refusal)),
    ...item.without.map(
      ({ agents, reason, by }) => `without ${agents.join(', ')}: ${quote(reason)} (${renderCaller(by)})`,
    ),
    ...renderCommandRun(item),
    ...item.evidence.map((one) => renderEvidence(view, one)),
    ...(item.saved?.length ? [`saved ${item.saved.join(', ')}`] : []),
    ...(item.missing?.length ? [`missing ${item.missing.join(', ')}`] : []),
    ...(item.selfReported === true ? ['self-reported: no document was required'] : []),
    ...(item.digest ? [`on ${item.document ?? 'the artifact'} ${renderDigest(view, item.digest)}`] : []),
    ...(item.note === undefined ? [] : [`“${quote(item.note)}”`]),
    ...(item.reason === undefined ? [] : [`because ${quote(item.reason)}`]),
  ];
  return { at: item.at, seq: entry, text, entry, below };
}

function renderResult(view: HistoryView, item: ActionItem): string {
  const since = formatDuration(view.now - Date.parse(item.at));
  if (item.result === 'pending') return `pending for ${since}`;
  const took = `after ${formatDuration((item.seconds ?? 0) * 1000)}`;
  if (item.result === 'dropped') return `overtaken ${took}`;
  const what = item.choice === undefined ? item.result : quote(item.choice);
  const by = item.by === null ? '' : `, by ${item.command === undefined ? renderCaller(item.by) : 'dev-cli'}`;
  return `${what} ${took}${by}`;
}

function renderRefusal(view: HistoryView, refusal: ActionItem['refused'][number]): string[] {
  const { evidence, selfReported = [], sources, by, seq } = refusal;
  const whose = `by ${renderCaller(by)} (entry ${seq})`;
  if (sources !== undefined) return [`refused, sources changed: ${quote(sources.join(', '))}, ${whose}`];
  return [
    `refused, partly accepted, ${whose}:`,
    ...evidence.map((one) => `  ${renderEvidence(view, one)}`),
    ...selfReported.map((agent) => `  ${agent}: self-reported`),
  ];
}

function renderCommandRun({ command }: ActionItem): string[] {
  if (command === undefined) return [];
  const reused = command.reused === true ? ', reused' : '';
  return [`${toCommandName(command.argv, QUOTED)}: ${quote(command.outcome)}${reused}, log ${command.log}`];
}

function renderEvidence(view: HistoryView, { path, sha256, agent, verdict, summary }: Evidence): string {
  const who = agent === undefined ? '' : ` by ${agent}`;
  const judged = verdict === undefined ? '' : ` ${quote(verdict)}`;
  const more = summary === undefined || summary === '' ? '' : `: ${toBoundedLine(summary, view.detailed ? 300 : 80)}`;
  return `${quote(path)}${who}${judged} ${renderDigest(view, sha256)}${more}`;
}

function renderDigest(view: HistoryView, digest: string | null): string {
  if (digest === null) return '(nothing there)';
  return view.detailed ? `sha256 ${digest}` : digest.slice(0, 12);
}

/** Entries about what dev-cli itself does during a call. They are shown as dev-cli's, all others as the caller's. */
const OWN_ACTS = new Set([
  'plan-captured',
  'stage',
  'dispatched',
  'command-finished',
  'result-refused',
  'todo-settled',
  'todo-retried',
  'todos-added',
  'wrapped-up',
  'committed',
  'executed',
  'phase-started',
  'phase-ended',
]);

function isOwnAct(item: EventItem): boolean {
  return item.kind === 'ended' ? item.outcome !== 'aborted' : item.kind === 'other' && OWN_ACTS.has(item.type);
}

function renderEvent(item: EventItem): string {
  const by = ` (${isOwnAct(item) ? 'dev-cli' : renderCaller(item.by)})`;
  switch (item.kind) {
    case 'ran':
      return `${item.ok ? '✓' : '✗'} ${item.block}: dev-cli ran ${item.command}: ${quote(item.summary)}`;
    case 'skipped':
      return `– ${item.block} skipped`;
    case 'invalidated': {
      const stale = item.stale.filter((block) => block !== item.block);
      return `○ ${item.todoId ?? item.block} reopened${stale.length === 0 ? '' : `; to be redone: ${stale.join(', ')}`}${item.note === undefined ? '' : `, with the ruling ${quote(item.note)}`}${by}`;
    }
    case 'document':
      return `· ${item.command}: ${quote(item.summary)}${by}`;
    case 'sources taken':
      return `· changed sources accepted as they are: ${quote(item.paths.join(', '))}${by}`;
    case 'human':
      return `· a person was there: ${quote(item.what)}${by}`;
    case 'warning':
      return `! ${quote(item.text)}`;
    case 'recovered':
      return `· recovered: ${quote(item.notices.join('; '))}`;
    case 'ended':
      return `■ ${item.outcome}${item.reason === undefined ? '' : `: ${quote(item.reason)}`}${by}`;
    case 'other':
      return `· ${quote(item.summary)}${by}`;
  }
}

/** Names what an entry is about if its item in the history does not say so: the command that ended, or the commit. */
export function nameSubject({ type, data }: Entry): string | undefined {
  const { argv, commit } = data;
  if (type === 'command-finished' && Array.isArray(argv)) return toCommandName(argv.map(String), QUOTED);
  return type === 'committed' && typeof commit === 'string' ? commit.slice(0, 7) : undefined;
}

/** Renders a journal entry on one line. */
export function renderEntry(entry: Entry): string {
  const { kind, harness, agent } = entry.by;
  const by = [kind, ...(agent === undefined ? [] : [agent]), ...(harness === undefined ? [] : [harness])].join(' ');
  return toBoundedLine(`${entry.seq}  ${entry.at}  ${entry.type}  ${summarizeEntry(entry)}  (${by})`, 300);
}

function quote(text: string): string {
  return toBoundedLine(text, QUOTED);
}
