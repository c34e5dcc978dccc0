import { quoteSuggestion } from '../../recipe/source/yaml.js';
import type { PendingAction } from '../../run/action.js';
import { listRecipeStates } from '../../run/facts.js';
import type { RunState } from '../../run/state.js';
import { type Amount, measureAmount, sumAmounts } from './amount.js';
import { toRunPath } from './outputs.js';
import type { Rehearsal, RehearsalReply } from './rehearsal.js';
import type { ScriptStep } from './script-schema.js';

/** Relates a script's steps to the run's actions. */

/** Returns whether a step is about a running command. */
export function waitsForCommand({ expect, command }: ScriptStep): boolean {
  return command !== undefined || expect?.action === 'running';
}

/** Returns whether a step does or expects anything, rather than only naming how far to go. */
export function doesSomething({ expect, until: _, times: _times, ...deed }: ScriptStep): boolean {
  return expect !== undefined || Object.keys(deed).length > 0;
}

/**
 * Returns whether an action is the one that a step's `until` names. A loop with a command first asks an agent, so its
 * block alone is ambiguous: a step about a command matches only a running command, and any other step matches only
 * other actions.
 */
export function isUntilReached(step: ScriptStep, action: PendingAction, phase: string | null): boolean {
  const { until } = step;
  if ((action.action === 'running') !== waitsForCommand(step)) return false;
  return until === action.block || (phase !== null && until === `${phase}/${action.block}`);
}

/** Measures the prompts that an action hands out. */
export function countPrompts(on: Rehearsal, action: PendingAction): Amount {
  const rows =
    action.action === 'dispatch-subagents' ? action.agents : action.action === 'engine-dispatch' ? action.tasks : [];
  return sumAmounts(rows.map(({ promptFile }) => measureAmount(on.text(toRunPath(promptFile)) ?? '')));
}

/** Describes in a few words what was done with an action. */
export function describeDeed(action: PendingAction, step: ScriptStep, reply: RehearsalReply): string {
  if (!reply.ok) return `refused: ${reply.error.code}`;
  if (step.invalidate !== undefined) return `invalidated ${step.invalidate}`;
  if (step.fail !== undefined) return `failed: ${step.fail}`;
  if (step.command !== undefined) return `exit ${step.command.exit}`;
  const json = reply.json as { completed?: unknown; round?: { passed?: boolean }; next?: { action?: string } };
  const without = Object.keys(step.without ?? {});
  const parts = [
    ...(typeof step.person === 'string' ? [`a person chose ${step.person}`] : []),
    ...(step.choose === undefined ? [] : [`chose ${step.choose}`]),
    ...(without.length === 0 ? [] : [`without ${without.join(', ')}`]),
    ...(json.round === undefined ? [] : ['the round did not pass']),
  ];
  return parts.length === 0 ? (action.action === 'running' ? 'exit 0' : 'done') : parts.join(', ');
}

/**
 * Renders ` Did you mean …?` for an unknown block or PHASE/BLOCK; empty if the run has such a block, or no name is
 * similar.
 */
export function suggestBlock(named: string, state: RunState): string {
  const word = named.slice(named.lastIndexOf('/') + 1);
  const known = listRecipeStates(state).flatMap(({ steps }) => Object.keys(steps));
  return known.includes(word) ? '' : quoteSuggestion(word, known);
}
