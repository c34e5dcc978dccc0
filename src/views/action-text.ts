// door: text

import { type CommandFormatter, renderInstruction } from '../base/invocation.js';
import type { CollectedTask, RoundReport } from '../blocks/acknowledgement.js';
import { toCommandName } from '../documents/command-words.js';
import type { GateAction, HeldAction, PendingAction, RunningAction, ShownAction, TaskView } from '../run/action.js';
import { findAck, findChoices } from '../run/pending-action.js';
import type { RanStep } from '../run/transaction.js';

/** The result of a call, which may have made several commits. It is rendered as one envelope (protocol.md §2). */
export interface CallResult {
  /** The run's name. */
  name: string;
  status?: 'initialized' | 'resumed' | 'forked' | 'aborted' | 'invalidated' | 'held' | 'released' | 'undone';
  completed?: string | null;
  duplicate?: true;
  round?: RoundReport;
  collected?: CollectedTask[];
  ran: RanStep[];
  warnings: string[];
  next: ShownAction | null;
}

// Renders answers about actions as text, for people; agents get JSON.

/** How many characters of a command are shown; `trust`, `approve` and the journal show the whole command. */
const COMMAND_CAP = 200;

/** Renders an action for a person, as `--text` prints it. */
export function renderAction(action: ShownAction, format: CommandFormatter): string {
  if (action.action === 'done') return renderDone(action, format);
  return action.action === 'held' ? renderHeld(action, format) : renderPending(action, format);
}

function renderPending(action: PendingAction, format: CommandFormatter): string {
  const lines = [`${action.run} ${action.actionId}  ${action.block} (${action.progress}, ${action.action})`];
  lines.push(action.instruction);
  if (action.action === 'wait-for-user') lines.push(action.message);
  if (action.read !== undefined) lines.push(`read: ${action.read.join(', ')}`);
  lines.push(...renderOwn(action, format));
  for (const { id, label, ack } of findChoices(action) ?? []) {
    lines.push(`  ${id}: ${label}`, ...(ack === undefined ? [] : [`    ${format(ack)}`]));
  }
  if (action.action === 'wait-for-user') lines.push(...renderAnswer(action, format));
  const ack = findAck(action);
  if (ack !== undefined) lines.push(`ack: ${format(ack)}`);
  return lines.join('\n');
}

/** Renders the lines that only this kind of action has. */
function renderOwn(action: PendingAction, format: CommandFormatter): string[] {
  switch (action.action) {
    case 'llm':
    case 'llm-loop':
    case 'llm+cli': {
      if (action.data === undefined) return [];
      const { write, schema, headings = [] } = action.data;
      return [
        `write: ${write}${schema === undefined ? '' : ` (schema ${schema})`}`,
        ...headings.map((heading) => `  heading: ${heading}`),
      ];
    }
    case 'dispatch-subagents':
      return action.agents.map((agent) => `  ${agent.id}: ${agent.promptFile} → ${agent.output ?? '(its reply)'}`);
    case 'engine-dispatch':
      return [
        ...action.tasks.map((task) => renderTask(task)),
        ...action.running.map((task) => `${renderTask(task)} (handed out ${task.issuedAt ?? 'earlier'})`),
        ...Object.entries(action.blocked ?? {}).map(([todo, kept]) => `  ${todo} blocks ${kept.join(', ')}`),
      ];
    case 'running':
      return [...action.commands.map(renderCommand), `poll: ${format(action.poll)}`];
    case 'wait-for-user':
      return [];
  }
}

function renderCommand({ run, log }: RunningAction['commands'][number]): string {
  return `  ${toCommandName(run, COMMAND_CAP)}  (log ${log})`;
}

function renderAnswer({ answer }: GateAction, format: CommandFormatter): string[] {
  if (answer === undefined) return [];
  return [`answer: ${'command' in answer ? format(answer) : renderInstruction(answer, format)}`];
}

function renderHeld(action: HeldAction, format: CommandFormatter): string {
  const { run, by, since, reason, instruction, running = [], commands = [], pending, ack, poll, answer } = action;
  const lines = [`${run}: held since ${since} by ${by === 'human' ? 'a person' : by}`];
  if (reason !== undefined) lines.push(reason);
  lines.push(instruction, ...running.map(renderTask));
  lines.push(...commands.map(renderCommand));
  if (pending !== undefined) lines.push(renderAction(pending, format));
  if (ack !== undefined) lines.push(`ack: ${format(ack)}`);
  if (poll !== undefined) lines.push(`poll: ${format(poll)}`);
  return [...lines, `release: ${format(answer)}`].join('\n');
}

function renderDone(action: Extract<ShownAction, { action: 'done' }>, format: CommandFormatter): string {
  const { run, outcome, summary, instruction, artifacts, resume, ruling, instead } = action;
  const lines = [`${run}: ${outcome}`, summary, instruction, ...artifacts.map((path) => `  ${path}`)];
  if (resume !== undefined) lines.push(`reopen: ${format(resume)}`);
  if (ruling !== undefined) lines.push(`with a ruling: ${format(ruling)}`);
  if (instead !== undefined) lines.push(`or plan it again: ${format(instead)}`);
  return lines.join('\n');
}

function renderTask({ actionId, todoId, substep, attempt, promptFile, output }: TaskView): string {
  const what = [todoId ?? 'all', substep, ...(attempt > 1 ? [`attempt ${attempt}`] : [])].join(' ');
  return `  ${actionId} ${what}: ${promptFile} → ${output}`;
}

/** Renders the envelope of a call as text. */
export function renderEnvelopeText(result: CallResult, format: CommandFormatter): string {
  const { completed, duplicate, round, collected = [], ran, warnings, next, status } = result;
  const head = [
    ...(status === undefined ? [] : [status]),
    ...(completed === undefined || completed === null ? [] : [`completed ${completed}`]),
    ...(duplicate === undefined ? [] : ['already acknowledged; nothing changed']),
    ...(round === undefined ? [] : [`round ${round.n} did not pass`]),
    ...collected.map(({ todoId, actionId, error }) => `${todoId ?? actionId}: ${error ?? 'accepted'}`),
    ...ran.map((block) => `${block.ok ? 'ran' : 'failed'} ${block.block}: ${block.summary}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return [...head, ...(next === null ? [] : [renderAction(next, format)])].join('\n');
}
