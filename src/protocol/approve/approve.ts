import type { Answer } from '../../base/answer.js';
import { type Decision, renderDecision } from '../../base/decision.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { CommandFormatter } from '../../base/invocation.js';
import { isRecord } from '../../base/json.js';
import { requireName } from '../../base/name.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { GateAction } from '../../run/action.js';
import type { Context } from '../../run/context.js';
import type { RunHead, RunState } from '../../run/state.js';
import { readRun, runsWhere } from '../find/find-run.js';
import { applyPlan } from '../plan/apply.js';
import type { Editor } from '../plan/edit.js';
import { renderContinuation, requireTerminal } from '../trust/person.js';
import { answerOpenGate, type GateChoice, requireOffered, unknownChoiceError } from './answer.js';
import { adoptPlanAtGate, type GateNow, listPlanKeys, type OpenGate } from './plan-at-gate.js';
import { buildGateDecision } from './question.js';

type ApproveInput = Omit<InputOf<'approve'>, 'name'>;

/**
 * `approve [name]`: asks the person at the terminal to answer a gate, to decide on a plan that an agent proposed, to
 * accept sources that changed during a step that must not change them, or to allow waiting commits on the present HEAD
 * (protocol.md §3; harness.md, Human gates).
 * @param given the run's name; by default the only run in which something waits for a person
 * @param input.choice the answer, if already chosen; the person then only confirms it
 * @param editor the person's editor, for changing the plan before answering
 * @throws DevCliError `TERMINAL_REQUIRED`, `NO_SUCH_RUN`, `NAME_REQUIRED`, `DATA_UNEXPECTED` when nothing waits,
 * `UNKNOWN_CHOICE`, `STALE_ACTION` when the gate was answered while the person was being asked
 */
export async function approve(
  context: Context,
  given: string | undefined,
  input: ApproveInput,
  editor: Editor,
): Promise<Answer> {
  const name = given === undefined ? await findWaitingRun(context) : requireName(given);
  requireTerminal(context, { command: 'approve', input: { name } }, name);
  const head = await readRun(context, name);
  const action = head.snapshot.pendingAction;
  if (action?.action === 'wait-for-user') return answerGate(context, head, action, { ...input, editor });
  const asksSources = head.snapshot.sourcesRefused !== null;
  if (asksSources || head.snapshot.engine?.waits?.head === true) {
    const { acceptSources, approveHead } = await import('./yes-or-no.js');
    return (asksSources ? acceptSources : approveHead)(context, head.snapshot, input.choice);
  }
  if (isProposed(head.snapshot)) {
    // No other choice is accepted here: a rejection needs a reason, for which only the gate asks.
    if (input.choice !== undefined && input.choice !== 'approve') throw notYetAskedError(name);
    return applyPlan(context, name, {});
  }
  throw new DevCliError('DATA_UNEXPECTED', `Nothing in "${name}" waits for a person.`, {
    run: name,
    fix: { command: 'status', input: { name } },
  });
}

async function answerGate(
  context: Context,
  head: RunHead,
  asked: GateAction,
  given: ApproveInput & { editor: Editor },
): Promise<Answer> {
  const { run: name } = asked;
  // An edit may close the gate or replace it with another one.
  let open: GateNow = await adoptPlanAtGate(context, head, asked);
  if ('told' in open) return open.told;
  const build = async (at: OpenGate): Promise<Decision> => {
    const decision = await buildGateDecision(context, at);
    const move = async (next: GateNow) => {
      open = next;
      return 'told' in next ? null : build(next);
    };
    return { ...decision, looks: [...decision.looks, ...listPlanKeys(context, at, { editor: given.editor, move })] };
  };
  const decision = await build(open);
  const chosen = await askForChoice(context, () => open, given.choice, decision);
  if ('told' in chosen) return chosen.told;
  const { gate: about, choice } = chosen;
  const note = given.note ?? (choice.reason === 'required' ? await context.ask('Why? ') : undefined);
  const answer = await answerOpenGate(context, about, { choice: choice.id, ...omitUndefined({ note }) });
  const origin = head.snapshot?.origin;
  const goal = origin?.kind === 'goal' ? origin.id : null;
  return { ...answer, text: (format) => renderConfirmation(answer, { name, goal }, format) };
}

/**
 * Asks for one of a gate's choices.
 * @param find returns the open gate; editing the plan during the question may have replaced it
 * @param named the choice given with `--choice`; the person then only confirms it
 * @throws DevCliError `UNKNOWN_CHOICE`
 */
async function askForChoice(
  context: Context,
  find: () => GateNow,
  named: string | undefined,
  decision: Decision,
): Promise<{ gate: OpenGate; choice: GateChoice } | { told: Answer }> {
  const first = find();
  if ('told' in first) return first;
  if (named !== undefined) {
    const choice = requireOffered(first, named, `This gate does not offer ${JSON.stringify(named.slice(0, 40))}.`);
    const typed = await context.ask([renderDecision(decision), '', `Type yes to answer «${choice.id}»: `].join('\n'));
    if (!/^yes$/i.test(typed)) throw unknownChoiceError(first, `«${choice.id}» was not confirmed.`);
    return { gate: first, choice };
  }
  const decided = await context.decide(decision);
  const gate = find();
  return 'told' in gate ? gate : { gate, choice: requireOffered(gate, decided, 'Nothing was chosen.') };
}

/**
 * Renders the confirmation of an answer: the warnings, because `next` will not repeat them to the agent, and what to do
 * next.
 */
function renderConfirmation(
  { json }: Answer,
  { name, goal }: { name: string; goal: string | null },
  format: CommandFormatter,
): string {
  const warnings = 'warnings' in json && Array.isArray(json.warnings) ? json.warnings : [];
  const isHeld = 'next' in json && isRecord(json.next) && json.next['action'] === 'held';
  // While a run of a goal waits for a person, no session works on it. The next batch starts one (loop-core.md, auto).
  const goOn =
    goal === null || isHeld
      ? renderContinuation(name, isHeld, format)
      : `The next dev-cli auto continues with ${goal}.`;
  return [...warnings.map((line) => `! ${line}`), `Recorded. ${goOn}`].join('\n');
}

/**
 * Returns the only run in which something waits for a person.
 * @throws DevCliError `NAME_REQUIRED` if there are several, `DATA_UNEXPECTED` if there is none
 */
async function findWaitingRun(context: Context): Promise<string> {
  const waiting = await runsWhere(context, (state) => {
    const { status, pendingAction } = state;
    const { sourcesRefused, engine } = state;
    const asks = pendingAction?.action === 'wait-for-user' || sourcesRefused !== null;
    return (status === 'live' && asks) || (status !== 'aborted' && engine?.waits?.head === true);
  });
  if (waiting.length === 0) waiting.push(...(await runsWhere(context, isProposed)));
  const [name, ...more] = waiting;
  if (name === undefined) {
    throw new DevCliError('DATA_UNEXPECTED', 'No run waits for a person.', { fix: { command: 'list', input: {} } });
  }
  if (more.length === 0) return name;
  throw new DevCliError('NAME_REQUIRED', `Several runs wait for a person: ${waiting.join(', ')}.`, {
    details: waiting.map((target) => ({ target, problem: 'waits for a person' })),
    fix: 'Name one.',
    answer: { command: 'approve', input: { name } },
  });
}

/** Whether an agent has proposed a changed plan; a gate asks about the proposal once no task is handed out. */
function isProposed(state: RunState): boolean {
  return state.status === 'live' && state.engine?.proposed !== undefined;
}

function notYetAskedError(name: string): DevCliError {
  return new DevCliError(
    'DATA_UNEXPECTED',
    `The agent of "${name}" proposes a changed plan: you are asked before the next task.`,
    {
      run: name,
      fix: [
        'See it: ',
        { command: 'plan diff', input: { name } },
        '. To decide now: ',
        { command: 'plan apply', input: { name } },
      ],
    },
  );
}
