import type { Answer } from '../../base/answer.js';
import type { Decision } from '../../base/decision.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { sha256 } from '../../base/sha256.js';
import type { GateAction } from '../../run/action.js';
import type { Context } from '../../run/context.js';
import type { RunHead } from '../../run/state.js';
import { COMMANDS_HEADING } from '../../views/gate.js';
import { readRun } from '../find/find-run.js';
import { requireTerminal } from '../trust/person.js';
import { answerOpenGate, gateAnsweredError, requireOffered } from './answer.js';
import { adoptPlanAtGate, lookAtGate, type OpenGate } from './plan-at-gate.js';
import { buildGateDecision } from './question.js';

/**
 * Answers a gate in two steps: the person chooses on the page and confirms at a terminal (view-page.md, Deciding).
 */

/** A gate as `approve` would show it. */
export interface ShownGate {
  actionId: string;
  decision: Decision;
  /** Digest of the gate's document; if it has none, of the decision as shown. */
  digest: string;
}

/** An answer, and the `digest` of the gate as the person saw it. */
export interface GateAnswer {
  actionId: string;
  choice: string;
  note?: string;
  digest: string;
}

/** An answer, with everything that it would decide. */
export interface PreparedAnswer extends GateAnswer {
  run: string;
  title: string;
  /** How many commands the answer would allow dev-cli to run. */
  commands: number;
  /** Digest of everything that the person is shown, including the choices that the gate offers. */
  shown: string;
}

/**
 * Shows the open gate without applying changes to the plan; null if none is open. @throws DevCliError `STATE_CORRUPT`
 */
export async function showOpenGate(context: Context, head: RunHead): Promise<ShownGate | null> {
  const { pendingAction: action, status } = head.snapshot;
  if (status !== 'live' || action?.action !== 'wait-for-user') return null;
  return show(context, lookAtGate(context, head, action));
}

async function show(context: Context, gate: OpenGate): Promise<ShownGate> {
  const decision = await buildGateDecision(context, gate);
  const { actionId, artifact } = gate.action;
  return { actionId, decision, digest: artifact?.digest ?? digestShown(decision) };
}

function digestShown({ title, sections, answers }: Decision): string {
  return sha256(JSON.stringify({ title, sections, answers }));
}

/**
 * Prepares exactly what `approve` would decide, and writes nothing: a changed plan is applied only when the person
 * confirms.
 * @throws DevCliError `TERMINAL_REQUIRED`, `NO_SUCH_RUN`; `STALE_ACTION` if the gate is no longer open; `INPUT_CHANGED`
 * if it now asks about something else; `UNKNOWN_CHOICE`; `DATA_MISSING` if the choice requires a reason and none is
 * given
 */
export async function prepareAnswer(context: Context, name: string, input: GateAnswer): Promise<PreparedAnswer> {
  const { head, action } = await requireOpen(context, name, input.actionId);
  return prepare(context, lookAtGate(context, head, action), input);
}

/**
 * Gives the prepared answer as a person. If the plan changed, the change is applied, the gate asks again, and the
 * answer is refused.
 * @throws DevCliError as `prepareAnswer`, and any refusal of the acknowledgement
 */
export async function decidePrepared(context: Context, given: PreparedAnswer): Promise<Answer> {
  const { run: name, actionId, choice, note } = given;
  const { head, action } = await requireOpen(context, name, actionId);
  const gate = await adoptPlanAtGate(context, head, action);
  if ('told' in gate || gate.action.actionId !== actionId) throw inputChangedError(name);
  // Leaves out changes to the plan that could not be applied (`faults`). If such a change matters for this answer, the
  // acknowledgement refuses the answer.
  const now = await prepare(context, { ...gate, faults: [] }, given);
  if (now.shown !== given.shown) throw inputChangedError(name);
  return answerOpenGate(context, gate, { choice, ...omitUndefined({ note }) });
}

async function prepare(context: Context, gate: OpenGate, input: GateAnswer): Promise<PreparedAnswer> {
  const { actionId, choice, note, digest } = input;
  const { run } = gate.action;
  const { decision, digest: asked } = await show(context, gate);
  if (asked !== digest) throw inputChangedError(run);
  const offered = decision.answers.some(({ id }) => id === choice) ? choice : null;
  const { reason } = requireOffered(gate, offered, `This gate does not offer ${JSON.stringify(choice.slice(0, 40))}.`);
  if (reason === 'required' && (note ?? '') === '') {
    throw new DevCliError('DATA_MISSING', `The choice «${choice}» requires a reason.`, {
      run,
      fix: 'Answer again with a reason.',
    });
  }
  const commands = decision.sections.flatMap(({ heading, lines }) => (heading === COMMANDS_HEADING ? lines : []));
  const about = { title: gate.action.message.split('\n')[0] ?? '', commands: commands.length };
  return { actionId, choice, ...omitUndefined({ note }), digest, run, ...about, shown: digestShown(decision) };
}

async function requireOpen(
  context: Context,
  name: string,
  actionId: string,
): Promise<{ head: RunHead; action: GateAction }> {
  requireTerminal(context, { command: 'approve', input: { name } }, name);
  const head = await readRun(context, name);
  const { pendingAction: action } = head.snapshot;
  if (action?.action === 'wait-for-user' && action.actionId === actionId) return { head, action };
  throw gateAnsweredError(name, actionId);
}

function inputChangedError(name: string): DevCliError {
  return new DevCliError(
    'INPUT_CHANGED',
    'The subject of the decision has changed since it was shown; nothing was decided.',
    {
      run: name,
      fix: 'Read the question as it is now, then answer again.',
    },
  );
}
