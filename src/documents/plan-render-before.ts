import { DEFAULT_TIMEOUT } from './plan-commands.js';
import { renderWithChecksum } from './plan-form.js';
import { buildGraph, listDependencies } from './plan-graph.js';
import { escapeMermaidLabel, renderCodeSpan } from './plan-prose.js';
import { getRuleText } from './plan-rule.js';
import type { PlanAcceptance, PlanContent, PlanTodo } from './plan-schema.js';
import { listGaps } from './plan-summary.js';
import { formatCommandLine, revealInvisible } from './plan-text.js';

/**
 * PLAN.md as releases up to 0.2.0 rendered it. Their documents are on disks and in repositories, without a journal that
 * could say of which plan they are: that one follows from its plan shows only by rendering it again.
 */

/**
 * Renders PLAN.md in the form of before; null for a plan that says what that form cannot show.
 * @param boxes whether the box of a todo is ticked, by id; an absent one is not
 */
export function renderPlanBefore(plan: PlanContent, boxes: Record<string, boolean>): string | null {
  if (!isOfBefore(plan)) return null;
  return renderWithChecksum((sum, isBlank) => renderText(plan, isBlank ? {} : boxes, sum));
}

function isOfBefore({ size, requirements, decisions, context, objectives, todos }: PlanContent): boolean {
  const rules = [...objectives.mustNotDo, ...todos.flatMap((todo) => todo.mustNotDo)];
  const isNew = (item: PlanAcceptance) =>
    item.proves !== undefined || (item.kind === 'command' && item.expect?.stdoutLacks !== undefined);
  return (
    [size, requirements, decisions].every((part) => part === undefined) &&
    context.originalRequest !== undefined &&
    rules.every((rule) => typeof rule === 'string') &&
    todos.every(({ serves, acceptance }) => serves === undefined && !acceptance.some(isNew))
  );
}

function renderText(plan: PlanContent, boxes: Record<string, boolean>, sum: string): string {
  const parts = [
    [
      '# Plan',
      '',
      `<!-- Rendered from plan-content.json by dev-cli (${sum}). Change it there and generate again: edits here are refused. -->`,
    ],
    renderObjectives(plan),
    renderVerification(plan),
    renderContext(plan),
    ['## Todos'],
    ...plan.todos.map((todo) => renderTodo(todo, Object.hasOwn(boxes, todo.id) && boxes[todo.id] === true)),
    renderDependencies(plan),
    renderCommits(plan),
    ...renderHazards(plan),
  ];
  return `${parts.map((part) => part.join('\n')).join('\n\n')}\n`;
}

function renderObjectives({ objectives: { core, deliverables, definitionOfDone, mustNotDo } }: PlanContent): string[] {
  return [
    '## Objectives',
    '',
    escapeProse(core),
    ...renderList('Deliverables', deliverables.map(escapeProse)),
    ...renderList('Definition of done', definitionOfDone.map(escapeProse)),
    ...renderList('Must not do', mustNotDo.map(renderRule)),
  ];
}

function renderList(title: string, lines: string[], mark = (_index: number) => '-'): string[] {
  return lines.length === 0 ? [] : ['', `**${title}**`, ...lines.map((line, index) => `${mark(index)} ${line}`)];
}

function renderVerification(plan: PlanContent): string[] {
  const places = plan.todos.flatMap((todo) =>
    todo.acceptance.map((item) => ({ item, place: `${todo.id} ${item.id}` })),
  );
  const commands = new Map<string, string[]>();
  for (const { item, place } of places) {
    if (item.kind !== 'command') continue;
    const command = renderCommandText(item);
    const where = commands.get(command);
    if (where === undefined) commands.set(command, [place]);
    else where.push(place);
  }
  const stated = (kind: 'assertion' | 'human') =>
    places.flatMap(({ item, place }) => (item.kind === kind ? [`${place}: ${escapeProse(item.text)}`] : []));
  const lines = [
    ...renderList(
      'Commands, run by dev-cli',
      [...commands].map(([command, where]) => `${command} (${where.join(', ')})`),
    ),
    ...renderList('Assertions, judged by an agent', stated('assertion')),
    ...renderList('Human checks', stated('human')),
    ...renderList('Gaps', listGaps(plan)),
  ];
  return ['## Verification', ...(lines.length === 0 ? ['', 'Nothing is verified.'] : lines)];
}

function renderCommandText(item: Extract<PlanAcceptance, { kind: 'command' }>): string {
  const where = item.cwd === undefined ? [] : [`in ${renderCodeSpan(item.cwd)}`];
  const limit = (item.timeout ?? DEFAULT_TIMEOUT) === DEFAULT_TIMEOUT ? [] : [`within ${item.timeout} s`];
  const { exitCode = 0, stdoutContains } = item.expect ?? {};
  const exit = exitCode === 0 ? [] : [`expecting exit ${[exitCode].flat().join(' or ')}`];
  const printed = stdoutContains === undefined ? [] : [`printing ${renderCodeSpan(stdoutContains)}`];
  return [renderCodeSpan(formatCommandLine(item.run)), ...where, ...limit, ...exit, ...printed].join(' ');
}

function renderContext({ context: parts }: PlanContent): string[] {
  const quoted = (title: string, text: string | readonly string[] | undefined): string[] => {
    const joined = [text ?? []].flat().join('\n');
    return joined.trim() === '' ? [] : ['', `**${title}**`, '', ...renderQuotation(joined)];
  };
  return [
    '## Context',
    ...quoted('Request', parts.originalRequest),
    ...quoted('Interview', parts.interviewSummary),
    ...quoted('Research', parts.researchFindings),
    ...quoted('Assumptions', parts.assumptions),
  ];
}

function renderTodo(todo: PlanTodo, ticked: boolean): string[] {
  const after = listDependencies(todo);
  return [
    `### [${ticked ? 'x' : ' '}] ${todo.id}: ${escapeProse(todo.title)}`,
    '',
    `${todo.type}, risk ${todo.risk}${after.length === 0 ? '' : `, after ${after.join(', ')}`}`,
    ...renderList(
      'Inputs',
      todo.inputs.map(({ name, from }) => `${renderCodeSpan(name)} from ${renderCodeSpan(from)}`),
    ),
    ...renderList(
      'Outputs',
      todo.outputs.map(({ name, description }) => `${renderCodeSpan(name)}: ${escapeProse(description)}`),
    ),
    ...renderList('Files', todo.files.map(renderCodeSpan)),
    ...renderList('Steps', todo.steps.map(escapeProse), (index) => `${index + 1}.`),
    ...renderList('Must not do', todo.mustNotDo.map(renderRule)),
    ...renderList('References', todo.references.map(escapeProse)),
    ...renderList('Acceptance', todo.acceptance.map(renderAcceptance)),
  ];
}

function renderAcceptance(item: PlanAcceptance): string {
  switch (item.kind) {
    case 'command':
      return `${item.id}: ${renderCommandText(item)}`;
    case 'assertion':
      return `${item.id}: ${escapeProse(item.text)}`;
    case 'human':
      return `${item.id}, by a person: ${escapeProse(item.text)}`;
  }
}

function renderDependencies({ todos }: PlanContent): string[] {
  // Nodes are numbered, because a todo's id may be a keyword of the graph language.
  const nodes = new Map(todos.map((todo, index) => [todo.id, `t${index + 1}`]));
  const labels = todos.map((todo) => `  ${nodes.get(todo.id)}["${todo.id}: ${escapeMermaidLabel(todo.title)}"]`);
  const edges = [...buildGraph(todos)].flatMap(([id, before]) =>
    before.map((dependency) => `  ${nodes.get(dependency)} --> ${nodes.get(id)}`),
  );
  return ['## Dependencies', '', '```mermaid', 'graph TD', ...labels, ...edges, '```'];
}

function renderCommits(plan: PlanContent): string[] {
  const messages = new Map(plan.commits?.map(({ afterTodo, message }) => [afterTodo, message]));
  const lines = plan.todos
    .filter((todo) => todo.type === 'work')
    .map((todo) => `- after ${todo.id}: ${escapeProse(messages.get(todo.id) ?? todo.title)}`);
  return ['## Commits', '', ...(lines.length === 0 ? ['None: nothing is changed.'] : lines)];
}

function renderHazards(plan: PlanContent): string[][] {
  const risks = (plan.risks ?? []).map(({ severity, text }) => `- ${severity}: ${escapeProse(text)}`);
  const needs = (plan.externalDependencies ?? []).map(({ when, text }) => `- ${when}: ${escapeProse(text)}`);
  return [
    ...(risks.length === 0 ? [] : [['## Risks', '', ...risks]]),
    ...(needs.length === 0 ? [] : [['## External dependencies', '', ...needs]]),
  ];
}

const renderRule = (rule: PlanTodo['mustNotDo'][number]) => escapeProse(getRuleText(rule));

/** Renders a text as one line of prose. Code in single backticks stays code; HTML, links and images become text. */
function escapeProse(text: string): string {
  const line = revealInvisible(text.replace(/\s+/g, ' ').trim());
  const pieces = line.split(/(`[^`]+`)/);
  const escaped = pieces.map((piece, index) => (index % 2 === 1 ? piece : escapeInline(piece))).join('');
  return escaped.replace(/^(?:[-+*#>=~|]|\d{1,9}(?=[.)]))/, '\\$&').replace(/^\\(\d+)([.)])/, '$1\\$2');
}

function escapeInline(text: string): string {
  return text.replace(/[\\`[\]]/g, '\\$&').replaceAll('<', '&lt;');
}

/** Renders a text of several lines as a quotation, beyond which nothing in it has an effect. */
function renderQuotation(text: string): string[] {
  const lines = text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/.exec(line)?.[0] ?? '';
    return line.trim() === '' ? '>' : `> ${bullet}${escapeProse(line.slice(bullet.length))}`;
  });
}
