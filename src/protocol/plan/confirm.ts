import { DevCliError } from '../../base/errors.js';
import { renderProposal } from '../../engine/act/gates/apply-gate.js';
import type { JudgedPlan } from '../../engine/act/plan/verdicts.js';
import { renderPlannedCommand } from '../../plan/model/commands.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { requireTerminal } from '../trust/person.js';
import type { Revision } from './decide.js';

/** How many new commands the proposal's summary lists; if there are more, the full list follows it. */
const COMMANDS_TOLD = 12;

/**
 * Shows a person at the terminal how the change affects the execution, and asks once.
 * @param revision the change, if a command makes it; undefined if the plan's files contain it
 * @returns null for yes; for a no to an agent's proposal, the person's reason
 * @throws DevCliError `UNKNOWN_CHOICE` for any other answer, `DATA_MISSING` for a no without a reason
 */
export async function confirmPlan(
  context: Context,
  state: RunState,
  judged: JudgedPlan,
  revision: Revision | undefined,
): Promise<string | null> {
  const { name } = state;
  const { newCommands } = judged;
  const isProposed = revision === undefined && state.engine?.proposed !== undefined;
  const commands =
    newCommands.length > COMMANDS_TOLD
      ? ['', 'Every new command in full:', ...newCommands.map(renderPlannedCommand)]
      : [];
  const question = [
    describeChange(state, judged, revision),
    '',
    renderProposal(judged, name, revision?.call.command === 'plan edit' ? 'plan edit' : 'plan apply'),
    ...commands,
    ...(revision?.remarks?.() ?? []).flatMap((line) => ['', `! ${line}`]),
    '',
    isProposed
      ? 'Type yes to accept it, no to reject it, anything else to decide later: '
      : 'Type yes to accept it, anything else to continue as before: ',
  ];
  const typed = await context.ask(question.join('\n'));
  if (/^yes$/i.test(typed)) return null;
  if (isProposed && /^no$/i.test(typed)) return askWhy(context, name);
  throw new DevCliError('UNKNOWN_CHOICE', renderRefusal(isProposed), {
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

function renderRefusal(isProposed: boolean): string {
  const later = isProposed ? 'the agent’s proposal still waits for you' : 'the execution continues as before';
  return `The plan was not applied; ${later}.`;
}

async function askWhy(context: Context, name: string): Promise<string> {
  const why = await context.ask('Why? ');
  if (why.trim() !== '') return why;
  throw new DevCliError('DATA_MISSING', 'Rejecting the agent’s proposal requires a reason; nothing was decided.', {
    run: name,
    fix: { command: 'approve', input: { name } },
  });
}

/** Renders who or what would change the plan: its files, a command or the agent. */
function describeChange(state: RunState, { disk, moved }: JudgedPlan, revision: Revision | undefined): string {
  const { name } = state;
  if (disk.source === null && moved.reopen.length > 0)
    return `${moved.reopen.join(', ')} of "${name}" is to be done again.`;
  if (revision !== undefined)
    return `"${name}" is carrying out its plan, which \`${revision.call.command}\` would change.`;
  return state.engine?.proposed === undefined
    ? `"${name}" is carrying out its plan, and ${disk.source ?? 'the call'} changes it.`
    : `The agent of "${name}" proposes a changed plan. Each change in full: dev-cli plan diff ${name}`;
}

/**
 * In autopilot, where nobody answers a gate, requires a person at a terminal.
 * @throws DevCliError `TERMINAL_REQUIRED`
 */
export function requirePersonInAutopilot(
  context: Context,
  state: RunState,
  { reopen, revision }: { reopen: readonly string[]; revision: Revision | undefined },
): void {
  if (state.mode['interaction'] !== 'autopilot') return;
  const { name } = state;
  const again = reopen.length === 0 ? {} : { reopen: [...reopen] };
  requireTerminal(context, revision?.call ?? { command: 'plan apply', input: { name, ...again } }, name);
}
