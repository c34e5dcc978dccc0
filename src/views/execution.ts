import { omitUndefined } from '../base/defined.js';
import { renderCount } from '../base/words.js';
import { describeApprovals } from '../blocks/approvals.js';
import { groupBlockedTodos } from '../engine/core/scheduler.js';
import type { ResolvedEngine } from '../recipe/resolved.js';
import type { RunEngine } from '../run/engine.js';
import type { CommandEvidence, TodoState } from '../run/engine-rows.js';
import type { RecipeState } from '../run/recipe-state.js';
import type { ReadTransaction } from '../run/transaction.js';
import type { EvidenceView, ExecutionView, TodoView } from './execution-schema.js';

/** The largest number of failed todos named for each todo that they block. */
const BLOCKERS = 20;

type StageView = ExecutionView['stages'][number];

/** Builds `execution` of `status`: how far a run has carried out its plan; null for a run without an execution. */
export function buildExecutionView({
  state,
  captured,
}: Pick<ReadTransaction, 'state' | 'captured'>): ExecutionView | null {
  const { engine, gates } = state;
  const { engine: recipe } = captured.recipe;
  if (engine === null || recipe === undefined) return null;
  const todos = buildTodoViews(engine, recipe);
  const count = (standing: TodoView['standing']) => todos.filter((todo) => todo.standing === standing).length;
  return {
    counts: {
      todos: todos.length,
      done: count('done'),
      running: count('running'),
      failed: count('failed'),
      stale: count('stale'),
      pending: count('pending'),
      blocked: todos.filter((todo) => todo.blockedBy.length > 0).length,
      added: engine.added,
    },
    approvals: describeApprovals(state),
    todos,
    stages: buildStageViews(engine, recipe, gates),
    evidence: engine.evidence.map(buildEvidenceView),
    fixRounds: { done: engine.fixRounds, most: recipe.program.policies.maxFixRounds },
    why: engine.why ?? null,
    deferred: engine.deferred,
    waits: engine.waits?.why ?? null,
    openIssues: engine.openIssues,
  };
}

function buildTodoViews(engine: RunEngine, recipe: ResolvedEngine): TodoView[] {
  const blockers = new Map<string, string[]>();
  for (const [failed, kept] of Object.entries(groupBlockedTodos(engine))) {
    for (const id of kept) {
      const known = blockers.get(id);
      if (known === undefined) blockers.set(id, [failed]);
      else if (known.length < BLOCKERS) known.push(failed);
    }
  }
  const tasks = new Map(
    Object.entries(engine.tasks).map(([actionId, { todoId, substep, issuedAt }]) => [
      todoId,
      { actionId, substep, issuedAt },
    ]),
  );
  return engine.order.flatMap((id): TodoView[] => {
    const row = engine.todos[id];
    if (row === undefined) return [];
    const standing = toTodoStanding(row);
    const waits = standing === 'pending' || standing === 'stale';
    return [
      {
        id,
        title: row.title,
        standing,
        stage: standing === 'running' ? row.status : null,
        part: row.part ?? null,
        parent: row.parent ?? null,
        dependsOn: row.dependsOn,
        waitsFor: waits ? row.dependsOn.filter((dependency) => engine.todos[dependency]?.status !== 'done') : [],
        blockedBy: blockers.get(id) ?? [],
        attempt: row.attempt,
        retries: row.retries,
        why: row.why ?? null,
        startedAt: row.startedAt ?? null,
        endedAt: row.endedAt ?? null,
        substeps: recipe.program.stages.map((stage) => ({
          id: stage.id,
          status: row.substeps[stage.id]?.status ?? 'pending',
          at: row.substeps[stage.id]?.at ?? null,
        })),
        task: tasks.get(id) ?? null,
        commands: findRunningCommands(engine, row),
        evidence: (row.evidence ?? []).map(buildEvidenceView),
        summary: row.summary ?? null,
        commit: row.commit ?? null,
        ...(row.gone === true ? { gone: true as const } : {}),
      },
    ];
  });
}

/** Returns the state of a todo in one word. */
export function toTodoStanding({ status }: TodoState): TodoView['standing'] {
  return status === 'pending' || status === 'done' || status === 'failed' || status === 'stale' ? status : 'running';
}

/** Returns the acceptance commands of a todo while dev-cli runs them; null otherwise. */
function findRunningCommands({ job }: RunEngine, { id, evidence = [] }: TodoState): TodoView['commands'] {
  if (job?.kind !== 'commands' || job.todo !== id) return null;
  const done = evidence.length;
  return { done, total: done + job.queue.length, running: job.queue[0]?.argv ?? [] };
}

function buildEvidenceView(evidence: CommandEvidence): EvidenceView {
  const { id, todo, argv, ok, exit, outcome, at, log } = evidence;
  return {
    id,
    ...omitUndefined({ todo }),
    argv,
    ok,
    exit,
    outcome,
    at,
    reused: evidence.reused === true,
    durationMs: evidence.durationMs ?? null,
    log,
  };
}

function buildStageViews(engine: RunEngine, { program }: ResolvedEngine, gates: RecipeState['gates']): StageView[] {
  const begin: StageView[] = engine.stage === 'stateBegin' ? [buildStage('stateBegin', 'running', null)] : [];
  return [
    ...buildPlanStage(engine),
    buildApprovalStage(engine, gates),
    ...begin,
    ...program.finalize.map((id): StageView => {
      const { status, at } = engine.finalize[id] ?? { status: 'pending' as const, at: null };
      return buildStage(id, status, at, renderDetail(engine, program.policies.maxFixRounds, id));
    }),
  ];
}

function buildStage(
  id: string,
  status: StageView['status'],
  at: string | null,
  detail: string | null = null,
): StageView {
  return { id, status, at, detail };
}

/** Shows the plan's gate until the plan is approved; after that, `approvals` says who approved it. */
function buildPlanStage({ stage: now, planApproved }: RunEngine): StageView[] {
  if (planApproved !== null) return [];
  return [buildStage('approvePlan', now === 'approvePlan' ? 'running' : 'failed', null, 'not approved')];
}

function buildApprovalStage({ stage: now, commandsApproved }: RunEngine, gates: RecipeState['gates']): StageView {
  const id = 'approveCommands';
  if (gates[id]?.choice === 'stop' && gates[id]?.stale !== true) return buildStage(id, 'failed', null, 'not approved');
  if (now === id) return buildStage(id, 'running', null);
  if (commandsApproved !== null) return buildStage(id, 'done', null, `by ${commandsApproved.by}`);
  return buildStage(id, 'skipped', null);
}

function renderDetail({ fixRounds, reviews, evidence: ran, job }: RunEngine, most: number, id: string): string | null {
  const rounds = fixRounds > 0 ? [`fix round ${fixRounds} of ${most}`] : [];
  const parts: string[] = [];
  if (id === 'codeReview') parts.push(...reviews.slice(-1).map(({ verdict }) => verdict), ...rounds);
  if (id === 'finalVerify') {
    const left = job?.kind === 'commands' && job.todo === null ? job.queue.length : 0;
    const red = ran.filter(({ ok }) => !ok).length;
    const commands = `${ran.length} of ${renderCount(ran.length + left, 'command')}${red > 0 ? `, ${red} red` : ''}`;
    parts.push(...(ran.length + left > 0 ? [commands] : []), ...rounds);
  }
  return parts.length === 0 ? null : parts.join(', ');
}
