import { foreignLine } from '../documents/foreign.js';
import type { RunState } from '../run/state.js';
import { inspect, launch } from '../work/external.js';
import { endingIn, workTreeOf } from './command-ending.js';
import type { Context } from './context.js';
import { lastWordsOf } from './job-commands.js';

/** Seconds that gh may take with the network. */
const TIMEOUT = 120;

/** A pull request is told how its run goes. That it cannot be told is no reason to fail (engine.md, state-begin). */
export async function tellPullRequest(
  context: Context,
  snapshot: RunState,
  stage: string,
  directory: string,
  until: number,
): Promise<{ ok: boolean; summary: string } | null> {
  const argv =
    stage === 'stateBegin'
      ? ['gh', 'pr', 'comment', '--body', `Execution of the plan ${snapshot.name} has begun.`]
      : ['gh', 'pr', 'ready'];
  const { state } = inspect(directory);
  if (state === 'absent' || state === 'launching') {
    launch({
      directory,
      key: `${snapshot.runId}:${stage}`,
      argv,
      shell: false,
      cwd: workTreeOf(context, snapshot),
      timeoutSeconds: TIMEOUT,
      runner: context.runner,
    });
  }
  const ending = await endingIn(context, directory, until);
  if (ending === null) return null;
  if (ending.kind === 'interrupted') return { ok: false, summary: `${argv.slice(0, 3).join(' ')} was cut off` };
  const { exit, error } = ending.exit;
  if (exit === 0) return { ok: true, summary: argv.slice(0, 3).join(' ') };
  return {
    ok: false,
    summary: foreignLine(`${argv.slice(0, 3).join(' ')}: ${error ?? `exit ${exit}`} ${lastWordsOf(directory)}`, 300),
  };
}
