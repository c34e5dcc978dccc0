import type { Caller } from '../../../base/caller.js';
import { renderForeignBlock } from '../../../documents/foreign.js';
import type { RunEngine } from '../../../run/engine.js';
import type { Ruling } from '../../../run/engine-rows.js';
import type { Transaction } from '../../../run/transaction.js';
import { requireEngine } from '../plan/plan.js';
import { changeTodo } from '../todo-rows.js';
import { renderPromptSection } from './parts.js';

/**
 * Rulings: the notes of `step invalidate --note` (engine.md, Rulings). A ruling holds for all later attempts at its
 * todo, for workers and judges alike.
 */

/** Stands in for a todo's id if a ruling is about the whole execution. */
export const WHOLE_RUN = '';

/**
 * Records a ruling on a todo. If the call is repeated because its answer was lost, does not record the ruling twice.
 */
export function recordRuling(tx: Transaction, todo: string, text: string): void {
  const engine = requireEngine(tx);
  const known = listRulings(engine, todo);
  if (known.at(-1)?.text === text) return;
  const rulings = [...known, { text, at: tx.at, ...(isPerson(tx.by) ? { by: 'human' as const } : {}) }];
  if (todo === WHOLE_RUN) engine.rulings = rulings;
  else changeTodo(engine, todo, { rulings });
}

/**
 * Returns whether the caller is a person at a terminal of their own, by the same test as a hold (control.md, Holding).
 */
function isPerson({ kind }: Caller): boolean {
  return kind === 'human' || kind === 'cli';
}

/** Lists the rulings on a todo or, for `WHOLE_RUN`, on the execution, oldest first. */
export function listRulings({ rulings, todos }: Pick<RunEngine, 'rulings' | 'todos'>, todo: string): readonly Ruling[] {
  return (todo === WHOLE_RUN ? rulings : todos[todo]?.rulings) ?? [];
}

/** Renders the rulings on a todo for a prompt file; empty if there are none. */
export function renderTodoRulings(tx: Transaction, todo: string): string {
  const engine = requireEngine(tx);
  const ruled = [...listRulings(engine, WHOLE_RUN), ...listRulings(engine, todo)];
  if (ruled.length === 0) return '';
  return renderPromptSection('A ruling on this todo', [
    'Said when it was reopened, the latest last. Where a ruling differs from the rest of this file, the ruling holds.',
    ...ruled.flatMap((ruling) => ['', renderRuling(ruling)]),
  ]);
}

/** Renders all rulings, each with its subject, for the agent that reviews the whole run. */
export function renderAllRulings(tx: Transaction): string {
  const engine = requireEngine(tx);
  const ruled = [WHOLE_RUN, ...engine.order].flatMap((id) =>
    listRulings(engine, id).map((ruling) => ({ id, ...ruling })),
  );
  if (ruled.length === 0) return '';
  return renderPromptSection('Rulings of this run', [
    'Said when todos were reopened. Where a ruling differs from the plan, the ruling holds.',
    ...ruled.flatMap(({ id, ...ruling }) => [
      '',
      renderRuling(ruling, ` on ${id === WHOLE_RUN ? 'the whole run' : id}`),
    ]),
  ]);
}

function renderRuling({ text, at, by }: Ruling, on = ''): string {
  return renderForeignBlock(text, {
    label: `the ruling of ${at}${on}${by === 'human' ? ', by a person' : ''}`,
    holds: true,
  });
}
