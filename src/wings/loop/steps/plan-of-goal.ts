import { DevCliError } from '../../../base/errors.js';
import { findPlanMismatch } from '../../../blocks/commands/plan.js';
import { runDocumentCommand } from '../../../protocol/documents.js';
import { executesAtOnce } from '../../../protocol/init/prepare.js';
import { requireRecipe } from '../../../recipe/load/load.js';
import type { Context } from '../../../run/context.js';
import { createDocumentOverlay } from '../../../run/documents/pending.js';
import { getRunDirectory, PLAN_CONTENT } from '../../../run/paths.js';
import type { LoopGoal } from '../goals.js';

/** The plan of a goal whose recipe carries out a plan without writing one: the plan that has the goal's name (loop-core.md, auto, step 1). */

/** Returns the name under which a goal is planned, and with which its runs begin. */
export function nameGoalPlan({ id }: Pick<LoopGoal, 'id'>): string {
  return id.replaceAll('.', '-');
}

/**
 * Writes the plan of a goal for a run that carries it out. A plan that the run has already stays.
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

/** Refuses a batch whose goals need plans that are not there. @throws DevCliError `PLAN_MISSING`; `UNKNOWN_RECIPE`, `RECIPE_INVALID` */
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

/** Reads the plan of a name, which has to agree with its PLAN.md. */
async function readPlan(context: Context, name: string): Promise<{ text: string } | { problem: string }> {
  const { files } = await context.store.read(name);
  const workspace = createDocumentOverlay(files);
  const problem = findPlanMismatch(workspace);
  return problem === null ? { text: workspace.text(PLAN_CONTENT) ?? '' } : { problem };
}

function refuse(lacking: readonly { goal: LoopGoal; problem: string }[]): DevCliError {
  const [name = 'NAME'] = lacking.map(({ goal }) => nameGoalPlan(goal));
  return new DevCliError('PLAN_MISSING', 'A goal whose recipe carries out a plan has no valid plan of its name.', {
    details: lacking.map(({ goal, problem }) => ({
      target: goal.id,
      problem: `${getRunDirectory(nameGoalPlan(goal))}: ${problem}`,
    })),
    fix: `Plan it first, dev-cli init ${name} --goal "what is wanted", or apply an edit: dev-cli plan apply ${name}`,
  });
}
