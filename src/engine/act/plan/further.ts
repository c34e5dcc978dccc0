import type { Legacy, RunEngine } from '../../../run/engine.js';
import type { Transaction } from '../../../run/transaction.js';
import { toBaseline } from '../../../work/baseline.js';
import { createGlobTest, createPathTest } from '../../../work/paths.js';
import type { JudgedRequirement, ReadEarlier } from '../../core/requirements.js';
import { requireEngine } from './plan.js';

/** The facts that an execution leaves to the next execution of the same name (engine.md, A further execution). */

/** Builds the facts that this execution leaves: its done todos, and the proofs that no command can repeat. */
export function buildLegacy(tx: Transaction, judged: readonly JudgedRequirement[]): Legacy {
  const { order, todos, before } = requireEngine(tx);
  const tree = tx.state.baseline === null ? null : tx.tree();
  return {
    done: order.filter((id) => {
      const row = todos[id];
      return row?.status === 'done' && (row.attempt > 0 || before?.done.includes(id) === true);
    }),
    proofs: judged
      .filter(({ result }) => result === 'met')
      .flatMap(({ requirement: { id, text }, proofs }) =>
        proofs.flatMap(({ todo, item, since }) =>
          item.kind === 'command'
            ? []
            : [
                {
                  requirement: id,
                  text,
                  todo,
                  item: item.id,
                  says: item.text,
                  listed: listPaths(tx, todo),
                  at: since ?? tx.at,
                },
              ],
        ),
      ),
    tree: tree === null ? null : toBaseline(tree),
  };
}

/** Returns the paths listed in a todo's results, in this execution or in the earlier one that completed the todo. */
function listPaths(tx: Transaction, todo: string): string[] {
  const { todos, before } = requireEngine(tx);
  return [...(todos[todo]?.listed ?? before?.proofs.find((one) => one.todo === todo)?.listed ?? [])];
}

/** Returns whether this execution counts the todo as done because an earlier execution of the same name did it. */
export function isDoneEarlier({ todos, before }: Pick<RunEngine, 'todos' | 'before'>, id: string): boolean {
  const row = todos[id];
  return row?.status === 'done' && row.attempt === 0 && before?.done.includes(id) === true;
}

/**
 * Creates a function that looks up proofs from the previous execution, for todos that this execution counts as done. It
 * finds none if git cannot tell which paths have changed since that execution.
 */
export function createEarlierReader(tx: Transaction): ReadEarlier {
  const engine = requireEngine(tx);
  const { before, todos } = engine;
  if (before === undefined || before.proofs.length === 0) return () => null;
  const { tree } = before;
  let changed: readonly string[] | null | undefined;
  return (requirement, todo, item) => {
    const says = item.kind === 'command' ? null : item.text;
    const proof = before.proofs.find(
      (one) =>
        one.requirement === requirement.id &&
        one.text === requirement.text &&
        one.todo === todo.id &&
        one.item === item.id &&
        one.says === says,
    );
    const row = todos[todo.id];
    if (proof === undefined || row === undefined || !isDoneEarlier(engine, todo.id)) return null;
    if (changed === undefined) changed = tree === null ? null : (tx.changes(tree)?.paths ?? null);
    if (changed === null) return null;
    const [inside, own] = [createGlobTest(row.files), createPathTest(proof.listed)];
    // A todo without files may have touched any path, so every change counts.
    return {
      at: proof.at,
      changed: changed.some((path) => own(path) || row.files.length === 0 || inside(path)),
    };
  };
}
