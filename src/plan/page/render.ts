// door: plan, shared: common

import { splitList } from '../../documents/plan-text.js';
import type { CommandAcceptance } from '../model/commands.js';
import { buildDependencyGraph, listDependencies } from '../model/graph.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';
import { BLANK, computeChecksum, renderFormLine } from './form.js';
import { escapeBars, escapeMermaidLabel, renderCell, renderCodeSpan, renderProse } from './prose.js';
import { renderPlanCommand, renderRule, renderTodo } from './render-todo.js';
import { type PlanExtras, renderRequestBlock, sanitizeRequest, UNCOVERED_HEADING } from './setting.js';

/**
 * Renders PLAN.md from plan-content.json. The part above the line `---` is for the person who decides on the plan, the
 * part below it is for the workers (documents.md, PLAN.md). Other files read PLAN.md back: boxes.ts the boxes,
 * setting.ts the facts that are not part of the plan, and read-back/ what people have edited.
 */

/**
 * Renders PLAN.md. Deterministic; ends with a newline.
 * @param boxes whether each todo's box is ticked, by id; the box of a todo without an entry is not ticked
 * @param setting the facts that PLAN.md shows besides the plan
 */
export function renderPlan(plan: PlanContent, boxes: Record<string, boolean> = {}, setting: PlanExtras = {}): string {
  const blank = renderText(plan, {}, setting);
  const isBlank = !plan.todos.some(({ id }) => boxes[id] === true);
  // The checksum covers the text with all boxes unticked and a placeholder for the checksum. Only the title precedes
  // the checksum's line, so no text of the plan can be mistaken for that line.
  return (isBlank ? blank : renderText(plan, boxes, setting)).replace(
    `\n${renderFormLine(BLANK)}`,
    () => `\n${renderFormLine(computeChecksum(blank))}`,
  );
}

/** Renders the whole text, with a placeholder for the checksum. */
function renderText(plan: PlanContent, boxes: Record<string, boolean>, setting: PlanExtras): string {
  const { context, todos } = plan;
  const title = ['# Plan', setting.name === undefined ? '' : `: ${setting.name}`, plan.size && ` (${plan.size})`];
  const parts = [
    [title.join(''), renderFormLine(BLANK)],
    [renderProse(plan.objectives.core)],
    renderRequirements(plan),
    renderChanges(plan),
    renderDecisions(plan),
    titled('## Must not be done', plan.objectives.mustNotDo.map(renderRule)),
    titled('## Unconfirmed', listLines(context.assumptions)),
    setting.uncovered === undefined ? [] : [UNCOVERED_HEADING, ...setting.uncovered],
    renderOverview(plan),
    titled('## What a person has to do', listForPeople(plan)),
    titled(
      '## Risks',
      (plan.risks ?? []).map(({ severity, text }) => `${severity}: ${renderProse(text)}`),
    ),
    todos.length === 1 ? [] : titled('## Commands, run by dev-cli', listCommandLines(plan)),
    ...todos.map((todo, index) => [...(index === 0 ? ['---'] : []), ...renderTodo(todo, boxes[todo.id] === true)]),
    // Lists only messages that the plan states; for other todos, the title is the message.
    titled(
      '## Commits',
      (plan.commits ?? []).map(({ afterTodo, message }) => `after ${afterTodo}: ${renderProse(message)}`),
    ),
    renderContext(plan),
    renderRequest(plan, setting),
  ];
  const filled = parts.filter((part) => part.length > 0);
  return `${filled.map((part) => part.join('\n')).join('\n\n')}\n`;
}

/** Renders the request, unless a requirement quotes all of it and so already shows it. */
function renderRequest(
  { context: { originalRequest }, requirements = [] }: PlanContent,
  setting: PlanExtras,
): string[] {
  const request = originalRequest === undefined ? (setting.request ?? '') : sanitizeRequest(originalRequest);
  const quoted = !request.includes('\n') && requirements.some(({ quote }) => sanitizeRequest(quote) === request);
  return request === '' || quoted ? [] : renderRequestBlock(request);
}

function titled(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => `- ${line}`)];
}

function renderTable(heading: string, columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const renderRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [heading, renderRow(columns), renderRow(columns.map(() => '---')), ...rows.map(renderRow)];
}

function renderRequirements({ requirements = [], todos }: PlanContent): string[] {
  const proofs = new Map<string, string[]>();
  for (const todo of todos) {
    for (const { id, kind, proves = [] } of todo.acceptance) {
      const proof = `${todo.id}/${id}${kind === 'command' ? '' : ` (${JUDGES[kind]})`}`;
      for (const requirement of proves) proofs.set(requirement, [...(proofs.get(requirement) ?? []), proof]);
    }
  }
  return renderTable(
    '## Requirements',
    ['id', 'requirement', 'in the words of', 'proved by'],
    requirements.map(({ id, quote, from, text }) => [
      id,
      renderCell(text),
      `the ${from}: "${renderCell(quote)}"`,
      proofs.get(id)?.join(', ') ?? 'nothing',
    ]),
  );
}

const JUDGES = { assertion: 'agent', human: 'person' } as const;

/** Lists the deliverables, without those that a todo already lists as its files, and then the definition of done. */
function renderChanges({ objectives: { deliverables, definitionOfDone }, todos }: PlanContent): string[] {
  const named = new Set(todos.flatMap(({ files }) => files));
  return titled('## What changes', [
    ...deliverables.filter((text) => !named.has(text)).map(renderProse),
    ...definitionOfDone.map((text) => `done when: ${renderProse(text)}`),
  ]);
}

function renderDecisions({ decisions = [] }: PlanContent): string[] {
  return renderTable(
    '## Decisions',
    ['decision', 'why', 'by', 'for'],
    decisions.map(({ text, reason = '', by, serves = [] }) => [
      renderCell(text),
      renderCell(reason),
      by,
      serves.join(', ') || 'all',
    ]),
  );
}

function listLines(text: string | readonly string[] | undefined): string[] {
  return splitList(text).flatMap((line) => renderProse(line) || []);
}

/** How many files a todo's row shows; the todo itself shows all of them. */
const FILES_SHOWN = 4;
/** Minimum number of todos for a diagram; with fewer, a diagram says no more than the table. */
const DRAWN_FROM = 3;

/** Renders the table and diagram of all todos. A plan with one todo needs neither. */
function renderOverview({ todos }: PlanContent): string[] {
  if (todos.length === 1) return [];
  const rows = todos.map((todo) => {
    const files = todo.files.slice(0, FILES_SHOWN).map((glob) => escapeBars(renderCodeSpan(glob)));
    const more = todo.files.length - files.length;
    return [
      `${todo.id}: ${renderCell(todo.title)}`,
      listDependencies(todo).join(', '),
      [...files, ...(more > 0 ? [`${more} more`] : [])].join(', '),
      countProofs(todo),
      todo.risk,
    ];
  });
  const drawn = todos.length < DRAWN_FROM ? [] : ['', ...renderDiagram(todos)];
  return [...renderTable('## Todos', ['todo', 'after', 'files', 'proved by', 'risk'], rows), ...drawn];
}

function countProofs({ acceptance }: PlanTodo): string {
  const count = (kind: string, one: string, many: string) => {
    const found = acceptance.filter((item) => item.kind === kind).length;
    return found === 0 ? [] : [found === 1 ? one : `${found} ${many}`];
  };
  const counts = [
    ...count('command', 'a command', 'commands'),
    ...count('assertion', 'an agent', 'statements for an agent'),
    ...count('human', 'a person', 'checks by a person'),
  ];
  return counts.join(', ') || 'nothing';
}

function renderDiagram(todos: readonly PlanTodo[]): string[] {
  // Nodes are numbered, because a todo's id may be a keyword of Mermaid.
  const nodes = new Map(todos.map((todo, index) => [todo.id, `t${index + 1}`]));
  const labels = todos.map((todo) => `  ${nodes.get(todo.id)}["${todo.id}: ${escapeMermaidLabel(todo.title)}"]`);
  const edges = [...buildDependencyGraph(todos)].flatMap(([id, before]) =>
    before.map((dependency) => `  ${nodes.get(dependency)} --> ${nodes.get(id)}`),
  );
  return ['```mermaid', 'graph TD', ...labels, ...edges, '```'];
}

const WHEN = { pre: 'before', during: 'meanwhile', post: 'afterwards' } as const;

function listForPeople({ todos, externalDependencies = [] }: PlanContent): string[] {
  const checks = todos.flatMap((todo) =>
    todo.acceptance.flatMap((item) =>
      item.kind === 'human' ? [`judge ${todo.id}/${item.id}: ${renderProse(item.text)}`] : [],
    ),
  );
  const needs = (when: keyof typeof WHEN) =>
    externalDependencies.flatMap((need) => (need.when === when ? [`${WHEN[when]}: ${renderProse(need.text)}`] : []));
  return [...needs('pre'), ...needs('during'), ...checks, ...needs('post')];
}

/** Lists each command once, with the acceptances that it judges. */
function listCommandLines({ todos }: PlanContent): string[] {
  const places = new Map<string, string[]>();
  const note = (todo: PlanTodo, item: CommandAcceptance) => {
    const command = renderPlanCommand(item);
    const known = places.get(command);
    if (known === undefined) places.set(command, [`${todo.id}/${item.id}`]);
    else known.push(`${todo.id}/${item.id}`);
  };
  for (const todo of todos) for (const item of todo.acceptance) if (item.kind === 'command') note(todo, item);
  return [...places].map(([command, where]) => `${command} (${where.join(', ')})`);
}

function renderContext({ context: { interviewSummary, researchFindings } }: PlanContent): string[] {
  const nested = (label: string, text: string | readonly string[] | undefined): string[] => {
    const [first, ...rest] = listLines(text);
    if (first === undefined) return [];
    return rest.length === 0
      ? [`- ${label}: ${first}`]
      : [`- ${label}:`, ...[first, ...rest].map((line) => `  - ${line}`)];
  };
  const lines = [...nested('interview', interviewSummary), ...nested('research', researchFindings)];
  return lines.length === 0 ? [] : ['## Context', ...lines];
}
