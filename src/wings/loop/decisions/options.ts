import { dirname, relative, resolve } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { acceptDecision } from '../../../documents/decision-edit.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { requireInside } from '../../../project/own-places.js';
import type { HandlersOf } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { type LoopGoal, listGoals } from '../goals.js';
import type { LoopCall } from '../site.js';
import type { TicketFile } from './accept.js';
import { WINNER_REASONS } from './ranking.js';
import type { Ticket } from './schemas.js';
import type { DECISION_SPECS } from './specs.js';
import { checkTicket } from './ticket.js';

/** The directory of tickets, relative to the root. */
const DECISIONS = '.ai/decisions';

export type SpikeInput = Parameters<HandlersOf<typeof DECISION_SPECS>['decision spike']>[1];

/** Rejects invalid options before any work. @throws DevCliError `USAGE` */
export function requireOptions(input: SpikeInput): void {
  const { command, tool, parallel = 2, accept, acceptIfReason: reasons = [] } = input;
  const guards = [input.acceptMaxDiffLines, input.acceptMaxChangedFiles, input.acceptRequireEligible || undefined];
  const isGuarded = reasons.length > 0 || guards.some((one) => one !== undefined);
  const known: readonly string[] = WINNER_REASONS;
  if (command === undefined ? tool === undefined : command.trim() === '')
    throw usage('No way to try an alternative is given.', 'Give --command, --tool or both.');
  if (parallel < 1 || parallel > 32)
    throw usage('--parallel takes a number from 1 to 32.', 'Leave it out to try two at a time.');
  if (input.backend === 'ray')
    throw usage('The backend ray is not available here.', 'Leave --backend out to use this machine.');
  if (isGuarded && accept !== true)
    throw usage('The options --accept-… need --accept.', 'Add --accept, or leave those options out.');
  if (reasons.some((one) => !known.includes(one)))
    throw usage('--accept-if-reason has an unknown reason.', `Use ${known.join(', ')}.`);
}

const usage = (problem: string, fix: string): DevCliError => new DevCliError('USAGE', problem, { fix });

/**
 * Reads the ticket to try.
 * @throws DevCliError `USAGE` if there is none; `SCHEMA_INVALID` with everything that is wrong with it; with
 * `--accept`, `DECISION_REFUSED` if it is already accepted or cannot be changed in place; `IO`
 */
export function requireTicket(
  { root, reader }: Context,
  { file: given, accept }: SpikeInput,
  { cwd }: LoopCall,
  goals: readonly LoopGoal[],
): TicketFile & { ticket: Ticket } {
  const isId = !/[/]|\.ya?ml$/.test(given);
  const file = isId ? `${DECISIONS}/${given}.yaml` : relative(root, resolve(cwd, given));
  const shown = toBoundedLine(file, 200);
  const isThere = dirname(file) === DECISIONS;
  if (isThere) requireInside(root, file);
  const text = isThere ? reader.read(`${root}/${file}`) : null;
  if (text === null)
    throw usage(`There is no ticket ${shown}.`, `Write a ticket into ${DECISIONS}, and name it by its id.`);
  const { ticket, problems } = checkTicket(
    text,
    file,
    listGoals(goals).map(({ id }) => id),
  );
  if (ticket === null)
    throw new DevCliError('SCHEMA_INVALID', `${shown} is not valid.`, {
      details: problems,
      fix: 'Fix what `details` lists, then repeat the same call.',
    });
  const after = acceptDecision(text, { selected: 'x', ref: 'x' });
  const isAccepted = ticket.status === 'accepted' ? `is accepted already: ${ticket.selected}` : null;
  const problem = isAccepted ?? ('problem' in after ? after.problem : null);
  if (accept !== true || problem === null) return { file, text, ticket };
  const fix = 'Leave --accept out to only compare again, or fix the ticket.';
  throw new DevCliError('DECISION_REFUSED', `${shown} ${problem}.`, { details: [{ target: shown, problem }], fix });
}
