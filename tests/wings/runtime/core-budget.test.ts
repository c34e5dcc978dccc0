import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BudgetLimits, type BudgetReservation, createLedger } from '../../../src/wings/runtime/core/budget.js';
import { NO_USAGE, type Usage } from '../../../src/wings/runtime/core/messages.js';
import { findModel } from '../../../src/wings/runtime/core/models.js';
import {
  addUsage,
  countTokens,
  formatCost,
  formatUsage,
  priceUsage,
  updateUsage,
} from '../../../src/wings/runtime/core/usage.js';

/** Usage, prices and budgets (runtime.md, Usage, budgets). */

const usage = (input: number, output: number, stored = 0, cached = 0): Usage => ({
  ...{ input_tokens: input, output_tokens: output },
  ...{ cache_creation_input_tokens: stored, cache_read_input_tokens: cached },
});
const PRICES = { input: 1, output: 10, cacheWrite: 2, cacheRead: 0.1 };
const open = (limits: Partial<BudgetLimits>, spent = { cost: 0 as number | null, tokens: 0 }, now = () => 0) =>
  createLedger({ limits: { cost: null, tokens: null, deadline: null, ...limits }, spent, clock: { now } });
const ask = (input: number, maxOutput = 8_000, prices: typeof PRICES | null = PRICES) => ({ input, maxOutput, prices });
const settle = (reserved: BudgetReservation, used: Usage | null): void => {
  if (reserved.ok) reserved.settle(used);
};

describe('usage', () => {
  it('takes the latest value of each counter, and no nonsense', () => {
    const told = [{ input_tokens: 9 }, { output_tokens: 2 }, { output_tokens: 5, input_tokens: 8 }];
    expect(told.reduce(updateUsage, NO_USAGE)).toEqual(usage(8, 5));
    expect(updateUsage(usage(8, 5), { input_tokens: -1, output_tokens: Number.NaN })).toEqual(usage(8, 5));
  });

  it('has sums that never fall', () => {
    const counters = fc.record({
      input_tokens: fc.integer(),
      output_tokens: fc.double(),
      cache_read_input_tokens: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(counters), (told) => {
        let sum = NO_USAGE;
        for (const one of told) {
          const next = addUsage(sum, updateUsage(NO_USAGE, one));
          expect(countTokens(next)).toBeGreaterThanOrEqual(countTokens(sum));
          sum = next;
        }
      }),
    );
  });

  it('is priced and shown', () => {
    expect(priceUsage(usage(1_000_000, 100_000, 500_000, 1_000_000), PRICES)).toBeCloseTo(3.1, 9);
    expect(priceUsage(usage(1, 1), null)).toBeNull();
    expect([formatCost(0), formatCost(1.23456), formatCost(null)]).toEqual(['$0.0000', '$1.2346', 'cost not known']);
    expect(formatUsage(usage(1, 2, 3, 4))).toBe('1 in, 2 out, 3 to cache, 4 from cache');
  });
});

describe('a model', () => {
  it('is known by its exact name', () => {
    const { window, prices, source, warning } = findModel('anthropic/claude-opus-5', {});
    expect({ window, prices }).toEqual({
      window: 1_000_000,
      prices: { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 },
    });
    expect(source).toMatch(/^https:\/\/\S+, \d{4}-\d{2}$/);
    expect(warning).toBeUndefined();
    for (const name of ['anthropic/claude-opus-5x', 'other/claude-opus-5', 'constructor', '__proto__'])
      expect(findModel(name, {})).toMatchObject({ window: null, prices: null, warning: expect.stringContaining(name) });
  });

  it('is what the configuration says, key by key', () => {
    expect(findModel('openai/gpt-5', { 'gpt-5': { window: 9_000 } })).toMatchObject({
      window: 9_000,
      prices: { input: 1.25 },
    });
    expect(findModel('openai/gpt-5', { 'openai/gpt-5': { input: 7 } }).prices).toEqual({
      ...{ input: 7, output: 10, cacheWrite: 7, cacheRead: 7 },
    });
    const own = findModel('local/a/b', { 'a/b': { input: 0, output: 0 } });
    expect(own).toEqual({
      window: null,
      prices: { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 },
      source: 'the configuration',
    });
    expect(findModel('local/m', { m: { input: 1 } }).prices).toBeNull();
  });
});

describe('a ledger', () => {
  it('lowers what may be written to what is left, and sends nothing below 1,024', async () => {
    expect(await open({}).reserve(ask(1e9, 8_000, null))).toMatchObject({ ok: true, maxOutput: 8_000 });
    expect(await open({ tokens: 10_000 }).reserve(ask(4_000))).toMatchObject({ ok: true, maxOutput: 6_000 });
    expect(await open({ tokens: 10_000 }).reserve(ask(8_976))).toMatchObject({ ok: true, maxOutput: 1_024 });
    expect(await open({ tokens: 10_000 }).reserve(ask(8_977))).toEqual({ ok: false, limit: 'tokens' });
    expect(await open({ tokens: 10_000 }).reserve(ask(9_500, 500))).toMatchObject({ ok: true, maxOutput: 500 });
    // The whole input may be written to the cache at 2 USD per million tokens: that takes 0.02 of the 0.05 USD.
    expect(await open({ cost: 0.05 }).reserve(ask(10_000))).toMatchObject({ ok: true, maxOutput: 3_000 });
    expect(await open({ cost: 0.03 }).reserve(ask(10_000))).toEqual({ ok: false, limit: 'cost' });
    const free = { input: 1, output: 0, cacheWrite: 1, cacheRead: 1 };
    expect(await open({ cost: 0.01 }).reserve(ask(10_000, 8_000, free))).toMatchObject({ ok: true, maxOutput: 8_000 });
    expect(await open({ cost: 0.009 }).reserve(ask(10_000, 8_000, free))).toEqual({ ok: false, limit: 'cost' });
  });

  it('counts what earlier drives have used, and a price that is not known as too much', async () => {
    expect(await open({ tokens: 10_000 }, { cost: 0, tokens: 9_000 }).reserve(ask(10))).toEqual({
      ok: false,
      limit: 'tokens',
    });
    expect(await open({ cost: 9 }, { cost: null, tokens: 0 }).reserve(ask(10))).toEqual({ ok: false, limit: 'cost' });
    expect(await open({ cost: 9 }).reserve(ask(10, 8_000, null))).toEqual({ ok: false, limit: 'cost' });
    const ledger = open({});
    settle(await ledger.reserve(ask(10, 8_000, null)), usage(10, 5));
    expect(ledger.spent).toEqual({ cost: null, tokens: 15 });
  });

  it('sends nothing after the deadline', async () => {
    let now = 999;
    const ledger = open({ deadline: 1_000 }, undefined, () => now);
    expect((await ledger.reserve(ask(1))).ok).toBe(true);
    now = 1_000;
    expect(await ledger.reserve(ask(1))).toEqual({ ok: false, limit: 'deadline' });
  });

  it('has a request wait where others that are under way leave it less room than it asks for', async () => {
    const ledger = open({ tokens: 10_000 });
    const first = await ledger.reserve(ask(1_000, 6_000));
    const second = ledger.reserve(ask(1_000, 6_000));
    const third = ledger.reserve(ask(7_000, 9_000));
    expect(await Promise.race([second, third, Promise.resolve('waits')])).toBe('waits');
    settle(first, usage(1_000, 100));
    settle(first, usage(1_000, 100));
    expect(await second).toMatchObject({ ok: true, maxOutput: 6_000 });
    settle(await second, null);
    expect(await third).toMatchObject({ ok: true, maxOutput: 1_900 });
    expect(ledger.spent).toEqual({ cost: expect.closeTo(0.002, 9), tokens: 1_100 });
  });

  it('holds what others may cost at most', async () => {
    const ledger = open({ cost: 0.1 });
    const first = await ledger.reserve(ask(10_000, 4_000));
    const second = ledger.reserve(ask(10_000, 2_000));
    expect(await second).toMatchObject({ ok: true, maxOutput: 2_000 });
    const third = ledger.reserve(ask(0, 2_000));
    expect(await Promise.race([third, Promise.resolve('waits')])).toBe('waits');
    settle(await second, usage(10_000, 1_000));
    expect(await third).toMatchObject({ ok: true, maxOutput: 2_000 });
    settle(first, null);
    expect(ledger.spent.cost).toBeCloseTo(0.02, 9);
  });

  it('never passes a limit, whatever is asked at the same time', async () => {
    const request = fc.record({
      input: fc.nat(5_000),
      maxOutput: fc.integer({ min: 1, max: 9_000 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      kind: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { maxLength: 20 }),
        fc.nat(60_000),
        fc.double({ min: 0, max: 0.3, noNaN: true }),
        async (requests, tokens, cost) => {
          const ledger = open({ tokens, cost });
          await Promise.all(
            requests.map(async ({ input, maxOutput, part, kind }) => {
              const reserved = await ledger.reserve(ask(input, maxOutput));
              if (!reserved.ok) return;
              expect(reserved.maxOutput).toBeLessThanOrEqual(maxOutput);
              expect(reserved.maxOutput).toBeGreaterThanOrEqual(Math.min(1_024, maxOutput));
              await Promise.resolve();
              const read = [usage(input, 0), usage(0, 0, input), usage(0, 0, 0, input), NO_USAGE][kind] ?? NO_USAGE;
              reserved.settle({ ...read, output_tokens: Math.floor(reserved.maxOutput * part) });
            }),
          );
          expect(ledger.spent.tokens).toBeLessThanOrEqual(tokens);
          expect(ledger.spent.cost).toBeLessThanOrEqual(cost + 1e-12);
        },
      ),
      { numRuns: 150 },
    );
  });
});
