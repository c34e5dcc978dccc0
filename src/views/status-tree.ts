import { formatDuration } from '../base/duration.js';
import { joinFirst, renderCount } from '../base/words.js';
import { toCommandName } from '../documents/command-words.js';
import { toBoundedLine } from '../documents/foreign.js';
import type { EvidenceView, ExecutionView, TodoView } from './execution-schema.js';
import type { TextRow } from './rows.js';
import { listCounts } from './run-view.js';
import { SIGNS } from './signs.js';

/** The largest number of running todos shown with details; if there are more, none has details. */
const DETAILED = 8;
/** The longest todo title shown, in characters. */
const TITLE = 44;
/** The longest reason for a failure, in characters. */
const REASON = 160;
/** The largest number of todos named in a line. */
const NAMED = 4;

/** Names of the stages of an execution as a whole, for people. */
export const STAGE_NAMES: Readonly<Record<string, string>> = {
  approvePlan: 'approve plan',
  approveCommands: 'approve commands',
  stateBegin: 'pull request: begin',
  residualCommit: 'commit the rest',
  codeReview: 'code review',
  finalVerify: 'final verification',
  stateComplete: 'pull request: ready',
  report: 'report',
};

interface Options {
  /** The current time in milliseconds, up to which durations are counted. */
  now: number;
  /** Whether every todo is shown with its evidence. */
  full: boolean;
}

/** Renders an execution for a person: the todos as a tree, then the stages of the run as a whole. */
export function renderExecution(view: ExecutionView, { now, full }: Options): TextRow[] {
  const rows = foldTodos(view.todos, full);
  const depths = computeDepths(view.todos);
  const labels = new Map(
    rows.flatMap((row) => (row.kind === 'todo' ? [[row.todo.id, renderLabel(row.todo, depths)] as const] : [])),
  );
  const width = Math.min(40, Math.max(0, ...[...labels.values()].map((label) => label.length)));
  const titles = Math.min(
    TITLE,
    Math.max(0, ...rows.map((row) => (row.kind === 'todo' ? renderTitle(row.todo).length : 0))),
  );
  const lines = (row: TreeRow): TextRow[] => {
    if (row.kind === 'folded') return [['⋮ ', renderCounts(row.counts)]];
    const { todo } = row;
    const label = (labels.get(todo.id) ?? todo.id).padEnd(width);
    const cells = [label, renderTitle(todo).padEnd(titles), renderSpan(todo, now).padEnd(6), ...listNotes(view, todo)];
    const detailed =
      full || (todo.standing === 'running' ? view.counts.running <= DETAILED : todo.standing === 'failed');
    const indent = ' '.repeat(2 + getIndent(todo, depths));
    const more = detailed ? renderDetails(todo, full).map((line): TextRow => [`${indent}  `, line]) : [];
    return [[`${SIGNS[todo.standing].sign} `, ...cells], ...more];
  };
  const waits = view.waits === null ? '' : `: ${toBoundedLine(view.waits, 300)}`;
  return [
    ['plan   ', `approved ${view.approvals.plan}; commands ${view.approvals.commands}`],
    ['todos  ', renderTotals(view)],
    ...rows.flatMap(lines),
    ['', renderStages(view)],
    ...view.evidence.filter(({ ok }) => full || !ok).map((one): TextRow => ['  ', renderEvidence(one)]),
    ...(view.why === null ? [] : [['✗ ', toBoundedLine(view.why, 300)] as const]),
    ...(view.deferred.length === 0
      ? []
      : [['!      ', `commits that could not be made yet: ${joinFirst(view.deferred, NAMED)}${waits}`] as const]),
    ...view.openIssues.slice(0, full ? undefined : 5).map((issue): TextRow => ['!      ', toBoundedLine(issue, 200)]),
    ...(full || view.openIssues.length <= 5
      ? []
      : [['!      ', `and ${view.openIssues.length - 5} more open issues`] as const]),
  ];
}

function renderTotals({ counts, fixRounds }: ExecutionView): string {
  const { todos, done, running, failed, stale, pending, blocked, added } = counts;
  const parts = [
    `${done}/${todos} done`,
    ...listCounts({ 'at work': running, failed, 'to be redone': stale, 'to come': pending }),
    ...listCounts({ 'blocked by failed todos': blocked, added }),
    ...(fixRounds.done > 0 ? [`fix round ${fixRounds.done} of ${fixRounds.most}`] : []),
  ];
  return parts.join(', ');
}

function renderCounts(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([standing, count]) => `${count} ${SIGNS[standing as TodoView['standing']].word}`)
    .join(', ');
}

/** Computes the depth of each added todo in the tree: the todo that made it necessary may itself have been added. */
function computeDepths(todos: readonly TodoView[]): Map<string, number> {
  const depths = new Map<string, number>();
  for (const { id, parent } of todos) {
    if (parent !== null) depths.set(id, (depths.get(parent) ?? 0) + 1);
  }
  return depths;
}

function getIndent({ id }: TodoView, depths: ReadonlyMap<string, number>): number {
  return 2 * (depths.get(id) ?? 0);
}

function renderLabel(todo: TodoView, depths: ReadonlyMap<string, number>): string {
  const indent = getIndent(todo, depths);
  return indent === 0 ? todo.id : `${' '.repeat(indent - 2)}└ ${todo.id}`;
}

function renderTitle({ title, parent }: TodoView): string {
  return toBoundedLine(title, parent === null ? TITLE : TITLE - 8) + (parent === null ? '' : ' (added)');
}

function renderSpan({ startedAt, endedAt, standing }: TodoView, now: number): string {
  if (startedAt === null) return '';
  const until = endedAt ?? (standing === 'running' ? null : startedAt);
  if (until === startedAt && endedAt === null) return '';
  return formatDuration((until === null ? now : Date.parse(until)) - Date.parse(startedAt));
}

/** Lists the cells of a todo after its title and duration. */
function listNotes(view: ExecutionView, todo: TodoView): string[] {
  const notes = [
    ...describeState(view, todo),
    ...(todo.retries > 0 ? [renderCount(todo.retries, 'retry', 'retries')] : []),
    ...(todo.standing !== 'failed' && todo.retries > 0 && todo.why !== null ? [toBoundedLine(todo.why, 80)] : []),
  ];
  const commit = todo.commit === null ? [] : [todo.commit.slice(0, 7)];
  if (todo.gone === true) notes.push('removed from the plan');
  return [...commit, notes.join(', ')].filter((note) => note !== '');
}

function describeState(view: ExecutionView, todo: TodoView): string[] {
  switch (todo.standing) {
    case 'running':
      return [describeWork(todo)];
    case 'done':
      return describeDone(todo);
    case 'failed':
      return [toBoundedLine(todo.why ?? 'failed', REASON), ...describeBlocked(view, todo.id)];
    case 'pending':
    case 'stale':
      if (todo.blockedBy.length > 0) return [`blocked by ${joinFirst(todo.blockedBy, NAMED)}`];
      if (todo.waitsFor.length > 0) return [`waits for ${joinFirst(todo.waitsFor, NAMED)}`];
      return todo.attempt > 0 ? [`to be attempted again: ${toBoundedLine(todo.why ?? 'redone', 80)}`] : [];
  }
}

function describeWork({ stage, part, task, commands, attempt, why }: TodoView): string {
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  if (task !== null) return `${task.substep} out, ${task.actionId}${again}`;
  if (commands !== null) return `${stage}: command ${commands.done + 1} of ${commands.total}${again}`;
  if (part === 'question') return `waits for a person: ${toBoundedLine(why ?? 'a question', 100)}`;
  if (part === 'human') return `waits for a person to judge it${again}`;
  return `${stage}${again}`;
}

/** Describes the evidence of a done todo; passed, skipped and reused must be distinguishable. */
function describeDone({ attempt, evidence, substeps }: TodoView): string[] {
  if (attempt === 0) return ['done before this run'];
  const reused = evidence.filter((one) => one.reused).length;
  const verify = substeps.find(({ id }) => id === 'verify');
  const proof =
    evidence.length > 0
      ? [`${renderCount(evidence.length, 'command')} green${reused > 0 ? `, ${reused} reused` : ''}`]
      : verify === undefined
        ? ['unverified']
        : verify.status === 'done'
          ? ['judged']
          : ['nothing to verify'];
  const commit = substeps.find(({ id }) => id === 'commit')?.status;
  return [...proof, ...(commit === 'deferred' ? ['commit waits'] : commit === 'skipped' ? ['no commit'] : [])];
}

function describeBlocked({ todos }: ExecutionView, failed: string): string[] {
  const kept = todos.filter(({ blockedBy }) => blockedBy.includes(failed)).map(({ id }) => id);
  return kept.length === 0 ? [] : [`blocks ${joinFirst(kept, NAMED)}`];
}

/** Renders the stages of a todo so far, and the commands that were run for it. */
function renderDetails({ standing, attempt, substeps, commands, evidence }: TodoView, full: boolean): string[] {
  if (attempt === 0 || standing === 'pending' || standing === 'stale') return [];
  const steps = substeps.map(
    ({ id, status }) => `${getSymbol(status)} ${id}${status === 'deferred' ? ' (waits)' : ''}`,
  );
  return [
    steps.join('  '),
    ...evidence.filter(({ ok }) => full || standing !== 'failed' || !ok).map(renderEvidence),
    ...(commands === null ? [] : [`◐ ${toCommandName(commands.running, 120)}`]),
  ];
}

function getSymbol(status: string): string {
  return Object.hasOwn(SIGNS, status) ? SIGNS[status as keyof typeof SIGNS].sign : SIGNS.pending.sign;
}

function renderEvidence({ id, todo, argv, ok, outcome, durationMs, log }: EvidenceView): string {
  const how = [outcome, ...(durationMs === null ? [] : [formatDuration(durationMs)]), ...(ok ? [] : [`log ${log}`])];
  const whose = todo === undefined ? id : `${todo} ${id}`;
  return `${ok ? '✓' : '✗'} ${whose}  ${toCommandName(argv, 120)}: ${how.join(', ')}`;
}

function renderStages({ stages }: ExecutionView): string {
  return stages
    .map(({ id, status, detail }) => {
      return `${SIGNS[status].sign} ${STAGE_NAMES[id] ?? id}${detail === null ? '' : ` (${toBoundedLine(detail, 80)})`}`;
    })
    .join('   ');
}

/** A row of the tree: a todo, or the number of hidden todos by state. */
type TreeRow = { kind: 'todo'; todo: TodoView } | { kind: 'folded'; counts: Record<string, number> };

/** The largest number of todos in a plan that is shown whole. */
const WHOLE = 40;

/** How many todos of each state are shown of a longer plan. For an added todo, the one that caused it is shown, too. */
const SHOWN = { running: 40, failed: 10, stale: 5, done: 5, pending: 5 } as const;

/**
 * Selects the todos to show of a long plan: running and failed ones, the last ones done and the next ones waiting. In
 * place of the others, rows say how many are hidden.
 * @param full whether to show all todos
 */
export function foldTodos(todos: readonly TodoView[], full: boolean): TreeRow[] {
  const shown = full || todos.length <= WHOLE ? null : selectShown(todos);
  const rows: TreeRow[] = [];
  for (const todo of todos) {
    if (shown === null || shown.has(todo.id)) {
      rows.push({ kind: 'todo', todo });
      continue;
    }
    const last = rows.at(-1);
    const counts = last?.kind === 'folded' ? last.counts : {};
    counts[todo.standing] = (counts[todo.standing] ?? 0) + 1;
    if (last?.kind !== 'folded') rows.push({ kind: 'folded', counts });
  }
  return rows;
}

function selectShown(todos: readonly TodoView[]): Set<string> {
  const of = (standing: TodoView['standing']) => todos.filter((todo) => todo.standing === standing);
  const lately = of('done').sort((a, b) => ((a.endedAt ?? '') < (b.endedAt ?? '') ? 1 : -1));
  const picked = [
    ...of('running').slice(0, SHOWN.running),
    ...of('failed').slice(0, SHOWN.failed),
    ...of('stale').slice(0, SHOWN.stale),
    ...lately.slice(0, SHOWN.done),
    ...of('pending').slice(0, SHOWN.pending),
  ];
  const parents = new Map(todos.flatMap(({ id, parent }) => (parent === null ? [] : [[id, parent]])));
  const ids = new Set<string>();
  for (const { id } of picked) {
    for (let at: string | undefined = id; at !== undefined && !ids.has(at); at = parents.get(at)) ids.add(at);
  }
  return ids;
}
