import { forPerson } from '../../blocks/gate.js';
import { pend } from '../../blocks/pending.js';
import { APPROVE_PLAN } from '../../blocks/plan-gate.js';
import { wholeProse } from '../../blocks/values.js';
import { wholeLine } from '../../documents/foreign.js';
import { commandList, commandsDigest, commandsShown, commandText } from '../../documents/plan-commands.js';
import type { GateAction } from '../../run/action.js';
import { PLAN, PLAN_CONTENT, shownPath } from '../../run/paths.js';
import { record, type Turn } from '../../run/turn.js';
import type { EngineEffect, Verdict } from '../core/events.js';
import { noteCourse } from './course.js';
import { handlerOf, todoProgress } from './dispatch.js';
import { bodyOf, engineOf, runsCommands, wholePlan } from './plan.js';
import { planLine } from './prompt-parts.js';
import { approvalBy } from './start.js';

type Gate = Extract<EngineEffect, { type: 'gate' }>;

interface Choice {
  id: string;
  label: string;
  /** What the person says with it goes into a file that the choice's ack names. */
  reason?: 'required';
}

interface Question {
  message: string;
  choices: Choice[];
  read?: string[];
  /** The document that is decided on. */
  artifact?: NonNullable<GateAction['artifact']>;
}

/**
 * Makes a gate of the execution the pending action: the commands before anything runs, a criterion that a person judges,
 * a worker's question, a gate of the recipe's own (engine.md, Gates). Null: it waits; a verdict: nobody is asked.
 */
export function openGate(turn: Turn, block: string, gate: Gate): Verdict | null {
  if (gate.part === 'human' && turn.state.mode['interaction'] === 'autopilot') return skippedAcceptance(turn, gate);
  const { state } = turn;
  state.lastAction += 1;
  const actionId = `a${state.lastAction}`;
  const { message, choices, read, artifact } = questionOf(turn, gate, actionId);
  const action: GateAction = {
    run: state.name,
    block,
    actionId,
    action: 'wait-for-user',
    asks: 'user',
    ...forPerson(state.name, 'Show the user the message.'),
    message,
    ...(artifact === undefined ? {} : { artifact }),
    ...(gate.todo === null ? {} : { todoId: gate.todo }),
    ...(read === undefined ? {} : { read }),
    choices,
    progress: todoProgress(engineOf(turn)),
  };
  const asked = gate.stage === APPROVE_PLAN ? { handed: { [PLAN_CONTENT]: turn.files.digest(PLAN_CONTENT) } } : {};
  pend(turn, action, {}, 'gate', asked);
  return null;
}

/** The key under which a gate's decision stands in `gates`. */
export function gateKey({ todo, stage, part }: Pick<Gate, 'todo' | 'stage' | 'part'>): string {
  if (todo === null) return stage;
  if (part === 'human') return todo;
  return part === 'question' ? `${todo}/question` : `${todo}/${stage}`;
}

/** What a decision at a gate means for the engine; what must be kept of it is kept. */
export function decided(
  turn: Turn,
  { todo, stage, part }: NonNullable<ReturnType<typeof gateAt>>,
  choice: string,
  note: string,
): Verdict {
  const engine = engineOf(turn);
  if (stage === APPROVE_PLAN) {
    if (choice === 'stop') {
      noteCourse(turn, 'rejected', 'the plan was not approved');
      return { kind: 'halt', why: 'the user did not approve the plan' };
    }
    if (choice === 'revise') {
      noteCourse(turn, 'rejected', `the plan, which is to be another: ${note}`);
      return { kind: 'halt', why: `the user wants another plan: ${wholeLine(note)}` };
    }
    engine.planApproved = approvalBy(turn, { gate: APPROVE_PLAN, by: 'human', at: turn.at });
    engine.commandsApproved = { digest: planCommandsDigest(turn), by: 'human', seq: 0 };
    return { kind: 'pass' };
  }
  if (todo === null) {
    if (choice === 'stop') {
      noteCourse(turn, 'rejected', 'the commands of the plan were not approved');
      return { kind: 'halt', why: 'the user did not approve the commands' };
    }
    engine.commandsApproved = { digest: planCommandsDigest(turn), by: 'human', seq: 0 };
    return { kind: 'pass' };
  }
  if (part === 'question') {
    const question = engine.todos[todo]?.why ?? '';
    if (choice === 'halt') return { kind: 'halt', why: `not answered: ${wholeLine(question)}` };
    noteCourse(turn, 'answered', `${todo} asked: ${question} The answer: ${note}`);
    engine.answers[todo] = [...(engine.answers[todo] ?? []), { question, answer: note }];
    return { kind: 'again', why: `the user answered: ${wholeLine(note)}` };
  }
  if (choice === 'pass' || choice === 'approve') return { kind: 'pass' };
  const why = `${part === 'human' ? 'judged by a person' : stage}: ${wholeLine(note)}`;
  engine.failures[todo] = [why];
  const { attempt = 1 } = engine.todos[todo] ?? {};
  noteCourse(
    turn,
    'rejected',
    `${todo}, attempt ${attempt}, by a person${part === 'human' ? '' : ` at ${stage}`}: ${note}`,
  );
  return { kind: 'fail', why };
}

/** The gate that the engine waits at, or null. */
export function gateAt(turn: Turn): Pick<Gate, 'todo' | 'stage' | 'part'> | null {
  const { at } = engineOf(turn);
  return at === null ? null : { todo: at.todo, stage: at.stage, ...(at.part === undefined ? {} : { part: at.part }) };
}

/** The digest of all commands of the plan that this run executes. */
export function planCommandsDigest(turn: Turn): string {
  return commandsDigest(commandList(wholePlan(turn)));
}

function questionOf(turn: Turn, { todo, stage, part }: Gate, actionId: string): Question {
  if (stage === APPROVE_PLAN) return planQuestion(turn);
  if (todo === null) return commandsQuestion(turn, actionId);
  const title = `${todo} (${wholeLine(engineOf(turn).todos[todo]?.title ?? '')})`;
  if (part === 'human') {
    const criteria = bodyOf(turn, todo).acceptance.filter((item) => item.kind === 'human');
    return {
      message: `Please judge ${title}:\n${criteria.map((item) => `- ${planLine(turn, item.text)}`).join('\n')}`,
      choices: [
        { id: 'pass', label: 'It is right' },
        { id: 'fail', label: 'It is not right; say what', reason: 'required' },
      ],
    };
  }
  if (part === 'question') {
    return {
      message: `The worker of ${title} asks: ${wholeLine(engineOf(turn).todos[todo]?.why ?? '')}`,
      choices: [
        { id: 'answer', label: 'Answer; the todo is attempted again with it', reason: 'required' },
        { id: 'halt', label: 'Give this todo up' },
      ],
    };
  }
  const message = handlerOf(turn, stage).message ?? `Go on with ${stage}?`;
  return {
    message: `${title}: ${wholeProse(turn, message, turn.state.currentBlock)}`,
    choices: [
      { id: 'approve', label: 'Go on' },
      { id: 'reject', label: 'Not like this; say why', reason: 'required' },
    ],
  };
}

/** The plan, with what approving it lets dev-cli run. */
function planQuestion(turn: Turn): Question {
  const file = shownPath(turn.place, turn.state.name, PLAN);
  const texts = commandTexts(turn);
  const commands =
    texts.length === 0
      ? 'It has no commands.'
      : `Execution will run these commands:\n${commandsShown(texts, `${PLAN} has them all`)}`;
  return {
    message: `This plan was asked about and is not approved as it stands. Shall it be carried out?\n\n${commands}`,
    choices: [
      { id: 'approve', label: 'Carry it out as it stands' },
      {
        id: 'revise',
        label: 'Another plan is wanted; say what is to change. Nothing is carried out',
        reason: 'required',
      },
      { id: 'stop', label: 'Do not carry it out' },
    ],
    read: [file],
    artifact: { path: file, digest: turn.files.digest(PLAN) },
  };
}

function commandsQuestion(turn: Turn, actionId: string): Question {
  const texts = commandTexts(turn);
  const path = `actions/${actionId}/commands.md`;
  turn.files.write(path, `# Commands that dev-cli may run\n\n${texts.map((text) => `- ${text}`).join('\n')}\n`);
  const file = shownPath(turn.place, turn.state.name, path);
  const when = runsCommands(turn)
    ? 'To judge the work, dev-cli will run these commands of the plan on this machine, itself and without asking again'
    : 'This recipe verifies nothing, but each worker may have dev-cli run its commands of the plan on this machine, without asking again, to check its own work';
  return {
    message: `${when} (whole list: ${file}):\n${commandsShown(texts, 'the whole list has them')}`,
    choices: [
      { id: 'approve', label: 'Run them' },
      { id: 'stop', label: 'Do not run them; stop here' },
    ],
    read: [file],
  };
}

/** Every command of the plan that this run executes, as whoever approves it reads it. */
export function commandTexts(turn: Turn): string[] {
  return commandList(wholePlan(turn)).map(commandText);
}

/** In autopilot nobody is there to judge: it is let pass, and the report says so. */
function skippedAcceptance(turn: Turn, { todo, stage }: Gate): Verdict {
  const criteria = bodyOf(turn, todo ?? '').acceptance.filter((item) => item.kind === 'human');
  const line = `${todo}: not judged by a person (autopilot): ${criteria.map((item) => planLine(turn, item.text)).join('; ')}`;
  engineOf(turn).openIssues.push(wholeLine(line));
  record(turn, 'stage', { todoId: todo, stage, outcome: 'skipped', summary: 'human acceptance, autopilot' });
  return { kind: 'skipped' };
}
