import type { JsonObject } from '../base/json.js';
import { renderCount } from '../base/words.js';
import type { NewEntry } from '../store/store.js';

/** Functions that render an entry of each type as one line. @param text returns a member of the data as text */
const LINES: Readonly<Record<string, (text: (key: string) => string, data: JsonObject) => string>> = {
  init: (text) => `started ${text('recipe')}`,
  issued: (text) => `${text('actionId')} ${text('block')}: ${text('action')}`,
  acknowledged: (text, data) =>
    `${text('actionId')} ${text('block')} done${data['choice'] === undefined ? '' : `: ${text('choice')}`}`,
  accepted: (text) => `${text('actionId')} ${text('block')}: part of the evidence accepted`,
  'given-up': (text) => `${text('actionId')} ${text('block')}: without ${text('agents')}`,
  round: (text) => `${text('actionId')} ${text('block')}: round ${text('round')} did not pass`,
  failed: (text) => `${text('actionId')} ${text('block')} failed`,
  sized: (text) => `size ${text('size')} (${text('by')})`,
  ran: (text) => cut(`${text('block')}: ${text('summary')}`),
  skipped: (text) => `${text('block')} skipped`,
  'command-started': (_, data) => `${place(data)}: command started`,
  'command-finished': (text, data) => `${place(data)}: command ${text('outcome')}`,
  invalidated: (text) => `${text('todoId') || text('block')} invalidated`,
  'plan-captured': (text, data) =>
    `executing ${renderCount(Number(data['todos']), 'todo')}${data['approved'] === undefined ? '' : `; plan approved ${text('approved')}`}`,
  'plan-applied': (_, data) => cut(`another plan: ${verdictsOf(data)}`),
  'plan-proposed': (_, data) => cut(`another plan proposed: ${verdictsOf(data)}`),
  'plan-rejected': (text) => cut(`plan turned down: ${text('note')}`),
  dispatched: (text, data) =>
    cut(`${text('actionId')} handed out ${(data['tasks'] as JsonObject[]).map(taskOf).join(', ')}`),
  'task-done': (text, data) => `${taskOf(data)}: ${text('status')}`,
  'task-failed': (text, data) => cut(`${taskOf(data)} failed: ${text('reason')}`),
  'result-refused': (_, data) => `${taskOf(data)}: result refused`,
  'todo-settled': (text, data) =>
    cut(`${text('todoId')} ${text('status')}${data['why'] === undefined ? '' : `: ${text('why')}`}`),
  'todo-retried': (text) => cut(`${text('todoId')} again, attempt ${text('attempt')}: ${text('why')}`),
  'todos-added': (text) => cut(`added ${text('todos')}`),
  'wrapped-up': (text) => `${text('todoId')} wrapped up`,
  stage: (text, data) => cut(`${place(data)} ${text('outcome')}: ${text('summary')}`),
  committed: (text) => `${text('todoId') || 'the rest'}: commit ${text('outcome')}`,
  executed: (text) => `plan ${text('outcome')}`,
  document: (text) => cut(`${text('command')}: ${text('summary')}`),
  'phase-started': (text, data) =>
    `phase ${text('phase')} (${text('recipe')})${data['retry'] === undefined ? '' : ' anew'}`,
  'phase-ended': (text) => `phase ${text('phase')} ${text('status')}`,
  undone: (text, data) =>
    cut(`undone ${text('todos')}${data['commit'] === null ? '' : ` by commit ${text('commit')}`}`),
  held: (text, data) => cut(`held${data['reason'] === undefined ? '' : `: ${text('reason')}`}`),
  ended: (text) => text('outcome'),
};

/** Summarizes an entry in one line, from its data alone. */
export function summarizeEntry({ type, data }: Pick<NewEntry, 'type' | 'data'>): string {
  return Object.hasOwn(LINES, type) ? (LINES[type]?.((key) => String(data[key] ?? ''), data) ?? type) : type;
}

function cut(text: string): string {
  return text.slice(0, 200);
}

/** Renders a task as its todo and stage, such as `todo-3/worker`; only the stage if the task is about the whole run. */
function taskOf(data: JsonObject): string {
  const todo = data['todoId'];
  return typeof todo === 'string' ? `${todo}/${data['substep']}` : String(data['substep']);
}

function place(data: JsonObject): string {
  const [todo, id] = [data['todoId'], data['id'] ?? data['stage']];
  const parts = [typeof todo === 'string' ? todo : null, typeof id === 'string' ? id : null];
  return parts.filter((part) => part !== null).join(' ') || String(data['block'] ?? '');
}

/** Lists the todos affected by a changed plan, each with its verdict. */
function verdictsOf(data: JsonObject): string {
  const rows = (data['verdicts'] as JsonObject[]).map(({ todo, verdict }) => `${todo} ${verdict}`);
  return rows.length === 0 ? 'no todo changes' : rows.join(', ');
}
