import { findReferences, replaceReferences } from '../../documents/plan-graph.js';
import type { PlanTodo } from '../../documents/plan-schema.js';
import type { RunEngine } from '../../run/engine.js';

/** Values that todos hand on: `${todo-1.outputs.config_path}` (engine.md, Substitution). */

type Outputs = RunEngine['outputs'];

/** Where the values of all todos lie, relative to the run's directory. */
export const OUTPUTS = 'context/outputs.json';

/** `text` with every reference replaced by its value: still one argument of a command, whatever the value holds. */
export function substituteReferences(outputs: Outputs, text: string): string {
  return replaceReferences(text, ({ todo, output }) => renderValue(outputs[todo]?.[output]));
}

/** A value as text: a text as it is, anything else as JSON. */
export function renderValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** The references of a todo to values that nobody reported, each once. */
export function listUnknownReferences(outputs: Outputs, todo: PlanTodo): string[] {
  return listUnknownIn(outputs, listTexts(todo));
}

/** The references in these texts to values that nobody reported, each once. */
export function listUnknownIn(outputs: Outputs, texts: readonly string[]): string[] {
  const known = (id: string, name: string) =>
    Object.hasOwn(outputs, id) && Object.hasOwn(outputs[id] ?? {}, name) && outputs[id]?.[name] !== undefined;
  const missing = texts
    .flatMap(findReferences)
    .filter(({ todo: id, output }) => !known(id, output))
    .map(({ todo: id, output }) => `\${${id}.outputs.${output}}`);
  return [...new Set(missing)];
}

/** Every text of a todo in which a reference is replaced. */
function listTexts({ inputs, steps, mustNotDo, references, acceptance }: PlanTodo): string[] {
  return [
    ...inputs.map(({ from }) => from),
    ...steps,
    ...mustNotDo,
    ...references,
    ...acceptance.flatMap((item) => (item.kind === 'command' ? item.run : [item.text])),
  ];
}
