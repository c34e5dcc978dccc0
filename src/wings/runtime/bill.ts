import { DevCliError } from '../../base/errors.js';
import { runtimeInvalidError } from './config.js';
import type { BudgetLimits } from './core/budget.js';
import type { Usage } from './core/messages.js';
import { isWorkSession, listSessions, sumSessionUsage } from './sessions/find.js';
import type { SessionsContext } from './sessions/session.js';

/** What a call used, together with the earlier calls of its run. */
export interface UsageTotal {
  requests: number;
  unanswered: number;
  usage: Usage;
  /** USD; null if a price is unknown. */
  cost: number | null;
  sessions: string[];
  warnings?: string[];
}

/**
 * Reads the limits on what a call may spend.
 * @param unpriced a model whose price is unknown; null if all prices are known
 * @param now milliseconds since the epoch
 * @throws DevCliError `USAGE`; `RUNTIME_INVALID` for a cost limit on a model without a price
 */
export function readLimits(
  { maxCost, maxTokens, maxMinutes }: { maxCost?: string; maxTokens?: number; maxMinutes?: number },
  unpriced: string | null,
  now: number,
): BudgetLimits {
  const others = {
    tokens: maxTokens ?? null,
    deadline: maxMinutes === undefined ? null : now + maxMinutes * 60_000,
  };
  if (maxCost === undefined) return { cost: null, ...others };
  const cost = Number(maxCost);
  if (!/^\d+(\.\d+)?$/.test(maxCost) || !Number.isFinite(cost)) {
    throw new DevCliError('USAGE', '--max-cost takes an amount in USD, such as 2.50.', {
      fix: 'Give an amount, or leave the option out.',
    });
  }
  if (unpriced !== null)
    throw runtimeInvalidError(
      `The price of ${unpriced} is unknown, so its cost cannot be limited.`,
      [{ target: '--max-cost', problem: 'no price' }],
      'Set its price below `models` in the configuration, or use --max-tokens.',
    );
  return { cost, ...others };
}

/** Sums up the usage of a run's sessions or, without a run, of the sessions with these ids. @throws DevCliError `IO` */
export async function sumRunUsage(
  context: SessionsContext,
  run: { name: string; runId: string } | undefined,
  ids: ReadonlySet<string> = new Set(),
): Promise<UsageTotal> {
  const mayCount = (id: string) => (run === undefined ? ids.has(id) : isWorkSession(run.name, id));
  const { sessions, warnings } = await listSessions(context, mayCount);
  const counted = run === undefined ? sessions : sessions.filter(({ work }) => work?.runId === run.runId);
  return {
    ...{ ...sumSessionUsage(counted), sessions: counted.map(({ id }) => id).sort() },
    ...(warnings.length > 0 && { warnings }),
  };
}
