import { foreignLine } from '../../documents/foreign.js';
import { reopensAt } from '../../engine/act/done.js';
import { RESIDUAL } from '../../jobs/job.js';
import { ARTIFACTS, artifactsOf, closingOf } from '../../recipe/declared.js';
import type { Action } from '../../run/action.js';
import { shownPath } from '../../run/paths.js';
import { reopening } from '../../run/reopening.js';
import { requestLine } from '../../run/request.js';
import type { PhaseRow, RunState } from '../../run/state.js';
import { record, type Turn } from '../../run/turn.js';
import { markPhase, phaseRow } from '../../run/workflow.js';
import { failures, outcomeLine, planRefused, results } from './outcome.js';

type Outcome = NonNullable<RunState['outcome']>;

/** Ends the run: the `done` action becomes what `next` replays from now on. */
export function endRun(turn: Turn, outcome: Outcome, reason?: string): void {
  const { state } = turn;
  state.status = outcome;
  state.outcome = outcome;
  if (state.workflow !== null && outcome !== 'completed') markPhase(state.workflow, 'failed');
  record(turn, 'ended', { outcome, ...(reason === undefined ? {} : { reason }) });
  state.pendingAction = {
    issuedAt: turn.at,
    issuedSeq: 0,
    cause: 'end',
    before: {},
    acknowledged: true,
    action: doneAction(turn, outcome, reason),
  };
}

/**
 * The run that has ended is told of anew: a commit that had to wait is made. Everything else stands as it did.
 */
export function renewEnd(turn: Turn): void {
  const { state } = turn;
  const { outcome, pendingAction, workflow, engine } = state;
  if (pendingAction?.action.action !== 'done' || outcome === null || outcome === 'aborted') return;
  if (workflow !== null && engine !== null) renewPhase(turn, phaseRow(workflow), outcome);
  state.pendingAction = { ...pendingAction, action: doneAction(turn, outcome, undefined) };
}

/** What a phase told when it was closed, told again. */
function renewPhase(turn: Turn, row: PhaseRow, outcome: 'completed' | 'halted'): void {
  const { state } = turn;
  const { order = [], deferred = [] } = state.engine ?? {};
  const made = [...order, RESIDUAL].filter((id) => !deferred.includes(id)).map((id) => waitsIn(row, id));
  state.warnings = state.warnings.filter((line) => !made.includes(line));
  if (row.summary !== undefined) row.summary = outcomeLine(turn, outcome);
  if (row.results !== undefined) row.results = results(turn);
}

/** The warning of a phase that ends while a commit of it waits. */
export function waitsIn({ name }: Pick<PhaseRow, 'name'>, id: string): string {
  return `${name}: the commit of ${id} was not made`;
}

function doneAction(turn: Turn, outcome: Outcome, reason: string | undefined): Action {
  const { state, place } = turn;
  const halted = outcome === 'halted' ? state.currentBlock : null;
  const written = writtenDocuments(turn);
  return {
    run: state.name,
    action: 'done',
    done: true,
    outcome,
    summary: summaryOf(turn, outcome, reason),
    results: { ...resultsOf(turn), ...requestResult(turn) },
    artifacts: artifactsOf(turn.captured)
      .filter((path) => written.includes(path) && turn.files.facts(path).kind === 'file')
      .map((path) => shownPath(place, state.name, path)),
    failed: failuresOf(turn),
    ...(state.warnings.length === 0 ? {} : { warnings: [...state.warnings] }),
    instruction: instructionOf(turn, outcome),
    ...(halted === null ? {} : reopening(turn, reopened(turn, halted))),
    ...(waits(turn, outcome) ? { poll: { command: 'next', input: { name: state.name, wait: turn.pollWait } } } : {}),
  };
}

/** Whether a commit is still to be made. One of an aborted run is not. */
function waits({ state }: Turn, outcome: Outcome): boolean {
  return outcome !== 'aborted' && (state.engine?.deferred.length ?? 0) > 0;
}

/** What a halted run is reopened at: within an execution, every todo that failed. */
function reopened({ state }: Turn, block: string): string {
  return (state.engine === null ? null : reopensAt(state.engine)) ?? block;
}

/**
 * Of dev-cli's own documents and those that the recipe names what this run has written so far, this turn's among them: those
 * of an earlier run of the name lie in the same directory.
 */
export function writtenDocuments({ state, files, captured }: Turn): string[] {
  const now = files.changes().map(({ path }) => path);
  const told = [...new Set([...ARTIFACTS, ...artifactsOf(captured)])];
  return told.filter((path) => state.written.includes(path) || now.includes(path));
}

function summaryOf(turn: Turn, outcome: Outcome, reason: string | undefined): string {
  const { workflow } = turn.state;
  switch (outcome) {
    case 'aborted':
      return `aborted: ${foreignLine(reason ?? 'no reason given', 200)}`;
    case 'halted':
      return `${workflow === null ? '' : `phase ${phaseRow(workflow).name} `}${outcomeLine(turn, outcome)}`;
    case 'completed':
      return workflow === null ? outcomeLine(turn, outcome) : workflow.phases.map(phaseLine).join('; ');
  }
}

function phaseLine({ name, status, summary }: PhaseRow): string {
  return status === 'skipped'
    ? `${name} skipped`
    : `${name}${status === 'failed' ? ' failed' : ''}: ${summary ?? status}`;
}

const WAITING = ' Say which commit waits and why; once that is put right, `poll` makes it.';

function instructionOf(turn: Turn, outcome: Outcome): string {
  const { state } = turn;
  const open = `${state.warnings.length === 0 ? '' : ' Name the warnings.'}${waits(turn, outcome) ? WAITING : ''}`;
  switch (outcome) {
    case 'aborted':
      return 'Tell the user that the run was aborted and why, then stop.';
    case 'halted':
      if (state.engine !== null && planRefused(state.engine)) {
        return 'Tell the user that the plan was not approved, so nothing of it was carried out, then stop. Another plan is made by planning anew under this name; `resume` only asks about this one again.';
      }
      return `Tell the user why the run halted and what is there so far, then stop.${waits(turn, outcome) ? WAITING : ''} Run \`resume\` only when the user wants to go on from there. What the user decides for it goes word for word into the file that \`ruling\` names; then run \`ruling\` instead: the next attempt reads it.`;
    case 'completed':
      return `${closingOf(turn.captured)}${open} Then stop.`;
  }
}

function requestResult({ state }: Turn): Record<string, string> {
  const line = requestLine(state);
  return line === null ? {} : { pullRequest: line };
}

/** Of a workflow what its phases came to, and what the phase at work has so far. */
function resultsOf(turn: Turn): Record<string, string> {
  const { workflow } = turn.state;
  if (workflow === null) return results(turn);
  const rows = workflow.phases.map((phase) => ({ ...phase, results: phase.results ?? resultsNow(turn, phase) }));
  return Object.fromEntries(
    rows.flatMap((phase) => [
      [phase.name, phase.status],
      ...Object.entries(phase.results).map(([key, value]) => [`${phase.name}/${key}`, value]),
    ]),
  );
}

function failuresOf(turn: Turn): { id: string; reason: string }[] {
  const { workflow } = turn.state;
  if (workflow === null) return failures(turn);
  return workflow.phases.flatMap((phase) => {
    const failed = phase.failed ?? (isAtWork(turn, phase) ? failures(turn) : []);
    return failed.map(({ id, reason }) => ({ id: `${phase.name}/${id}`, reason }));
  });
}

function resultsNow(turn: Turn, phase: PhaseRow): Record<string, string> {
  return isAtWork(turn, phase) ? results(turn) : {};
}

function isAtWork({ state }: Turn, { name }: PhaseRow): boolean {
  return state.workflow?.currentPhase === name;
}
