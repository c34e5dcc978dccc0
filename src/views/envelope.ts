import type { Answer } from '../base/answer.js';
import { defined } from '../base/defined.js';
import type { CommandFormatter } from '../base/invocation.js';
import type { CollectedTask, RoundReport } from '../blocks/acknowledgement.js';
import type { Action } from '../run/action.js';
import type { RanStep } from '../run/transaction.js';
import { buildActionView, renderAction } from './action.js';

/** The result of a call, which may have made several commits; rendered as one envelope (protocol.md §2). */
export interface FoldedJournal {
  /** The run's name. */
  name: string;
  status?: 'initialized' | 'resumed' | 'forked' | 'aborted' | 'invalidated';
  completed?: string | null;
  duplicate?: true;
  round?: RoundReport;
  collected?: CollectedTask[];
  ran: RanStep[];
  warnings: string[];
  next: Action | null;
}

/** Renders the envelope around the next action, as JSON and as text (protocol.md, Envelope). */
export function renderEnvelope(result: FoldedJournal): Answer {
  const { name, status, completed, duplicate, round, collected, ran, warnings, next } = result;
  return {
    exit: 0,
    json: {
      ok: true,
      run: name,
      ...defined({ status, completed, duplicate, round }),
      ...(collected === undefined ? {} : { collected: collected.map((row) => ({ ...row })) }),
      ...(ran.length === 0 ? {} : { ran }),
      ...(warnings.length === 0 ? {} : { warnings }),
      next: next === null ? null : buildActionView(next, false),
    },
    text: (written) => renderEnvelopeText(result, written),
  };
}

function renderEnvelopeText(result: FoldedJournal, written: CommandFormatter): string {
  const { completed, duplicate, round, collected = [], ran, warnings, next, status } = result;
  const head = [
    ...(status === undefined ? [] : [status]),
    ...(completed === undefined || completed === null ? [] : [`completed ${completed}`]),
    ...(duplicate === undefined ? [] : ['acknowledged before; nothing changed']),
    ...(round === undefined ? [] : [`round ${round.n} did not pass`]),
    ...collected.map(({ todoId, actionId, error }) => `${todoId ?? actionId}: ${error ?? 'taken'}`),
    ...ran.map((block) => `${block.ok ? 'ran' : 'failed'} ${block.block}: ${block.summary}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return [...head, ...(next === null ? [] : [renderAction(next, written)])].join('\n');
}
