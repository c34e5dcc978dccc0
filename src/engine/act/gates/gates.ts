import { omitUndefined } from '../../../base/defined.js';
import { joinFirst } from '../../../base/words.js';
import { buildPersonFields } from '../../../blocks/gate.js';
import { APPROVE_PLAN } from '../../../blocks/plan-gate.js';
import { fillWholeText } from '../../../blocks/values/values.js';
import { toWholeLine } from '../../../documents/foreign.js';
import { APPLY_PLAN } from '../../../machine/engine-program.js';
import { digestCommands, listCommands, renderCommandList, renderPlannedCommand } from '../../../plan/model/commands.js';
import type { GateAction } from '../../../run/action.js';
import { displayPath, PLAN, PLAN_CONTENT } from '../../../run/paths.js';
import { setPendingAction } from '../../../run/pending-action.js';
import type { PendingState } from '../../../run/state.js';
import { recordEntry, type Transaction } from '../../../run/transaction.js';
import type { EngineEffect, StageResult } from '../../core/events.js';
import { recordTurningPoint } from '../notes.js';
import { getTodoBody, readWholePlan, requireEngine, runsCommands } from '../plan/plan.js';
import { buildPlanApproval } from '../plan/start.js';
import { getHandler, renderTodoProgress } from '../prompts/dispatch.js';
import { renderPlanText } from '../prompts/parts.js';
import { changeTodo, getTodoRow } from '../todo-rows.js';
import { buildApplyQuestion, digestProposal } from './apply-gate.js';

type EngineGate = Extract<EngineEffect, { type: 'gate' }>;

type Question = Required<Pick<GateAction, 'message' | 'choices'>> &
  Partial<Pick<GateAction, 'read' | 'artifact' | 'answer'>>;

/**
 * Makes a gate of the execution the pending action (engine.md, Gates).
 * @returns null while the gate waits; a verdict if nobody has to be asked
 */
export function openGate(tx: Transaction, block: string, gate: EngineGate): StageResult | null {
  if (gate.part === 'human' && tx.state.mode['interaction'] === 'autopilot') return skipHumanAcceptance(tx, gate);
  const { state } = tx;
  const actionId = `a${state.lastAction + 1}`;
  const question = gate.stage === APPLY_PLAN ? buildApplyQuestion(tx) : buildQuestion(tx, gate, actionId);
  if (question === null) return { kind: 'skipped' };
  const { message, choices, read, artifact, answer }: Question = question;
  state.lastAction += 1;
  const action: GateAction = {
    run: state.name,
    block,
    actionId,
    action: 'wait-for-user',
    asks: 'user',
    ...buildPersonFields(state.name, 'Show the user the message.'),
    ...omitUndefined({ answer }),
    message,
    ...omitUndefined({ artifact }),
    ...(gate.todo === null ? {} : { todoId: gate.todo }),
    ...omitUndefined({ read }),
    choices,
    progress: renderTodoProgress(requireEngine(tx)),
  };
  setPendingAction(tx, action, {}, 'gate', listHanded(tx, gate));
  return null;
}

/** Digests the files that an answer is about, because the answer is refused if they change. */
function listHanded(tx: Transaction, { stage }: EngineGate): Pick<PendingState, 'handed'> {
  if (stage === APPLY_PLAN) return { handed: digestProposal(tx) };
  return stage === APPROVE_PLAN ? { handed: { [PLAN_CONTENT]: tx.files.digest(PLAN_CONTENT) } } : {};
}

/**
 * Records a decision at a gate and returns its verdict for the engine.
 * @param note the person's text
 */
export function applyDecision(
  tx: Transaction,
  { todo, stage, part }: NonNullable<ReturnType<typeof findCurrentGate>>,
  choice: string,
  note: string,
): StageResult {
  const engine = requireEngine(tx);
  if (todo === null) return applyApproval(tx, stage, choice, note);
  if (part === 'question') {
    const question = engine.todos[todo]?.why ?? '';
    if (choice === 'halt') return { kind: 'halt', why: `not answered: ${toWholeLine(question)}`, blocked: true };
    recordTurningPoint(tx, 'answered', `${todo} asked: ${question} The answer: ${note}`);
    const { answers = [] } = getTodoRow(engine, todo);
    changeTodo(engine, todo, { answers: [...answers, { question, answer: note }] });
    return { kind: 'again', why: `the user answered: ${toWholeLine(note)}` };
  }
  if (choice === 'pass' || choice === 'approve') return { kind: 'pass' };
  const why = `${part === 'human' ? 'judged by a person' : stage}: ${toWholeLine(note)}`;
  changeTodo(engine, todo, { failures: [why] });
  const { attempt } = getTodoRow(engine, todo);
  const at = part === 'human' ? '' : ` at ${stage}`;
  recordTurningPoint(tx, 'rejected', `${todo}, attempt ${attempt}, by a person${at}: ${note}`);
  return { kind: 'fail', why };
}

/** Applies a decision about the plan or its commands. */
function applyApproval(tx: Transaction, stage: string, choice: string, note: string): StageResult {
  const engine = requireEngine(tx);
  const isPlan = stage === APPROVE_PLAN;
  if (choice === 'stop') {
    const what = isPlan ? 'the plan was' : 'the commands of the plan were';
    recordTurningPoint(tx, 'rejected', `${what} not approved`);
    return { kind: 'halt', why: `the user did not approve the ${isPlan ? 'plan' : 'commands'}` };
  }
  if (choice === 'revise') {
    recordTurningPoint(tx, 'rejected', `the plan, which must change: ${note}`);
    return { kind: 'halt', why: `the user wants another plan: ${toWholeLine(note)}` };
  }
  if (isPlan) engine.planApproved = buildPlanApproval(tx, { gate: APPROVE_PLAN, by: 'human', at: tx.at });
  engine.commandsApproved = { digest: digestPlanCommands(tx), by: 'human', seq: 0 };
  return { kind: 'pass' };
}

/** Returns the gate at which the engine waits, or null. */
export function findCurrentGate(tx: Transaction): Pick<EngineGate, 'todo' | 'stage' | 'part'> | null {
  const { at } = requireEngine(tx);
  return at === null ? null : { todo: at.todo, stage: at.stage, ...omitUndefined({ part: at.part }) };
}

/** Digests all commands of the plan that this run executes. An approval stores this digest. */
export function digestPlanCommands(tx: Transaction): string {
  return digestCommands(listCommands(readWholePlan(tx)));
}

function buildQuestion(tx: Transaction, { todo, stage, part }: EngineGate, actionId: string): Question {
  if (stage === APPROVE_PLAN) return buildPlanQuestion(tx);
  if (todo === null) return buildCommandsQuestion(tx, actionId);
  const title = `${todo} (${toWholeLine(requireEngine(tx).todos[todo]?.title ?? '')})`;
  if (part === 'human') {
    const criteria = getTodoBody(tx, todo).acceptance.filter((item) => item.kind === 'human');
    return {
      message: `Please judge ${title}:\n${criteria.map((item) => `- ${renderPlanText(tx, item.text)}`).join('\n')}`,
      choices: [
        { id: 'pass', label: 'It is correct' },
        { id: 'fail', label: 'It is not correct; say why', reason: 'required' },
      ],
    };
  }
  if (part === 'question') {
    return {
      message: `The worker of ${title} asks: ${toWholeLine(requireEngine(tx).todos[todo]?.why ?? '')}`,
      choices: [
        { id: 'answer', label: 'Answer; the todo is attempted again with the answer', reason: 'required' },
        { id: 'halt', label: 'Give this todo up' },
      ],
    };
  }
  const message = getHandler(tx, stage).message ?? `Continue with ${stage}?`;
  return {
    message: `${title}: ${fillWholeText(tx, message, tx.state.currentBlock)}`,
    choices: [
      { id: 'approve', label: 'Continue' },
      { id: 'reject', label: 'Do not accept it; say why', reason: 'required' },
    ],
  };
}

function buildPlanQuestion(tx: Transaction): Question {
  const file = displayPath(tx.place, tx.state.name, PLAN);
  const texts = renderPlanCommands(tx);
  const commands =
    texts.length === 0
      ? 'It has no commands.'
      : `Execution will run these commands:\n${renderCommandList(texts, `${PLAN} has them all`)}`;
  return {
    message: `This plan has not been approved in its present form. Carry it out?\n\n${commands}${renderTakenAsDone(tx)}`,
    choices: [
      { id: 'approve', label: 'Carry it out as it stands' },
      {
        id: 'revise',
        label: 'Change the plan; say what. Nothing is carried out',
        reason: 'required',
      },
      { id: 'stop', label: 'Do not carry it out' },
    ],
    read: [file],
    artifact: { path: file, digest: tx.files.digest(PLAN) },
  };
}

function buildCommandsQuestion(tx: Transaction, actionId: string): Question {
  const texts = renderPlanCommands(tx);
  const path = `actions/${actionId}/commands.md`;
  tx.files.write(path, `# Commands that dev-cli may run\n\n${texts.map((text) => `- ${text}`).join('\n')}\n`);
  const file = displayPath(tx.place, tx.state.name, path);
  const isUnlet = tx.state.preferences['approve_commands'] === 'person' && tx.state.mode['interaction'] === 'autopilot';
  const when = runsCommands(tx)
    ? 'To judge the work, dev-cli will run these commands of the plan on this machine, itself and without asking again'
    : 'This recipe verifies nothing, but each worker may have dev-cli run its commands of the plan on this machine, without asking again, to check its own work';
  return {
    message: `${isUnlet ? 'An agent began this run in autopilot, and no person has allowed it to start commands without asking. ' : ''}${when} (whole list: ${file}):\n${renderCommandList(texts, 'the whole list has them')}${renderTakenAsDone(tx)}`,
    choices: [
      { id: 'approve', label: 'Run them' },
      { id: 'stop', label: 'Do not run them; stop here' },
    ],
    read: [file],
    ...(isUnlet ? { answer: listWaysOn(tx.state.name) } : {}),
  };
}

/**
 * Lists the commands that a person can run if the gate asks in autopilot: approve these commands, or trust the clone.
 */
function listWaysOn(name: string): NonNullable<GateAction['answer']> {
  return [
    { command: 'approve', input: { name } },
    '; to let later runs in autopilot in this clone start without asking, also: ',
    { command: 'trust', input: { recipe: 'autopilot' } },
  ];
}

/** How many todos a line names. */
const NAMED = 20;

/** Renders the todos that will not be carried out because they already count as done; empty if there are none. */
function renderTakenAsDone(tx: Transaction): string {
  const { order, todos } = requireEngine(tx);
  const done = order.filter((id) => todos[id]?.status === 'done');
  return done.length === 0
    ? ''
    : `\n\nTaken as done, because their boxes in ${PLAN} are ticked: ${joinFirst(done, NAMED)}`;
}

/** Renders every command of the plan for the person who approves it. */
function renderPlanCommands(tx: Transaction): string[] {
  return listCommands(readWholePlan(tx)).map(renderPlannedCommand);
}

/** Skips criteria that need a person, since autopilot has nobody to ask. They become an open issue. */
function skipHumanAcceptance(tx: Transaction, { todo, stage }: EngineGate): StageResult {
  const criteria = getTodoBody(tx, todo ?? '').acceptance.filter((item) => item.kind === 'human');
  const line = `${todo}: not judged by a person (autopilot): ${criteria.map((item) => renderPlanText(tx, item.text)).join('; ')}`;
  requireEngine(tx).openIssues.push(toWholeLine(line));
  recordEntry(tx, 'stage', { todoId: todo, stage, outcome: 'skipped', summary: 'human acceptance, autopilot' });
  return { kind: 'skipped' };
}
