import { quoteSuggestion } from '../../recipe/source/yaml.js';
import type { PendingAction } from '../../run/action.js';
import { listRecipes } from '../../run/facts.js';
import type { RunState } from '../../run/state.js';
import { type Amount, measure, sum } from './amount.js';
import { inRun } from './outputs.js';
import type { Rehearsal, Reply } from './rehearsal.js';
import type { ScriptStep } from './script-schema.js';

/** Steps of a script and the actions that they meet. */

/** Whether a step is for a command at work. */
export function waitsForCommand({ expect, command }: ScriptStep): boolean {
  return command !== undefined || expect?.action === 'running';
}

/** Whether a step does something itself; one that only says how far to go does not. */
export function doesSomething({ expect, until: _, times: _times, ...deed }: ScriptStep): boolean {
  return expect !== undefined || Object.keys(deed).length > 0;
}

/** What a step goes on to is a command at work only where it says so, and then nothing else: a loop with a command is asked first. */
export function isAt(step: ScriptStep, action: PendingAction, phase: string | null): boolean {
  const { until } = step;
  if ((action.action === 'running') !== waitsForCommand(step)) return false;
  return until === action.block || (phase !== null && until === `${phase}/${action.block}`);
}

/** How much the prompts are that an action hands out. */
export function countPrompts(on: Rehearsal, action: PendingAction): Amount {
  const rows =
    action.action === 'dispatch-subagents' ? action.agents : action.action === 'engine-dispatch' ? action.tasks : [];
  return sum(rows.map(({ promptFile }) => measure(on.text(inRun(promptFile)) ?? '')));
}

/** What was done with an action, in a few words. */
export function describeDeed(action: PendingAction, step: ScriptStep, reply: Reply): string {
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

/** Renders ` Did you mean …?` for a block, or PHASE/BLOCK, that the run does not have; empty when it has it, or none is near. */
export function suggestBlock(named: string, state: RunState): string {
  const word = named.slice(named.lastIndexOf('/') + 1);
  const known = listRecipes(state).flatMap(({ steps }) => Object.keys(steps));
  return known.includes(word) ? '' : quoteSuggestion(word, known);
}
