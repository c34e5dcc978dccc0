import type { Clock } from '../../../base/clock.js';
import type { Usage } from './messages.js';
import { countTokens, type Prices, priceUsage } from './usage.js';

/** Keeps limits by reserving what a request may use before it is sent (runtime.md, Usage, budgets). */

/** What may be used; null: no limit. */
export interface Limits {
  /** USD, over all drives of a run. */
  cost: number | null;
  /** Tokens of all kinds, over all drives of a run. */
  tokens: number | null;
  /** Milliseconds since the epoch. */
  deadline: number | null;
}

/** What has been used. `cost`: null once something had no price. */
export interface Spent {
  cost: number | null;
  tokens: number;
}

interface Ask {
  /** Tokens that the model is to read, by estimate. */
  input: number;
  /** Tokens that it may write. */
  maxOutput: number;
  /** Of the model that is asked. */
  prices: Prices | null;
}

/** A request may be sent, with `maxOutput`, and is settled afterwards, once; or a limit forbids it. */
export type Reserved =
  | { ok: true; maxOutput: number; settle: (usage: Usage | null) => void }
  | { ok: false; limit: keyof Limits };

/** What a request may write, and what it costs at most. */
interface Fitted {
  output: number;
  cost: number;
}

/** One for all that works at the same time. */
export interface Ledger {
  /** Reserves a request. Where others that are under way leave it less room than it asks for, it waits until one of them is settled. */
  reserve(ask: Ask): Promise<Reserved>;
  /** Whether so many milliseconds may still be waited. */
  hasTime(milliseconds: number): boolean;
  readonly spent: Spent;
}

/** Tokens below which an answer is not worth a request. */
const LEAST_OUTPUT = 1_024;
const MILLION = 1_000_000;

/**
 * Opens a ledger.
 * @param spent what earlier drives of the run have used
 */
export function createLedger({ limits, spent, clock }: { limits: Limits; spent: Spent; clock: Clock }): Ledger {
  let { cost, tokens } = spent;
  const held = new Set<Spent & { cost: number }>();
  const waiting: (() => void)[] = [];

  const hasTime = (milliseconds: number): boolean =>
    limits.deadline === null || clock.now() + milliseconds < limits.deadline;
  const fitRequest = (ask: Ask): Fitted | keyof Limits => {
    if (!hasTime(0)) return 'deadline';
    const left = { tokens: (limits.tokens ?? Infinity) - tokens, cost: (limits.cost ?? Infinity) - (cost ?? Infinity) };
    for (const one of held) {
      left.tokens -= one.tokens;
      left.cost -= one.cost;
    }
    return boundRequest(ask, limits.cost === null ? { ...left, cost: Infinity } : left);
  };

  const hold = (ask: Ask, fitted: Fitted): Reserved => {
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

/** Fits a request into what is left; or names the limit that forbids it. */
function boundRequest({ input, maxOutput, prices }: Ask, left: Spent & { cost: number }): Fitted | 'tokens' | 'cost' {
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
