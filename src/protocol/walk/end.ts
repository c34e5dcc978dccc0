import { omitUndefined } from '../../base/defined.js';
import type { Invocation } from '../../base/invocation.js';
import { toBoundedLine } from '../../documents/foreign.js';
import {
  getReopenTarget,
  renderOutgrownHint,
  renderPlanRefusedHint,
  renderUncommittedHint,
} from '../../engine/act/execution-summary.js';
import { readPlanHead } from '../../engine/act/plan/plan.js';
import { RESIDUAL } from '../../jobs/job.js';
import { getClosing, listArtifacts } from '../../recipe/declared.js';
import type { Action } from '../../run/action.js';
import { listArtifactsWritten } from '../../run/documents/artifacts.js';
import { displayPath } from '../../run/paths.js';
import { buildReopenCommands } from '../../run/reopening.js';
import { renderPullRequest } from '../../run/request.js';
import type { PhaseRow, RunState, WorkflowDraft } from '../../run/state.js';
import { listWrittenDocuments, recordEntry, type Transaction } from '../../run/transaction.js';
import { getCurrentPhase, setPhaseRow, setPhaseStatus } from '../../run/workflow.js';
import { buildResults, isPlanRefused, listFailedWork, renderOutcome } from './outcome.js';

type Outcome = NonNullable<RunState['outcome']>;

/** Ends the run; from now on `next` returns the `done` action. */
export function endRun(tx: Transaction, outcome: Outcome, reason?: string): void {
  const { state } = tx;
  state.status = outcome;
  state.outcome = outcome;
  // A halted run keeps its hold, because it may be reopened and is then still held.
  if (outcome !== 'halted') delete state.held;
  if (state.workflow !== null && outcome !== 'completed') setPhaseStatus(state.workflow, 'failed');
  recordEntry(tx, 'ended', { outcome, ...omitUndefined({ reason }) });
  const issued = { issuedAt: tx.at, issuedSeq: 0, cause: 'end', before: {}, acknowledged: true };
  state.pendingAction = { ...buildDoneAction(tx, outcome, reason), ...issued };
}

/** Rebuilds the `done` action of an ended run after one of its deferred commits was made. */
export function refreshDoneAction(tx: Transaction): void {
  const { state } = tx;
  const { outcome, pendingAction, workflow } = state;
  if (pendingAction?.action !== 'done' || outcome === null || outcome === 'aborted') return;
  if (workflow !== null && tx.state.engine !== null) refreshPhase(tx, workflow, outcome);
  const { issuedAt, issuedSeq, cause, before, acknowledged } = pendingAction;
  const issued = { issuedAt, issuedSeq, cause, before, acknowledged };
  state.pendingAction = { ...buildDoneAction(tx, outcome, undefined), ...issued };
}

/** Rebuilds the warnings, summary and results that a phase reported when it ended. */
function refreshPhase(tx: Transaction, workflow: WorkflowDraft, outcome: 'completed' | 'halted'): void {
  const { state } = tx;
  const row = getCurrentPhase(workflow);
  const { order = [], deferred = [] } = tx.state.engine ?? {};
  const made = [...order, RESIDUAL].filter((id) => !deferred.includes(id)).map((id) => renderWaitingCommit(row, id));
  state.warnings = state.warnings.filter((line) => !made.includes(line));
  setPhaseRow(workflow, {
    ...row,
    ...(row.summary === undefined ? {} : { summary: renderOutcome(tx, outcome) }),
    ...(row.results === undefined ? {} : { results: buildResults(tx) }),
  });
}

/** Renders the warning that a phase has ended while one of its commits was still waiting. */
export function renderWaitingCommit({ name }: Pick<PhaseRow, 'name'>, id: string): string {
  return `${name}: the commit of ${id} was not made`;
}

function buildDoneAction(tx: Transaction, outcome: Outcome, reason: string | undefined): Action {
  const { state, place } = tx;
  const halted = outcome === 'halted' ? state.currentBlock : null;
  const outgrown = halted !== null && tx.state.engine !== null ? renderOutgrownHint(tx) : '';
  const written = { ...state, written: listWrittenDocuments(tx) };
  const left = state.engine === null ? '' : renderUncommittedHint(tx);
  return {
    run: state.name,
    action: 'done',
    done: true,
    outcome,
    summary: renderSummary(tx, outcome, reason),
    results: { ...collectResults(tx), ...buildRequestResult(tx) },
    artifacts: listArtifactsWritten(listArtifacts(tx.captured), written, tx.files).map((path) =>
      displayPath(place, state.name, path),
    ),
    failed: collectFailures(tx),
    ...(state.warnings.length === 0 ? {} : { warnings: [...state.warnings] }),
    instruction: `${renderInstruction(tx, outcome, left)}${outgrown}`,
    ...(halted === null ? {} : buildReopenCommands(tx, findReopenTarget(tx, halted))),
    ...buildPlanningAnew(tx, outgrown !== ''),
    ...(hasWaitingCommit(tx, outcome)
      ? { poll: { command: 'next', input: { name: state.name, wait: tx.pollWait } } }
      : {}),
  };
}

/**
 * Returns the command that plans the work again: with size middle if the work outgrew a small plan; at the same size if
 * a person refused the plan. Empty in any other case.
 */
function buildPlanningAnew(tx: Transaction, outgrown: boolean): { instead?: Invocation } {
  const { name } = tx.state;
  if (outgrown) return { instead: { command: 'init', input: { name, size: 'middle' } } };
  if (tx.state.engine === null || !isPlanRefused(tx.state.engine)) return {};
  return { instead: { command: 'init', input: { name, size: readPlanHead(tx).size ?? 'large' } } };
}

/** Whether a commit will still be made; an aborted run makes no more commits. */
function hasWaitingCommit({ state }: Transaction, outcome: Outcome): boolean {
  return outcome !== 'aborted' && (state.engine?.deferred.length ?? 0) > 0;
}

/**
 * Returns where a halted run is reopened: in an execution, at every todo that failed; otherwise at the block that
 * halted.
 */
function findReopenTarget({ state: { engine } }: Transaction, block: string): string {
  return (engine === null ? null : getReopenTarget(engine)) ?? block;
}

function renderSummary(tx: Transaction, outcome: Outcome, reason: string | undefined): string {
  const { workflow } = tx.state;
  switch (outcome) {
    case 'aborted':
      return `aborted: ${toBoundedLine(reason ?? 'no reason given', 200)}`;
    case 'halted':
      return `${workflow === null ? '' : `phase ${getCurrentPhase(workflow).name} `}${renderOutcome(tx, outcome)}`;
    case 'completed':
      return workflow === null ? renderOutcome(tx, outcome) : workflow.phases.map(renderPhase).join('; ');
  }
}

function renderPhase({ name, status, summary }: PhaseRow): string {
  return status === 'skipped'
    ? `${name} skipped`
    : `${name}${status === 'failed' ? ' failed' : ''}: ${summary ?? status}`;
}

const WAITING = ' Say which commit is deferred and why; once the cause is fixed, `poll` makes it.';

/**
 * Builds the instruction of the `done` action: what the agent has to tell the user and do before it stops.
 * @param left a sentence about uncommitted work; empty if there is none
 */
function renderInstruction(tx: Transaction, outcome: Outcome, left: string): string {
  const { state } = tx;
  const open = `${state.warnings.length === 0 ? '' : ' Name the warnings.'}${left}${hasWaitingCommit(tx, outcome) ? WAITING : ''}`;
  switch (outcome) {
    case 'aborted':
      return `Tell the user that the run was aborted and why.${left} Then stop.`;
    case 'halted':
      if (state.engine !== null && isPlanRefused(state.engine)) {
        return renderPlanRefusedHint();
      }
      return `Tell the user why the run halted and what has been done so far, then stop.${left}${hasWaitingCommit(tx, outcome) ? WAITING : ''} Run \`resume\` only when the user wants to continue from there. If the user rules on it, write their words verbatim into the file that \`ruling\` names and run \`ruling\` instead: the next attempt reads them.`;
    case 'completed':
      return `${getClosing(tx.captured)}${open} Then stop.`;
  }
}

function buildRequestResult({ state }: Transaction): Record<string, string> {
  const line = renderPullRequest(state);
  return line === null ? {} : { pullRequest: line };
}

/** Collects the results of the run; in a workflow, those of each phase, including the current one's results so far. */
function collectResults(tx: Transaction): Record<string, string> {
  const { workflow } = tx.state;
  if (workflow === null) return buildResults(tx);
  const rows = workflow.phases.map((phase) => ({
    ...phase,
    results: phase.results ?? (isCurrentPhase(tx, phase) ? buildResults(tx) : {}),
  }));
  return Object.fromEntries(
    rows.flatMap((phase) => [
      [phase.name, phase.status],
      ...Object.entries(phase.results).map(([key, value]) => [`${phase.name}/${key}`, value]),
    ]),
  );
}

function collectFailures(tx: Transaction): { id: string; reason: string }[] {
  const { workflow } = tx.state;
  if (workflow === null) return listFailedWork(tx);
  return workflow.phases.flatMap((phase) => {
    const failed = phase.failed ?? (isCurrentPhase(tx, phase) ? listFailedWork(tx) : []);
    return failed.map(({ id, reason }) => ({ id: `${phase.name}/${id}`, reason }));
  });
}

function isCurrentPhase({ state }: Transaction, { name }: PhaseRow): boolean {
  return state.workflow?.currentPhase === name;
}
