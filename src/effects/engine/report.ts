import { foreignLine } from '../../documents/foreign.js';
import { commandLine } from '../../documents/plan-text.js';
import { type RunSummary, renderRunSummary } from '../../documents/run-summary.js';
import { blockedBy } from '../../machine/engine/scheduler.js';
import type { TodoState } from '../../machine/engine/state.js';
import type { Evidence, RunEngine } from '../../run/engine.js';
import type { Turn } from '../turn.js';
import { engineOf, planHead, recipeEngine } from './plan.js';

const REPORT = 'report.md';

/** Writes report.md: what was done, on what evidence, and what was not (engine.md, report). */
export function writeReport(turn: Turn): void {
  turn.files.write(REPORT, renderRunSummary(executionSummary(turn), 'Report'));
}

/** What the execution of a plan came to, as the value that every report renders (documents.md). */
function executionSummary(turn: Turn): RunSummary {
  const engine = engineOf(turn);
  const rows = engine.order.flatMap((id) => engine.todos[id] ?? []);
  const whole = rows.every(({ status }) => status === 'done') && engine.why === undefined;
  return {
    goal: turn.state.goal ?? planHead(turn).context.originalRequest,
    outcome: whole ? 'completed' : 'halted',
    done: rows.filter(({ status }) => status === 'done').map((row) => doneLine(engine, row)),
    failed: failedLines(engine, rows),
    skipped: skippedLines(turn, rows),
    commits: rows.flatMap(({ id, commit }) => (commit === undefined ? [] : [`${id}: ${commit}`])),
    decisions: decisions(turn),
    changedFiles: changed(turn),
    verification: verification(turn, rows),
    openIssues: [...new Set([...turn.state.warnings, ...engine.openIssues])],
    next: whole ? [] : ['Put right what failed, then reopen the run: `dev-cli status` says how.'],
  };
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
  const final = (['codeReview', 'finalVerify'] as const).filter((stage) => !finalize.includes(stage));
  const none = rows.filter(
    ({ attempt, type, status, substeps }) =>
      attempt > 0 && status === 'done' && type === 'work' && substeps['commit']?.status === 'skipped',
  );
  return [
    ...(stages.some(({ id }) => id === 'verify') ? [] : ['unverified: this recipe verifies no todo']),
    ...final.map((stage) => `${stage}: not part of this recipe`),
    ...(turn.state.baseline === null
      ? ['commits: there is no repository']
      : none.length === 0
        ? []
        : [`commits: nothing to commit for ${none.map(({ id }) => id).join(', ')}`]),
    ...engine.deferred.map((id) => `${id}: its commit could not be made yet and is not made`),
  ];
}

function verification(turn: Turn, rows: readonly TodoState[]): string[] {
  const { evidence } = engineOf(turn);
  const verifies = recipeEngine(turn).program.stages.some(({ id }) => id === 'verify');
  const judged = rows.filter(({ attempt, status }) => attempt > 0 && status === 'done');
  return [
    ...judged.flatMap(({ id, substeps }) => {
      const ran = (evidence[id] ?? []).map((one) => `${id} ${evidenceLine(one)}`);
      if (!verifies) return [`${id}: unverified`];
      if (ran.length > 0) return ran;
      return substeps['verify']?.status === 'done'
        ? [`${id}: judged by an agent or a person`]
        : [`${id}: nothing to verify`];
    }),
    ...(evidence[''] ?? []).map((one) => `final tree: ${one.todo ?? ''} ${evidenceLine(one)}`),
  ];
}

function evidenceLine({ id, argv, outcome, tree, log, reused }: Evidence): string {
  const where = tree === null ? '' : `, tree ${tree.slice(0, 7)}`;
  return `${id}: ${foreignLine(commandLine(argv), 200)}: ${outcome}${reused === true ? ', reused' : ''}${where} (${log})`;
}

function decisions({ state }: Turn): RunSummary['decisions'] {
  return Object.entries(state.gates).map(([id, gate]) => ({
    text: `${id}: ${gate.choice}`,
    ...(gate.note === undefined ? {} : { reason: gate.note }),
    by: gate.by === 'human' ? 'user' : 'agent',
    at: state.updatedAt,
  }));
}

/** What git can tell in full is not repeated here. */
function changed({ state }: Turn): string[] {
  const head = state.baseline?.head;
  return head == null ? [] : [`\`git diff --stat ${head.slice(0, 12)}\` lists them`];
}
