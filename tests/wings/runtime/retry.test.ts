import { expect, it } from 'vitest';
import { ProviderFault } from '../../../src/wings/runtime/provider.js';
import { mayBeCharged, requestPatiently } from '../../../src/wings/runtime/retry.js';
import { answer, text } from './talk.js';

/** Which faults may be charged, and how long a repeated request waits (runtime.md, Provider). */

it.each([
  ['rate', 429, false],
  ['overloaded', 529, false],
  ['transport', 500, false],
  ['transport', 200, true],
  ['transport', undefined, true],
  ['timeout', undefined, true],
  ['timeout', 504, true],
  ['protocol', undefined, true],
  ['auth', 401, false],
  ['invalid', 400, false],
  ['context', 413, false],
] as const)('a fault may be charged or not: %s, %s, %s', (kind, status, isCharged) => {
  expect(mayBeCharged(new ProviderFault(kind, 'no', { ...(status && { status }) }))).toBe(isCharged);
});

it.each([
  ['0', 0.5],
  ['8', 0.75],
])('waits twice as long each time, of which half by the injected chance: %s', async (digit, part) => {
  const waits: number[] = [];
  let asked = 0;
  const provider = {
    async *request() {
      asked += 1;
      if (asked < 8) throw new ProviderFault('overloaded', 'busy', { status: 529, retryAfterMs: 700 });
      yield* answer(text('yes'));
    },
  };
  const request = {
    model: 'm',
    system: [],
    messages: [],
    tools: [],
    maxOutput: 9,
    signal: new AbortController().signal,
  };
  const patience = {
    ids: { hex: (length: number) => digit + '0'.repeat(length - 1) },
    wait: async (milliseconds: number) => void waits.push(milliseconds),
  };
  const whole = await requestPatiently(provider, request, patience, { asks: async () => {}, loses: async () => {} });
  expect(whole.blocks).toEqual([text('yes')]);
  const longest = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
  expect(waits).toEqual(longest.map((milliseconds) => Math.max(700, milliseconds * part)));
});
