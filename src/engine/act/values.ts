import { findReferences, replaceReferences } from '../../plan/model/graph.js';
import { getRuleText } from '../../plan/model/rule.js';
import type { PlanTodo } from '../../plan/model/schema.js';
import type { RunEngine } from '../../run/engine.js';

/** References to the outputs of other todos: `${todo-1.outputs.config_path}` (engine.md, Substitution). */

type Todos = RunEngine['todos'];

/** Returns a value that a todo has reported, or undefined. */
export function getOutput(todos: Todos, todo: string, output: string): unknown {
  const outputs = Object.hasOwn(todos, todo) ? todos[todo]?.outputs : undefined;
  return outputs !== undefined && Object.hasOwn(outputs, output) ? outputs[output] : undefined;
}

/** Replaces every reference in `text` with its value. */
export function substituteReferences(todos: Todos, text: string): string {
  return replaceReferences(text, ({ todo, output }) => renderReported(getOutput(todos, todo, output)));
}

/** Renders a reported value: a string as it is, anything else as JSON. */
export function renderReported(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Lists a todo's references to values that nobody reported, each once. */
export function listUnknownReferences(
  todos: Todos,
  { inputs, steps, mustNotDo, references, acceptance }: PlanTodo,
): string[] {
  const criteria = acceptance.flatMap((item) => (item.kind === 'command' ? item.run : [item.text]));
  return listUnknownIn(todos, [
    ...inputs.map(({ from }) => from),
    ...steps,
    ...mustNotDo.map(getRuleText),
    ...references,
    ...criteria,
  ]);
}

/** Lists the references in these texts to values that nobody reported, each once. */
export function listUnknownIn(todos: Todos, texts: readonly string[]): string[] {
  const missing = texts
    .flatMap(findReferences)
    .filter(({ todo: id, output }) => getOutput(todos, id, output) === undefined)
    .map(({ todo: id, output }) => `\${${id}.outputs.${output}}`);
  return [...new Set(missing)];
}
