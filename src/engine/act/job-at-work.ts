import { DevCliError } from '../../base/errors.js';
import type { EngineJob } from '../../run/engine.js';
import type { Turn } from '../../run/turn.js';
import { engineOf } from './plan.js';

/** The pending `running` action is over; a late acknowledgement of it is a duplicate. Gives its block. */
export function settleRunning(turn: Turn): string {
  const action = turn.state.pendingAction?.action;
  if (action?.action !== 'running') throw new DevCliError('INTERNAL', 'No job is at work.');
  delete turn.state.commands[action.actionId];
  turn.state.acknowledged[action.actionId] = action.block;
  return action.block;
}

/** The job of this kind that is at work. @throws DevCliError `INTERNAL` when there is none */
export function jobAtWork<K extends EngineJob['kind']>(turn: Turn, kind: K) {
  const engine = engineOf(turn);
  const { job } = engine;
  if (job === null || job.kind !== kind) throw new DevCliError('INTERNAL', `No ${kind} job is at work.`);
  return { engine, job: job as Extract<EngineJob, { kind: K }> };
}
