import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { removeUsedGoal } from '../protocol/init/existing-work.js';
import { initRun } from '../protocol/init/init.js';
import type { HandlersOf, WithPorts } from '../protocol/ports.js';
import type { CORE } from '../registry/catalogue.js';
import { toFlag } from '../registry/input.js';
import type { Context } from '../run/context.js';

/**
 * Runs `init` with the goal from `--from`. If `init` refuses because the run's plan was edited, lets the person at the
 * terminal apply the edited plan, then runs `init` again.
 */
export const beginRun: HandlersOf<(typeof CORE)['specs']>['init'] = async (
  context,
  { name, from, ...input },
  { cwd, given },
) => {
  if (context.boundGoal) throw refuseSession(context.root, context.boundGoal);
  if (name === undefined) return setUp(context, given);
  const goal = from === undefined ? null : await readGoal(context, name, { from, force: input.force, cwd });
  const begin = () => initRun(context, name, goal === null ? input : { ...input, goal });
  const answer = await begin().catch(async (refusal) => {
    const { applyEditedPlan: takeUpEditedPlan } = await import('../protocol/plan/apply.js');
    await takeUpEditedPlan(context, name, refusal);
    return begin();
  });
  await removeUsedGoal(context, name, input.goal, { cwd, typed: given['goal'] });
  return answer;
};

/**
 * Builds the error for `init` called from the work tree of an attempt at a goal. That tree is removed after the
 * attempt, but what `init` creates would be written to the project and stay there.
 */
function refuseSession(root: string, goal: string): DevCliError {
  return new DevCliError(
    'USAGE',
    `This work tree is for one attempt at the goal "${goal}"; nothing else can be started from it.`,
    {
      details: [{ target: root, problem: 'is the project in which it would be started' }],
      fix: 'Do the task you were given. Put any other work into the handoff.',
    },
  );
}

/** Sets the project up for goals. @throws DevCliError `USAGE` for any option, since all options of `init` need a run */
async function setUp(context: Context & WithPorts, given: JsonObject): Promise<Answer> {
  const options = Object.keys(given).map(toFlag);
  if (options.length === 0) return (await context.ports.setUp())(context);
  throw new DevCliError('USAGE', `--${options[0]} is an option for a run, but no run was named.`, {
    details: options.map((option) => ({ target: `--${option}`, problem: 'is an option for a run' })),
    fix: 'Name the run: dev-cli init NAME. Without a name, init takes no options: it sets the project up for goals.',
  });
}

const readGoal: typeof import('../protocol/init/goal-from.js').readGoalFrom = async (...given) =>
  (await import('../protocol/init/goal-from.js')).readGoalFrom(...given);
