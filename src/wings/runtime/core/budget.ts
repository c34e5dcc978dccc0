import type { Clock } from '../../../base/clock.js';
import type { Usage } from './messages.js';
import { countTokens, type Prices, priceUsage } from './usage.js';

/** Enforces limits: sets aside the most that a request may use before it is sent (runtime.md, Usage, budgets). */

/** Limits on usage; null means no limit. */
export interface BudgetLimits {
  /** USD, for all drives of a run together. */
  cost: number | null;
  /** Tokens of all kinds, for all drives of a run together. */
  tokens: number | null;
  /** When work must end, in milliseconds since the epoch. */
  deadline: number | null;
}

/** Usage so far. `cost` is null as soon as a model without a known price was used. */
export interface BudgetUsage {
  cost: number | null;
  tokens: number;
}

interface Ask {
  /** Estimated tokens that the model will read. */
  input: number;
  /** Maximum tokens that the model may write. */
  maxOutput: number;
  /** Prices of the model that is asked. */
  prices: Prices | null;
}

/**
 * If `ok`, the request may be sent with `maxOutput`, and `settle` must be called once when its usage is known.
 * Otherwise `limit` names the limit that forbids it.
 */
export type BudgetReservation =
  | { ok: true; maxOutput: number; settle: (usage: Usage | null) => void }
  | { ok: false; limit: keyof BudgetLimits };

/** How many tokens the model may write in answer to a request, and what the request costs at most. */
interface Fitted {
  output: number;
  cost: number;
}

/** Tracks usage. All sessions that work at the same time share one ledger. */
export interface Ledger {
  /**
   * Sets aside what a request may use. If other requests under way leave too little for it, waits until one of them is
   * settled.
   */
  reserve(ask: Ask): Promise<BudgetReservation>;
  /** Returns whether a wait of this length ends before the deadline. */
  hasTime(milliseconds: number): boolean;
  readonly spent: BudgetUsage;
}

/** With room for fewer output tokens than these, a request is not worth sending. */
const LEAST_OUTPUT = 1_024;
const MILLION = 1_000_000;

/** Creates a ledger. @param spent the usage of earlier drives of the run */
export function createLedger({
  limits,
  spent,
  clock,
}: {
  limits: BudgetLimits;
  spent: BudgetUsage;
  clock: Clock;
}): Ledger {
  let { cost, tokens } = spent;
  const held = new Set<BudgetUsage & { cost: number }>();
  const waiting: (() => void)[] = [];

  const hasTime = (milliseconds: number): boolean =>
    limits.deadline === null || clock.now() + milliseconds < limits.deadline;
  const fitRequest = (ask: Ask): Fitted | keyof BudgetLimits => {
    if (!hasTime(0)) return 'deadline';
    const left = { tokens: (limits.tokens ?? Infinity) - tokens, cost: (limits.cost ?? Infinity) - (cost ?? Infinity) };
    for (const one of held) {
      left.tokens -= one.tokens;
      left.cost -= one.cost;
    }
    return boundRequest(ask, limits.cost === null ? { ...left, cost: Infinity } : left);
  };

  const hold = (ask: Ask, fitted: Fitted): BudgetReservation => {
    const mine = { tokens: ask.input + fitted.output, cost: fitted.cost };
    held.add(mine);
    const settle = (usage: Usage | null): void => {
      if (!held.delete(mine)) return;
      const price = usage === null ? 0 : priceUsage(usage, ask.prices);
      cost = cost === null || price === null ? null : cost + price;
      tokens += usage === null ? 0 : countTokens(usage);
      for (const wake of waiting.splice(0)) wake();
    };
    return { ok: true, maxOutput: fitted.output, settle };
  };

  return {
    async reserve(ask) {
      for (;;) {
        const fitted = fitRequest(ask);
        const isWhole = typeof fitted === 'object' && fitted.output === ask.maxOutput;
        if (isWhole || fitted === 'deadline' || held.size === 0)
          return typeof fitted === 'object' ? hold(ask, fitted) : { ok: false, limit: fitted };
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    hasTime,
    get spent() {
      return { cost, tokens };
    },
  };
}

/** Reduces a request's output to what the limits still allow; returns the limit if that is too little. */
function boundRequest(
  { input, maxOutput, prices }: Ask,
  left: BudgetUsage & { cost: number },
): Fitted | 'tokens' | 'cost' {
  const least = Math.min(LEAST_OUTPUT, maxOutput);
  const most = Math.min(maxOutput, left.tokens - input);
  if (most < least) return 'tokens';
  if (left.cost === Infinity) return { output: most, cost: 0 };
  if (prices === null) return 'cost';
  const reading = (input * Math.max(prices.input, prices.cacheWrite, prices.cacheRead)) / MILLION;
  const payable = prices.output === 0 ? Infinity : Math.floor(((left.cost - reading) * MILLION) / prices.output);
  const output = Math.min(most, payable);
  if (!(left.cost >= reading) || output < least) return 'cost';
  return { output, cost: reading + (output * prices.output) / MILLION };
}
