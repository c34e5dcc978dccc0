import { DevCliError } from '../../base/errors.js';
import { renderCommand } from '../../documents/plan-commands.js';
import { digestProposal, renderProposal } from '../../engine/act/apply-gate.js';
import type { JudgedPlan } from '../../engine/act/plan-verdicts.js';
import type { Context } from '../../run/context.js';
import { getCurrent } from '../../run/current.js';
import type { RunState } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';
import { requireTerminal } from '../person.js';
import type { Revision } from './revision.js';

/** Commands that the message has anyway. */
const COMMANDS_TOLD = 12;

/**
 * Shows a person at the terminal what becomes of the execution, and asks once.
 * @param revision what changes the plan, if not its files do
 * @throws DevCliError `UNKNOWN_CHOICE` for anything but a yes
 */
export async function confirmPlan(
  context: Context,
  state: RunState,
  judged: JudgedPlan,
  revision: Revision | undefined,
): Promise<void> {
  const { name } = state;
  const { newCommands } = judged;
  const commands =
    newCommands.length > COMMANDS_TOLD ? ['', 'Every new command, whole:', ...newCommands.map(renderCommand)] : [];
  const question = [
    describeChange(state, judged, revision),
    '',
    renderProposal(judged, name, revision?.call.command === 'plan edit' ? 'plan edit' : 'plan apply'),
    ...commands,
    ...(revision?.remarks?.() ?? []).flatMap((line) => ['', `! ${line}`]),
    '',
    'Type yes to go on with it, anything else to go on as before: ',
  ];
  const typed = await context.ask(question.join('\n'));
  if (/^yes$/i.test(typed)) return;
  throw new DevCliError('UNKNOWN_CHOICE', 'The plan was not applied; the execution goes on as before.', {
    run: name,
    fix:
      revision === undefined
        ? ['The files keep the edit. To see it again: ', { command: 'plan apply', input: { name, dryRun: true } }]
        : [
            revision.call.command === 'plan edit'
              ? 'The edited text is kept. To decide again: '
              : 'Nothing was written. To decide again: ',
            revision.call,
          ],
  });
}

/** Whose change it is. */
function describeChange(state: RunState, { disk, moved }: JudgedPlan, revision: Revision | undefined): string {
  const { name } = state;
  if (disk.source === null && moved.reopen.length > 0)
    return `${moved.reopen.join(', ')} of "${name}" is to be done again.`;
  if (revision !== undefined)
    return `"${name}" is carrying out its plan, which \`${revision.call.command}\` would change.`;
  return getCurrent(state).engine?.proposed === undefined
    ? `"${name}" is carrying out its plan, and ${disk.source ?? 'the call'} changes it.`
    : `The agent of "${name}" proposes a changed plan. Each change in full: dev-cli plan diff ${name}`;
}

/**
 * In autopilot nobody answers a gate.
 * @throws DevCliError `TERMINAL_REQUIRED`
 */
export function requirePersonInAutopilot(
  context: Context,
  state: RunState,
  { reopen, revision }: { reopen: readonly string[]; revision: Revision | undefined },
): void {
  if (getCurrent(state).mode['interaction'] !== 'autopilot') return;
  const { name } = state;
  const again = reopen.length === 0 ? {} : { reopen: [...reopen] };
  requireTerminal(context, revision?.call ?? { command: 'plan apply', input: { name, ...again } }, name);
}

/**
 * Requires that the files are those that a person has agreed to.
 * @param shown their digests when the question was asked
 * @throws DevCliError `INPUT_CHANGED`
 */
export function requireAsShown(tx: Transaction, shown: Record<string, string | null>): void {
  const now = digestProposal(tx);
  const changed = Object.keys(now).find((path) => now[path] !== shown[path]);
  if (changed === undefined) return;
  throw new DevCliError('INPUT_CHANGED', `${changed} changed after the question was asked.`, {
    details: [{ target: changed, problem: 'not as it was when the question was asked' }],
    fix: 'Nothing was applied. Repeat the command: it asks again, about the files as they are now.',
  });
}
