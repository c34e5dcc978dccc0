import type { Prices } from './usage.js';

/** Known facts about models: how much they can read, and what they cost (runtime.md, Usage, budgets). */

/** An entry of the configuration about a model; each of its keys replaces the value of `ROWS`. */
export type ModelOverride = { [Key in keyof Prices | 'window']?: number | undefined };

/** What is known about a model. */
export interface ModelFacts {
  /** Tokens that the model can read; null if unknown. */
  window: number | null;
  prices: Prices | null;
  /** The page from which these facts were taken, and when. */
  source: string;
  /** A warning for people: the price is unknown. */
  warning?: string;
}

const CLAUDE = 'https://platform.claude.com/docs/en/about-claude/pricing, 2026-11';
const OPENAI = 'https://developers.openai.com/api/docs/pricing, 2026-11';
const GEMINI = 'https://ai.google.dev/gemini-api/docs/pricing, 2026-10, not all of it checked';
const OLDER = 'https://developers.openai.com/api/docs/pricing, 2025, not checked since';

type Row = [window: number, input: number, output: number, cacheWrite: number, cacheRead: number, source: string];

/**
 * Public prices for text in USD per million tokens, by PROVIDER/MODEL. A model whose price depends on a request's
 * length is not listed. `cacheWrite` is the price of caching for five minutes.
 */
const ROWS: Readonly<Record<string, Row>> = {
  'anthropic/claude-opus-5-5': [1_000_000, 4, 20, 5, 0.2, CLAUDE],
  'anthropic/claude-opus-5': [1_000_000, 5, 25, 6.25, 0.5, CLAUDE],
  'anthropic/claude-sonnet-5-5': [1_000_000, 2, 10, 2.5, 0.1, CLAUDE],
  'anthropic/claude-haiku-4-5': [200_000, 1, 5, 1.25, 0.1, CLAUDE],
  'anthropic/claude-haiku-4-5-20251001': [200_000, 1, 5, 1.25, 0.1, CLAUDE],
  'openai/gpt-5': [400_000, 1.25, 10, 1.25, 0.125, OLDER],
  'openai/gpt-5-mini': [400_000, 0.25, 2, 0.25, 0.025, OPENAI],
  'openai/gpt-5.4-mini': [400_000, 0.75, 4.5, 0.75, 0.075, OPENAI],
  'google/gemini-2.5-flash': [1_048_576, 0.3, 2.5, 0.3, 0.03, GEMINI],
  'google/gemini-2.5-flash-lite': [1_048_576, 0.1, 0.4, 0.1, 0.01, GEMINI],
};

/**
 * Looks up a model by its exact name.
 * @param full the name as PROVIDER/MODEL
 * @param overrides entries of the configuration, by PROVIDER/MODEL or by MODEL; cache prices that an entry omits equal
 * its input price
 */
export function findModel(full: string, overrides: Readonly<Record<string, ModelOverride>>): ModelFacts {
  const row = Object.hasOwn(ROWS, full) ? ROWS[full] : undefined;
  const name = [full, full.slice(full.indexOf('/') + 1)].find((one) => Object.hasOwn(overrides, one));
  const own = name === undefined ? {} : (overrides[name] ?? {});
  const window = own.window ?? row?.[0] ?? null;
  const [input, output] = [own.input ?? row?.[1], own.output ?? row?.[2]];
  const source = [row?.[5], name === undefined ? undefined : 'the configuration'].filter((one) => one !== undefined);
  if (input === undefined || output === undefined) {
    const warning = `The price of ${full} is unknown; set it in \`models\` of the configuration.`;
    return { window, prices: null, source: source.join(', '), warning };
  }
  const cacheWrite = own.cacheWrite ?? (own.input === undefined ? row?.[3] : undefined) ?? input;
  const cacheRead = own.cacheRead ?? (own.input === undefined ? row?.[4] : undefined) ?? input;
  return { window, prices: { input, output, cacheWrite, cacheRead }, source: source.join(', ') };
}
