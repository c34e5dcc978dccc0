import { renderForeignBlock } from '../../documents/foreign.js';
import type { RunEngine } from '../../run/engine.js';
import type { Transaction } from '../../run/transaction.js';
import { requireEngine } from './plan.js';
import { renderPart } from './prompt-parts.js';

/**
 * Rulings: what was said with `step invalidate --note` when todos were reopened (engine.md, Triage). Each stays for all later
 * attempts of its todo, for whoever does the work and whoever judges it.
 */

/** Stands for a todo where a ruling is about the whole execution. */
export const WHOLE_RUN = '';

/** Keeps a ruling on a todo. The same one again, as when its answer was lost, is kept once. */
export function recordRuling(tx: Transaction, todo: string, text: string): void {
  const engine = requireEngine(tx);
  const known = listRulings(engine, todo);
  if (known.at(-1)?.text === text) return;
  engine.rulings = { ...engine.rulings, [todo]: [...known, { text, at: tx.at }] };
}

/** The rulings on a todo, or on the whole execution, the oldest first. */
export function listRulings({ rulings = {} }: Pick<RunEngine, 'rulings'>, todo: string) {
  return Object.hasOwn(rulings, todo) ? (rulings[todo] ?? []) : [];
}

/** The part of a worker's or a judge's prompt file that holds what was ruled on its todo; empty when nothing was. */
export function renderTodoRulings(tx: Transaction, todo: string): string {
  const engine = requireEngine(tx);
  const ruled = [...listRulings(engine, WHOLE_RUN), ...listRulings(engine, todo)];
  if (ruled.length === 0) return '';
  return renderPart('A ruling on this todo', [
    'Said when it was reopened, the latest last. Where a ruling differs from the rest of this file, the ruling holds.',
    ...ruled.flatMap(({ text, at }) => ['', renderForeignBlock(text, { label: `the ruling of ${at}` })]),
  ]);
}

/** The same for whoever judges the whole run: every ruling with what it is about. */
export function renderAllRulings(tx: Transaction): string {
  const engine = requireEngine(tx);
  const ruled = [WHOLE_RUN, ...engine.order].flatMap((id) =>
    listRulings(engine, id).map((ruling) => ({ id, ...ruling })),
  );
  if (ruled.length === 0) return '';
  return renderPart('Rulings of this run', [
    'Said when todos were reopened. Where a ruling differs from the plan, the ruling holds.',
    ...ruled.flatMap(({ id, text, at }) => [
      '',
      renderForeignBlock(text, { label: `the ruling of ${at} on ${id === WHOLE_RUN ? 'the whole run' : id}` }),
    ]),
  ]);
}
