import type { Answer } from '../base/answer.js';
import { defined } from '../base/defined.js';
import type { CommandFormatter } from '../base/invocation.js';
import { isRecord } from '../base/json.js';
import type { CollectedTask, RoundReport } from '../blocks/acknowledgement.js';
import type { Action, EngineDispatchAction, TaskView } from '../run/action.js';
import { findAck, findChoices } from '../run/pending-action.js';
import type { RanStep } from '../run/transaction.js';

/**
 * The answer of `next`: the action, and beside it a warning.
 * @param full whether to include the fields that only dev-cli uses
 * @param moved the warning that the plan has changed, or null
 */
export function actionAnswer(
  action: Action,
  { full, moved }: { full: boolean; moved: string | null },
): Pick<Answer, 'json' | 'text'> {
  const json = buildActionView(action, full);
  if (moved === null) return { json, text: (format) => renderAction(action, format) };
  const own = action.action === 'done' ? (action.warnings ?? []) : [];
  return {
    json: { ...json, warnings: [...own, moved] },
    text: (format) => `${renderAction(action, format)}\nwarning: ${moved}`,
  };
}

/**
 * Builds the JSON of an action as `next` prints it (protocol.md §2).
 * @param full whether to include the fields that only dev-cli uses
 */
export function buildActionView(action: Action, full: boolean): object {
  if (action.action === 'done') return orderMembers(action);
  const { full: inner, ...plain } = action;
  if (!full && plain.action === 'engine-dispatch') return orderMembers(boundRunningTasks(plain));
  if (!full || inner === undefined) return orderMembers(plain);
  const { agents, ...commands } = inner;
  if (plain.action !== 'dispatch-subagents') return orderMembers({ ...plain, ...commands });
  return orderMembers({
    ...plain,
    ...commands,
    agents: plain.agents.map((agent) => ({ ...agent, ...agents?.[agent.id] })),
  });
}

/** Tasks handed out earlier that an answer repeats at most. */
const RUNNING_SHOWN = 8;

function boundRunningTasks(action: EngineDispatchAction): EngineDispatchAction {
  const { running } = action;
  if (running.length <= RUNNING_SHOWN) return action;
  return { ...action, running: running.slice(0, RUNNING_SHOWN), runningMore: running.length - RUNNING_SHOWN };
}

// The order of members. It puts first what a reader needs first, and is the same for an action that was just built and
// for one read from the disk; what is in no list stands between FIRST and LAST, by name.
const FIRST = 'run block action done actionId outcome round maxRounds asks summary'.split(' ');

const LAST = 'agents tasks running commands data artifact choices answer ack poll resume ruling instead progress'.split(
  ' ',
);

const INNER = 'actionId id todoId substep attempt why label type promptFile output write form schema path'.split(' ');

function orderMembers(action: object): object {
  return orderKeys(action, FIRST, LAST);
}

function orderKeys(value: object, first: readonly string[], last: readonly string[]): object {
  const rank = (key: string): number => {
    if (first.includes(key)) return first.indexOf(key);
    return last.includes(key) ? 200 + last.indexOf(key) : 100;
  };
  const keys = Object.keys(value).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, orderNested((value as Record<string, unknown>)[key])]));
}

function orderNested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(orderNested);
  return isRecord(value) ? orderKeys(value, INNER, []) : value;
}

/** Renders an action for a person, as `--text` prints it. */
function renderAction(action: Action, format: CommandFormatter): string {
  if (action.action === 'done') return renderDone(action, format);
  const lines = [`${action.run} ${action.actionId}  ${action.block} (${action.progress}, ${action.action})`];
  lines.push(action.instruction);
  if (action.action === 'wait-for-user') lines.push(action.message);
  if (action.read !== undefined) lines.push(`read: ${action.read.join(', ')}`);
  if (action.action === 'dispatch-subagents') {
    lines.push(
      ...action.agents.map((agent) => `  ${agent.id}: ${agent.promptFile} → ${agent.output ?? '(its reply)'}`),
    );
  }
  if (action.action === 'engine-dispatch') {
    lines.push(...action.tasks.map((task) => renderTask(task)));
    lines.push(...action.running.map((task) => `${renderTask(task)} (handed out ${task.issuedAt ?? 'earlier'})`));
    for (const [todo, kept] of Object.entries(action.blocked ?? {}))
      lines.push(`  ${todo} keeps back ${kept.join(', ')}`);
  }
  if ('data' in action && action.data !== undefined) {
    const { write, schema } = action.data;
    lines.push(`write: ${write}${schema === undefined ? '' : ` (schema ${schema})`}`);
  }
  if (action.action === 'running') {
    lines.push(...action.commands.map((command) => `  ${command.run.join(' ')}  (log ${command.log})`));
    lines.push(`poll: ${format(action.poll)}`);
  }
  for (const { id, label, ack } of findChoices(action) ?? []) {
    lines.push(`  ${id}: ${label}`, ...(ack === undefined ? [] : [`    ${format(ack)}`]));
  }
  if (action.action === 'wait-for-user' && action.answer !== undefined) lines.push(`answer: ${format(action.answer)}`);
  const ack = findAck(action);
  if (ack !== undefined) lines.push(`ack: ${format(ack)}`);
  return lines.join('\n');
}

function renderDone(action: Extract<Action, { action: 'done' }>, format: CommandFormatter): string {
  const { run, outcome, summary, instruction, artifacts, resume, ruling, instead } = action;
  const lines = [`${run}: ${outcome}`, summary, instruction, ...artifacts.map((path) => `  ${path}`)];
  if (resume !== undefined) lines.push(`reopen: ${format(resume)}`);
  if (ruling !== undefined) lines.push(`with a ruling: ${format(ruling)}`);
  if (instead !== undefined) lines.push(`or planned anew: ${format(instead)}`);
  return lines.join('\n');
}

function renderTask({ actionId, todoId, substep, attempt, promptFile, output }: TaskView): string {
  const what = [todoId ?? 'all', substep, ...(attempt > 1 ? [`attempt ${attempt}`] : [])].join(' ');
  return `  ${actionId} ${what}: ${promptFile} → ${output}`;
}

/** The result of a call, which may have made several commits; rendered as one envelope (protocol.md §2). */
export interface CallResult {
  /** The run's name. */
  name: string;
  status?: 'initialized' | 'resumed' | 'forked' | 'aborted' | 'invalidated';
  completed?: string | null;
  duplicate?: true;
  round?: RoundReport;
  collected?: CollectedTask[];
  ran: RanStep[];
  warnings: string[];
  next: Action | null;
}

/** Renders the envelope around the next action, as JSON and as text (protocol.md, Envelope). */
export function renderEnvelope(result: CallResult): Answer {
  const { name, status, completed, duplicate, round, collected, ran, next } = result;
  const repeated: readonly string[] = (next?.action === 'done' && next.warnings) || [];
  const warnings = result.warnings.filter((line) => !repeated.includes(line));
  return {
    exit: 0,
    json: {
      ok: true,
      run: name,
      ...defined({ status, completed, duplicate, round }),
      ...(collected === undefined ? {} : { collected: collected.map((row) => ({ ...row })) }),
      ...(ran.length === 0 ? {} : { ran }),
      ...(warnings.length === 0 ? {} : { warnings }),
      next: next === null ? null : buildActionView(next, false),
    },
    text: (format) => renderEnvelopeText(result, format),
  };
}

function renderEnvelopeText(result: CallResult, format: CommandFormatter): string {
  const { completed, duplicate, round, collected = [], ran, warnings, next, status } = result;
  const head = [
    ...(status === undefined ? [] : [status]),
    ...(completed === undefined || completed === null ? [] : [`completed ${completed}`]),
    ...(duplicate === undefined ? [] : ['acknowledged before; nothing changed']),
    ...(round === undefined ? [] : [`round ${round.n} did not pass`]),
    ...collected.map(({ todoId, actionId, error }) => `${todoId ?? actionId}: ${error ?? 'taken'}`),
    ...ran.map((block) => `${block.ok ? 'ran' : 'failed'} ${block.block}: ${block.summary}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return [...head, ...(next === null ? [] : [renderAction(next, format)])].join('\n');
}
