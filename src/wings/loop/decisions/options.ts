import { dirname, relative, resolve } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { acceptDecision } from '../../../documents/decision-edit.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { requireInside } from '../../../project/own-places.js';
import type { HandlersOf } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { type LoopGoal, listGoals } from '../goals.js';
import type { Call } from '../site.js';
import type { TicketFile } from './accept.js';
import { WINNER_REASONS } from './ranking.js';
import type { Ticket } from './schemas.js';
import type { DECISION_SPECS } from './specs.js';
import { checkTicket } from './ticket.js';

/** The directory of tickets, relative to the root. */
const DECISIONS = '.ai/decisions';

export type Input = Parameters<HandlersOf<typeof DECISION_SPECS>['decision spike']>[1];

/** Rejects invalid options before any work. @throws DevCliError `USAGE` */
export function requireOptions(input: Input): void {
  const { command, tool, parallel = 2, accept, acceptIfReason: reasons = [] } = input;
  const guards = [input.acceptMaxDiffLines, input.acceptMaxChangedFiles, input.acceptRequireEligible || undefined];
  const isGuarded = reasons.length > 0 || guards.some((one) => one !== undefined);
  const known: readonly string[] = WINNER_REASONS;
  if (command === undefined ? tool === undefined : command.trim() === '')
    throw usage('Nothing says how an alternative is tried.', 'Give a line with --command, or --tool, or both.');
  if (parallel < 1 || parallel > 32)
    throw usage('--parallel takes a number from 1 to 32.', 'Leave it out for two at a time.');
  if (input.backend === 'ray') throw usage('There is no ray here.', 'Leave --backend out: this machine does it.');
  if (isGuarded && accept !== true)
    throw usage('What begins with --accept- is about --accept.', 'Add --accept, or leave it out.');
  if (reasons.some((one) => !known.includes(one)))
    throw usage('Nothing wins by such a reason.', `--accept-if-reason takes ${known.join(', ')}.`);
}

const usage = (problem: string, fix: string): DevCliError => new DevCliError('USAGE', problem, { fix });

/**
 * Reads the ticket to try.
 * @throws DevCliError `USAGE` if there is none; `SCHEMA_INVALID` with everything that is wrong with it;
 * `DECISION_REFUSED` with `--accept` if it is already accepted or cannot be changed in place; `IO`
 */
export function requireTicket(
  { root, reader }: Context,
  { file: given, accept }: Input,
  { cwd }: Call,
  goals: readonly LoopGoal[],
): TicketFile & { ticket: Ticket } {
  const isId = !/[/]|\.ya?ml$/.test(given);
  const file = isId ? `${DECISIONS}/${given}.yaml` : relative(root, resolve(cwd, given));
  const shown = toBoundedLine(file, 200);
  const isThere = dirname(file) === DECISIONS;
  if (isThere) requireInside(root, file);
  const text = isThere ? reader.read(`${root}/${file}`) : null;
  if (text === null) throw usage(`There is no ticket ${shown}.`, `Write one into ${DECISIONS}, and name it by its id.`);
  const { ticket, problems } = checkTicket(
    text,
    file,
    listGoals(goals).map(({ id }) => id),
  );
  if (ticket === null)
    throw new DevCliError('SCHEMA_INVALID', `${shown} cannot be used.`, {
      details: problems,
      fix: 'Mend it at the places named in details, then repeat the same call.',
    });
  const after = acceptDecision(text, { selected: 'x', ref: 'x' });
  const isAccepted = ticket.status === 'accepted' ? `is accepted already: ${ticket.selected}` : null;
  const problem = isAccepted ?? ('problem' in after ? after.problem : null);
  if (accept !== true || problem === null) return { file, text, ticket };
  const fix = 'Leave --accept out to compare once more, or mend that.';
  throw new DevCliError('DECISION_REFUSED', `${shown} ${problem}.`, { details: [{ target: shown, problem }], fix });
}
