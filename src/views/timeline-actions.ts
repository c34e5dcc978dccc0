import type { Caller } from '../base/caller.js';
import type { PendingAction } from '../run/action.js';
import type { ActionItem, EventItem, RunHistory } from './history-items.js';
import { nameStep } from './timeline-rows.js';
import type { RowSegment, TimelineFacts } from './timeline-work.js';

/** A question to a person; `choice` is null until somebody has chosen. */
export interface Gate {
  /** `seq` of the entry that asked. */
  seq: number;
  question: string;
  choice: string | null;
  by: Caller | null;
  digest: string | null;
  note: string | null;
}

/** Lists the gates of a run, oldest first. */
export function listGates({ items }: RunHistory, { asked }: TimelineFacts): Gate[] {
  return items.flatMap((item): Gate[] => {
    if (item.kind !== 'action' || item.action !== 'wait-for-user') return [];
    const { seq, actionId, block, choice = null, digest = null, note = null } = item;
    const question = asked.get(actionId)?.text ?? block;
    return [{ seq, question, choice, by: choice === null ? null : item.by, digest, note }];
  });
}

/**
 * Lists the actions of a run's steps and gates, and the commands it ran within a call, from its history.
 * @param time returns the time of an entry on the run's clock
 */
export function listActions({ items }: RunHistory, told: TimelineFacts, time: (seq: number) => number): RowSegment[] {
  return items.flatMap((item) =>
    item.kind === 'action' ? [toWork(item, told, time)] : item.kind === 'ran' ? [toInstant(item, told, time)] : [],
  );
}

function toInstant(
  { seq, block, command: what, ok, summary: why }: Extract<EventItem, { kind: 'ran' }>,
  told: TimelineFacts,
  time: (seq: number) => number,
): RowSegment {
  const at = time(seq);
  return { row: findStep(told, seq, block), from: at, to: at, who: 'commands', what, ok, seq, documents: [], why };
}

function toWork(item: ActionItem, told: TimelineFacts, time: (seq: number) => number): RowSegment {
  const { seq, block, action, endSeq, command, evidence, cause } = item;
  const asked = told.asked.get(item.actionId);
  const step = findStep(told, seq, block);
  const came = [...evidence.map(({ path }) => path), ...(command === undefined ? [] : [command.log])];
  return {
    row: cause === 'gate' ? (asked?.row ?? step) : step,
    from: time(seq),
    to: endSeq === null ? null : time(endSeq),
    who: findActor(action, asked?.isYours ?? false),
    what: (action === 'running' ? asked?.text : undefined) ?? nameAction(item),
    ok: RESULTS[item.result],
    seq,
    documents: [...(asked?.documents ?? []), ...came.map((path) => ({ seq: endSeq ?? seq, path }))],
    why: item.reason ?? command?.outcome ?? `missing ${(item.missing ?? []).join(', ')}`,
  };
}

const RESULTS = { pending: null, dropped: null, done: true, failed: false, 'not passed': false } as const;

function findActor(action: string, isYours: boolean): RowSegment['who'] {
  if (action === 'running') return 'commands';
  return isYours || action === 'wait-for-user' ? 'you' : 'agent';
}

function findStep({ phases }: TimelineFacts, seq: number, block: string): string {
  return nameStep(phases.findLast((one) => one.seq <= seq)?.phase ?? null, block);
}

/** What a row calls each kind of action. */
const KINDS: Readonly<Record<PendingAction['action'], string>> = {
  llm: 'work',
  'llm-loop': 'work',
  'llm+cli': 'work',
  'dispatch-subagents': 'agents',
  'wait-for-user': 'question',
  'engine-dispatch': 'work',
  running: 'command',
};

function nameAction({ action, cause, round = 1 }: ActionItem): string {
  const kind = KINDS[action as PendingAction['action']];
  if (round > 1) return `${kind}, round ${round}`;
  return cause === 'enter' || cause === 'gate' ? kind : `${kind} (${cause})`;
}
