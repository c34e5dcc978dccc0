import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runTurn } from '../../../src/wings/runtime/converse.js';
import { NO_USAGE, type Usage } from '../../../src/wings/runtime/core/messages.js';
import { parseRules } from '../../../src/wings/runtime/core/rules.js';
import { listSessionsCommand } from '../../../src/wings/runtime/sessions/commands.js';
import { openWire } from '../../../src/wings/runtime/wires/open-wire.js';
import { type Api, type Script, type Step, startProvider } from '../../support/provider.mjs';
import { APIS } from './provider-calls.js';
import { openTalk } from './talk.js';

/**
 * A long conversation through each of the four APIs, with a provider that checks what is sent back to it and computes
 * the bill (runtime.md, Provider).
 */

const TURNS = 10;
const DENIED = 4;
const MODELS: Record<Api, string> = {
  ...{ anthropic: 'claude-sonnet-5-5', openai: 'gpt-5', google: 'gemini-3-pro', chat: 'qwen3' },
};
const KEY = 'key-0123456789-abcdefgh';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const read = (turn: number, more: object = {}) => ({
  ...{ name: 'read_file', input: { path: `datei-ü${turn % 3}.txt`, offset: turn, ...more } },
});
const bash = (command: string) => ({ name: 'bash', input: { command } });

/** Each turn makes two or three parallel calls and ends with text; every third has a second round of calls. */
const script: Script = ({ messages }): Step => {
  const turn = messages.flatMap(({ role, texts }) => (role === 'user' ? texts : [])).length;
  const since = messages.slice(messages.findLastIndex(({ texts }) => texts.includes(`Question ${turn} 🎈`)));
  const answered = since.filter(({ role }) => role === 'tool').length;
  const thinking = `Turn ${turn}, after ${answered}: "ünïcode" 🎈 is to be read.`;
  if (answered === 0 && turn === DENIED) return { thinking, calls: [read(turn), bash('rm -r made'), bash('echo 4')] };
  if (answered === 0) return { thinking, text: `I look at ${turn}.`, calls: [read(turn), read(turn, { limit: 2 })] };
  if (answered === 1 && turn % 3 === 0)
    return { thinking, calls: [read(turn + 1), bash(`echo ${turn}; exit 1`), read(turn + 2)], interleave: true };
  return { ...(turn % 2 === 0 && { thinking }), text: `Answer ${turn}: ünïcode 🎈.` };
};

async function begin(api: Api, chunk: number) {
  const served = await startProvider({ answer: script, chunk, key: KEY });
  const model = { full: `own/${MODELS[api]}`, id: MODELS[api], provider: 'own', api, baseURL: served.url };
  const provider = await openWire(
    { ...model, keySource: 'none', key: KEY },
    { timeouts: { byte: 60, part: 60 }, clock: { now: () => 0 } },
  );
  const { talk, root, close } = await openTalk(() => [], {
    provider,
    facts: { window: null, prices: { input: 1, output: 2, cacheWrite: 4, cacheRead: 8 } },
  });
  const { rules } = parseRules({ deny: ['bash(rm:*)'], ask: [], allow: [] }, [...talk.tools.keys()]);
  closing.push(served.close, close);
  for (const at of [0, 1, 2]) writeFileSync(join(root, `datei-ü${at}.txt`), `Zeile ${at} 🎈\n`.repeat(40));
  const system = [
    { text: 'You answer questions. '.repeat(200), cached: true },
    { text: 'The branch is main.', cached: false },
  ];
  const tools = [...talk.tools.values()].map(({ name, description, schema }) => ({ name, description, schema }));
  const asks = { model: MODELS[api], system, tools, effort: 'high' as const };
  return { served, root, talk: { ...talk, asks, judging: { ...talk.judging, rules } } };
}

const carried = (usage: Usage = NO_USAGE) =>
  usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;

describe.each(APIS)('ten turns of %s', (api) => {
  it.each([
    ['whole', Number.POSITIVE_INFINITY],
    ['byte by byte', 1],
  ])('are taken by the provider and billed as it bills them, sent %s', async (_how, chunk) => {
    const { served, root, talk } = await begin(api, chunk);
    /** For each request, its turn and its usage. */
    const used: (readonly [turn: number, usage: Usage])[] = [];
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const from = talk.session.messages.length;
      const end = await runTurn(talk, `Question ${turn} 🎈`);
      expect(end).toMatchObject({ status: 'completed', reason: '', requests: turn % 3 === 0 ? 3 : 2, removed: 0 });
      used.push(...talk.session.messages.slice(from).flatMap(({ usage }) => (usage ? [[turn, usage] as const] : [])));
    }
    expect(served.requests.map(({ status }) => status)).toEqual(used.map(() => 200));
    expect(talk.session.state).toMatchObject({ requests: used.length, unanswered: 0 });

    const results = talk.session.messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool_result' ? block : [])),
    );
    expect(results).toHaveLength(30);
    expect(results.filter((one) => one.is_error)).toEqual([
      expect.objectContaining({ output: expect.stringContaining('bash(rm:*)') }),
    ]);
    expect(served.requests.at(-1)?.body).toContain('bash(rm:*)');

    // Only Anthropic needs breakpoints: for the other services, the provider counts everything as cached.
    if (api === 'anthropic') {
      const shares = used.map(([, { cache_read_input_tokens: cached }], at) => cached / carried(used[at - 1]?.[1]));
      expect(Math.min(...shares.filter((_, at) => (used[at]?.[0] ?? 0) > 1))).toBeGreaterThanOrEqual(0.95);
    }
    const { billed } = served;
    const { json } = await listSessionsCommand(
      { root, clock: { now: () => 0 }, ids: talk.context.ids } as never,
      undefined,
    );
    expect(json).toMatchObject({
      usage: {
        input_tokens: billed.input,
        output_tokens: billed.output,
        cache_read_input_tokens: billed.cacheRead,
        cache_creation_input_tokens: billed.cacheWrite,
      },
    });
    const cost = (billed.input + 2 * billed.output + 4 * billed.cacheWrite + 8 * billed.cacheRead) / 1_000_000;
    expect((json as { cost: number }).cost).toBeCloseTo(cost, 9);
  });
});
