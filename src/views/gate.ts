import type { DecisionSection } from '../base/decision.js';
import { revealInvisible, toOneLine } from '../documents/plan-text.js';
import { type LocatedCommand, locateCommands, renderPlannedCommand } from '../plan/model/commands.js';
import { listDependencies } from '../plan/model/graph.js';
import type { PlanContent, PlanRule, PlanTodo } from '../plan/model/schema.js';

/**
 * Shows on a terminal what a person needs to know to decide about a plan: the upper part of PLAN.md without its markup
 * (protocol.md §3).
 */

/** The heading of the section that lists commands, one per line. */
export const COMMANDS_HEADING = 'Commands, run by dev-cli';

/** Lists the sections of a plan. Empty sections are left out. */
export function listPlanSections(plan: PlanContent): DecisionSection[] {
  const { objectives, context, requirements = [], decisions = [], risks = [], todos } = plan;
  const sections: DecisionSection[] = [
    { heading: 'Why', lines: [toLine(objectives.core)] },
    {
      heading: 'Requirements',
      lines: requirements.map(({ id, text }) => `${id}: ${toLine(text)}${sayProofs(plan, id)}`),
    },
    {
      heading: 'Decisions',
      lines: decisions.map(
        ({ text, reason, by }) => `${toLine(text)} (${by}${reason === undefined ? '' : `: ${toLine(reason)}`})`,
      ),
    },
    { heading: 'Must not be done', lines: objectives.mustNotDo.map(renderRule) },
    { heading: 'Unconfirmed', lines: [context.assumptions ?? []].flat().map(toLine) },
    { heading: 'Todos', lines: todos.map(renderTodo) },
    { heading: 'Risks', lines: risks.map(({ severity, text }) => `${severity}: ${toLine(text)}`) },
    { heading: 'What a person has to do', lines: listForPeople(plan) },
    { heading: COMMANDS_HEADING, lines: locateCommands(plan).map(renderLocated) },
  ];
  return sections
    .map(({ heading, lines }) => ({ heading, lines: lines.filter((line) => line !== '') }))
    .filter(({ lines }) => lines.length > 0);
}

function toLine(text: string): string {
  return revealInvisible(toOneLine(text));
}

function sayProofs({ todos }: PlanContent, requirement: string): string {
  const proofs = todos.flatMap((todo) =>
    todo.acceptance.flatMap(({ id, kind, proves = [] }) =>
      proves.includes(requirement) ? [`${todo.id}/${id}${JUDGES[kind]}`] : [],
    ),
  );
  return proofs.length === 0 ? ' (proved by nothing)' : ` (proved by ${proofs.join(', ')})`;
}

/** Who judges whether an acceptance is met, if it is not a command. */
const JUDGES = { command: '', assertion: ' [agent]', human: ' [person]' } as const;

function renderRule(rule: PlanRule): string {
  return typeof rule === 'string' ? toLine(rule) : `${toLine(rule.text)} (dev-cli checks ${rule.paths.join(' ')})`;
}

function renderLocated({ command, places }: LocatedCommand): string {
  return `${renderPlannedCommand(command)} [${places.join(', ')}]`;
}

/** How many files of a todo are shown; PLAN.md lists them all. */
const FILES_SHOWN = 4;

function renderTodo(todo: PlanTodo): string {
  const after = listDependencies(todo);
  const more = todo.files.length - FILES_SHOWN;
  const facts = [
    ...(after.length === 0 ? [] : [`after ${after.join(', ')}`]),
    ...(todo.files.length === 0
      ? []
      : [`${todo.files.slice(0, FILES_SHOWN).map(revealInvisible).join(' ')}${more > 0 ? ` +${more}` : ''}`]),
    `risk ${todo.risk}`,
  ];
  return `${todo.id}: ${toLine(todo.title)} (${facts.join('; ')})`;
}

const WHEN = { pre: 'before', during: 'meanwhile', post: 'afterwards' } as const;

function listForPeople({ todos, externalDependencies = [] }: PlanContent): string[] {
  return [
    ...externalDependencies.map(({ when, text }) => `${WHEN[when]}: ${toLine(text)}`),
    ...todos.flatMap((todo) =>
      todo.acceptance.flatMap((item) =>
        item.kind === 'human' ? [`judge ${todo.id}/${item.id}: ${toLine(item.text)}`] : [],
      ),
    ),
  ];
}
