import { LIMITS } from '../../base/limits.js';
import { toCommandName } from '../../documents/command-words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { PlanTodo } from '../../plan/model/schema.js';
import { ALL_TODOS, joinSome, NOT_IN_SOURCE, TODO_WORDS } from '../../plan/page/import-lines.js';
import { renderCodeSpan } from '../../plan/page/prose.js';
import type { NamedTask } from './order-tasks.js';
import type { SourcePlan } from './source-plan.js';

/** The title of a todo whose task has none. */
export const UNTITLED = 'Untitled';

/** A part of the plan that the source does not state. */
export interface InventedPart {
  /** A JSON pointer into plan-content.json; its `*` stands for the todos in `todos` or, without `todos`, for all. */
  at: string;
  todos?: string[];
  what: string;
  why: string;
}

interface Facts {
  source: SourcePlan;
  tasks: readonly NamedTask[];
  todos: readonly PlanTodo[];
  requirements: number;
  /** The id of the todo that checks the requirements. */
  check: string | undefined;
}

/** Lists the parts of a plan that its source does not state, for the person who approves the plan. */
export function describeInvented({ source, tasks, todos, requirements, check }: Facts): InventedPart[] {
  const among = (at: string, chosen: readonly string[], what: string, why: string): InventedPart[] => {
    if (chosen.length === 0) return [];
    const isAll = chosen.length === tasks.length;
    return [{ at, ...(isAll ? {} : { todos: [...chosen] }), what, why }];
  };
  const pick = (isMeant: (task: NamedTask, todo: PlanTodo) => boolean): string[] =>
    tasks.flatMap((task, index) => {
      const todo = todos[index];
      return todo !== undefined && isMeant(task, todo) ? [task.id] : [];
    });
  const once = (isThere: boolean, entry: InventedPart): InventedPart[] => (isThere ? [entry] : []);
  return [
    ...among(
      '/todos/*/id',
      pick(({ said }) => said === null),
      'numbered',
      'the source gives them no name of their own',
    ),
    ...among(
      '/todos/*/id',
      pick(({ id, said }) => said !== null && said !== id),
      'numbered',
      'another task of the source has their name, or it is too long',
    ),
    ...among(
      '/todos/*/title',
      pick(({ title }) => title === ''),
      UNTITLED,
      'the source only says what is nested in them',
    ),
    ...among(
      '/todos/*/risk',
      pick(() => true),
      'medium',
      'the source states no risk',
    ),
    ...among(
      '/todos/*/dependsOn',
      // Tasks of the neutral contract state all their dependencies, so none of these is invented.
      pick(({ dependsOn }) => source.format !== 'nexus' && dependsOn.length > 0),
      'the order of the source',
      'only the order says what comes first; what is marked as parallel follows the same todos',
    ),
    ...among(
      '/todos/*/files',
      pick(({ files }, { type }) => files.length === 0 && type === 'work'),
      'none, so that any may change',
      'the task lists no files to change',
    ),
    ...among(
      '/todos/*/acceptance',
      pick(({ namesCommands }, { acceptance }) => !namesCommands && isJudged(acceptance)),
      'an agent judges whether it is done as described',
      'the task names no command to check by',
    ),
    ...among(
      '/todos/*/acceptance',
      pick(({ namesCommands }, { acceptance }) => namesCommands && isJudged(acceptance)),
      'an agent judges whether it is done as described',
      'none of the commands that the task names was taken up for it',
    ),
    ...among(
      '/todos/*/acceptance',
      pick(({ commands }) => commands.some(({ isTold }) => isTold)),
      `taken as a command to check by: ${joinSome(listTold(tasks))}`,
      'the source only says to run it',
    ),
    ...among(
      '/todos/*/acceptance',
      pick(({ commands }) => commands.some(({ isShell }) => isShell)),
      'a command that is given to sh -c',
      'only a shell can run what the source says',
    ),
    ...among(
      '/todos/*/acceptance',
      pick(({ commands }) => commands.some(({ isCut }) => isCut)),
      'a command without the pager at its end',
      'that would hide how the command ends',
    ),
    ...once(source.decisions.length > 0, {
      at: '/decisions/*/by',
      what: 'agent',
      why: 'the source does not say whose decisions they are',
    }),
    ...once(source.risks.length > 0, {
      at: '/risks/*/severity',
      what: 'medium',
      why: 'the source does not say how severe they are',
    }),
    ...once(source.request.length === 0, {
      at: '/context/originalRequest',
      what: 'the title',
      why: 'the source does not say what was asked',
    }),
    ...once(requirements > 0, {
      at: '/requirements/*/from',
      what: 'user',
      why: 'the words are those of the source that was imported',
    }),
    ...once(check !== undefined, {
      at: '/todos/*',
      todos: [check ?? ''],
      what: 'a last todo, in which an agent judges each requirement',
      why: 'the source does not say which task proves which requirement',
    }),
  ];
}

function isJudged(acceptance: PlanTodo['acceptance']): boolean {
  return acceptance.some(({ kind }) => kind === 'assertion');
}

/** Lists the command lines that the source only says to run. */
function listTold(tasks: readonly NamedTask[]): string[] {
  const told = tasks.flatMap(({ commands }) => commands.filter(({ isTold }) => isTold));
  return [...new Set(told.map(({ argv }) => renderCodeSpan(toCommandName(argv, SHOWN_COMMAND))))];
}

/** Maximum characters shown of a command; PLAN.md lists all commands in full elsewhere. */
const SHOWN_COMMAND = 100;

/** Renders the invented and the left-out parts as lines for PLAN.md. */
export function renderInvented(
  invented: readonly InventedPart[],
  { done, marked, below }: Readonly<Record<'done' | 'marked' | 'below', readonly { what: string }[]>>,
): string[] {
  const lines = nameInvented(invented).map((line) => `${NOT_IN_SOURCE}${line}`);
  const tell = (why: string, all: readonly { what: string }[]) =>
    all.length === 0 ? [] : [`Left out, because ${why}: ${joinSome(all.map(({ what }) => what))}`];
  return [
    ...lines,
    ...tell('the source says that it is done or dropped', done),
    ...tell('its mark says neither open nor done', marked),
    ...tell('the task that it belongs to is left out, though it is open itself', below),
  ].map((line) => toBoundedLine(line, LIMITS.statement));
}

/** Renders each invented part on one line, with the names that PLAN.md uses. */
export function nameInvented(invented: readonly InventedPart[]): string[] {
  return invented.map(({ at, todos, what, why }) => {
    const [, part = '', field = ''] = /^\/(\w+)(?:\/\*)?(?:\/(\w+))?/.exec(at) ?? [];
    const whose = part !== 'todos' ? `all ${part}` : todos === undefined ? ALL_TODOS : joinSome(todos);
    const subject = field === '' ? whose : part === 'context' ? WORDS[field] : `${WORDS[field] ?? field} of ${whose}`;
    return `${subject}: ${what} (${why})`;
  });
}

/** What `nameInvented` calls a field of plan-content.json. */
const WORDS: Readonly<Record<string, string>> = {
  ...TODO_WORDS,
  by: 'author',
  from: 'origin',
  originalRequest: 'the request',
};
