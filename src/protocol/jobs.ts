import { type CommitResult, commitDone } from '../engine/act/commit-job.js';
import { pullRequestDone } from '../engine/act/request-job.js';
import type { Context } from '../run/context.js';
import type { RunState } from '../run/state.js';
import { directoryOf, type Settled, type Waiting } from './command-ending.js';
import { commit } from './commit.js';
import { toldBy } from './envelope.js';
import { tellPullRequest } from './pull-request-job.js';
import { transactTurn } from './turns.js';
import { advanceEngine } from './walk/advance.js';

/**
 * Does the engine's job that is no command, within the time the call has, and commits what came of it. Every part may be
 * cut off and done again: a commit is looked for before it is made (engine.md, commit; storage.md, A commit).
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`; what a transaction throws
 */
export async function settleJob(context: Context, snapshot: RunState, waiting: Waiting): Promise<Settled> {
  const job = snapshot.engine?.job ?? null;
  const action = snapshot.pendingAction?.action;
  if (job === null || action?.action !== 'running') return 'nothing';
  const { actionId } = action;
  const find = (state: RunState) => jobAt(state, actionId);
  const directory = directoryOf(context, snapshot.name, { directory: `actions/${action.actionId}` });
  switch (job.kind) {
    case 'commands':
      return 'nothing';
    case 'commit': {
      const result = await commit(context, snapshot, job, directory, { ...waiting, find });
      if (result === null) return 'at work';
      return committed(context, snapshot.name, action.actionId, result);
    }
    case 'pull-request': {
      const result = await tellPullRequest(context, snapshot, job, directory, { ...waiting, find });
      if (result === null) return 'at work';
      const told = await transactTurn(context, snapshot.name, (turn) => {
        if (!isPending(turn.state, action.actionId)) return null;
        advanceEngine(turn, [pullRequestDone(turn, result)]);
        return toldBy(turn);
      });
      return told ?? 'settled by another call';
    }
  }
}

async function committed(context: Context, name: string, actionId: string, result: CommitResult): Promise<Settled> {
  const told = await transactTurn(context, name, (turn) => {
    if (!isPending(turn.state, actionId)) return null;
    advanceEngine(turn, [commitDone(turn, result)]);
    return toldBy(turn);
  });
  return told ?? 'settled by another call';
}

/** The job that an action is about, where its launches are counted. */
function jobAt(state: RunState, actionId: string): { launches?: number } | undefined {
  const job = isPending(state, actionId) ? state.engine?.job : null;
  return job === null || job === undefined || job.kind === 'commands' ? undefined : job;
}

function isPending({ pendingAction }: RunState, actionId: string): boolean {
  return pendingAction?.action.action === 'running' && pendingAction.action.actionId === actionId;
}
