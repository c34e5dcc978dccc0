import { writeOutcome } from './goals.js';
import type { AttemptSite } from './site.js';
import { NEW_GOAL } from './steps/settle.js';
import { LOOP } from './streams.js';

/**
 * Writes the goals' statuses that were decided earlier but could not be written then (loop-core.md, Files).
 * @throws DevCliError as `writeOutcome`; the next call, or the next batch, writes them
 */
export async function writeOwedStatuses({ streams, context }: Pick<AttemptSite, 'streams' | 'context'>): Promise<void> {
  for (const [goal, { owed }] of Object.entries((await streams.read(LOOP)).goals)) {
    if (owed === undefined) continue;
    await writeOutcome(context, { id: goal, status: owed.status, blockedReason: owed.reason });
    await streams.transact(LOOP, (state) => {
      const { owed: _, ...known } = state.goals[goal] ?? NEW_GOAL;
      const goals = { ...state.goals, [goal]: known };
      return { answer: undefined, state: { ...state, goals }, entry: { type: 'owed', data: { goal } } };
    });
  }
}
