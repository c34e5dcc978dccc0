import { omitUndefined } from '../base/defined.js';
import type { EntryData, EntryType } from '../run/entries.js';
import { summarizeEntry } from '../run/summarize.js';
import type { Entry } from '../store/store.js';
import type { ActionItem, ActionResult, EventItem, Evidence, RunHistory } from './history-items.js';

/** What a builder gets besides the entry's data. */
export interface ItemContext {
  /** The run of the entry; builders add to its items. */
  run: RunHistory;
  entry: Entry;
  /** Returns an acknowledgement's documents, given their digests by path. */
  evidence: (digests: Record<string, string | null> | undefined) => Evidence[];
  /** Returns the newest document with this digest. */
  document: (digest: string | null | undefined) => { document?: string };
}

type ItemBuilder<T extends EntryType> = (context: ItemContext, data: Omit<EntryData<T>, 'runId'>) => void;

/** For each type of entry, the function that adds such an entry to the history. */
export const ITEM_BUILDERS: { [T in EntryType]: ItemBuilder<T> } = {
  // The history builder creates the run from this entry.
  init: () => undefined,
  issued({ run, entry }, data) {
    dropPending(run, entry);
    run.status = 'live';
    // Actions of an execution are left out, because the entries of its tasks and jobs say more.
    if (data.cause === 'dispatch' || data.cause === 'job') return;
    const { seq, at } = entry;
    const open = { result: 'pending', endSeq: null, endAt: null, seconds: null, by: null } as const;
    run.items.push({ kind: 'action', seq, at, ...data, ...open, evidence: [], refused: [], without: [] });
  },
  acknowledged({ run, entry, evidence, document }, { actionId, block: _, goal, ...data }) {
    if (goal !== undefined) run.goal = goal;
    const shown = { evidence: evidence(data.evidence), ...document(data.digest) };
    finishAction(findAction(run, actionId), entry, 'done', { ...data, ...shown });
  },
  accepted({ run, entry, evidence }, { actionId, block: _, ...data }) {
    addRefusal(run, entry, actionId, { ...data, evidence: evidence(data.evidence) });
  },
  'sources-refused'({ run, entry }, { actionId, paths }) {
    addRefusal(run, entry, actionId, { evidence: [], sources: paths });
  },
  'given-up'({ run, entry }, { actionId, agents, reason }) {
    findAction(run, actionId)?.without.push({ agents, reason, by: entry.by });
  },
  round({ run, entry, evidence }, { actionId, saved, missing, evidence: digests }) {
    finishAction(findAction(run, actionId), entry, 'not passed', { saved, missing, evidence: evidence(digests) });
  },
  failed({ run, entry }, { actionId, reason }) {
    finishAction(findAction(run, actionId), entry, 'failed', { reason });
  },
  sized: buildOtherItem,
  ran: buildEventAdder('ran'),
  skipped: buildEventAdder('skipped'),
  // The command's action was issued in the same commit; `command-finished` completes it.
  'command-started': () => undefined,
  'command-finished'(context, { key, block: _, ...command }) {
    const { run, entry } = context;
    if (command.id !== undefined) {
      buildOtherItem(context);
      return;
    }
    const actionId = key.slice(key.lastIndexOf(':') + 1);
    finishAction(findAction(run, actionId), entry, command.exit === 0 ? 'done' : 'failed', { command });
  },
  invalidated(context, data) {
    dropPending(context.run, context.entry);
    buildEventAdder('invalidated')(context, data);
  },
  document: buildEventAdder('document'),
  'sources-taken': ({ run, entry }, { actionId, paths }) => {
    const block = findAction(run, actionId)?.block;
    addEvent(run, entry, { kind: 'sources taken', paths, ...omitUndefined({ block }) });
  },
  stage: buildOtherItem,
  'plan-captured': buildOtherItem,
  'plan-applied': buildOtherItem,
  'plan-proposed': buildOtherItem,
  'plan-rejected': buildOtherItem,
  dispatched: buildOtherItem,
  'task-done': buildOtherItem,
  'task-failed': buildOtherItem,
  'result-refused': buildOtherItem,
  'todo-settled': buildOtherItem,
  'todo-retried': buildOtherItem,
  'todos-added': buildOtherItem,
  'wrapped-up': buildOtherItem,
  committed: buildOtherItem,
  executed: buildOtherItem,
  'phase-started': buildOtherItem,
  'phase-ended': buildOtherItem,
  nudged: buildOtherItem,
  written: buildOtherItem,
  spent: buildOtherItem,
  undone: buildOtherItem,
  held: buildOtherItem,
  released: buildOtherItem,
  human: buildEventAdder('human'),
  recovered: buildEventAdder('recovered'),
  ended(context, data) {
    dropPending(context.run, context.entry);
    context.run.status = data.outcome;
    buildEventAdder('ended')(context, data);
  },
};

/** Adds an entry that is shown only as a summary, such as one of an execution, or of a type not known here. */
export function buildOtherItem({ run, entry }: ItemContext): void {
  const block = typeof entry.data['block'] === 'string' ? { block: entry.data['block'] } : {};
  addEvent(run, entry, { kind: 'other', type: entry.type, ...block, summary: summarizeEntry(entry) });
}

/** The fields of an event item except those that come from its entry. */
type EventFields<I> = I extends EventItem ? Omit<I, 'seq' | 'at' | 'by'> : never;

/** Adds an event to a run's items. */
export function addEvent(run: RunHistory, { seq, at, by }: Entry, fact: EventFields<EventItem>): void {
  run.items.push({ seq, at, by, ...fact } as EventItem);
}

/** Creates a builder for entries whose data already has the fields of the item. */
function buildEventAdder<K extends EventItem['kind'] & EntryType>(kind: K): ItemBuilder<K> {
  return ({ run, entry }, data) => addEvent(run, entry, { kind, ...data } as unknown as EventFields<EventItem>);
}

/** Marks the pending action, if any, as dropped, because a new action, an invalidation or the end voids it. */
function dropPending(run: RunHistory, entry: Entry): void {
  const last = run.items.findLast((item) => item.kind === 'action');
  if (last?.kind === 'action' && last.result === 'pending') finishAction(last, entry, 'dropped', {});
}

function addRefusal(
  run: RunHistory,
  { seq, at, by }: Entry,
  actionId: string,
  what: Omit<ActionItem['refused'][number], 'seq' | 'at' | 'by'>,
): void {
  findAction(run, actionId)?.refused.push({ seq, at, by, ...what });
}

function finishAction(
  item: ActionItem | undefined,
  { seq, at, by }: Entry,
  result: ActionResult,
  more: Partial<ActionItem>,
): void {
  if (item === undefined) return;
  const seconds = Math.max(0, (Date.parse(at) - Date.parse(item.at)) / 1000);
  Object.assign(item, { result, endSeq: seq, endAt: at, seconds, by, ...more });
}

function findAction(run: RunHistory, actionId: string): ActionItem | undefined {
  return run.items.findLast((item): item is ActionItem => item.kind === 'action' && item.actionId === actionId);
}
