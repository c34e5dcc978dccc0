import { findReferences, replaceReferences } from '../../documents/plan-graph.js';
import type { PlanTodo } from '../../documents/plan-schema.js';
import type { RunEngine } from '../../run/engine.js';

/** References to the outputs of other todos: `${todo-1.outputs.config_path}` (engine.md, Substitution). */

type Outputs = RunEngine['outputs'];

/** The file with the outputs of all todos, relative to the run's directory. */
export const OUTPUTS = 'context/outputs.json';

/** Replaces every reference in `text` by its value. */
export function substituteReferences(outputs: Outputs, text: string): string {
  return replaceReferences(text, ({ todo, output }) => renderValue(outputs[todo]?.[output]));
}

/** Renders a value: a string as it is, anything else as JSON. */
export function renderValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Lists a todo's references to values that nobody reported, each once. */
export function listUnknownReferences(
  outputs: Outputs,
  { inputs, steps, mustNotDo, references, acceptance }: PlanTodo,
): string[] {
  const criteria = acceptance.flatMap((item) => (item.kind === 'command' ? item.run : [item.text]));
  return listUnknownIn(outputs, [
    ...inputs.map(({ from }) => from),
    ...steps,
    ...mustNotDo,
    ...references,
    ...criteria,
  ]);
}

/** Lists the references in these texts to values that nobody reported, each once. */
export function listUnknownIn(outputs: Outputs, texts: readonly string[]): string[] {
  const isKnown = (id: string, name: string) =>
    Object.hasOwn(outputs, id) && Object.hasOwn(outputs[id] ?? {}, name) && outputs[id]?.[name] !== undefined;
  const missing = texts
    .flatMap(findReferences)
    .filter(({ todo: id, output }) => !isKnown(id, output))
    .map(({ todo: id, output }) => `\${${id}.outputs.${output}}`);
  return [...new Set(missing)];
}
