import { omitUndefined } from '../../../base/defined.js';
import { DevCliError } from '../../../base/errors.js';
import { judgeFile } from '../../../protocol/questions/check.js';
import type { DispatchAction } from '../../../run/action.js';
import { nameWorkSession } from '../sessions/find.js';
import type { DrivenRun, DriveResult } from './driven.js';
import { createFinish, type WorkEnd } from './finish.js';
import { mapConcurrently } from './in-turns.js';
import { performWork } from './perform.js';

type Agent = DispatchAction['agents'][number];
/** The outcome of a child: its result (`said`), why it failed (`lost`), or why the drive stops (`stop`). */
type Delivery = { agent: Agent; said?: string; lost?: string; stop?: Exclude<WorkEnd, { kind: 'ended' }> };

/** Maximum number of children that work at once. */
export const MAX_CHILDREN = 4;

/**
 * Lets each agent of a dispatch do its part, then acknowledges the dispatch once for all. An agent that fails may try
 * again in a fresh session; if it fails twice, the acknowledgement leaves it out (runtime.md, Driving).
 */
export async function driveChildren(driven: DrivenRun, action: DispatchAction): Promise<DriveResult> {
  const atOnce = action.parallel ? MAX_CHILDREN : 1;
  const deliveries = await mapConcurrently(action.agents, atOnce, (agent) => deliver(driven, action, agent));
  const stop = deliveries.find((one) => one.stop !== undefined)?.stop;
  if (stop !== undefined) return stop;
  const lost = deliveries.flatMap(({ agent, lost: why }) => (why === undefined ? [] : [{ id: agent.id, why }]));
  const said = deliveries.flatMap(({ said: words }) => words ?? []);
  const without = {
    without: lost.map(({ id }) => id),
    reason: lost
      .map(({ id, why }) => `${id}: ${why}`)
      .join('; ')
      .slice(0, 2000),
  };
  return driven.acknowledge({
    action: action.actionId,
    ...(said.length > 0 && { result: said.join('\n\n') }),
    ...(lost.length > 0 && without),
  });
}

async function deliver(driven: DrivenRun, action: DispatchAction, agent: Agent): Promise<Delivery> {
  let lost = '';
  for (const time of [1, 2]) {
    const end = await performChild(driven, action, agent, time);
    if (end.kind !== 'ended') return { agent, stop: end };
    await driven.noteSpent(agent.id, end.tokens);
    const { outcome } = end;
    if (outcome.kind === 'done')
      return { agent, ...(agent.output === undefined && omitUndefined({ said: outcome.said })) };
    if (outcome.kind === 'stale') return { agent, lost: 'out of date' };
    lost = outcome.reason;
  }
  return { agent, lost };
}

function performChild(driven: DrivenRun, { actionId }: DispatchAction, agent: Agent, time: number): Promise<WorkEnd> {
  const { run } = driven;
  const { output } = agent;
  return performWork(driven, {
    id: nameWorkSession(run, { action: actionId, agent: agent.id, time }),
    kind: 'child',
    work: { run: run.name, runId: run.runId, action: actionId, agent: agent.id },
    role: agent.type,
    promised: output === undefined ? [] : [driven.toAbsolute(output)],
    isReadOnly: false,
    message: driven.read(agent.promptFile),
    finish: createFinish([], async ({ reason }) => {
      if (output !== undefined) return requireFile(driven, output);
      if (reason !== undefined) return;
      throw new DevCliError('DATA_MISSING', 'The result is missing.', {
        fix: 'Call finish again and state the result as its reason.',
      });
    }),
  });
}

async function requireFile(driven: DrivenRun, output: string): Promise<void> {
  const { problems } = await judgeFile(driven.call(), output, driven.context.root);
  if (problems.length === 0) return;
  throw new DevCliError('EVIDENCE_INVALID', `${output} is not acceptable yet.`, { details: [...problems] });
}
