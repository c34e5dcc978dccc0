import { compileWorkflow } from '../../machine/workflow-config.js';
import type { WorkflowEffect } from '../../machine/workflow-program.js';
import type { ResolvedWorkflow } from '../../recipe/captured.js';
import type { MachineDecision } from '../../run/simulation.js';

/** Gives the transitions between a workflow's phases readable names (authoring.md, Coverage). */

/** Lists the names of all transitions of the compiled machine. */
export function listPhaseEdges(workflow: ResolvedWorkflow): string[] {
  const { states } = compileWorkflow(workflow);
  return workflow.phases.flatMap(({ name, recipe, when }, index) => {
    const entering = states[`entering-${index}`]?.always ?? [];
    const skipped = entering.flatMap(({ guard }) => {
      if (guard?.type === 'lacks') return (recipe.needs ?? []).length === 0 ? [] : [`${name}: lacks what it needs`];
      return guard?.type === 'unmet' ? [`${name}: skipped`] : [];
    });
    const ended = Object.entries(states[`running-${index}`]?.on ?? {}).flatMap(([event, transitions = []]) =>
      event === 'ABORT' ? [] : transitions.map(({ target }) => nameEnd(name, event, nameTarget(workflow, target))),
    );
    return [...(when === undefined ? [] : [`${name}: begun`]), ...skipped, ...ended];
  });
}

const nameEnd = (phase: string, event: string, target: string) =>
  `${phase}: ${event === 'PHASE_COMPLETED' ? 'completed' : 'halted'} → ${target}`;

/** Names a target: `#workflow.entering-1` becomes the name of phase 1; `running-…`, the same phase, becomes `again`. */
function nameTarget({ phases }: ResolvedWorkflow, target: string): string {
  const [, state = ''] = target.split('.');
  const [kind = '', index] = state.split('-');
  if (kind === 'running') return 'again';
  return index === undefined || kind === 'halted' ? kind : (phases[Number(index)]?.name ?? '');
}

/** Lists the names of the transitions that decisions have taken. */
export function listTakenPhases(workflow: ResolvedWorkflow, decided: readonly MachineDecision[]): string[] {
  const steps = decided.flatMap((one) => (one.kind === 'workflow' ? one : []));
  let at = 0;
  return steps.flatMap(({ event, effects, lacking }) => {
    const isEnd = event.type === 'PHASE_COMPLETED' || event.type === 'PHASE_HALTED';
    const name = workflow.phases[at]?.name ?? '';
    const ended = isEnd ? [nameEnd(name, event.type, nameOnward(workflow, at, effects))] : [];
    at = effects.find((effect) => effect.type === 'open')?.phase ?? at;
    return [...ended, ...effects.flatMap((effect) => nameEntry(workflow, effect, lacking))];
  });
}

/** Returns where the end of a phase led. */
function nameOnward({ phases }: ResolvedWorkflow, at: number, effects: readonly WorkflowEffect[]): string {
  const [first] = effects;
  if (first?.type === 'end' && first.outcome === 'halted') return 'halted';
  return first?.type === 'repeat' ? 'again' : (phases[at + 1]?.name ?? 'completed');
}

function nameEntry({ phases }: ResolvedWorkflow, effect: WorkflowEffect, lacking: readonly number[]): string[] {
  if (effect.type !== 'skip' && effect.type !== 'open') return [];
  const { name = '', when } = phases[effect.phase] ?? {};
  if (effect.type === 'skip') return [`${name}: ${lacking.includes(effect.phase) ? 'lacks what it needs' : 'skipped'}`];
  return when === undefined ? [] : [`${name}: begun`];
}
