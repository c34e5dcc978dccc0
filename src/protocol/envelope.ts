import type { AckResult } from '../blocks/acknowledgement.js';
import type { Context } from '../run/context.js';
import type { Turn } from '../run/turn.js';
import type { Told } from '../views/envelope.js';

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

/** Warnings about recipe files that changed since the run captured them (recipes.md §5). */
export function changeWarnings(context: Context, turn: Turn, changed: ChangedFiles): string[] {
  const paths = changed(turn.captured, context.reader, context.root);
  return paths.length === 0
    ? []
    : [`changed since this run began, which goes on with what it captured: ${paths.join(', ')}`];
}

type ChangedFiles = (captured: Turn['captured'], reader: Context['reader'], root: string) => string[];
