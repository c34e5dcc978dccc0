import { sha256 } from '../base/sha256.js';
import { DEFAULT_TIMEOUT } from './plan-commands.js';
import { buildGraph, listDependencies } from './plan-graph.js';
import { getRuleText } from './plan-rule.js';
import type { PlanAcceptance, PlanContent, PlanRule, PlanTodo } from './plan-schema.js';
import { escapeMermaidLabel, escapeProse, formatCommandLine, renderCodeSpan, renderQuotation } from './plan-text.js';

/** PLAN.md, rendered from plan-content.json; only its boxes are ever read back (documents.md, PLAN.md). */

/** The head of PLAN.md; the checksum in parentheses shows whether the file was edited. */
const HEAD = /^# Plan\n\n<!-- Rendered from plan-content\.json by dev-cli \(([0-9a-f]{12})\)\. /;

/**
 * Renders PLAN.md. Deterministic; ends with a newline.
 * @param boxes whether the box of a todo is ticked, by id; an absent one is not
 */
export function renderPlan(plan: PlanContent, boxes: Record<string, boolean> = {}): string {
  return renderText(plan, boxes, computeChecksum(renderText(plan, {}, BLANK)));
}

/**
 * Whether PLAN.md is as it was rendered.
 * @param blank its text with LF line endings and no box ticked
 */
export function isAsRendered(blank: string): boolean {
  const stated = HEAD.exec(blank)?.[1];
  return stated !== undefined && computeChecksum(blank.replace(stated, BLANK)) === stated;
}

/** Takes the place of the checksum while it is computed. */
const BLANK = '0'.repeat(12);

function computeChecksum(text: string): string {
  return sha256(text).slice(0, BLANK.length);
}

function renderText(plan: PlanContent, boxes: Record<string, boolean>, sum: string): string {
  const parts = [
    [
      '# Plan',
      '',
      `<!-- Rendered from plan-content.json by dev-cli (${sum}). Change it there and generate again: edits here are refused. -->`,
    ],
    renderObjectives(plan),
    ...renderRequirements(plan),
    ...renderDecisions(plan),
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

/** The heading that carries a todo's box. */
function renderHeading(todo: { id: string; title: string }, ticked: boolean): string {
  return `### [${ticked ? 'x' : ' '}] ${todo.id}: ${escapeProse(todo.title)}`;
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

/** What was asked for, with the words it comes from and its proof. */
function renderRequirements(plan: PlanContent): string[][] {
  const { requirements = [], todos } = plan;
  if (requirements.length === 0) return [];
  const proofs = (id: string) =>
    todos.flatMap((todo) =>
      todo.acceptance.flatMap((item) => ((item.proves ?? []).includes(id) ? [`${todo.id} ${item.id}`] : [])),
    );
  const lines = requirements.map(
    ({ id, text, quote, from }) =>
      `- ${id}: ${escapeProse(text)} (${from}: ${escapeProse(`"${quote}"`)}; proved by ${proofs(id).join(', ') || 'nothing'})`,
  );
  return [['## Requirements', '', ...lines]];
}

function renderDecisions({ decisions = [] }: PlanContent): string[][] {
  if (decisions.length === 0) return [];
  const lines = decisions.map(({ text, reason, by }) => {
    const why = reason === undefined ? '' : ` ${escapeProse(reason)}`;
    return `- ${escapeProse(text)}${why} (${by})`;
  });
  return [['## Decisions', '', ...lines]];
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

/** Lists the todos that no command can verify, each with who judges it instead. */
export function listGaps(plan: PlanContent): string[] {
  return plan.todos.flatMap((todo) => {
    const kinds = new Set(todo.acceptance.map((item) => item.kind));
    if (kinds.has('command')) return [];
    if (kinds.size === 0) return [`${todo.id} has no acceptance at all`];
    return [`${todo.id} has no command; ${kinds.has('assertion') ? 'an agent' : 'a person'} judges it`];
  });
}

function renderCommandText(item: Extract<PlanAcceptance, { kind: 'command' }>): string {
  const where = item.cwd === undefined ? [] : [`in ${renderCodeSpan(item.cwd)}`];
  const limit = (item.timeout ?? DEFAULT_TIMEOUT) === DEFAULT_TIMEOUT ? [] : [`within ${item.timeout} s`];
  const { exitCode = 0, stdoutContains, stdoutLacks } = item.expect ?? {};
  const exit = exitCode === 0 ? [] : [`expecting exit ${[exitCode].flat().join(' or ')}`];
  const printed = stdoutContains === undefined ? [] : [`printing ${renderCodeSpan(stdoutContains)}`];
  const lacks = stdoutLacks === undefined ? [] : [`not printing ${renderCodeSpan(stdoutLacks)}`];
  return [renderCodeSpan(formatCommandLine(item.run)), ...where, ...limit, ...exit, ...printed, ...lacks].join(' ');
}

function renderRule(rule: PlanRule): string {
  const text = escapeProse(getRuleText(rule));
  return typeof rule === 'string' ? text : `${text} (${rule.paths.map(renderCodeSpan).join(', ')})`;
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
    renderHeading(todo, ticked),
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
