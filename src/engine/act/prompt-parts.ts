import { wholeProse } from '../../blocks/values.js';
import { foreignBlock, wholeLine } from '../../documents/foreign.js';
import { replaceReferences } from '../../documents/plan-graph.js';
import type { PlanTodo } from '../../documents/plan-schema.js';
import { commandLine } from '../../documents/plan-text.js';
import type { ResolvedHandler } from '../../recipe/resolved.js';
import type { Evidence } from '../../run/engine.js';
import { absolutePath } from '../../run/paths.js';
import type { Turn } from '../../run/turn.js';
import { engineOf, planHead } from './plan.js';
import { OUTPUTS, shownValue } from './values.js';

/** Parts that the prompt files of an execution share (protocol.md, Prompt files). */

/** A part of a prompt file; an empty list is left out. */
export function part(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`;
}

export function joinParts(parts: readonly string[]): string {
  return `${parts.filter((text) => text !== '').join('\n\n')}\n`;
}

export function bullets(lines: readonly string[]): string[] {
  return lines.map((line) => `- ${line}`);
}

/** The first of these texts, each whole, that stay within `cap` characters together; at least one. */
export function fitting(lines: readonly string[], cap: number): string[] {
  let left = cap;
  const end = lines.findIndex((line, index) => {
    left -= line.length + 1;
    return left < 0 && index > 0;
  });
  return lines.slice(0, end < 0 ? undefined : end);
}

/** A text of the plan as one line, whole, with the values of other todos filled in; of a very long one, where it stands. */
export function planLine(turn: Turn, text: string): string {
  return wholeLine(replaceReferences(text, (reference) => valueOrPlace(turn, reference)));
}

/** Longest value of another todo that stands in a prompt file itself, in characters. */
const VALUE_CAP = 4000;

/** A value that a todo handed on, as text; one that would fill the prompt file is left where it lies, and its place is named. */
export function valueOrPlace(turn: Turn, { todo, output }: { todo: string; output: string }): string {
  const value = shownValue(engineOf(turn).outputs[todo]?.[output]);
  if (value.length <= VALUE_CAP) return value;
  return `(${value.length} characters: \`${todo}\`, \`${output}\` in ${absolutePath(turn.place, turn.state.name, OUTPUTS)})`;
}

/** Who the agent is, and the rules of its task. */
export function roleAndRules(turn: Turn, handler: ResolvedHandler): string[] {
  const definition = handler.agent === undefined ? undefined : turn.captured.agents[handler.agent];
  const rules = handler.prompt ?? definition?.body ?? '';
  return [
    definition?.role ?? `You are ${handler.agent ?? 'an agent'}.`,
    ...(rules.trim() === '' ? [] : [wholeProse(turn, rules, turn.state.currentBlock).trim()]),
  ];
}

export function requestPart(turn: Turn): string {
  const text = turn.state.goal ?? planHead(turn).context.originalRequest;
  return `## The request\n\n${foreignBlock(text, { label: 'the request, as the user gave it' })}`;
}

export function wherePart(turn: Turn, more: readonly string[] = []): string {
  const { root, workTree } = turn.place;
  const preferences = Object.entries(turn.state.preferences).map(
    ([key, value]) => `${key}=${wholeLine(String(value))}`,
  );
  return part(
    'Where things are',
    bullets([
      `project root: ${root}`,
      ...(workTree === root ? [] : [`work tree, where the sources are: ${workTree}`]),
      ...more,
      ...(preferences.length === 0 ? [] : [`preferences: ${preferences.join(', ')}`]),
    ]),
  );
}

/** What the todo must leave alone, and what the whole plan must. */
export function mustNotDo(turn: Turn, todo: PlanTodo | null): string[] {
  return [...(todo?.mustNotDo ?? []), ...planHead(turn).objectives.mustNotDo].map((rule) => planLine(turn, rule));
}

/** What dev-cli's own runs of a todo's commands came to. */
export function evidenceLines(turn: Turn, evidence: readonly Evidence[]): string[] {
  return evidence.map(
    ({ id, argv, outcome, log }) =>
      `${id}: ${wholeLine(commandLine(argv))}: ${wholeLine(outcome)}; log: ${absolutePath(turn.place, turn.state.name, log)}`,
  );
}

/** The end of every prompt file: the one document to write, how, and what else not to do. */
export function deliveryPart(
  turn: Turn,
  output: string,
  { example, fields, notes }: { example: object; fields: readonly string[]; notes: readonly string[] },
): string {
  const path = absolutePath(turn.place, turn.state.name, output);
  const rules = [
    `Write it once, whole: to \`${path}.tmp\`, then rename.`,
    ...notes,
    'Do not commit, do not touch `.dev/` beyond that file, run neither `dev-cli next` nor `dev-cli step`.',
    'Reply with two lines: the path, and the summary.',
  ];
  return `## What to deliver

One file: \`${path}\`. JSON, all keys as here:

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`

${bullets(fields).join('\n')}

${bullets(rules).join('\n')}`;
}
