import { isRecord } from '../../base/json.js';
import type { Size } from '../../documents/size-rules.js';
import type { InitInput } from '../../protocol/init/prepare.js';
import { buildPlan } from './canned/plan.js';
import { scriptError } from './fault.js';
import { type Fixtures, readSaid } from './fixtures.js';
import type { ScriptSetup } from './script-schema.js';

/** Prepares the inputs with which a simulated run begins. */

/** The goal of a run whose script gives none. */
const GOAL = 'Let a user do what this recipe is tried with.';

/** Builds the input of `init` from a script. */
export function buildInitInput(given: ScriptSetup): InitInput & { goal: string } {
  return {
    goal: given.goal ?? GOAL,
    ...(given.set === undefined ? {} : { set: { ...given.set } }),
    ...(given.size === undefined ? {} : { size: given.size as NonNullable<InitInput['size']> }),
    ...(given.depth === undefined ? {} : { [given.depth]: true }),
    ...(given.interaction === undefined ? {} : { [given.interaction]: true }),
  };
}

/**
 * Renders the plan that a script gives: as the size or risk of a canned plan, as a file, or in full.
 * @throws DevCliError for anything else
 */
export function renderGivenPlan(plan: unknown, goal: string, fixtures: Fixtures): string {
  const isSize = (word: unknown) => word === 'small' || word === 'middle' || word === 'large';
  if (isSize(plan)) return JSON.stringify(buildPlan(goal, plan as Size));
  if (typeof plan === 'string') return readSaid(plan, fixtures, 'plan');
  if (!isRecord(plan) || 'todos' in plan) return JSON.stringify(plan);
  const { size = 'middle', risk = 'low', ...others } = plan;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw scriptError('plan', `A canned plan takes \`size\` and \`risk\`, not \`${unknown}\`.`);
  if (!isSize(size)) throw scriptError('plan/size', '`size` must be one of small, middle, large.');
  if (risk !== 'low' && risk !== 'medium' && risk !== 'high')
    throw scriptError('plan/risk', '`risk` must be one of low, medium, high.');
  return JSON.stringify(buildPlan(goal, size as Size, risk));
}
