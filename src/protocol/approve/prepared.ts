import type { Answer } from '../../base/answer.js';
import type { Decision } from '../../base/decision.js';
import { defined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { sha256 } from '../../base/sha256.js';
import type { GateAction } from '../../run/action.js';
import type { Context } from '../../run/context.js';
import type { RunHead } from '../../run/state.js';
import { COMMANDS_HEADING } from '../../views/gate.js';
import { readRun } from '../find/find-run.js';
import { requireTerminal } from '../trust/person.js';
import { answerOpenGate, gateAnsweredError, requireOffered } from './answer.js';
import { lookAtGate, type OpenGate, takeUpAtGate } from './plan-at-gate.js';
import { buildGateDecision } from './question.js';

/** An answer to a gate that is given in two steps, elsewhere than at the terminal that confirms it (view-page.md, Deciding). */

/** What `approve` would show of a gate. */
export interface ShownGate {
  actionId: string;
  decision: Decision;
  /** Of what is decided on: of the gate's document, else of what is shown. */
  digest: string;
}

/** An answer, and what it was given on. */
export interface GateAnswer {
  actionId: string;
  choice: string;
  note?: string;
  digest: string;
}

/** Exactly what an answer would decide. */
export interface PreparedAnswer extends GateAnswer {
  run: string;
  title: string;
  /** How many commands dev-cli would run by it. */
  commands: number;
  /** Of all that is shown, answers included. */
  shown: string;
}

/** Shows the gate that is open, with nothing taken up; null where none is. @throws DevCliError `STATE_CORRUPT` */
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
 * Prepares exactly what `approve` would decide, and writes nothing: what has changed in the plan is taken up by the person's number.
 * @throws DevCliError `TERMINAL_REQUIRED`, `NO_SUCH_RUN`; `STALE_ACTION` where the gate is open no more; `INPUT_CHANGED` where it asks
 * about something else by now; `UNKNOWN_CHOICE`, `DATA_MISSING` without the reason that the choice wants
 */
export async function prepareAnswer(context: Context, name: string, input: GateAnswer): Promise<PreparedAnswer> {
  const { head, action } = await requireOpen(context, name, input.actionId);
  return prepare(context, lookAtGate(context, head, action), input);
}

/**
 * Decides what was prepared, as a person, and nothing else. A plan that has changed is taken up, and asked about anew.
 * @throws DevCliError as `prepareAnswer`, and what the acknowledgement refuses
 */
export async function decidePrepared(context: Context, given: PreparedAnswer): Promise<Answer> {
  const { run: name, actionId, choice, note } = given;
  const { head, action } = await requireOpen(context, name, actionId);
  const gate = await takeUpAtGate(context, head, action);
  if ('told' in gate || gate.action.actionId !== actionId) throw inputChangedError(name);
  // A change that cannot be taken up is told by the acknowledgement, where it matters.
  const now = await prepare(context, { ...gate, faults: [] }, given);
  if (now.shown !== given.shown) throw inputChangedError(name);
  return answerOpenGate(context, gate, { choice, ...defined({ note }) });
}

async function prepare(context: Context, gate: OpenGate, input: GateAnswer): Promise<PreparedAnswer> {
  const { actionId, choice, note, digest } = input;
  const { run } = gate.action;
  const { decision, digest: asked } = await show(context, gate);
  if (asked !== digest) throw inputChangedError(run);
  const offered = decision.answers.some(({ id }) => id === choice) ? choice : null;
  const { reason } = requireOffered(gate, offered, `This gate does not offer ${JSON.stringify(choice.slice(0, 40))}.`);
  if (reason === 'required' && (note ?? '') === '') {
    throw new DevCliError('DATA_MISSING', `The choice «${choice}» wants a reason.`, { run, fix: 'Give one.' });
  }
  const commands = decision.sections.flatMap(({ heading, lines }) => (heading === COMMANDS_HEADING ? lines : []));
  const about = { title: gate.action.message.split('\n')[0] ?? '', commands: commands.length };
  return { actionId, choice, ...defined({ note }), digest, run, ...about, shown: digestShown(decision) };
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
  return new DevCliError('INPUT_CHANGED', 'What is decided on has changed since it was shown; nothing was decided.', {
    run: name,
    fix: 'Look at what is asked now, and answer again.',
  });
}
