import type { Answer } from '../../../base/answer.js';
import { omitUndefined } from '../../../base/defined.js';
import type { ExitCode } from '../../../base/error-codes.js';
import { DevCliError, type ErrorDetail } from '../../../base/errors.js';
import type { CommandFormatter, Invocation } from '../../../base/invocation.js';
import { findRun, readRun } from '../../../protocol/find/find-run.js';
import type { Handler } from '../../../protocol/ports.js';
import { showNextAction } from '../../../protocol/questions/next.js';
import type { InputIn } from '../../../registry/spec.js';
import type { PendingAction } from '../../../run/action.js';
import type { Context } from '../../../run/context.js';
import { getShownAction } from '../../../run/pending-action.js';
import { type Claim, claimPath } from '../../../store/claim.js';
import { answerOrStream } from '../answer.js';
import type { UsageTotal } from '../bill.js';
import { formatCost, formatUsage } from '../core/usage.js';
import { openRuntime } from '../runtime.js';
import { nameWorkSession } from '../sessions/find.js';
import { nameSessionDirectory } from '../sessions/session.js';
import { showDryRun } from '../show-request.js';
import type { RUNTIME_SPECS } from '../specs.js';
import { chooseAcknowledgement, reportActionFailed, submitAcknowledgement } from './acknowledge.js';
import { driveChildren } from './children.js';
import { type DrivenRun, type DriveResult, openDriven, toStep } from './driven.js';
import { createFinish } from './finish.js';
import { renderActionMessage } from './message.js';
import { performWork } from './perform.js';
import { driveTasks } from './tasks.js';

type DriveInput = InputIn<typeof RUNTIME_SPECS, 'drive'>;

/** Why a drive ended. */
type DriveEnd =
  | { status: 'completed' }
  | { status: 'halted' | 'aborted'; reason: string; resume?: Invocation }
  | { status: 'held' | 'budget' | 'provider' | 'interrupted'; reason: string }
  | { status: 'waiting'; reason: string; waiting: Question };

/**
 * A question that a person has to answer: with the command `answer`, or with that of one of the `choices`. If `data` is
 * given, the file that it names must be written first.
 */
interface Question {
  actionId: string;
  message: string;
  data?: { write: string };
  answer?: Invocation;
  choices?: readonly { id: string; label: string; ack?: Invocation }[];
  details?: readonly ErrorDetail[];
}

const EXITS: Readonly<Record<DriveEnd['status'], ExitCode>> = {
  ...{ completed: 0, halted: 3, aborted: 3, waiting: 3, held: 3, budget: 3 },
  ...{ provider: 1, interrupted: 130 },
};
/** Seconds that one call of `next` waits for a command of the run; then the drive asks again. */
const WAIT = 45;

/**
 * `drive`: does the actions of a run one after the other, until the run ends, a person has to answer, or a budget is
 * used up (runtime.md, Driving). If the process is killed at any moment, repeating the call continues the drive.
 * @throws DevCliError `RUNTIME_INVALID` before anything is sent; `LOCKED` if another process drives the run; `IO`, or
 * any error of `next`
 */
export const driveRun: Handler<DriveInput> = async (context, input, call) => {
  const name = await findRun(context, input.name, true);
  const { runId } = (await readRun(context, name)).snapshot;
  const run = { name, runId };
  if (input.dryRun) {
    const action = getShownAction((await readRun(context, name)).snapshot);
    const isOpen = action !== null && 'actionId' in action;
    const message = isOpen
      ? renderActionMessage(action, context)
      : `Nothing would be sent: the run is ${action?.action}.`;
    const choices = isOpen && 'choices' in action ? (action.choices ?? []) : [];
    return showDryRun(
      { context, input, call, kind: 'drive', run },
      [createFinish(choices, async () => {}).tool],
      message,
    );
  }
  return answerOrStream(input, async (emit) => {
    const held = claimRun(context, name);
    try {
      const runtime = await openRuntime({ context, input, call, emit, kind: 'drive', run });
      try {
        const end = await driveOn(openDriven(runtime, context, run)).catch(toInterrupted);
        return renderEnd(name, end, await runtime.total());
      } finally {
        await runtime.close();
      }
    } finally {
      held.release();
    }
  });
};

async function driveOn(driven: DrivenRun): Promise<DriveEnd> {
  for (;;) {
    if (driven.runtime.isLate()) return { status: 'budget', reason: 'the time of --max-minutes is over' };
    if (driven.context.signal.aborted) return { status: 'interrupted', reason: 'Ctrl-C or SIGTERM' };
    // Completes what a crash left unfinished, waits for dev-cli's own commands, and issues the next action.
    await showNextAction(driven.call(), driven.run.name, { wait: WAIT });
    const action = await driven.readAction();
    if (action.action === 'done')
      return action.outcome === 'completed'
        ? { status: 'completed' }
        : {
            ...{ status: action.outcome, reason: action.summary },
            ...omitUndefined({ resume: action.resume as Invocation | undefined }),
          };
    if (action.action === 'held') return { status: 'held', reason: action.reason ?? `held by ${action.by}` };
    const waiting = findQuestion(action);
    if (waiting !== null) return { status: 'waiting', reason: waiting.message, waiting };
    const step = await doAction(driven, action).catch(toStep);
    switch (step.kind) {
      case 'went-on':
        continue;
      case 'stopped':
        return { status: step.status, reason: step.reason };
      case 'parked': {
        const { message, answer, details } = step.error;
        const waiting = { actionId: action.actionId, message, ...omitUndefined({ answer }) };
        return {
          status: 'waiting',
          reason: message,
          waiting: details.length === 0 ? waiting : { ...waiting, details },
        };
      }
    }
  }
}

/** Converts an interruption outside a model request to the drive's end `interrupted`. @throws any other error */
function toInterrupted(error: unknown): DriveEnd {
  if (error instanceof DevCliError && error.code === 'INTERRUPTED')
    return { status: 'interrupted', reason: error.message };
  throw error;
}

/** Returns the question for a person; null if the action is one for the drive. */
function findQuestion(action: PendingAction): Question | null {
  const { actionId } = action;
  if (action.action === 'wait-for-user') {
    const { message, answer } = action;
    const [first] = Array.isArray(answer)
      ? answer.filter((part): part is Invocation => typeof part === 'object')
      : [answer];
    return { actionId, message, ...omitUndefined({ answer: (first ?? undefined) as Invocation | undefined }) };
  }
  if (action.asks !== 'user') return null;
  return {
    ...{ actionId, message: action.instruction },
    ...('data' in action && omitUndefined({ data: action.data })),
    ...('ack' in action && omitUndefined({ answer: action.ack as Invocation | undefined })),
    ...('choices' in action && omitUndefined({ choices: action.choices as Question['choices'] })),
  };
}

async function doAction(driven: DrivenRun, action: PendingAction): Promise<DriveResult> {
  switch (action.action) {
    case 'llm':
    case 'llm-loop':
    case 'llm+cli':
      return driveSession(driven, action);
    case 'dispatch-subagents':
      return driveChildren(driven, action);
    case 'engine-dispatch':
      return driveTasks(driven, action);
    // The loop calls `next` again, which waits for commands; it has already ended the drive at a gate.
    case 'running':
    case 'wait-for-user':
      return { kind: 'went-on' };
    default:
      return action satisfies never;
  }
}

type SessionAction = Extract<PendingAction, { action: 'llm' | 'llm-loop' | 'llm+cli' }>;

/** Does an action in one session. */
async function driveSession(driven: DrivenRun, action: SessionAction): Promise<DriveResult> {
  const { run, context } = driven;
  const { actionId, data } = action;
  const end = await performWork(driven, {
    id: nameWorkSession(run, { action: actionId }),
    kind: 'drive',
    work: { run: run.name, runId: run.runId, action: actionId },
    role: null,
    promised: data === undefined ? [] : [driven.toAbsolute(data.write)],
    isReadOnly: false,
    message: renderActionMessage(action, context),
    finish: createFinish(action.choices ?? [], async (finish) => {
      await driven.inLine(() =>
        submitAcknowledgement(driven.call(), chooseAcknowledgement(action, finish.choice), finish),
      );
    }),
  });
  if (end.kind !== 'ended') return end;
  if (end.outcome.kind === 'failed') await reportActionFailed(driven.call(), run.name, actionId, end.outcome.reason);
  return { kind: 'went-on' };
}

/** Claims a run, so that no other process drives it at the same time. @throws DevCliError `LOCKED` */
function claimRun({ root, clock, ids }: Context, name: string): Claim {
  const mine = claimPath(nameSessionDirectory(root, `${name}.driver`), {
    clock,
    ids,
    purpose: 'driving a run',
    make: true,
  });
  if (mine !== null) return mine;
  throw new DevCliError('LOCKED', `Another process is driving "${name}".`, {
    fix: 'Wait until it has ended, then repeat the same call.',
  });
}

function renderEnd(run: string, end: DriveEnd, total: UsageTotal): Answer {
  const { status, ...more } = end;
  const json = { ok: status === 'completed', run, status, ...more, ...total };
  const lines = [
    `${run}: ${status}${'reason' in end ? `: ${end.reason}` : ''}`,
    `${total.requests} requests, ${total.unanswered} unanswered; ${formatUsage(total.usage)}; ${formatCost(total.cost)}`,
    ...(total.warnings ?? []).map((line) => `warning: ${line}`),
  ];
  return {
    exit: EXITS[status],
    json,
    text: (format) => [...lines, ...listWays(run, end, format)].join('\n'),
  };
}

/** Renders for a person how the run can continue. */
function listWays(run: string, end: DriveEnd, format: CommandFormatter): string[] {
  if ('resume' in end && end.resume !== undefined) return [`reopen it: ${format(end.resume)}`];
  if (end.status !== 'waiting') return [];
  const { data, answer, choices = [], details = [] } = end.waiting;
  return [
    ...details.map(({ target, problem }) => `  ${target === undefined ? '' : `${target}: `}${problem}`),
    ...(data === undefined ? [] : [`write: ${data.write}`]),
    ...(answer === undefined ? [] : [`answer: ${format(answer)}`]),
    ...choices.flatMap(({ label, ack }) => (ack === undefined ? [] : [`${label}: ${format(ack)}`])),
    `then: ${format({ command: 'drive', input: { name: run } })}`,
  ];
}
