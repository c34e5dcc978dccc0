import type { Answer } from '../base/answer.js';
import type { Written } from '../base/invocation.js';
import type { Collected, RoundReport } from '../blocks/acknowledgement.js';
import type { Action } from '../run/action.js';
import type { Ran } from '../run/turn.js';
import { actionText, actionView } from './action.js';

/** What one or several commits of a call came to; told in one envelope (protocol.md §2). */
export interface Told {
  name: string;
  status?: 'initialized' | 'resumed' | 'forked' | 'aborted' | 'invalidated';
  completed?: string | null;
  duplicate?: true;
  round?: RoundReport;
  collected?: Collected[];
  ran: Ran[];
  warnings: string[];
  next: Action | null;
}

/** The envelope: `{ok, run, status?, completed?, duplicate?, round?, collected?, ran?, warnings?, next}`. */
export function envelope(told: Told): Answer {
  const { name, status, completed, duplicate, round, collected, ran, warnings, next } = told;
  return {
    exit: 0,
    json: {
      ok: true,
      run: name,
      ...(status === undefined ? {} : { status }),
      ...(completed === undefined ? {} : { completed }),
      ...(duplicate === undefined ? {} : { duplicate }),
      ...(round === undefined ? {} : { round }),
      ...(collected === undefined ? {} : { collected: collected.map((row) => ({ ...row })) }),
      ...(ran.length === 0 ? {} : { ran }),
      ...(warnings.length === 0 ? {} : { warnings }),
      next: next === null ? null : actionView(next, false),
    },
    text: (written) => envelopeText(told, written),
  };
}

function envelopeText(told: Told, written: Written): string {
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
  return [...head, ...(next === null ? [] : [actionText(next, written)])].join('\n');
}
