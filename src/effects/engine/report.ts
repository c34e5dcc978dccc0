import { foreignLine } from '../../documents/foreign.js';
import type { PlanAcceptance } from '../../documents/plan-schema.js';
import { commandLine } from '../../documents/plan-text.js';
import { type RunSummary, renderRunSummary } from '../../documents/run-summary.js';
import { blockedBy } from '../../machine/engine/scheduler.js';
import type { TodoState } from '../../machine/engine/state.js';
import type { Evidence, RunEngine } from '../../run/engine.js';
import type { Turn } from '../turn.js';
import { gateKey } from './gates.js';
import { bodyOf, engineOf, planHead, recipeEngine } from './plan.js';

const REPORT = 'report.md';

/**
 * Writes report.md: what was done, on what evidence, and what was not (engine.md, report).
 * @param aborted the run was ended by hand, wherever it stood
 */
export function writeReport(turn: Turn, { aborted = false }: { aborted?: boolean } = {}): void {
  turn.files.write(REPORT, renderRunSummary(executionSummary(turn, aborted), 'Report'));
}

/** What the execution of a plan came to, as the value that every report renders (documents.md). */
function executionSummary(turn: Turn, aborted: boolean): RunSummary {
  const engine = engineOf(turn);
  const rows = engine.order.flatMap((id) => engine.todos[id] ?? []);
  const whole = rows.every(({ status }) => status === 'done') && engine.why === undefined;
  const outcome = aborted ? 'aborted' : whole ? 'completed' : 'halted';
  return {
    goal: turn.state.goal ?? planHead(turn).context.originalRequest,
    outcome,
    done: rows.filter(({ status }) => status === 'done').map((row) => doneLine(engine, row)),
    failed: failedLines(engine, rows),
    skipped: skippedLines(turn, rows),
    commits: rows.flatMap(({ id, commit }) => (commit === undefined ? [] : [`${id}: ${commit}`])),
    decisions: decisions(turn),
    changedFiles: changed(turn),
    verification: verification(turn, rows),
    openIssues: [...new Set([...turn.state.warnings, ...engine.openIssues])],
    next: nextSteps(turn, outcome),
  };
}

function nextSteps({ state }: Turn, outcome: 'aborted' | 'completed' | 'halted'): string[] {
  switch (outcome) {
    case 'completed':
      return [];
    case 'halted':
      return ['Put right what failed, then reopen the run: `dev-cli status` says how.'];
    case 'aborted':
      return [`The plan stands: \`dev-cli init ${state.name} --execute\` carries out what is left of it.`];
  }
}

function doneLine({ summaries }: RunEngine, { id, title, attempt, retries, commit, parent }: TodoState): string {
  if (attempt === 0) return `${id}: ${title} (done before this run)`;
  const notes = [
    ...(retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : []),
    ...(parent == null ? [] : [`added for ${parent}`]),
    ...(commit === undefined ? [] : [commit.slice(0, 7)]),
  ];
  const said = summaries[id];
  return `${id}: ${title}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}${said === undefined ? '' : `; self-reported: ${said}`}`;
}

function failedLines(engine: RunEngine, rows: readonly TodoState[]): string[] {
  const blocked = blockedBy(engine);
  return [
    ...(engine.why === undefined ? [] : [engine.why]),
    ...rows
      .filter(({ status }) => status === 'failed')
      .map(({ id, why, retries }) => {
        const back = blocked[id] ?? [];
        const kept =
          back.length === 0
            ? ''
            : `; keeps back ${back.slice(0, 10).join(', ')}${back.length > 10 ? ` and ${back.length - 10} more` : ''}`;
        return `${id}: ${why ?? 'failed'}${retries > 0 ? ` (after ${retries} retries)` : ''}${kept}`;
      }),
  ];
}

/** Passed, skipped and degraded are different words (lessons 33). */
function skippedLines(turn: Turn, rows: readonly TodoState[]): string[] {
  const engine = engineOf(turn);
  const { stages, finalize } = recipeEngine(turn).program;
  const final = (['codeReview', 'finalVerify'] as const).flatMap((stage) => {
    if (!finalize.includes(stage)) return [`${stage}: not part of this recipe`];
    const { status } = engine.finalize[stage] ?? { status: 'pending' };
    return status === 'pending' || status === 'running' ? [`${stage}: the run did not come to its end`] : [];
  });
  const keptBack = new Set(Object.values(blockedBy(engine)).flat());
  const open = rows.flatMap(({ id, status }) =>
    status === 'done' || status === 'failed' || keptBack.has(id) ? [] : [id],
  );
  const none = rows.filter(
    ({ attempt, type, status, substeps }) =>
      attempt > 0 && status === 'done' && type === 'work' && substeps['commit']?.status === 'skipped',
  );
  return [
    ...(stages.some(({ id }) => id === 'verify') ? [] : ['unverified: this recipe verifies no todo']),
    ...final,
    ...open.map((id) => `${id}: not done`),
    ...(turn.state.baseline === null
      ? ['commits: there is no repository']
      : none.length === 0
        ? []
        : [`commits: nothing to commit for ${none.map(({ id }) => id).join(', ')}`]),
    ...engine.deferred.map((id) => `${id}: its commit could not be made yet and is not made`),
  ];
}

function verification(turn: Turn, rows: readonly TodoState[]): string[] {
  const { evidence, reviews } = engineOf(turn);
  const verifies = recipeEngine(turn).program.stages.some(({ id }) => id === 'verify');
  const judged = rows.filter(({ attempt, status }) => attempt > 0 && status === 'done');
  return [
    ...judged.flatMap(({ id }) => {
      if (!verifies) return [`${id}: unverified`];
      const ran = (evidence[id] ?? []).map((one) => `${id} ${evidenceLine(one)}`);
      const lines = [...ran, ...bodyOf(turn, id).acceptance.flatMap((item) => judgement(turn, id, item))];
      return lines.length > 0 ? lines : [`${id}: nothing to verify`];
    }),
    ...reviews.map(({ verdict, summary }, index) => {
      return `code review${reviews.length > 1 ? `, round ${index + 1}` : ''}: ${verdict}; ${foreignLine(summary, 300)}`;
    }),
    ...(evidence[''] ?? []).map((one) => `final tree: ${one.todo ?? ''} ${evidenceLine(one)}`),
  ];
}

/** What no command could prove of a todo that is done, and who judged it. */
function judgement(turn: Turn, todo: string, item: PlanAcceptance): string[] {
  switch (item.kind) {
    case 'command':
      return [];
    case 'assertion':
      return [`${todo} ${item.id}: holds, as a verifier judged: ${foreignLine(item.text, 200)}`];
    case 'human': {
      const gates = turn.state.gates;
      const asked = Object.hasOwn(gates, gateKey({ todo, stage: 'verify', part: 'human' }));
      return asked ? [`${todo} ${item.id}: holds, as a person judged: ${foreignLine(item.text, 200)}`] : [];
    }
  }
}

function evidenceLine({ id, argv, outcome, tree, log }: Evidence): string {
  const where = tree === null ? '' : `, tree ${tree.slice(0, 7)}`;
  return `${id}: ${foreignLine(commandLine(argv), 200)}: ${outcome}${where} (${log})`;
}

function decisions({ state }: Turn): RunSummary['decisions'] {
  return Object.entries(state.gates).map(([id, gate]) => ({
    text: `${id}: ${gate.choice}`,
    ...(gate.note === undefined ? {} : { reason: gate.note }),
    by: gate.by === 'human' ? 'user' : 'agent',
    at: gate.at,
  }));
}

/** What git can tell in full is not repeated here. */
function changed({ state }: Turn): string[] {
  const head = state.baseline?.head;
  return head == null ? [] : [`\`git diff --stat ${head.slice(0, 12)}\` lists them`];
}
