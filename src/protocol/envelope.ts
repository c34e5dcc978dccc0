import type { Answer } from '../base/answer.js';
import type { Written } from '../base/invocation.js';
import type { AckResult, Collected, RoundReport } from '../blocks/acknowledgement.js';
import type { Action } from '../run/action.js';
import type { Context } from '../run/context.js';
import type { Ran, Turn } from '../run/turn.js';
import { actionView } from '../views/action-json.js';
import { actionText } from '../views/action-text.js';

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

/** What a turn has to tell so far. */
export function toldBy(turn: Turn): Told {
  return {
    name: turn.state.name,
    ran: [...turn.ran],
    warnings: [...turn.warnings],
    next: turn.state.pendingAction?.action ?? null,
  };
}

/** Adds what an acknowledgement came to. */
export function withResult(told: Told, result: Exclude<AckResult, { kind: 'refused' }>): Told {
  switch (result.kind) {
    case 'completed':
      return { ...told, completed: result.block };
    case 'failed':
      return { ...told, completed: null };
    case 'round':
      return { ...told, completed: null, round: result.round };
    case 'collected':
      return { ...told, collected: result.collected };
    case 'duplicate':
      return { ...told, duplicate: true };
  }
}

/** Joins a later commit of the same call to an earlier one: what only one of them says stands, what happened adds up. */
export function joined(earlier: Told, later: Told): Told {
  return {
    ...earlier,
    ...later,
    ran: [...earlier.ran, ...later.ran],
    warnings: [...new Set([...earlier.warnings, ...later.warnings])],
  };
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

/** Warnings about recipe files that changed since the run captured them (recipes.md §5). */
export function changeWarnings(context: Context, turn: Turn, changed: ChangedFiles): string[] {
  const paths = changed(turn.captured, context.reader, context.root);
  return paths.length === 0
    ? []
    : [`changed since this run began, which goes on with what it captured: ${paths.join(', ')}`];
}

type ChangedFiles = (captured: Turn['captured'], reader: Context['reader'], root: string) => string[];
