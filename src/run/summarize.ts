import type { JsonObject } from '../base/json.js';
import { renderCount } from '../base/words.js';
import type { NewEntry } from '../store/store.js';

/** Summarizes an entry in a line, from its data alone. */
export function summarize(entry: Pick<NewEntry, 'type' | 'data'>): string {
  const text = (key: string) => String(entry.data[key] ?? '');
  switch (entry.type) {
    case 'init':
      return `started ${text('recipe')}`;
    case 'issued':
      return `${text('actionId')} ${text('block')}: ${text('action')}`;
    case 'acknowledged':
      return `${text('actionId')} ${text('block')} done${entry.data['choice'] === undefined ? '' : `: ${text('choice')}`}`;
    case 'accepted':
      return `${text('actionId')} ${text('block')}: part of the evidence accepted`;
    case 'given-up':
      return `${text('actionId')} ${text('block')}: without ${text('agents')}`;
    case 'round':
      return `${text('actionId')} ${text('block')}: round ${text('round')} did not pass`;
    case 'failed':
      return `${text('actionId')} ${text('block')} failed`;
    case 'sized':
      return `size ${text('size')} (${text('by')})`;
    case 'ran':
      return `${text('block')}: ${text('summary')}`.slice(0, 200);
    case 'skipped':
      return `${text('block')} skipped`;
    case 'command-started':
      return `${place(entry.data)}: command started`;
    case 'command-finished':
      return `${place(entry.data)}: command ${text('outcome')}`;
    case 'invalidated':
      return `${text('todoId') || text('block')} invalidated`;
    case 'plan-captured':
      return `executing ${renderCount(Number(entry.data['todos']), 'todo')}${entry.data['approved'] === undefined ? '' : `; plan approved ${text('approved')}`}`;
    case 'plan-applied':
      return `another plan: ${verdictsOf(entry.data)}`.slice(0, 200);
    case 'plan-proposed':
      return `another plan proposed: ${verdictsOf(entry.data)}`.slice(0, 200);
    case 'plan-rejected':
      return `plan turned down: ${text('note')}`.slice(0, 200);
    case 'dispatched':
      return `${text('actionId')} handed out ${(entry.data['tasks'] as JsonObject[]).map(taskOf).join(', ')}`.slice(
        0,
        200,
      );
    case 'task-done':
      return `${taskOf(entry.data)}: ${text('status')}`;
    case 'task-failed':
      return `${taskOf(entry.data)} failed: ${text('reason')}`.slice(0, 200);
    case 'result-refused':
      return `${taskOf(entry.data)}: result refused`;
    case 'todo-settled':
      return `${text('todoId')} ${text('status')}${entry.data['why'] === undefined ? '' : `: ${text('why')}`}`.slice(
        0,
        200,
      );
    case 'todo-retried':
      return `${text('todoId')} again, attempt ${text('attempt')}: ${text('why')}`.slice(0, 200);
    case 'todos-added':
      return `added ${text('todos')}`.slice(0, 200);
    case 'wrapped-up':
      return `${text('todoId')} wrapped up`;
    case 'stage':
      return `${place(entry.data)} ${text('outcome')}: ${text('summary')}`.slice(0, 200);
    case 'committed':
      return `${text('todoId') || 'the rest'}: commit ${text('outcome')}`;
    case 'executed':
      return `plan ${text('outcome')}`;
    case 'document':
      return `${text('command')}: ${text('summary')}`.slice(0, 200);
    case 'phase-started':
      return `phase ${text('phase')} (${text('recipe')})${entry.data['retry'] === undefined ? '' : ' anew'}`;
    case 'phase-ended':
      return `phase ${text('phase')} ${text('status')}`;
    case 'undone':
      return `undone ${text('todos')}${entry.data['commit'] === null ? '' : ` by commit ${text('commit')}`}`.slice(
        0,
        200,
      );
    case 'held':
      return `held${entry.data['reason'] === undefined ? '' : `: ${text('reason')}`}`.slice(0, 200);
    case 'ended':
      return text('outcome');
    default:
      return entry.type;
  }
}

/** Renders a todo's stage as `todo-3/worker`; the stage alone if it is about the whole run. */
function taskOf(data: JsonObject): string {
  const todo = data['todoId'];
  return typeof todo === 'string' ? `${todo}/${data['substep']}` : String(data['substep']);
}

function place(data: JsonObject): string {
  const [todo, id] = [data['todoId'], data['id'] ?? data['stage']];
  const parts = [typeof todo === 'string' ? todo : null, typeof id === 'string' ? id : null];
  return parts.filter((part) => part !== null).join(' ') || String(data['block'] ?? '');
}

/** The todos of a plan that moved on, with what becomes of each. */
function verdictsOf(data: JsonObject): string {
  const rows = (data['verdicts'] as JsonObject[]).map(({ todo, verdict }) => `${todo} ${verdict}`);
  return rows.length === 0 ? 'no todo changes' : rows.join(', ');
}
