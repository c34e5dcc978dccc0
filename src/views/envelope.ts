import type { Answer } from '../base/answer.js';
import { defined } from '../base/defined.js';
import type { CommandFormatter } from '../base/invocation.js';
import type { CollectedTask, RoundReport } from '../blocks/acknowledgement.js';
import type { Action } from '../run/action.js';
import type { RanStep } from '../run/transaction.js';
import { buildActionView, renderAction } from './action.js';

/** What one or several commits of a call came to; told in one envelope (protocol.md §2). */
export interface FoldedJournal {
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

/** The envelope: `{ok, run, status?, completed?, duplicate?, round?, collected?, ran?, warnings?, next}`. */
export function renderEnvelope(told: FoldedJournal): Answer {
  const { name, status, completed, duplicate, round, collected, ran, warnings, next } = told;
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
    text: (written) => renderEnvelopeText(told, written),
  };
}

function renderEnvelopeText(told: FoldedJournal, written: CommandFormatter): string {
  const { completed, duplicate, round, collected = [], ran, warnings, next, status } = told;
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
