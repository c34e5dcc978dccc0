import { presentPlan } from '../../blocks/commands/plan.js';
import { inRecipeOrder } from '../../blocks/recipe-order.js';
import { foreignLine } from '../../documents/foreign.js';
import { planSummary } from '../../documents/plan-summary.js';
import { executionLine, executionResults, failedTodos } from '../../engine/act/done.js';
import { makesPlan } from '../../recipe/own-commands.js';
import type { RunEngine } from '../../run/engine.js';
import { blockOf, type Turn } from '../../run/turn.js';

/** What the recipe at work came to, in words: of a run of one recipe its end, of a workflow that of a phase. */

/** Results listed at most. */
const RESULTS_SHOWN = 6;

/** How the recipe at work ended, in a line. */
export function outcomeLine(turn: Turn, outcome: 'completed' | 'halted'): string {
  const { state, captured } = turn;
  if (outcome === 'halted') return haltLine(turn);
  if (state.engine !== null) return executionLine(state.engine);
  const plan = makesPlan(captured.recipe) ? presentPlan(turn.files) : null;
  const steps = Object.values(state.steps);
  const done = steps.filter((step) => step.status === 'done').length;
  return plan === null ? `${done} of ${steps.length} steps done` : planSummary(plan).line;
}

function haltLine(turn: Turn): string {
  const { lastError, currentBlock: block } = turn.state;
  const stop = block === null ? null : stopChosen(turn, block);
  if (stop !== null) return `stopped at ${block}: ${stop}`;
  const why = lastError !== null && lastError.block === block ? lastError.message : 'no reason recorded';
  return `halted at ${block}: ${foreignLine(why, 300)}`;
}

/** Whether a person chose that the recipe at work stops where it is. */
export function personStopped(turn: Turn): boolean {
  const { currentBlock, engine, gates } = turn.state;
  if (currentBlock !== null && stopChosen(turn, currentBlock) !== null) return true;
  if (engine === null) return false;
  return planRefused(engine) || (engine.commandsApproved === null && gates['approveCommands']?.choice === 'stop');
}

/** Whether a person was asked about the plan of an execution and did not approve it; told where that has ended. */
export function planRefused({ planApproved, stage }: RunEngine): boolean {
  return planApproved === null && stage === 'ended';
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

/** What was decided and found on the way, by block. */
export function results({ state, captured }: Turn): Record<string, string> {
  const told = inRecipeOrder(captured.recipe, state.gates).filter(([, gate]) => gate.stale !== true);
  const verdicts = state.reviewRounds.findLast(({ block }) => Object.hasOwn(state.steps, block));
  return Object.fromEntries([
    ...told.slice(-RESULTS_SHOWN).map(([id, gate]) => [id, gate.choice]),
    ...(verdicts === undefined ? [] : [[verdicts.block, verdicts.verdict ?? 'no verdict']]),
    ...(state.engine === null ? [] : Object.entries(executionResults(state.engine))),
  ]);
}

/** Agents, steps and todos that failed, each with why. */
export function failures({ state, captured }: Turn): { id: string; reason: string }[] {
  const agents = Object.entries(state.agents)
    .filter(([, agent]) => agent.status === 'failed')
    .map(([id, agent]) => ({ id, reason: foreignLine(agent.reason ?? 'no reason given', 200) }));
  const steps = inRecipeOrder(captured.recipe, state.steps)
    .filter(([, step]) => step.status === 'failed')
    .map(([id, step]) => {
      const known = state.lastError?.block === id ? state.lastError.message : step.summary;
      return { id, reason: foreignLine(known ?? 'no reason given', 200) };
    });
  const todos = state.engine === null ? [] : failedTodos(state.engine);
  // The block of an execution has failed because its todos have: they say more.
  return [...agents, ...(todos.length === 0 ? steps : todos)];
}
