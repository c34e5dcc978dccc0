import type { Answer } from '../../base/answer.js';
import type { Context } from '../../run/context.js';
import { activateGoal, beginAnew, findLastKept } from './again.js';
import { runLockedBatch } from './auto.js';
import { goalRefusedError } from './core/order.js';
import { readLoopFiles } from './files.js';
import { listGoals } from './goals.js';
import type { AttemptSite, LoopCall, LoopPorts } from './site.js';
import { LOOP } from './streams.js';

/** The input of `retry`. */
interface Retry {
  goal: string;
  note?: string | undefined;
  continue?: boolean | undefined;
  explain?: boolean | undefined;
  tool?: string | undefined;
  onto?: string | undefined;
  dirty?: boolean | undefined;
  trust?: string | undefined;
}

/**
 * `retry` (loop-core.md, Commands): reactivates a blocked goal, with a person's note, and runs it.
 * @throws DevCliError `GOAL_REFUSED`, and as `auto`
 */
export async function retryGoal(ports: LoopPorts, context: Context, asked: Retry, call: LoopCall): Promise<Answer> {
  const files = readLoopFiles(context);
  const goal = listGoals(files.goals).find(({ id }) => id === asked.goal);
  if (goal === undefined)
    throw goalRefusedError(
      asked.goal,
      'there is no such goal',
      'Name a goal of .ai/goals.yaml; dev-cli observe lists them.',
    );
  if (goal.status !== 'blocked' && goal.status !== 'active')
    throw goalRefusedError(
      goal.id,
      `its status is ${goal.status}`,
      'Set it to active in .ai/goals.yaml to have it run.',
    );
  if (goal.mode === 'interactive' || goal.children.length > 0)
    throw goalRefusedError(goal.id, 'dev-cli does not run it', 'Name another goal.');
  const prepare = async (site: AttemptSite): Promise<void> => {
    const from = asked.continue ? await requireKept(site, goal.id) : null;
    await activateGoal(context, goal);
    await site.streams.transact(LOOP, (state) => ({
      answer: undefined,
      state: beginAnew(state, { goal: goal.id, note: asked.note ?? null, from }),
      entry: { type: 'retried', data: { goal: goal.id } },
    }));
  };
  const chosen = [{ ...goal, status: 'active' as const }];
  return runLockedBatch(
    ports,
    context,
    { ...asked, files, goals: chosen, parallel: 1, explain: asked.explain === true, prepare },
    call,
  );
}

/** Returns the kept commit of the last attempt. */
async function requireKept({ top, git }: AttemptSite, goal: string): Promise<string> {
  const commit = await findLastKept(top, goal, git);
  if (commit !== null) return commit;
  throw goalRefusedError(goal, 'no attempt of it was kept', 'Leave --continue out.');
}
