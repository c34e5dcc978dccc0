import { isDeepStrictEqual } from 'node:util';
import { createCommandReplacer, createFormatterFor } from '../../../src/registry/render.js';
import { toAction } from '../../../src/run/bare-action.js';
import type { RunState } from '../../../src/run/state.js';
import { applyJsonPatch } from '../../../src/store/snapshot.js';
import type { Entry } from '../../../src/store/store.js';
import { buildActionView } from '../../../src/views/action.js';
import type { Document } from '../../support/cli.js';

/**
 * Checks whether the order of the journal explains every answer of many concurrent processes (linearizability). Each
 * answer must be the one that the sequential machine gives at some instant between the call and its return. Instants
 * are positions in the journal; its size was read before the call and after the return. Pure, so that tests can show
 * that it detects faults.
 */

export type Operation =
  | { kind: 'next' | 'manifest' | 'status' | 'abort' | 'use' }
  | { kind: 'acknowledge'; actionId: string; choice?: string }
  | { kind: 'invalidate'; block: string }
  | { kind: 'append'; line: string };

/** One call and its answer. */
export interface Observed {
  client: number;
  operation: Operation;
  /** The size of the journal in bytes, before the call and after the return. */
  from: number;
  to: number;
  code: number | null;
  json: Document;
}

/** The journal, and the contents that it names. */
export interface Recorded {
  /** The text of events.jsonl. */
  journal: string;
  /** Returns a document's content by its digest, to find the lines that `append` added. */
  content(digest: string): string;
}

/** The run as it was after a commit. */
interface Moment {
  /** The size of the journal in bytes, including this commit. */
  end: number;
  /** The size of the journal in bytes before this commit. */
  begin: number;
  entries: Entry[];
  state: RunState;
  /** The answer of `next` at this moment. */
  next: unknown;
  /** Lines that this commit added to DRAFT.md. */
  added: string[];
}

/** Returns every answer, and every commit, that the order of the journal does not explain. */
export function unexplained(observed: readonly Observed[], recorded: Recorded): string[] {
  const moments = momentsOf(recorded);
  const used = new Map<Moment, Observed>();
  const faults = observed.flatMap((answer) => {
    const during = moments.filter(({ begin, end }, index) => {
      const following = moments[index + 1]?.end ?? Number.POSITIVE_INFINITY;
      return begin < answer.to && following > answer.from && end > 0;
    });
    const moment = during.find(
      (candidate) => explains(candidate, answer) && !(isChange(answer) && used.has(candidate)),
    );
    if (moment === undefined) return [`client ${answer.client}: no instant of the journal explains ${told(answer)}`];
    if (!isChange(answer)) return [];
    // A change is committed during its call, so a commit from before the call cannot be its own.
    if (moment.end <= answer.from) return [`client ${answer.client}: older than its call: ${told(answer)}`];
    used.set(moment, answer);
    return [];
  });
  const orphans = moments.filter((moment) => !used.has(moment) && !moment.entries.some(({ type }) => type === 'init'));
  return [
    ...faults,
    ...orphans.map(
      ({ entries }) => `nobody was told of ${entries.map(({ type, seq }) => `${type} ${seq}`).join(', ')}`,
    ),
  ];
}

/** Returns the changes in journal order, so that the sequential machine can repeat them. */
export function changesOf(recorded: Recorded): { change: Operation; next: unknown }[] {
  return momentsOf(recorded).flatMap(({ entries, next, added }) => {
    const change = entries.map((entry) => changeOf(entry, added)).find((found) => found !== null);
    return change === undefined ? [] : [{ change, next }];
  });
}

function changeOf({ type, data }: Entry, added: string[]): Operation | null {
  const { actionId, block, choice, outcome } = data as {
    actionId: string;
    block: string;
    choice?: string;
    outcome?: string;
  };
  if (type === 'acknowledged') return { kind: 'acknowledge', actionId, ...(choice === undefined ? {} : { choice }) };
  if (type === 'invalidated') return { kind: 'invalidate', block };
  if (type === 'document') return { kind: 'append', line: added.join('\n') };
  return type === 'ended' && outcome === 'aborted' ? { kind: 'abort' } : null;
}

/** Whether the sequential machine gives this answer at this moment; a change must have made this moment's commit. */
function explains(moment: Moment, answer: Observed): boolean {
  const { state, next } = moment;
  const { operation, json, code } = answer;
  switch (operation.kind) {
    case 'next':
      return isDeepStrictEqual(json, next);
    case 'manifest':
      return json.status === state.status && isDeepStrictEqual(json.next, next);
    case 'status':
      return json['updatedAt'] === state.updatedAt && isDeepStrictEqual(json['steps'], state.steps);
    case 'use':
      return code === 0 ? !isOver(state) : isOver(state) && json.error?.code === 'RUN_ENDED';
    case 'append':
      return code === 0 ? isMade(moment, operation) : isOver(state) && json.error?.code === 'RUN_ENDED';
    default:
      if (code !== 0) return explainsRefusal(state, answer);
      if (!isDeepStrictEqual(json.next, next)) return false;
      return json.duplicate === true ? isDuplicate(state, operation) : isMade(moment, operation);
  }
}

function explainsRefusal(state: RunState, { operation, json }: Observed): boolean {
  const code = json.error?.code;
  if (code === 'RUN_ENDED') return operation.kind !== 'acknowledge' && isOver(state);
  if (operation.kind === 'invalidate') {
    return code === 'NOT_REACHED' && ['pending', 'stale'].includes(state.steps[operation.block]?.status ?? '');
  }
  if (operation.kind !== 'acknowledge') return false;
  const pending = pendingId(state);
  const known = isDuplicate(state, operation) || pending === operation.actionId;
  return code === 'STALE_ACTION' && !known && json.pending?.actionId === pending;
}

function isDuplicate(state: RunState, operation: Operation): boolean {
  if (operation.kind === 'abort') return state.status === 'aborted';
  // A repeated `invalidate` counts as a duplicate as long as nothing has been done since the first one.
  if (operation.kind === 'invalidate') {
    const pending = state.pendingAction;
    return pending?.cause === 'invalidate' && pending.action !== 'done' && pending.block === operation.block;
  }
  return operation.kind === 'acknowledge' && Object.hasOwn(state.acknowledged, operation.actionId);
}

function isOver({ status }: RunState): boolean {
  return status === 'completed' || status === 'aborted';
}

function pendingId({ pendingAction }: RunState): string | undefined {
  return pendingAction === null || pendingAction.action === 'done' ? undefined : pendingAction.actionId;
}

function isMade({ entries, added }: Moment, operation: Operation): boolean {
  return entries.some((entry) => isDeepStrictEqual(changeOf(entry, added), operation));
}

function isChange({ operation, code, json }: Observed): boolean {
  return code === 0 && json.duplicate !== true && !['next', 'manifest', 'status', 'use'].includes(operation.kind);
}

function momentsOf({ journal, content }: Recorded): Moment[] {
  const moments: Moment[] = [];
  let [state, at, begin]: [RunState | null, number, number] = [null, 0, 0];
  let entries: Entry[] = [];
  for (const line of journal.split('\n').slice(0, -1)) {
    const entry = JSON.parse(line) as Entry;
    at += Buffer.byteLength(line) + 1;
    entries.push(entry);
    if (entry.more) continue;
    state = applyJsonPatch(structuredClone(state) as never, structuredClone(entry.patch)) as unknown as RunState;
    const draft = entry.files.find(({ path }) => path === 'DRAFT.md');
    const lines = (digest: string | null | undefined) => (digest ? content(digest).split('\n') : []);
    const before = new Set(lines(draft?.before));
    const added = lines(draft?.after).filter((text) => text.startsWith('- ') && !before.has(text));
    moments.push({ end: at, begin, entries, state, next: answered(state), added });
    [entries, begin] = [[], at];
  }
  return moments;
}

function answered({ pendingAction }: RunState): unknown {
  return pendingAction === null
    ? null
    : JSON.parse(
        JSON.stringify(
          buildActionView(toAction(pendingAction), false, { caller: { kind: 'agent', via: 'cli' }, mark: null }),
          createCommandReplacer(createFormatterFor(undefined)),
        ),
      );
}

function told({ operation, code, json, from, to }: Observed): string {
  return `${JSON.stringify(operation)}: exit ${code}, ${JSON.stringify(json).slice(0, 400)} (bytes ${from} to ${to})`;
}
