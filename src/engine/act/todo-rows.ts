import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { EngineDraft, RunEngine } from '../../run/engine.js';
import type { CommandEvidence, TodoState } from '../../run/engine-rows.js';

/**
 * Returns the row of a todo.
 * @throws DevCliError `INTERNAL` for an unknown todo
 */
export function getTodoRow({ todos }: Pick<RunEngine, 'todos'>, id: string): TodoState {
  const row = Object.hasOwn(todos, id) ? todos[id] : undefined;
  if (row === undefined) throw new DevCliError('INTERNAL', `The engine knows no todo "${id}".`);
  return row;
}

/**
 * Replaces fields of a todo's row. A field that is undefined is removed.
 * @throws DevCliError `INTERNAL` for an unknown todo
 */
export function changeTodo(
  engine: Pick<EngineDraft, 'todos'>,
  id: string,
  changes: { [K in keyof TodoState]?: TodoState[K] | undefined },
): void {
  engine.todos[id] = omitUndefined({ ...getTodoRow(engine, id), ...changes }) as TodoState;
}

/** Returns the command evidence of a todo's last attempt or, for null, of the final verification. */
export function listEvidence(
  engine: Pick<RunEngine, 'evidence' | 'todos'>,
  todo: string | null,
): readonly CommandEvidence[] {
  return todo === null ? engine.evidence : (engine.todos[todo]?.evidence ?? []);
}
