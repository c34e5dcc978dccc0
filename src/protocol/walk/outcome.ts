import { renderCount } from '../../base/words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { buildExecutionResults, listFailedTodos, renderExecutionLine } from '../../engine/act/execution-summary.js';
import { buildPlanSummary } from '../../plan/page/summary.js';
import { sortByRecipe } from '../../recipe/declared.js';
import { makesPlan } from '../../recipe/own-commands.js';
import type { RunEngine } from '../../run/engine.js';
import { displayPath } from '../../run/paths.js';
import { readPlan } from '../../run/plan/content.js';
import { getBlock, type Transaction } from '../../run/transaction.js';

// Describes how the current recipe ended: a run's only recipe, or the recipe of a workflow's phase.

/** How many gate decisions `results` lists at most. */
const RESULTS_SHOWN = 6;

/** Longest reason for a failure, in characters; leaves room for a command's last output and the path of its log. */
const REASON_CAP = 500;

/** Renders in one line how the current recipe ended. */
export function renderOutcome(tx: Transaction, outcome: 'completed' | 'halted'): string {
  const { captured, state } = tx;
  if (outcome === 'halted') return renderHalt(tx);
  if (state.engine !== null) return renderExecutionLine(state.engine);
  const plan = makesPlan(captured.recipe) ? readPlan(tx.files) : null;
  const steps = Object.values(state.steps);
  const done = steps.filter((step) => step.status === 'done').length;
  return plan === null ? `${done} of ${renderCount(steps.length, 'step')} done` : buildPlanSummary(plan).line;
}

function renderHalt(tx: Transaction): string {
  const { lastError } = tx.state;
  const { currentBlock: block } = tx.state;
  const stop = block === null ? null : findStopChoice(tx, block);
  if (stop !== null) return `stopped at ${block}: ${stop}`;
  const why = lastError !== null && lastError.block === block ? lastError.message : 'no reason recorded';
  return `halted at ${block}: ${toBoundedLine(why, REASON_CAP)}`;
}

/** Whether a person chose to stop the current recipe. */
export function wasStoppedByPerson(tx: Transaction): boolean {
  const { currentBlock } = tx.state;
  const { engine, gates } = tx.state;
  if (currentBlock !== null && findStopChoice(tx, currentBlock) !== null) return true;
  if (engine === null) return false;
  return isPlanRefused(engine) || (engine.commandsApproved === null && gates['approveCommands']?.choice === 'stop');
}

/** Whether an execution ended because a person did not approve its plan. */
export function isPlanRefused({ planApproved, stage }: RunEngine): boolean {
  return planApproved === null && stage === 'ended';
}

/** Returns the choice with which a person stopped the run at this block; null if it halted for another reason. */
function findStopChoice(tx: Transaction, id: string): string | null {
  const gate = tx.state.gates[id];
  if (gate === undefined || gate.stale === true) return null;
  const block = getBlock(tx, id);
  const own = 'choices' in block ? block.choices.find((choice) => choice.id === gate.choice) : undefined;
  const stops = own === undefined ? gate.choice === 'stop' : own.goto === 'halt';
  return stops ? gate.choice : null;
}

/** Builds `results` of the `done` action, by block: decisions, the last verdict and an execution's results. */
export function buildResults(tx: Transaction): Record<string, string> {
  const { state, captured } = tx;
  const { gates, reviews, engine } = state;
  const decided = sortByRecipe(captured.recipe, gates).filter(([, gate]) => gate.stale !== true);
  const verdicts = reviews.at(-1);
  return Object.fromEntries([
    ...decided.slice(-RESULTS_SHOWN).map(([id, gate]) => [id, gate.choice]),
    ...(verdicts === undefined ? [] : [[verdicts.block, verdicts.verdict ?? 'no verdict']]),
    ...(engine === null ? [] : Object.entries(buildExecutionResults(tx, engine))),
  ]);
}

/** Builds `failed` of the `done` action: the agents, steps and todos that failed, each with the reason. */
export function listFailedWork({ captured, place, state }: Transaction): { id: string; reason: string }[] {
  const { lastError, engine } = state;
  const agents = Object.entries(state.agents)
    .filter(([, agent]) => agent.status === 'failed')
    .map(([id, agent]) => ({ id, reason: toBoundedLine(agent.reason ?? 'no reason given', 200) }));
  const steps = sortByRecipe(captured.recipe, state.steps)
    .filter(([, step]) => step.status === 'failed')
    .map(([id, step]) => {
      const log = step.red?.log === undefined ? '' : `; log ${displayPath(place, state.name, step.red.log)}`;
      const known = lastError?.block === id ? lastError.message : `${step.summary ?? 'no reason given'}${log}`;
      return { id, reason: toBoundedLine(known, REASON_CAP) };
    });
  const todos = engine === null ? [] : listFailedTodos(engine);
  // If todos failed, the engine block failed because of them, and their reasons say more than the step's.
  return [...agents, ...(todos.length === 0 ? steps : todos)];
}
