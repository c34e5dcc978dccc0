import { foreignLine } from '../documents/foreign.js';
import { planSummary } from '../documents/plan-summary.js';
import type { Action } from '../run/action.js';
import type { RunState } from '../run/state.js';
import { presentPlan } from './commands/plan.js';
import { PLAN, shownPath } from './paths.js';
import { inRecipeOrder } from './recipe-order.js';
import { blockOf, record, type Turn } from './turn.js';

type Outcome = NonNullable<RunState['outcome']>;

/** Documents worth naming at the end of the run that wrote them, in the order a person would open them. */
const ARTIFACTS = [PLAN, 'report.md', 'summary.md', 'pr.json'];

/** Results listed at most in the `done` action. */
const RESULTS_SHOWN = 6;

/** Ends the run: the `done` action becomes what `next` replays from now on. */
export function endRun(turn: Turn, outcome: Outcome, reason?: string): void {
  const { state } = turn;
  state.status = outcome;
  state.outcome = outcome;
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

function doneAction(turn: Turn, outcome: Outcome, reason: string | undefined): Action {
  const { state, place } = turn;
  const halted = outcome === 'halted' ? state.currentBlock : null;
  return {
    run: state.name,
    action: 'done',
    done: true,
    outcome,
    summary: summaryOf(turn, outcome, reason),
    results: results(turn),
    artifacts: writtenArtifacts(turn)
      .filter((path) => turn.files.facts(path).kind === 'file')
      .map((path) => shownPath(place, state.name, path)),
    failed: failures(turn),
    ...(state.warnings.length === 0 ? {} : { warnings: [...state.warnings] }),
    instruction: instructionOf(turn, outcome),
    ...(halted === null ? {} : { resume: { command: 'step invalidate', input: { name: state.name, step: halted } } }),
  };
}

/**
 * The artifacts that this run has written so far, this turn's among them: those of an earlier run of the name lie in the
 * same directory.
 */
export function writtenArtifacts({ state, files }: Turn): string[] {
  const now = files.changes().map(({ path }) => path);
  return ARTIFACTS.filter((path) => state.written.includes(path) || now.includes(path));
}

function summaryOf(turn: Turn, outcome: Outcome, reason: string | undefined): string {
  const { state } = turn;
  switch (outcome) {
    case 'aborted':
      return `aborted: ${foreignLine(reason ?? 'no reason given', 200)}`;
    case 'halted': {
      const block = state.currentBlock;
      const stop = block === null ? null : stopChosen(turn, block);
      if (stop !== null) return `stopped at ${block}: ${stop}`;
      const { lastError } = state;
      const why = lastError !== null && lastError.block === block ? lastError.message : 'no reason recorded';
      return `halted at ${block}: ${foreignLine(why, 300)}`;
    }
    case 'completed': {
      const plan = presentPlan(turn.files);
      const steps = Object.values(state.steps);
      const done = steps.filter((step) => step.status === 'done').length;
      return plan === null ? `${done} of ${steps.length} steps done` : planSummary(plan).line;
    }
  }
}

/** The choice by which the run was stopped at this block; null when it halted for another reason. */
function stopChosen(turn: Turn, id: string): string | null {
  const gate = turn.state.gates[id];
  if (gate === undefined || gate.stale === true) return null;
  const block = blockOf(turn, id);
  const own = 'choices' in block ? block.choices.find((choice) => choice.id === gate.choice) : undefined;
  const stops = own === undefined ? gate.choice === 'stop' : own.goto === 'halt';
  return stops ? gate.choice : null;
}

function instructionOf(turn: Turn, outcome: Outcome): string {
  const { state } = turn;
  switch (outcome) {
    case 'aborted':
      return 'Tell the user that the run was aborted and why, then stop.';
    case 'halted':
      return 'Tell the user why the run halted and what is there so far, then stop. Run `resume` only when the user wants to go on from that step.';
    case 'completed': {
      const open = state.warnings.length === 0 ? '' : ' Name the warnings.';
      return state.skill === 'specify'
        ? `Show the user the summary and the plan's path.${open} Then stop: nothing is to be implemented now.`
        : `Tell the user what was done.${open} Then stop.`;
    }
  }
}

function results({ state, captured }: Turn): Record<string, string> {
  const told = inRecipeOrder(captured.recipe, state.gates).filter(([, gate]) => gate.stale !== true);
  const verdicts = state.reviewRounds.at(-1);
  return Object.fromEntries([
    ...told.slice(-RESULTS_SHOWN).map(([id, gate]) => [id, gate.choice]),
    ...(verdicts === undefined ? [] : [[verdicts.block, verdicts.verdict ?? 'no verdict']]),
  ]);
}

function failures({ state, captured }: Turn): { id: string; reason: string }[] {
  const agents = Object.entries(state.agents)
    .filter(([, agent]) => agent.status === 'failed')
    .map(([id, agent]) => ({ id, reason: foreignLine(agent.reason ?? 'no reason given', 200) }));
  const steps = inRecipeOrder(captured.recipe, state.steps)
    .filter(([, step]) => step.status === 'failed')
    .map(([id, step]) => {
      const known = state.lastError?.block === id ? state.lastError.message : step.summary;
      return { id, reason: foreignLine(known ?? 'no reason given', 200) };
    });
  return [...agents, ...steps];
}
