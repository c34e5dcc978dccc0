import type { Answer } from '../../base/answer.js';
import { type Decision, renderDecision } from '../../base/decision.js';
import { defined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { requireName } from '../../base/name.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { GateAction } from '../../run/action.js';
import type { Context } from '../../run/context.js';
import { getCurrent } from '../../run/current.js';
import { findChoices } from '../../run/pending-action.js';
import { stepComplete } from '../acknowledge/complete.js';
import { readRun, runsWhere } from '../find-run.js';
import { asPerson, requireTerminal } from '../person.js';
import type { RunHead } from '../run-view.js';
import { buildGateDecision } from './question.js';
import { acceptSources } from './sources.js';

type ApproveInput = Omit<InputOf<'approve'>, 'name'>;

/**
 * `approve [name]`: asks the person at the terminal to answer a gate, to accept sources that changed where they may
 * not, or to let waiting commits go to the present HEAD (protocol.md §3; harness.md, Human gates).
 * @param given the run's name; without it, the one run in which something waits for a person
 * @param input.choice the answer, which then only has to be confirmed
 * @throws DevCliError `TERMINAL_REQUIRED`, `NO_SUCH_RUN`, `NAME_REQUIRED`, `DATA_UNEXPECTED` when nothing waits,
 * `UNKNOWN_CHOICE`, `STALE_ACTION` when the gate was answered while the person was being asked
 */
export async function approve(context: Context, given: string | undefined, input: ApproveInput): Promise<Answer> {
  const name = given === undefined ? await findWaitingRun(context) : requireName(given);
  requireTerminal(context, { command: 'approve', input: { name } }, name);
  const head = await readRun(context, name);
  const action = head.snapshot.pendingAction?.action;
  if (action?.action === 'wait-for-user') return answerGate(context, head, action, input);
  if (getCurrent(head.snapshot).sourcesRefused !== null) return acceptSources(context, head.snapshot, input.choice);
  if (getCurrent(head.snapshot).engine?.waits?.head === true) {
    const { approveHead } = await import('./head.js');
    return approveHead(context, head.snapshot, input.choice);
  }
  throw new DevCliError('DATA_UNEXPECTED', `Nothing in "${name}" waits for a person.`, {
    run: name,
    fix: { command: 'status', input: { name } },
  });
}

async function answerGate(context: Context, head: RunHead, action: GateAction, given: ApproveInput): Promise<Answer> {
  const { run: name, actionId } = action;
  const choice = await askForChoice(context, action, given.choice, await buildGateDecision(context, head, action));
  const note = given.note ?? (choice.reason === 'required' ? await context.ask('Why? ') : undefined);
  const input = { action: actionId, choice: choice.id, ...defined({ note }) };
  const answer = await stepComplete(asPerson(context), name, input);
  if ('duplicate' in answer.json) throw gateAnsweredError(name, actionId);
  return { ...answer, text: (format) => renderConfirmation(answer, format({ command: 'next', input: { name } })) };
}

type GateChoice = NonNullable<GateAction['choices']>[number];

/**
 * Asks for one of a gate's choices.
 * @param named the choice given with `--choice`, which is only to be confirmed
 * @throws DevCliError `UNKNOWN_CHOICE`
 */
async function askForChoice(
  context: Context,
  action: GateAction,
  named: string | undefined,
  decision: Decision,
): Promise<GateChoice> {
  const choices = findChoices(action) ?? [];
  const { run: name } = action;
  const unknown = (message: string) =>
    new DevCliError('UNKNOWN_CHOICE', message, {
      run: name,
      fix: `Nothing changed. Choose one of: ${choices.map(({ id }) => id).join(', ')}.`,
      answer: { command: 'approve', input: { name } },
    });
  if (named !== undefined) {
    const choice = choices.find(({ id }) => id === named);
    if (choice === undefined) throw unknown(`This gate does not offer ${JSON.stringify(named.slice(0, 40))}.`);
    const typed = await context.ask([renderDecision(decision), '', `Type yes to answer «${choice.id}»: `].join('\n'));
    if (!/^yes$/i.test(typed)) throw unknown(`«${choice.id}» was not confirmed.`);
    return choice;
  }
  const decided = await context.decide(decision);
  const chosen = choices.find(({ id }) => id === decided);
  if (chosen === undefined) throw unknown('Nothing was chosen.');
  return chosen;
}

function gateAnsweredError(name: string, actionId: string): DevCliError {
  return new DevCliError('STALE_ACTION', `The gate ${actionId} was answered meanwhile; this answer changed nothing.`, {
    run: name,
    fix: { command: 'status', input: { name } },
  });
}

/** What the person reads after an answer: the warnings, which the agent would not learn from `next`, and what to do. */
function renderConfirmation({ json }: Answer, next: string): string {
  const warnings = 'warnings' in json && Array.isArray(json.warnings) ? json.warnings : [];
  return [...warnings.map((line) => `! ${line}`), `Recorded. Tell the agent to go on with: ${next}`].join('\n');
}

/**
 * The one run in which something waits for a person.
 * @throws DevCliError `NAME_REQUIRED` where there are several, `DATA_UNEXPECTED` where there is none
 */
async function findWaitingRun(context: Context): Promise<string> {
  const waiting = await runsWhere(context, (state) => {
    const { status, pendingAction } = state;
    const { sourcesRefused, engine } = getCurrent(state);
    const asks = pendingAction?.action.action === 'wait-for-user' || sourcesRefused !== null;
    return (status === 'live' && asks) || (status !== 'aborted' && engine?.waits?.head === true);
  });
  const [name, ...more] = waiting;
  if (name === undefined) {
    throw new DevCliError('DATA_UNEXPECTED', 'No run waits for a person.', { fix: { command: 'list', input: {} } });
  }
  if (more.length === 0) return name;
  throw new DevCliError('NAME_REQUIRED', `Several runs wait for a person: ${waiting.join(', ')}.`, {
    details: waiting.map((target) => ({ target, problem: 'waits for a person' })),
    fix: 'Say which one is meant.',
    answer: { command: 'approve', input: { name } },
  });
}
