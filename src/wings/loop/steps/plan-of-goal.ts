import { DevCliError } from '../../../base/errors.js';
import { findPlanMismatch } from '../../../blocks/commands/plan.js';
import { runDocumentCommand } from '../../../protocol/documents.js';
import { executesAtOnce } from '../../../protocol/init/prepare.js';
import { requireRecipe } from '../../../recipe/load/load.js';
import type { Context } from '../../../run/context.js';
import { createDocumentOverlay } from '../../../run/documents/pending.js';
import { getRunDirectory, PLAN_CONTENT } from '../../../run/paths.js';
import type { LoopGoal } from '../goals.js';

/**
 * Some recipes carry out a plan but do not write one. A goal with such a recipe gets the plan from the run that has the
 * goal's name (loop-core.md, auto, step 1).
 */

/** Returns the name that a goal is planned under, which also begins the names of its runs. */
export function nameGoalPlan({ id }: Pick<LoopGoal, 'id'>): string {
  return id.replaceAll('.', '-');
}

/**
 * Copies the plan of a goal into a run that carries it out, unless the run already has one.
 * @throws DevCliError `PLAN_MISSING`, and what the store throws
 */
export async function writeGoalPlan(context: Context, goal: LoopGoal, run: string, recipe: string): Promise<void> {
  if (!needsPlan(context, recipe)) return;
  const own = await readPlan(context, run);
  if ('text' in own) return;
  const plan = await readPlan(context, nameGoalPlan(goal));
  if ('problem' in plan) throw refuse([{ goal, problem: plan.problem }]);
  await runDocumentCommand(context, 'plan generate', { name: run, data: { source: 'inline', text: plan.text } });
}

/**
 * Refuses a batch with goals that need a plan and have none. @throws DevCliError `PLAN_MISSING`; `UNKNOWN_RECIPE`,
 * `RECIPE_INVALID`
 */
export async function requirePlans(context: Context, goals: readonly LoopGoal[]): Promise<void> {
  const needing = goals.filter(({ recipe }) => recipe !== null && needsPlan(context, recipe));
  const read = await Promise.all(
    needing.map(async (goal) => ({ goal, ...(await readPlan(context, nameGoalPlan(goal))) })),
  );
  const lacking = read.flatMap((one) => ('problem' in one ? [one] : []));
  if (lacking.length > 0) throw refuse(lacking);
}

function needsPlan({ library }: Context, recipe: string): boolean {
  return executesAtOnce(requireRecipe(library, recipe));
}

/** Reads the plan of a run; reports a problem unless it agrees with its PLAN.md. */
async function readPlan(context: Context, name: string): Promise<{ text: string } | { problem: string }> {
  const { files } = await context.store.read(name);
  const workspace = createDocumentOverlay(files);
  const problem = findPlanMismatch(workspace);
  return problem === null ? { text: workspace.text(PLAN_CONTENT) ?? '' } : { problem };
}

function refuse(lacking: readonly { goal: LoopGoal; problem: string }[]): DevCliError {
  const [name = 'NAME'] = lacking.map(({ goal }) => nameGoalPlan(goal));
  return new DevCliError(
    'PLAN_MISSING',
    'A goal’s recipe carries out a plan, but there is no valid plan of the goal’s name.',
    {
      details: lacking.map(({ goal, problem }) => ({
        target: goal.id,
        problem: `${getRunDirectory(nameGoalPlan(goal))}: ${problem}`,
      })),
      fix: `Plan it first: dev-cli init ${name} --goal "what is wanted"; or apply an edit: dev-cli plan apply ${name}`,
    },
  );
}
