import { isAbsolute, relative, resolve } from 'node:path';
import { DevCliError, type ErrorDetail } from '../../../base/errors.js';
import { acceptDecision } from '../../../documents/decision-edit.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { requireInside } from '../../../project/own-places.js';
import type { HandlersOf } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { openSharedFiles } from '../../../store/shared-files.js';
import { type LoopGoal, listGoals } from '../goals.js';
import type { Call } from '../site.js';
import type { TicketFile } from './accept.js';
import { WINNER_REASONS } from './ranking.js';
import type { Ticket } from './schemas.js';
import type { DECISION_SPECS } from './specs.js';
import { checkTicket } from './ticket.js';

export type Input = Parameters<HandlersOf<typeof DECISION_SPECS>['decision spike']>[1];

/** Refuses what cannot be done, before any work. @throws DevCliError `USAGE` */
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
 * Reads the ticket that is to be tried.
 * @throws DevCliError `USAGE` where there is none; `SCHEMA_INVALID` with all that is wrong with it; `DECISION_REFUSED` where it is to be
 * accepted, and is already or cannot be changed in place; `IO`
 */
export function requireTicket(
  context: Context,
  { file: given, accept }: Input,
  { cwd }: Call,
  goals: readonly LoopGoal[],
): TicketFile & { ticket: Ticket } {
  const { root, reader } = context;
  const isId = /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(given) && !/\.ya?ml$/.test(given);
  const file = isId ? `.ai/decisions/${given}.yaml` : relative(root, resolve(cwd, given));
  const shown = toBoundedLine(file, 200);
  const refuse = (code: 'SCHEMA_INVALID' | 'DECISION_REFUSED', problem: string, details: ErrorDetail[], fix: string) =>
    new DevCliError(code, `${shown} ${problem}.`, { details, fix });
  const isOutside = isAbsolute(file) || file.split('/')[0] === '..';
  if (!isOutside) requireInside(root, file);
  const text = isOutside ? null : reader.read(`${root}/${file}`);
  if (text === null) throw usage(`There is no ticket ${shown} in the project.`, 'Write it, or name one by its id.');
  const ids = listGoals(goals).map(({ id }) => id);
  const { ticket, problems } = checkTicket(text, file, ids);
  if (ticket === null)
    throw refuse('SCHEMA_INVALID', 'cannot be used', problems, 'Mend it at the places named in details.');
  if (accept !== true) return { file, text, ticket };
  const after = acceptDecision(text, { selected: 'x', ref: 'x' });
  const isOwn = openSharedFiles({ ...context, purpose: '' }).isInside('.ai', file);
  const problem =
    (ticket.status === 'accepted' ? `is accepted already: ${ticket.selected}` : null) ??
    (isOwn ? null : 'is not in .ai/, where decisions are written') ??
    ('problem' in after ? after.problem : null);
  if (problem === null) return { file, text, ticket };
  throw refuse('DECISION_REFUSED', problem, [{ target: shown, problem }], 'Leave --accept out, or mend that.');
}
