import { formatCommandLine } from '../../documents/plan-text.js';
import { type CommandAcceptance, DEFAULT_TIMEOUT } from '../model/commands.js';
import { listDependencies } from '../model/graph.js';
import { getRuleText } from '../model/rule.js';
import type { PlanAcceptance, PlanRule, PlanTodo } from '../model/schema.js';
import { renderCodeSpan, renderProse } from './prose.js';

/** Renders todos of PLAN.md. The labels and the form of the lines are fixed (documents.md, PLAN.md). */

/** Renders a todo, starting with the heading that contains its box. */
export function renderTodo(todo: PlanTodo, ticked: boolean): string[] {
  const after = listDependencies(todo);
  const facts = [
    todo.type,
    `risk ${todo.risk}`,
    ...(after.length === 0 ? [] : [`after ${after.join(', ')}`]),
    ...((todo.serves ?? []).length === 0 ? [] : [`serves ${todo.serves?.join(', ')}`]),
  ];
  return [
    `### [${ticked ? 'x' : ' '}] ${todo.id}: ${renderProse(todo.title)}`,
    facts.join(', '),
    ...renderInline('Files', todo.files),
    ...renderList(
      'Inputs',
      todo.inputs.map(({ name, from }) => `${renderCodeSpan(name)} from ${renderCodeSpan(from)}`),
    ),
    ...renderList(
      'Outputs',
      todo.outputs.map(({ name, description }) => `${renderCodeSpan(name)}: ${renderProse(description)}`),
    ),
    ...renderList('Steps', todo.steps.map(renderProse), (index) => `${index + 1}.`),
    ...renderList('Must not do', todo.mustNotDo.map(renderRule)),
    ...(todo.references.every(isPlace)
      ? renderInline('References', todo.references)
      : renderList('References', todo.references.map(renderProse))),
    ...renderList('Acceptance', todo.acceptance.map(renderAcceptance)),
  ];
}

/** Returns whether a reference is a single word, such as a path, a line or a URL. */
function isPlace(reference: string): boolean {
  return !/[\s`]/.test(reference);
}

function renderInline(label: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ['', `**${label}** ${texts.map(renderCodeSpan).join(', ')}`];
}

function renderList(label: string, lines: readonly string[], mark = (_index: number) => '-'): string[] {
  return lines.length === 0 ? [] : ['', `**${label}**`, ...lines.map((line, index) => `${mark(index)} ${line}`)];
}

/** Renders a must-not as one line, followed by its paths. */
export function renderRule(rule: PlanRule): string {
  const text = renderProse(getRuleText(rule));
  return typeof rule === 'string' ? text : `${text} (${rule.paths.map(renderCodeSpan).join(', ')})`;
}

/** Renders an acceptance as one line, which names the judge if it is not a command. */
export function renderAcceptance(item: PlanAcceptance): string {
  switch (item.kind) {
    case 'command':
      return `${item.id}: ${renderPlanCommand(item)}`;
    case 'assertion':
      return `${item.id}, agent: ${renderProse(item.text)}`;
    case 'human':
      return `${item.id}, person: ${renderProse(item.text)}`;
  }
}

/** Renders a command with its expected result: `` `npm test` exit 0, prints `ok`, not `not ok`, in `api`, 120 s ``. */
export function renderPlanCommand({ run, cwd, timeout = DEFAULT_TIMEOUT, expect = {} }: CommandAcceptance): string {
  const { exitCode = 0, stdoutContains, stdoutLacks } = expect;
  const lacks = stdoutLacks === undefined ? [] : [`not ${renderCodeSpan(stdoutLacks)}`];
  const facts = [
    `exit ${[exitCode].flat().join(' or ')}`,
    ...(stdoutContains === undefined
      ? lacks.map((text) => `prints ${text}`)
      : [`prints ${renderCodeSpan(stdoutContains)}`, ...lacks]),
    ...(cwd === undefined || cwd === '.' ? [] : [`in ${renderCodeSpan(cwd)}`]),
    ...(timeout === DEFAULT_TIMEOUT ? [] : [`${timeout} s`]),
  ];
  return `${renderCodeSpan(formatCommandLine(run))} ${facts.join(', ')}`;
}
