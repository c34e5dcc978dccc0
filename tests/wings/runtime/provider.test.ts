import { afterEach, describe, expect, it } from 'vitest';
import { type Api, type Request, type Script, type Step, startProvider } from '../../support/provider.mjs';
import { APIS, ask, goOn, type Heard, mark, openModel, type Prompt, say } from './provider-calls.js';

/**
 * Calls the loopback provider with the packages for its four services. They must accept its answers, and it must accept
 * their requests.
 */

const opened: { close: () => Promise<void> }[] = [];

async function open(answer: Script, options: object = {}): ReturnType<typeof startProvider> {
  const provider = await startProvider({ answer, ...options });
  opened.push(provider);
  return provider;
}

afterEach(async () => {
  for (const provider of opened.splice(0)) await provider.close();
});

const STEPS: Step[] = [
  {
    thinking: 'Two things are needed: ünïcode, 🎈.',
    calls: [
      { name: 'add', input: { a: 1, b: '🎈\n"' } },
      { name: 'look', input: {} },
    ],
  },
  {
    thinking: 'And once more.',
    text: 'I go on.',
    calls: [
      { name: 'look', input: { path: 'src/a.ts' } },
      { name: 'add', input: { a: 2 } },
    ],
    interleave: true,
  },
  { text: 'Done: ünïcode 🎈.' },
  { thinking: 'Again.', calls: [{ name: 'add', input: { a: 3 } }] },
  { thinking: 'A thought before a text.', text: 'Three.' },
  { text: 'Bye.' },
];

const SYSTEM: Prompt = [{ role: 'system', content: 'You calculate.' }];

/** Holds a conversation of three turns. */
async function converse(api: Api, url: string): Promise<Heard[]> {
  const model = openModel(api, url);
  const heard: Heard[] = [];
  const prompt: Prompt = [...SYSTEM];
  for (const text of ['First.', 'Second.', 'Third.']) {
    prompt.push(say(text));
    do {
      const answer = await ask(model, mark(prompt));
      heard.push(answer);
      prompt.push(...goOn(answer));
    } while (prompt.at(-1)?.role === 'tool');
  }
  return heard;
}

/** Converts an answer back to the script's step that produced it. */
function stepOf({ content }: Heard): Step {
  const textOf = (type: 'text' | 'reasoning') =>
    content.flatMap((part) => (part.type === type ? [part.text] : [])).join('');
  const calls = content.flatMap((part) =>
    part.type === 'tool-call' ? [{ name: part.toolName, input: part.input as Record<string, unknown> }] : [],
  );
  return {
    ...(textOf('reasoning') === '' ? {} : { thinking: textOf('reasoning') }),
    ...(textOf('text') === '' ? {} : { text: textOf('text') }),
    ...(calls.length === 0 ? {} : { calls }),
  };
}

/** Renders what a model has read, with call ids replaced by numbers. */
function neutral({ system, messages, tools }: Request): string {
  const text = JSON.stringify({ system, messages, tools });
  const ids = [...new Set(text.match(/call_[0-9a-f]{32}/g))];
  return ids.reduce((result, id, at) => result.replaceAll(id, `#${at}`), text);
}

describe('a conversation of three turns', () => {
  const seen = new Map<string, string[]>();
  for (const api of APIS)
    for (const chunk of [1, undefined])
      it(`${api}, ${chunk === undefined ? 'whole' : 'byte by byte'}`, async () => {
        const read: Request[] = [];
        const provider = await open(
          (request, n) => {
            read.push(request);
            return STEPS[n] ?? {};
          },
          chunk === undefined ? {} : { chunk },
        );
        const heard = await converse(api, provider.url);
        expect(heard.map(stepOf)).toEqual(STEPS.map(({ interleave: _, ...step }) => step));
        expect(heard.flatMap(({ errors }) => errors)).toEqual([]);
        const called = ['tool-calls', 'tool-calls', 'stop', 'tool-calls', 'stop', 'stop'];
        expect(heard.map(({ finish }) => finish?.finishReason.unified)).toEqual(called);
        seen.set(`${api} ${chunk}`, read.map(neutral));

        const sum = (of: (finish: Heard['finish']) => number | undefined) =>
          heard.reduce((total, { finish }) => total + (of(finish) ?? 0), 0);
        expect(provider.billed).toEqual({
          requests: 6,
          input: sum((finish) => finish?.usage.inputTokens.noCache),
          cacheRead: sum((finish) => finish?.usage.inputTokens.cacheRead),
          cacheWrite: sum((finish) => finish?.usage.inputTokens.cacheWrite),
          output: sum((finish) => finish?.usage.outputTokens.total),
        });
        // Everything that the previous request contained was read from the cache.
        for (const [at, { finish }] of heard.entries()) {
          const before = at === 0 ? 0 : heard[at - 1]?.finish?.usage.inputTokens.total;
          expect(finish?.usage.inputTokens.cacheRead).toBe(before);
        }
        expect(provider.requests.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
      });

  it('is the same for a model through all four', () => {
    const [first] = seen.values();
    expect(first?.at(-1)).toContain('"results":[{"id":"#0","output":"add of {\\"a\\":1,');
    for (const read of seen.values()) expect(read).toEqual(first);
    expect(seen.size).toBe(8);
  });
});

describe('an answer', () => {
  it.each(APIS)('of %s has broken and empty arguments, a stop and a usage as the script says', async (api) => {
    const usage = { input: 7, output: 5, cacheRead: 3, cacheWrite: api === 'anthropic' ? 2 : 0 };
    const provider = await open(() => ({
      calls: [
        { name: 'add', input: '{"a": ' },
        { name: 'look', input: '' },
      ],
      stop: 'length',
      usage,
    }));
    const { content, finish } = await ask(openModel(api, provider.url), [say('Go.')]);
    expect(content.map((part) => part.type === 'tool-call' && part.input)).toEqual(['{"a": ', {}]);
    expect(finish?.finishReason.unified).toBe('length');
    expect(finish?.usage.inputTokens.noCache).toBe(7);
    expect(finish?.usage.outputTokens.total).toBe(5);
    expect(provider.billed).toEqual({ requests: 1, ...usage });
  });

  it.each(APIS)('of %s is cut where it passes what it may have', async (api) => {
    const { url, billed } = await open(() => ({ text: 'ü'.repeat(40), calls: [{ name: 'add', input: {} }] }));
    const { content, finish } = await ask(openModel(api, url), [say('Go.')], { maxOutputTokens: 16 });
    expect(content).toMatchObject([{ text: 'ü'.repeat(32) }]);
    expect(finish?.finishReason.unified).toBe('length');
    expect(billed.output).toBe(16);
  });

  it.each(APIS)('of %s is refused', async (api) => {
    const { url } = await open(() => ({ text: 'No', stop: 'refused' }));
    const { finish } = await ask(openModel(api, url), [say('Go.')]);
    expect(finish?.finishReason.unified).toBe('content-filter');
  });

  it('of anthropic pauses', async () => {
    const { url } = await open(() => ({ text: 'Wait', stop: 'paused' }));
    expect((await ask(openModel('anthropic', url), [say('Go.')])).finish?.finishReason.raw).toBe('pause_turn');
  });

  it('of anthropic is not read from a cache that no breakpoint filled', async () => {
    const { url } = await open(() => ({ text: 'So.' }));
    const model = openModel('anthropic', url);
    await ask(model, [say('Go.')]);
    const { finish } = await ask(model, [say('Go.')]);
    expect(finish?.usage.inputTokens).toMatchObject({ cacheRead: 0, cacheWrite: 0 });
  });
});

const ANSWERS = ['stop', 'tool-calls', 'length', 'content-filter'];
const isAnswer = ({ finish }: Heard) => ANSWERS.includes(finish?.finishReason.unified ?? 'none');

describe.each(APIS)('a fault of %s', (api) => {
  const fail = async (step: Step, more: object = {}) => {
    const provider = await open(() => step);
    const outcome = await ask(openModel(api, provider.url), [say('Go.')], more).catch((error: unknown) => error);
    return { provider, outcome: outcome as Heard & { name: string } & Record<string, unknown> };
  };

  it.each(['cut-before', 'cut-in-call', 'cut-after-call'] as const)('%s: the stream throws', async (fault) => {
    const { provider, outcome } = await fail({ fault });
    expect(outcome).toBeInstanceOf(Error);
    expect(provider.billed.requests).toBe(0);
    expect(provider.requests[0]?.status).toBe(200);
  });

  it.each(['no-stop', 'html'] as const)('%s: no answer', async (fault) => {
    const { provider, outcome } = await fail({ fault });
    expect(outcome instanceof Error || !isAnswer(outcome)).toBe(true);
    expect(provider.billed.requests).toBe(0);
  });

  it('error-event: an error behind what was sent', async () => {
    const { outcome } = await fail({ fault: 'error-event', text: 'So far.' });
    expect(outcome.errors).toHaveLength(1);
    expect(isAnswer(outcome)).toBe(false);
  });

  it('unknown-event: an answer, whole', async () => {
    const { provider, outcome } = await fail({ fault: 'unknown-event', text: 'All.' });
    expect(outcome.content).toMatchObject([{ text: 'All.' }]);
    expect(isAnswer(outcome)).toBe(true);
    expect(outcome.errors).toHaveLength(api === 'anthropic' ? 1 : 0);
    expect(provider.billed.requests).toBe(1);
  });

  it('garbage: an error in the middle', async () => {
    const { outcome } = await fail({ fault: 'garbage' });
    expect(outcome.errors).toMatchObject([{ name: 'AI_JSONParseError' }]);
  });

  it.each([
    [401, undefined],
    [400, undefined],
    [500, undefined],
    [429, 7],
    [529, 'Wed, 21 Oct 2026 07:28:00 GMT'],
  ] as const)('status %s', async (status, retryAfter) => {
    const { outcome } = await fail({ fault: { status, ...(retryAfter === undefined ? {} : { retryAfter }) } });
    expect(outcome).toMatchObject({ statusCode: status, message: `The script answers ${status}.` });
    expect((outcome['responseHeaders'] as Record<string, string>)['retry-after']).toBe(retryAfter?.toString());
  });

  it('context', async () => {
    const { outcome } = await fail({ fault: 'context' });
    expect(outcome).toMatchObject({ statusCode: 400, message: expect.stringMatching(/too long|context|exceeds/) });
  });

  it('redirect: who follows it comes to nothing', async () => {
    const { provider } = await fail({ fault: 'redirect' });
    expect(provider.requests.map(({ url, status }) => [url === '/elsewhere', status])).toEqual([
      [false, 307],
      [true, 404],
    ]);
  });

  it.each([true, false])('stall, with pings: %s', async (pings) => {
    const { url } = await open(() => ({ fault: 'stall', pings }));
    const stop = new AbortController();
    let bytes = 0;
    const counting: typeof fetch = async (input, init) => {
      const { body, headers } = await fetch(input, init);
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          bytes += piece.length;
          controller.enqueue(piece);
        },
      });
      return new Response(body?.pipeThrough(count) ?? null, { headers });
    };
    const asked = ask(openModel(api, url, counting), [say('Go.')], { abortSignal: stop.signal }).catch(() => null);
    while (bytes === 0) await new Promise((done) => setTimeout(done, 5));
    const begun = bytes;
    await new Promise((done) => setTimeout(done, 100));
    stop.abort();
    expect(bytes > begun).toBe(pings);
    expect(await asked).toBeNull();
  });
});
