import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import type { ResolvedWorkflow } from '../../../recipe/captured.js';
import { needsPerson } from '../../../recipe/declared.js';
import type { ResolvedRecipe } from '../../../recipe/resolved.js';
import { quoteWord } from '../../../recipe/source/yaml.js';
import type { ExploredEngine } from './engine.js';
import type { VerifyFinding } from './finding.js';
import { adaptToPhase, type FindingScript } from './script.js';
import { findValues } from './values.js';
import type { ExploredWorkflow, PhaseOutcomes } from './workflow.js';

type Found = Omit<VerifyFinding, 'node' | 'edge'>;

/** The results of verifying a phase. */
export interface PhaseProof {
  recipe: ResolvedRecipe;
  outcomes: PhaseOutcomes;
  /**
   * A script in which an agent makes the phase halt before its first gate for a person; null if there is no such gate,
   * or no such script.
   */
  bypass: FindingScript | null;
}

/**
 * Lists the faults of an engine recipe that exploration on symbolic plans showed, each with a script that reproduces
 * it.
 */
export function judgeEngine(
  recipe: ResolvedRecipe,
  explored: ExploredEngine,
  name: string,
): (Found & { script: FindingScript })[] {
  const own = Object.entries(recipe.engine?.handlers ?? {}).filter(([, { shipped }]) => shipped === null);
  const found: (Found & { script: FindingScript })[] = [];
  const script: FindingScript = { recipe: name, steps: [{ until: 'end' }] };
  for (const [stage, { key, when, actor }] of own) {
    const todo = when === undefined ? {} : findTodo(recipe, when);
    if (!explored.begun.has(stage) || todo === null) {
      found.push({
        kind: 'unreachable-block',
        message: `The stage ${quoteWord(key)} is never reached${when === undefined ? '' : ': its `when` is false for every todo'}.`,
        fix: 'Correct the `when`, or leave the handler out.',
        place: ['handlers', key, when === undefined ? 'after' : 'when'],
        script,
      });
    } else if (actor === 'human' && recipe.mode['interaction'] === 'autopilot') {
      found.push({
        kind: 'human-in-autopilot',
        message: `${quoteWord(key)} needs a person, but the recipe is for autopilot: every run waits there.`,
        fix: 'Leave the stage out, or make the recipe interactive.',
        place: ['handlers', key, 'actor'],
        script: { ...script, ...givePlan(todo) },
      });
    }
  }
  for (const stage of new Set(explored.stuck)) {
    found.push({
      kind: 'dead-end',
      message: `An execution can get stuck at ${quoteWord(stage)}: nothing is pending, and it has not ended.`,
      place: ['config'],
      script,
    });
  }
  if (explored.whole && !explored.completed) {
    const message = 'No execution of this recipe can be completed.';
    found.push({ kind: 'dead-end', message, place: ['config'], script });
  }
  return found;
}

/** Finds properties of a todo, by name, for which a condition holds; null if it holds for none. */
function findTodo(recipe: ResolvedRecipe, when: string): Record<string, unknown> | null {
  const { values, conditions } = findValues(recipe, [when]);
  const condition = conditions.get(when);
  if (condition === undefined) return {};
  const pick = (given: readonly unknown[]): readonly unknown[] | null => {
    const next = condition.looksAt[given.length];
    if (next === undefined) return condition.holds(given) ? given : null;
    for (const value of values[next]?.values ?? []) {
      const found = pick([...given, value]);
      if (found !== null) return found;
    }
    return null;
  };
  const given = pick([]);
  if (given === null) return null;
  const named = condition.looksAt.map((at, place) => [values[at]?.path ?? [], given[place]] as const);
  return Object.fromEntries(named.flatMap(([[root, key = ''], value]) => (root === 'todo' ? [[key, value]] : [])));
}

/**
 * Returns a script's `given` with a canned plan that has a todo with these properties. Only the large plan has a todo
 * that verifies.
 */
function givePlan({ risk, type }: Record<string, unknown>): Pick<FindingScript, 'given'> {
  if (risk === undefined && type === undefined) return {};
  const size = type === 'verification' ? 'large' : 'middle';
  return { given: { plan: { size, ...(risk === undefined ? {} : { risk: String(risk) }) } } };
}

/** Lists the faults of a workflow besides those of its phases. */
export function judgeWorkflow(
  workflow: ResolvedWorkflow,
  explored: ExploredWorkflow,
  proofs: readonly PhaseProof[],
  name: string,
): (Found & { script: FindingScript })[] {
  const { phases, errorPolicy, needs = [] } = workflow;
  const found: (Found & { script: FindingScript })[] = [];
  const stuck = proofs.findIndex(({ outcomes }) => !outcomes.completed);
  for (const [at, phase] of phases.entries()) {
    if (explored.opened.has(at) || phase.when === undefined) continue;
    found.push({
      kind: 'unreachable-block',
      message: `The phase ${quoteWord(phase.name)} never begins: its \`when\` is always false.`,
      fix: 'Correct the `when`, or leave the phase out.',
      place: ['phases', at, 'when'],
      script: { recipe: name, steps: [{ until: 'end' }] },
    });
  }
  if (needs.includes('remote')) {
    found.push({
      kind: 'needs-remote',
      message: 'Without a remote this workflow cannot begin, although its other phases need no remote.',
      fix: 'State `needs` in the recipe of the phase that needs it: then only that phase is skipped.',
      place: ['needs'],
      script: { recipe: name, given: { lacks: ['remote'], refuse: 'NEEDS_MISSING' }, steps: [] },
    });
  } else if (!explored.completed && stuck >= 0 && errorPolicy.kind !== 'skip') {
    found.push({
      kind: 'dead-end',
      message: `The phase ${quoteWord(phases[stuck]?.name ?? '')} can only halt, and with it the workflow.`,
      place: ['phases', stuck],
      script: { recipe: name, steps: [] },
    });
  }
  for (const [at, { bypass, recipe }] of proofs.entries()) {
    const after = phases[at + 1];
    if (bypass === null || after === undefined || errorPolicy.kind !== 'skip') continue;
    const gate = recipe.blocks.find(needsPerson)?.id ?? '';
    const { end: _, ...script } = adaptToPhase(bypass, phases[at]?.name ?? '');
    const next = after.recipe.blocks.find(({ kind }) => BLOCK_KINDS[kind].by !== 'cli')?.id;
    found.push({
      kind: 'gate-bypassed',
      message: `When the phase ${quoteWord(phases[at]?.name ?? '')} fails, the next one begins although ${quoteWord(gate)} has not asked a person.`,
      fix: 'Set `onFail` to halt.',
      place: ['errorPolicy'],
      script: {
        ...script,
        recipe: name,
        steps: [...script.steps, ...(next === undefined ? [] : [{ until: `${after.name}/${next}` }])],
      },
    });
  }
  return found;
}
