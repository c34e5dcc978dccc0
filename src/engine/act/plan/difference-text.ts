import { joinFirst } from '../../../base/words.js';
import { withTodos } from '../../../blocks/plan-on-disk.js';
import { toBoundedLine, toWholeLine } from '../../../documents/foreign.js';
import { comparePlans } from '../../../plan/changes/compare.js';
import { renderPlanChanges } from '../../../plan/changes/render.js';
import type { TodoUpdateKind, TodoVerdict } from '../../core/moved-plan.js';
import type { JudgedPlan } from './verdicts.js';

/** The meaning of each verdict, in words for people. */
const MEANINGS: Record<Exclude<TodoUpdateKind, 'same'>, string> = {
  added: 'new',
  'taken up': 'changed while not in progress: done according to the new text',
  again: 'changed while in progress: a new attempt, which counts against no limit',
  stays: 'changed after it was done: the work stays as it is',
  reopened: 'done, and will be done again; its commit stays',
  redone: 'done or in progress, and will be done again because a todo that it depends on changes',
  withdrawn: 'removed before it was done',
  kept: 'removed after it was done: its commit stays',
};

/** The commands that take `--reopen`. */
export type ReopeningCommand = 'plan apply' | 'plan edit';

/** Maximum number of todos named per verdict. */
const NAMED = 40;

/**
 * Renders the verdicts on the todos for people, one line per verdict; unchanged todos are only counted.
 * @param reopen the beginning of the command that reopens done todos; the ids of the todos follow
 */
function renderVerdictLines(verdicts: readonly TodoVerdict[], reopen: string): string[] {
  const lines = (Object.keys(MEANINGS) as Exclude<TodoUpdateKind, 'same'>[]).flatMap((verdict) => {
    const todos = verdicts.filter((one) => one.verdict === verdict).map(({ todo }) => todo);
    const again = verdict === 'stays' ? `; to do it again: ${reopen} ${todos.slice(0, NAMED).join(',')}` : '';
    return todos.length === 0 ? [] : [`- ${joinFirst(todos, NAMED)}: ${MEANINGS[verdict]}${again}`];
  });
  const same = verdicts.filter(({ verdict }) => verdict === 'same').length;
  return same === 0 || lines.length === 0 ? lines : [...lines, `- ${same} as before`];
}

/** The most lines of the difference that a question shows, and the most characters of a line; `plan diff` shows all. */
const SHOWN = { lines: 80, cap: 500 };

/**
 * Renders the differences between the plan on disk and the plan of the execution, for the person who decides on them.
 */
export function renderChangesOnDisk({ disk, before, addedBefore }: JudgedPlan, run: string): string {
  const changes = comparePlans(withTodos(before, addedBefore), withTodos(disk.plan, disk.added));
  const lines = renderPlanChanges(changes, { whole: true }).trimEnd().split('\n');
  const shown = lines
    .slice(0, SHOWN.lines)
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${toBoundedLine(line, SHOWN.cap)}`);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more lines: dev-cli plan diff ${run}`] : [])].join('\n');
}

/**
 * Renders what happens to the todos, which changed requirements no new work proves, and which approvals no longer hold.
 * @param command the command to suggest for reopening done todos while applying the same change
 */
export function renderPlanEffects(judged: JudgedPlan, run: string, command: ReopeningCommand = 'plan apply'): string {
  const { verdicts, outdated, unproved } = judged;
  const reopen = `dev-cli ${command} ${run} --reopen`;
  const lines = renderVerdictLines(verdicts, reopen);
  const parts = [
    lines.length === 0 ? renderBeside(judged) : `What happens to the todos:\n${lines.join('\n')}`,
    ...unproved.map(
      ({ requirement, todos }) =>
        `! ${requirement} has a new text, and is proved only by what ${joinFirst(todos, NAMED)} did before. To do that again: ${reopen} ${todos.slice(0, NAMED).join(',')}`,
    ),
    ...(outdated.length === 0 ? [] : [`An earlier approval no longer covers: ${toWholeLine(outdated.join(', '))}.`]),
  ];
  return parts.join('\n\n');
}

/** Renders a change to the plan that leaves every todo as it was. */
function renderBeside({ disk, before, addedBefore }: JudgedPlan): string {
  const changes = comparePlans(withTodos(before, addedBefore), withTodos(disk.plan, disk.added));
  const places = changes.flatMap((change) =>
    change.kind === 'todo-moved' ? [`${change.todo} from place ${change.from} to ${change.to}`] : [],
  );
  if (places.length === 0) return 'No todo changes, but other parts of the plan do.';
  const beside = places.length < changes.length ? ', and other parts of the plan change' : '';
  return `The order of the todos changes${beside}: ${joinFirst(places, NAMED)}. Each is done as before.`;
}
