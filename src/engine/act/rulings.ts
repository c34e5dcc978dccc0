import { foreignBlock } from '../../documents/foreign.js';
import type { RunEngine } from '../../run/engine.js';
import type { Turn } from '../../run/turn.js';
import { engineOf } from './plan.js';
import { part } from './prompt-parts.js';

/**
 * Rulings: what was said with `step invalidate --note` when todos were reopened (engine.md, Triage). Each stays for all later
 * attempts of its todo, for whoever does the work and whoever judges it.
 */

/** Stands for a todo where a ruling is about the whole execution. */
export const WHOLE_RUN = '';

/** Keeps a ruling on a todo. The same one again, as when its answer was lost, is kept once. */
export function noteRuling(turn: Turn, todo: string, text: string): void {
  const engine = engineOf(turn);
  const known = rulingsOn(engine, todo);
  if (known.at(-1)?.text === text) return;
  engine.rulings = { ...engine.rulings, [todo]: [...known, { text, at: turn.at }] };
}

/** The rulings on a todo, or on the whole execution, the oldest first. */
export function rulingsOn({ rulings = {} }: Pick<RunEngine, 'rulings'>, todo: string) {
  return Object.hasOwn(rulings, todo) ? (rulings[todo] ?? []) : [];
}

/** The part of a worker's or a judge's prompt file that holds what was ruled on its todo; empty when nothing was. */
export function rulingPart(turn: Turn, todo: string): string {
  const engine = engineOf(turn);
  const ruled = [...rulingsOn(engine, WHOLE_RUN), ...rulingsOn(engine, todo)];
  if (ruled.length === 0) return '';
  return part('A ruling on this todo', [
    'Said when it was reopened, the latest last. Where a ruling differs from the rest of this file, the ruling holds.',
    ...ruled.flatMap(({ text, at }) => ['', foreignBlock(text, { label: `the ruling of ${at}` })]),
  ]);
}

/** The same for whoever judges the whole run: every ruling with what it is about. */
export function rulingsPart(turn: Turn): string {
  const engine = engineOf(turn);
  const ruled = [WHOLE_RUN, ...engine.order].flatMap((id) =>
    rulingsOn(engine, id).map((ruling) => ({ id, ...ruling })),
  );
  if (ruled.length === 0) return '';
  return part('Rulings of this run', [
    'Said when todos were reopened. Where a ruling differs from the plan, the ruling holds.',
    ...ruled.flatMap(({ id, text, at }) => [
      '',
      foreignBlock(text, { label: `the ruling of ${at} on ${id === WHOLE_RUN ? 'the whole run' : id}` }),
    ]),
  ]);
}
