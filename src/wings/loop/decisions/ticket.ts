import { basename } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { CheckedSchema } from '../../../documents/schema-faults.js';
import outline from '../../../generated/loop-decision-outline.js';
import { requireInside } from '../../../project/own-places.js';
import { parseYaml } from '../../../recipe/source/yaml.js';
import type { Context } from '../../../run/context.js';
import type { TicketDecision } from '../core/prompt.js';
import { createFindingCollector, type FindingCollector } from '../findings.js';
import { findIdFault, type LoopGoal } from '../goals.js';
import type { Ticket } from './schemas.js';

/** Tickets of decisions, `.ai/decisions/ID.yaml` (loop-operations.md, Decisions). */

const SCHEMA: CheckedSchema = { outline, validator: () => require('../../../generated/loop-decision.js').default };

/** Returns the id of the goal under which an alternative is attempted. */
export const nameVariant = (decision: string, alternative: string): string => `${decision}.${alternative}`;

const quote = (id: string): string => JSON.stringify(toBoundedLine(id, 80));

/** Maps ids to the same text if they would collide as names of references or directories. */
const fold = (id: string): string => id.replaceAll('.', '-').toLowerCase();

/**
 * Validates a ticket.
 * @param file the path of the ticket; the file's name must be the decision's id
 * @param goals ids of all goals; null: `goal_id` is not checked
 * @returns null if there is any problem
 */
export function checkTicket(
  text: string,
  file: string,
  goals: readonly string[] | null,
): { ticket: Ticket | null } & Pick<FindingCollector, 'problems'> {
  const source = parseYaml(text, file);
  const { problems, report, check } = createFindingCollector(source);
  if (source.value === undefined) return { ticket: null, problems };
  const given = check(SCHEMA, source.value, '') as Ticket;
  const isForm = problems.length === 0;
  const { decision_id: id, goal_id: goal, status, selected, alternatives } = given;
  const ids = Array.isArray(alternatives) ? alternatives.map((one) => one?.id) : [];
  if (typeof id === 'string' && basename(file).replace(/\.ya?ml$/, '') !== id)
    report('/decision_id', 'decision_id differs from the name of the file. Make both the same.');
  if (typeof goal === 'string' && goals?.includes(goal) === false)
    report('/goal_id', `goal_id is ${quote(goal)}, which is not a goal of .ai/goals.yaml.`);
  const findClash = (one: string, before: readonly unknown[]): string | null => {
    if (before.some((other) => typeof other === 'string' && fold(other) === fold(one)))
      return 'is too similar to another: ids must differ in more than case, or "." and "-"';
    const isGoal = goals?.some((other) => fold(other) === fold(nameVariant(id, one))) === true;
    return isGoal ? `makes ${quote(nameVariant(id, one))}, which is a goal already` : null;
  };
  for (const [index, one] of [id, ...ids].entries()) {
    if (typeof one !== 'string') continue;
    const at = index === 0 ? '/decision_id' : `/alternatives/${index - 1}/id`;
    const fault = findIdFault(one) ?? (index === 0 ? null : findClash(one, ids.slice(0, index - 1)));
    if (fault !== null) report(at, `id is ${quote(one)}, which ${fault}.`);
  }
  if (isForm && status === 'accepted' && !ids.includes(selected ?? ''))
    report('/selected', 'An accepted decision must name one of its alternatives as `selected`.');
  return { ticket: problems.length > 0 ? null : given, problems };
}

/** Returns the first words of the reason with which a goal is blocked until its ticket is accepted. */
export const beginWaiting = (file: string): string => `the decision in ${file} is not accepted`;

/**
 * Returns the decision of a goal, or why the goal has to wait; null if it has no ticket. Any fault of the ticket makes
 * the goal wait.
 */
export function findDecision(
  { root, reader }: Pick<Context, 'root' | 'reader'>,
  { id, decision_file: file }: Pick<LoopGoal, 'id' | 'decision_file'>,
): TicketDecision | { why: string } | null {
  if (file === null) return null;
  const wait = (why: string) => ({ why: toBoundedLine(`${beginWaiting(file)}${why}`, 500) });
  try {
    requireInside(root, file);
    const text = reader.read(`${root}/${file}`);
    if (text === null) return wait(': there is no such file');
    const { ticket, problems } = checkTicket(text, file, null);
    if (ticket === null) return wait(`: ${problems[0]?.at}: ${problems[0]?.problem}`);
    if (ticket.goal_id !== id) return wait(` for it: its goal_id is ${ticket.goal_id}`);
    return ticket.status === 'accepted' ? describeChoice(ticket, ticket.selected) : wait('');
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
    return wait(`: ${[error.message, ...error.details.map(({ problem }) => problem)].join(' ')}`);
  }
}

/** Returns why a person has to decide before a goal may be worked on; null if nothing is undecided. */
export function findUndecided(context: Pick<Context, 'root' | 'reader'>, goal: LoopGoal): string | null {
  const decision = findDecision(context, goal);
  if (decision !== null) return 'why' in decision ? decision.why : null;
  return goal.uncertainty === 'high' ? 'its uncertainty is high: decide what is open, then lower it' : null;
}

/** Collects the facts about an alternative for a session's prompt. */
export function describeChoice(ticket: Ticket, alternative: string | undefined): TicketDecision {
  const { decision_id: id, question, alternatives, evidence_refs: refs = [] } = ticket;
  const chosen = alternatives.find((one) => one.id === alternative);
  return { id, question, alternative: chosen?.id ?? '', approach: chosen?.approach ?? '', refs };
}
