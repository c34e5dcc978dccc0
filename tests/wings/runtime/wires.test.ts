import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import type { Message, MessageBlock } from '../../../src/wings/runtime/core/messages.js';
import type { ChosenModel } from '../../../src/wings/runtime/models.js';
import { type AnswerPart, type ModelRequest, ProviderFault } from '../../../src/wings/runtime/provider.js';
import { toFault } from '../../../src/wings/runtime/wires/faults.js';
import { openWire } from '../../../src/wings/runtime/wires/open-wire.js';

// runtime.md, Provider: requests to the four APIs, and answers from them

type Api = ChosenModel['api'];
const APIS: Api[] = ['anthropic', 'openai', 'google', 'chat'];
const NOW = Date.parse('2026-11-27T10:00:00Z');
const KEY = 'key-0123456789-abcdefgh';

interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: JsonObject;
}
let server: Server;
let base: string;
let asked: Asked[];
let answerWith: (response: ServerResponse) => void;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => {
      text += piece.toString('utf8');
    });
    request.on('end', () => {
      asked.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as JsonObject });
      answerWith(response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const events = (...given: (JsonObject | string)[]): string =>
  given
    .map((one) =>
      typeof one === 'string' ? `data: ${one}\n\n` : `event: ${one['type']}\ndata: ${JSON.stringify(one)}\n\n`,
    )
    .join('');
const send =
  (body: string, { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'text/event-stream', 'request-id': 'req_1', ...headers });
    response.end(body);
  };
/** Sends a body one byte at a time. */
const trickle = (body: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.socket?.setNoDelay(true);
  const bytes = Buffer.from(body);
  const next = (at: number): void => {
    if (at >= bytes.length) response.end();
    else response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
  };
  next(0);
};

const chosen = (api: Api, more: Partial<ChosenModel> = {}): ChosenModel => ({
  ...{ full: `own/m-1`, id: 'm-1', provider: 'own', api, baseURL: base, keySource: 'none', key: KEY },
  ...more,
});
const asking = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...{ model: 'm-1', system: [{ text: 'Be brief.', cached: true }], tools: [], maxOutput: 1000 },
  messages: [{ role: 'user', blocks: [{ type: 'text', text: 'Hello' }] }],
  signal: new AbortController().signal,
  ...more,
});

async function ask(
  model: ChosenModel,
  request: ModelRequest = asking(),
  timeouts: { byte: number; part: number } = { byte: 60, part: 60 },
): Promise<AnswerPart[]> {
  const parts: AnswerPart[] = [];
  const wire = await openWire(model, { timeouts, clock: { now: () => NOW } });
  for await (const part of wire.request(request)) parts.push(part);
  return parts;
}
const failing = async (asking: Promise<unknown>): Promise<ProviderFault> => {
  const fault = await asking.catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(ProviderFault);
  return fault as ProviderFault;
};

const tool = (name: string): ModelRequest['tools'][number] => ({
  name,
  description: `Does ${name}.`,
  schema: { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false },
});

/**
 * From here to `WHOLE`: how each provider streams the same answer. It consists of a thought, a text with multi-byte
 * characters, and two parallel calls, the second without input.
 */
const STARTED: Record<string, JsonObject> = {
  message: {
    ...{ type: 'message_start' },
    message: {
      ...{
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm-1',
        content: [],
        stop_reason: null,
        stop_sequence: null,
      },
      usage: { input_tokens: 11, cache_creation_input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 1 },
    },
  },
};
const block = (index: number, start: JsonObject, ...deltas: JsonObject[]): JsonObject[] => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const stopped = (reason: string): JsonObject[] => [
  {
    ...{ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null } },
    usage: { output_tokens: 23 },
  },
  { type: 'message_stop' },
];
const said = (index: number, text: string): JsonObject[] =>
  block(index, { type: 'text', text: '' }, { type: 'text_delta', text });
const message = STARTED['message'] as JsonObject;

const item = (n: number, type: string, more: JsonObject): JsonObject[] => [
  {
    type: 'response.output_item.added',
    output_index: n,
    item: { type, ...more, status: 'in_progress', arguments: '' },
  },
  { type: 'response.output_item.done', output_index: n, item: { type, ...more, status: 'completed' } },
];
const [CALL_A, CALL_A_DONE] = item(2, 'function_call', {
  ...{ id: 'fc_a', call_id: 'a', name: 'read_file', arguments: '{"path":"x"}' },
}) as [JsonObject, JsonObject];
const [CALL_B, CALL_B_DONE] = item(3, 'function_call', {
  ...{ id: 'fc_b', call_id: 'b', name: 'list', arguments: '' },
}) as [JsonObject, JsonObject];
const created: JsonObject = {
  type: 'response.created',
  response: { id: 'resp_1', created_at: 1_700_000_000, model: 'm-1', service_tier: null },
};
const completed = (reason?: string): JsonObject => ({
  type: reason === undefined ? 'response.completed' : 'response.incomplete',
  response: {
    incomplete_details: reason === undefined ? null : { reason },
    usage: {
      ...{ input_tokens: 23, input_tokens_details: { cached_tokens: 7, cache_write_tokens: 5 } },
      ...{ output_tokens: 23, output_tokens_details: { reasoning_tokens: 4 } },
    },
  },
});
const saidByOpenAI = (text: string): JsonObject[] => [
  { type: 'response.output_item.added', output_index: 1, item: { type: 'message', id: 'msg_1', role: 'assistant' } },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: text },
  { type: 'response.output_item.done', output_index: 1, item: { type: 'message', id: 'msg_1', role: 'assistant' } },
];

const fromGoogle = (parts: JsonObject[], finishReason?: string): string =>
  JSON.stringify({
    candidates: [{ content: { role: 'model', parts }, ...(finishReason && { finishReason }), index: 0 }],
    usageMetadata: {
      promptTokenCount: 18,
      cachedContentTokenCount: 7,
      candidatesTokenCount: 19,
      thoughtsTokenCount: 4,
    },
  });
const delta = (given: JsonObject, finish: string | null = null): string =>
  JSON.stringify({ id: 'c1', created: 1, model: 'm-1', choices: [{ index: 0, delta: given, finish_reason: finish }] });
const CHAT_USAGE = JSON.stringify({
  ...{ id: 'c1', choices: [] },
  usage: { prompt_tokens: 18, completion_tokens: 23, prompt_tokens_details: { cached_tokens: 7 } },
});

const WHOLE: Record<Api, string> = {
  anthropic: events(
    message,
    { type: 'ping' },
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Look ' },
      { type: 'thinking_delta', thinking: 'first.' },
      { type: 'signature_delta', signature: 'c2ln' },
    ),
    ...said(1, 'Schöner Tag 🙂'),
    ...block(
      2,
      { type: 'tool_use', id: 'a', name: 'read_file', input: {} },
      { type: 'input_json_delta', partial_json: '' },
      { type: 'input_json_delta', partial_json: '{"pa' },
      { type: 'input_json_delta', partial_json: 'th":"x"}' },
    ),
    ...block(3, { type: 'tool_use', id: 'b', name: 'list', input: {} }),
    ...stopped('tool_use'),
  ),
  openai: events(
    created,
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_1', encrypted_content: null },
    },
    { type: 'response.reasoning_summary_part.added', item_id: 'rs_1', output_index: 0, summary_index: 0 },
    ...['Look ', 'first.'].map((text) => ({
      ...{
        type: 'response.reasoning_summary_text.delta',
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        delta: text,
      },
    })),
    { type: 'response.reasoning_summary_part.done', item_id: 'rs_1', output_index: 0, summary_index: 0 },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_1', encrypted_content: 'ZW5j' },
    },
    ...saidByOpenAI('Schöner Tag 🙂'),
    CALL_A,
    CALL_B,
    { type: 'response.function_call_arguments.delta', item_id: 'fc_a', output_index: 2, delta: '{"path":"x"}' },
    CALL_B_DONE,
    CALL_A_DONE,
    { type: 'response.of_tomorrow', anything: 1 },
    completed(),
  ),
  google: events(
    fromGoogle([{ text: 'Look ', thought: true }]),
    fromGoogle([{ text: 'first.', thought: true }]),
    fromGoogle([{ text: 'Schöner Tag 🙂' }]),
    fromGoogle(
      [
        { functionCall: { id: 'a', name: 'read_file', args: { path: 'x' } }, thoughtSignature: 'c2ln' },
        { functionCall: { id: 'b', name: 'list', args: {} } },
      ],
      'STOP',
    ),
  ),
  chat: events(
    delta({ role: 'assistant', reasoning_content: 'Look ' }),
    delta({ reasoning_content: 'first.' }),
    delta({ content: 'Schöner Tag 🙂' }),
    delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read_file', arguments: '' } }] }),
    delta({ tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'list', arguments: '' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '"x"}' } }] }),
    delta({}, 'tool_calls'),
    CHAT_USAGE,
    '[DONE]',
  ),
};
const own = (options: JsonObject): { attached: { provider: string; options: JsonObject } } => ({
  attached: { provider: 'own', options },
});
/** The provider's own data that is attached to the thought, the text and the two calls. */
const ATTACHED: Record<Api, object[]> = {
  anthropic: [{ signature: 'c2ln', ...own({ anthropic: { signature: 'c2ln' } }) }, {}, {}, {}],
  openai: [
    own({ openai: { itemId: 'rs_1', reasoningEncryptedContent: 'ZW5j' } }),
    own({ openai: { itemId: 'msg_1' } }),
    own({ openai: { itemId: 'fc_a' } }),
    own({ openai: { itemId: 'fc_b' } }),
  ],
  google: [own({}), {}, own({ google: { thoughtSignature: 'c2ln' } }), {}],
  chat: [own({}), {}, {}, {}],
};
const USAGE: Record<Api, object> = {
  anthropic: { input_tokens: 11, output_tokens: 23, cache_creation_input_tokens: 5, cache_read_input_tokens: 7 },
  openai: { input_tokens: 11, output_tokens: 23, cache_creation_input_tokens: 5, cache_read_input_tokens: 7 },
  google: { input_tokens: 11, output_tokens: 23, cache_read_input_tokens: 7 },
  chat: { input_tokens: 11, output_tokens: 23, cache_read_input_tokens: 7 },
};
const blocksOf = (api: Api): MessageBlock[] =>
  [
    { type: 'thinking', thinking: 'Look first.' },
    { type: 'text', text: 'Schöner Tag 🙂' },
    { type: 'tool_use', id: 'a', name: 'read_file', input: '{"path":"x"}' },
    // Google sends inputs as objects, so an empty input is `{}`.
    { type: 'tool_use', id: 'b', name: 'list', input: api === 'google' ? '{}' : '' },
  ].map((one, at) => ({ ...one, ...ATTACHED[api][at] })) as MessageBlock[];

describe.each(APIS)('an answer of %s', (api) => {
  it.each([
    ['at once', send],
    ['in pieces of one byte', trickle],
  ])('comes whole and in order, sent %s', async (_how, sent) => {
    answerWith = sent(WHOLE[api]);
    const parts = await ask(chosen(api));
    expect(parts).toEqual([...blocksOf(api), { type: 'usage', usage: USAGE[api] }, { type: 'end', stop: 'calls' }]);
  });

  it('goes back to its own provider as it came, and to no other', async () => {
    const history: Message[] = [
      ...asking().messages,
      { role: 'assistant', blocks: blocksOf(api) },
      {
        role: 'tool',
        blocks: ['a', 'b'].map((id) => ({
          ...{ type: 'tool_result', tool_use_id: id, tool_name: id === 'a' ? 'read_file' : 'list' },
          ...{ output: `of ${id}`, is_error: id === 'b' },
        })) as MessageBlock[],
      },
    ];
    answerWith = send(WHOLE[api]);
    await ask(chosen(api), asking({ messages: history, tools: [tool('read_file'), tool('list')] }));
    await ask(chosen(api, { provider: 'another' }), asking({ messages: history }));
    const [ownBody, anothers] = asked.map(({ body }) => JSON.stringify(body)) as [string, string];
    for (const text of ['Schöner Tag 🙂', 'of a', 'of b', 'Be brief.']) {
      expect(ownBody).toContain(text);
      expect(anothers).toContain(text);
    }
    // The thought goes back only to its own provider: to the Responses API, as its summary beside its encrypted form.
    expect(ownBody).toContain('Look first.');
    expect(anothers).not.toContain('Look first.');
    for (const secret of ['c2ln', 'ZW5j']) {
      if (WHOLE[api].includes(secret)) expect(ownBody).toContain(secret);
      expect(anothers).not.toContain(secret);
    }
  });
});

it('an answer of chat may think again after it spoke: each is a block of its own', async () => {
  const [think, speak] = [delta({ reasoning_content: 'Hm.' }), delta({ content: 'Yes.' })];
  answerWith = send(events(think, speak, think, speak, delta({}, 'stop'), '[DONE]'));
  const types = (await ask(chosen('chat'))).map(({ type }) => type);
  expect(types).toEqual(['thinking', 'text', 'thinking', 'text', 'usage', 'end']);
});

describe('a request', () => {
  it.each([
    ['anthropic', '', '/v1/messages', { 'x-api-key': KEY }],
    ['anthropic', '/anthropic/', '/anthropic/v1/messages', {}],
    ['openai', '', '/v1/responses', { authorization: `Bearer ${KEY}` }],
    ['google', '', '/v1beta/models/m-1:streamGenerateContent?alt=sse', { 'x-goog-api-key': KEY }],
    ['google', '/v1', '/v1/models/m-1:streamGenerateContent?alt=sse', {}],
    ['chat', '', '/v1/chat/completions', { authorization: `Bearer ${KEY}` }],
    ['chat', '/api/paas/v4', '/api/paas/v4/chat/completions', {}],
    ['chat', '/v1beta/openai', '/v1beta/openai/chat/completions', {}],
  ] as [Api, string, string, object][])('of %s goes from %j to %s', async (api, at, path, headers) => {
    answerWith = send(WHOLE[api]);
    await ask(chosen(api, { baseURL: base + at }), asking({ effort: 'low', tools: [tool('list')] }));
    expect(asked[0]?.path).toBe(path);
    expect(asked[0]?.headers).toMatchObject(headers);
  });

  it.each([
    ['anthropic', { max_tokens: 1000, stream: true, output_config: { effort: 'low' }, thinking: { type: 'adaptive' } }],
    [
      'openai',
      { max_output_tokens: 1000, store: false, include: ['reasoning.encrypted_content'], tools: [{ strict: false }] },
    ],
    ['google', { generationConfig: { maxOutputTokens: 1000, thinkingConfig: { thinkingLevel: 'low' } } }],
    ['chat', { max_tokens: 1000, stream_options: { include_usage: true }, reasoning_effort: 'low' }],
  ] as [Api, JsonObject][])('of %s asks for what the wire needs', async (api, body) => {
    answerWith = send(WHOLE[api]);
    await ask(chosen(api), asking({ effort: 'low', tools: [tool('list')] }));
    expect(asked[0]?.body).toMatchObject(body);
  });

  const ADAPTIVE = { output_config: { effort: 'high' }, thinking: { type: 'adaptive' }, max_tokens: 16_000 };
  const ENABLED = { thinking: { type: 'enabled', budget_tokens: 8_000 }, max_tokens: 16_000 };
  const LEVEL = { maxOutputTokens: 16_000, thinkingConfig: { thinkingLevel: 'high' } };
  const BUDGET = { maxOutputTokens: 16_000, thinkingConfig: { thinkingBudget: 8_000 } };
  it.each([
    ['anthropic', 'claude-haiku-4-5', ENABLED],
    ['anthropic', 'claude-haiku-4-5-20251001', ENABLED],
    ['anthropic', 'anthropic/claude-opus-4.1', ENABLED],
    ['anthropic', 'claude-sonnet-4-20250514', ENABLED],
    ['anthropic', 'claude-3-7-sonnet-20250219', ENABLED],
    ['anthropic', 'claude-opus-4-6', ADAPTIVE],
    ['anthropic', 'claude-sonnet-4-6-20260217', ADAPTIVE],
    ['anthropic', 'claude-sonnet-5-5', ADAPTIVE],
    ['anthropic', 'of-tomorrow', ADAPTIVE],
    ['google', 'gemini-2.5-flash-lite', BUDGET],
    ['google', 'gemini-3-pro', LEVEL],
    ['google', 'of-tomorrow', LEVEL],
  ] as [Api, string, JsonObject][])('of %s says to %s how much it is to think', async (api, model, form) => {
    answerWith = send(WHOLE[api]);
    await ask(chosen(api), asking({ model, effort: 'high', maxOutput: 16_000 }));
    const { body = {} } = asked[0] ?? {};
    expect(api === 'google' ? body['generationConfig'] : body).toMatchObject(form);
    if (form === ENABLED) expect(body).not.toHaveProperty('output_config');
  });

  it.each([
    [3_000, 1_500],
    [1_500, undefined],
  ])('leaves half of an answer of %i tokens for what is said', async (maxOutput, budget) => {
    for (const [api, model] of [
      ['anthropic', 'claude-haiku-4-5'],
      ['google', 'gemini-2.5-flash'],
    ] as [Api, string][]) {
      answerWith = send(WHOLE[api]);
      await ask(chosen(api), asking({ model, effort: 'low', maxOutput }));
    }
    const [claude, gemini] = asked.map(({ body }) => body) as [JsonObject, JsonObject];
    expect(claude['max_tokens']).toBe(maxOutput);
    expect(claude['thinking']).toEqual(budget && { type: 'enabled', budget_tokens: budget });
    const config = gemini['generationConfig'] as JsonObject;
    expect(config['thinkingConfig']).toEqual(budget && { thinkingBudget: budget });
  });

  it('has four breakpoints at most, where reading again is cheap', async () => {
    const answer = (text: string): Message => ({ role: 'assistant', blocks: [{ type: 'text', text }] });
    answerWith = send(WHOLE.anthropic);
    await ask(
      chosen('anthropic'),
      asking({
        system: [
          { text: 'fixed', cached: true },
          { text: 'facts', cached: false },
        ],
        messages: [user('one'), answer('two'), user('three'), answer('four'), user('five')],
        tools: [tool('first'), tool('last')],
      }),
    );
    const marked: unknown[] = [];
    JSON.stringify(asked[0]?.body, (_key, value: unknown) => {
      if (typeof value === 'object' && value !== null && 'cache_control' in value)
        marked.push('text' in value ? value.text : 'name' in value ? value.name : value);
      return value;
    });
    expect(new Set(marked)).toEqual(new Set(['fixed', 'last', 'three', 'five']));
  });

  const user = (text: string): Message => ({ role: 'user', blocks: [{ type: 'text', text }] });
  const unread = { provider: 'another', options: {} };
  const CALLED: Message[] = [
    user('one'),
    { role: 'assistant', blocks: [{ type: 'tool_use', id: 'a', name: 'list', input: '' }] },
    {
      role: 'tool',
      blocks: [{ type: 'tool_result', tool_use_id: 'a', tool_name: 'list', output: 'of a', is_error: false }],
    },
    user('two'),
    // Left out of the request, because it contains only another provider's thought.
    { role: 'assistant', blocks: [{ type: 'thinking', thinking: 'Hm.', attached: unread }] },
    user('three'),
  ];

  it('marks the last two messages of the user, whatever they are joined of', async () => {
    answerWith = send(WHOLE.anthropic);
    await ask(chosen('anthropic'), asking({ messages: CALLED, system: [] }));
    const { messages } = (asked[0] as Asked).body as { messages: { role: string; content: JsonObject[] }[] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    const marks = messages.map(({ content }) => content.map((one) => 'cache_control' in one));
    expect(marks).toEqual([[true], [false], [false, false, true]]);
  });

  it('of chat has no two messages of a user behind each other: templates refuse them', async () => {
    answerWith = send(WHOLE.chat);
    await ask(chosen('chat'), asking({ messages: CALLED, system: [] }));
    const { messages } = (asked[0] as Asked).body as { messages: JsonObject[] };
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'one'],
      ['assistant', null],
      ['tool', 'of a'],
      ['user', ['two', 'three'].map((words) => ({ type: 'text', text: words }))],
    ]);
  });

  it('gives back a call whose input was no object, without it', async () => {
    const call = (id: string, input: string): MessageBlock => ({ type: 'tool_use', id, name: 'list', input });
    answerWith = send(WHOLE.anthropic);
    const blocks = [call('a:0', '{"pa'), call('b', '[1]'), call('c', '{"path":"x"}')];
    await ask(chosen('anthropic'), asking({ messages: [...asking().messages, { role: 'assistant', blocks }] }));
    const { content } = (asked[0] as Asked & { body: { messages: JsonObject[] } }).body.messages[1] as {
      content: JsonObject[];
    };
    expect(content.map(({ id, input }) => [id, input])).toEqual([
      ['a_0', {}],
      ['b', {}],
      ['c', { path: 'x' }],
    ]);
  });

  it('needs no key for chat; without one, nothing is sent to others', async () => {
    answerWith = send(WHOLE.chat);
    await ask(chosen('chat', { key: undefined }));
    expect(asked[0]?.headers['authorization']).toBeUndefined();
    expect((await failing(ask(chosen('anthropic', { key: undefined })))).kind).toBe('auth');
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['http://models.example.com', 'invalid'],
    ['no address', 'invalid'],
    [undefined, 'invalid'],
  ])('to %s is not sent', async (baseURL, kind) => {
    expect((await failing(ask(chosen('chat', { baseURL })))).kind).toBe(kind);
  });
});

const finishes = (api: Api, text: string, reason: string): string =>
  ({
    anthropic: () => events(message, ...said(0, text), ...stopped(reason)),
    openai: () => events(created, ...saidByOpenAI(text), completed(reason === '' ? undefined : reason)),
    google: () => events(fromGoogle([{ text }], reason)),
    chat: () => events(delta({ content: text }), delta({}, reason), '[DONE]'),
  })[api]();

describe('the end of an answer', () => {
  it.each([
    ['anthropic', 'end_turn', 'end'],
    ['anthropic', 'max_tokens', 'length'],
    ['anthropic', 'refusal', 'refused'],
    ['anthropic', 'pause_turn', 'paused'],
    ['anthropic', 'of_tomorrow', null],
    ['openai', '', 'end'],
    ['openai', 'max_output_tokens', 'length'],
    ['openai', 'content_filter', 'refused'],
    ['google', 'STOP', 'end'],
    ['google', 'MAX_TOKENS', 'length'],
    ['google', 'SAFETY', 'refused'],
    ['google', 'MALFORMED_FUNCTION_CALL', null],
    ['chat', 'stop', 'end'],
    ['chat', 'length', 'length'],
    ['chat', 'content_filter', 'refused'],
    ['chat', 'of_tomorrow', null],
  ] as [Api, string, string | null][])('of %s, %s, is %s', async (api, reason, stop) => {
    answerWith = send(finishes(api, 'Yes.', reason));
    if (stop === null) expect((await failing(ask(chosen(api)))).kind).toBe('protocol');
    else expect((await ask(chosen(api))).at(-1)).toEqual({ type: 'end', stop });
  });

  it.each(APIS)('is missing: %s', async (api) => {
    const whole = WHOLE[api].split('\n\n').slice(0, -1);
    answerWith = send(`${whole.slice(0, api === 'chat' ? -3 : -1).join('\n\n')}\n\n`);
    expect((await failing(ask(chosen(api)))).kind).toBe('protocol');
    answerWith = send('<html><body>Hello</body></html>', { headers: { 'content-type': 'text/html' } });
    expect((await failing(ask(chosen(api)))).kind).toBe('protocol');
  });

  it.each([
    ['the call without arguments', 'anthropic', '"content_block_stop","index":3'],
    ['the other call', 'anthropic', '"content_block_stop","index":2'],
    ['the text', 'anthropic', '"content_block_stop","index":1'],
    ['the thought', 'anthropic', '"content_block_stop","index":0'],
    ['the call without arguments', 'openai', JSON.stringify(CALL_B_DONE)],
    ['the text', 'openai', JSON.stringify(saidByOpenAI('')[2])],
  ] as [string, Api, string][])(
    'stands, but not that of %s: %s, which is an answer only if it was cut',
    async (_of, api, end) => {
      const [whole, ended] = [WHOLE[api].split('\n\n'), WHOLE[api].split('\n\n').filter((one) => !one.includes(end))];
      expect(ended).toHaveLength(whole.length - 1);
      answerWith = send(ended.join('\n\n'));
      expect((await failing(ask(chosen(api)))).kind).toBe('protocol');
      const cut = ended.join('\n\n').replace('"tool_use","stop_seq', '"max_tokens","stop_seq');
      answerWith = send(
        api === 'anthropic' ? cut : cut.replace(events(completed()), events(completed('max_output_tokens'))),
      );
      expect((await ask(chosen(api))).at(-1)).toEqual({ type: 'end', stop: 'length' });
    },
  );

  it.each(APIS)('is cut off: %s', async (api) => {
    answerWith = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(WHOLE[api].slice(0, -40), () => response.destroy());
    };
    expect(await failing(ask(chosen(api)))).toMatchObject({ kind: 'transport', status: 200 });
  });
});

describe('an error within a stream', () => {
  const error = (type: string, text: string): string =>
    JSON.stringify({ type: 'error', error: { type, message: text } });
  it.each([
    ['anthropic', 'overloaded_error', 'Overloaded', 'overloaded'],
    ['anthropic', 'rate_limit_error', 'Slow down', 'rate'],
    ['anthropic', 'api_error', 'Internal server error', 'transport'],
    ['anthropic', 'authentication_error', 'invalid x-api-key', 'auth'],
    ['anthropic', 'request_too_large', 'Request exceeds the maximum size', 'context'],
    ['anthropic', 'not_found_error', 'model: m-1', 'invalid'],
    ['anthropic', 'invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum', 'context'],
    ['openai', 'rate_limit_exceeded', 'Rate limit reached', 'rate'],
    ['openai', 'server_error', 'The server had an error', 'transport'],
    ['openai', 'invalid_request_error', 'Your input exceeds the context window of this model.', 'context'],
    ['chat', 'overloaded', 'The engine is currently overloaded', 'overloaded'],
    ['chat', 'server_error', 'out of memory', 'transport'],
  ] as [Api, string, string, string][])('of %s, %s, first and later: %s', async (api, type, text, kind) => {
    const before = { anthropic: events(message, ...said(0, 'Yes')), openai: events(created, ...saidByOpenAI('Yes')) };
    const start = api === 'chat' ? events(delta({ content: 'Yes' })) : before[api as 'openai'];
    const event =
      api === 'chat' ? events(JSON.stringify({ error: { type, message: text } })) : events(error(type, text));
    for (const body of [event, start + event]) {
      answerWith = send(body);
      const fault = await failing(ask(chosen(api)));
      expect(fault).toMatchObject({ kind, message: text, requestId: 'req_1' });
    }
  });

  it('of google has its status', async () => {
    const body = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };
    answerWith = send(events(fromGoogle([{ text: 'Yes' }]), JSON.stringify(body)));
    expect(await failing(ask(chosen('google')))).toMatchObject({ kind: 'overloaded', status: 503 });
  });

  it('is none, where anthropic sends an event that nobody knows', async () => {
    answerWith = send(events(message, { type: 'of_tomorrow', x: 1 }, ...said(0, 'Yes.'), ...stopped('end_turn')));
    expect(await ask(chosen('anthropic'))).toMatchObject([
      { type: 'warning', text: expect.stringContaining('of_tomorrow') },
      { type: 'text', text: 'Yes.' },
      { type: 'usage' },
      { type: 'end', stop: 'end' },
    ]);
    const known = { type: 'content_block_start', index: 5, content_block: { type: 'of_tomorrow' } };
    answerWith = send(events(message, known, ...said(0, 'Yes.'), ...stopped('end_turn')));
    expect((await failing(ask(chosen('anthropic')))).kind).toBe('protocol');
    // If the unknown event comes first, the package mistakes it for a refusal.
    for (const first of [{ type: 'of_tomorrow', x: 1 }, known]) {
      answerWith = send(events(first, message, ...said(0, 'Yes.'), ...stopped('end_turn')));
      const fault = await failing(ask(chosen('anthropic')));
      expect(fault).toMatchObject({ kind: 'protocol', status: undefined, requestId: 'req_1' });
    }
  });

  it.each(APIS)('is garbage: a piece of %s is missing', async (api) => {
    const [first, ...rest] = WHOLE[api].split('\n\n');
    answerWith = send([first, 'data: {"type": "con', ...rest].join('\n\n'));
    expect((await failing(ask(chosen(api)))).kind).toBe('protocol');
  });
});

describe('a refusal by status', () => {
  const body = (text: string): string =>
    JSON.stringify({ type: 'error', error: { type: 'x', message: text, code: 1 } });
  it.each([
    [400, 'max_tokens: must be positive', 'invalid'],
    [400, 'prompt is too long: 208310 tokens > 200000 maximum', 'context'],
    [400, 'input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000', 'context'],
    [400, 'Input is too long for requested model.', 'context'],
    [400, "This model's maximum context length is 8192 tokens", 'context'],
    [400, 'Your input exceeds the context window of this model. Please adjust your input and try again.', 'context'],
    [400, 'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000.', 'context'],
    [400, 'the request exceeds the available context size, try increasing it', 'context'],
    [400, 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it', 'context'],
    [400, 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.', 'context'],
    [400, "The input (9000 tokens) is longer than the model's context length (8192 tokens).", 'context'],
    [400, 'prompt too long; exceeded max context length by 20 tokens', 'context'],
    [400, "This model's maximum prompt length is 131072 but the request contains 200000 tokens.", 'context'],
    [400, 'prompt token count of 130000 exceeds the limit of 128000', 'context'],
    [400, 'tools.0.name: request field too long', 'invalid'],
    [400, 'messages.1.content.0: image in request is too large', 'invalid'],
    [400, "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64.", 'invalid'],
    [400, 'max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens', 'invalid'],
    [400, 'context_size: extra inputs are not permitted', 'invalid'],
    [402, 'Insufficient Balance', 'auth'],
    [422, 'The input token count (9) exceeds the maximum number of tokens allowed (8).', 'context'],
    [401, 'invalid key', 'auth'],
    [403, 'no', 'auth'],
    [404, 'no such model', 'invalid'],
    [408, 'late', 'timeout'],
    [409, 'again', 'transport'],
    [413, 'large', 'context'],
    [429, 'slow down', 'rate'],
    [500, 'broken', 'transport'],
    [502, 'bad gateway', 'transport'],
    [503, 'later', 'overloaded'],
    [529, 'Overloaded', 'overloaded'],
  ])('%i %s is %s, for each', async (status, text, kind) => {
    for (const api of APIS) {
      answerWith = send(body(text), { status, headers: { 'content-type': 'application/json' } });
      expect(await failing(ask(chosen(api)))).toMatchObject({ kind, status, requestId: 'req_1' });
    }
  });

  it('says how long to wait, in seconds or by a date', async () => {
    answerWith = send(body('slow'), { status: 429, headers: { 'retry-after': '7' } });
    expect((await failing(ask(chosen('anthropic')))).retryAfterMs).toBe(7_000);
    const date = new Date(NOW + 3_600_000).toUTCString();
    answerWith = send(body('slow'), { status: 429, headers: { 'retry-after': date } });
    expect((await failing(ask(chosen('openai')))).retryAfterMs).toBe(3_600_000);
    answerWith = send(body('slow'), { status: 429, headers: { 'retry-after': 'soon' } });
    expect((await failing(ask(chosen('chat')))).retryAfterMs).toBeUndefined();
  });

  it('is for want of money, by the name that the service gives it', async () => {
    const text = 'You exceeded your current quota, please check your plan and billing details.';
    for (const type of ['insufficient_quota', 'exceeded_current_quota_error', 'billing_error']) {
      answerWith = send(JSON.stringify({ error: { type, message: text, code: type } }), { status: 429 });
      expect(await failing(ask(chosen('openai')))).toMatchObject({ kind: 'auth', status: 429, message: text });
      answerWith = send(events(JSON.stringify({ error: { type, message: text } })));
      expect(await failing(ask(chosen('chat')))).toMatchObject({ kind: 'auth', message: text });
    }
    // Google sends the same message when a quota is used up for only a minute.
    answerWith = send(JSON.stringify({ error: { code: 429, message: text, status: 'RESOURCE_EXHAUSTED' } }), {
      status: 429,
    });
    expect(await failing(ask(chosen('google')))).toMatchObject({ kind: 'rate' });
  });

  it.each([
    ['34s', 34_000],
    ['0.5s', 500],
    ['soon', undefined],
  ])('of google says in its details how long to wait: %s', async (retryDelay, wait) => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
    ];
    const told = JSON.stringify({ error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED', details } });
    for (const sent of [send(told, { status: 429 }), send(events(fromGoogle([{ text: 'Yes' }]), told))]) {
      answerWith = sent;
      expect(await failing(ask(chosen('google')))).toMatchObject({ kind: 'rate', status: 429, retryAfterMs: wait });
    }
  });

  it('is told in one short line without the key', async () => {
    const text = `no\u001b[2J\n${KEY} is wrong ${'x'.repeat(5_000)}`;
    for (const sent of [body(text), text]) {
      answerWith = send(sent, { status: 401 });
      const { message: line } = await failing(ask(chosen('chat')));
      expect(line).toContain('is wrong');
      expect(line).not.toMatch(/[\p{Cc}]/u);
      expect(line).not.toContain(KEY);
      expect(line.length).toBeLessThanOrEqual(500);
    }
  });

  it('is a redirect, which is not followed', async () => {
    for (const api of APIS) {
      answerWith = send('', { status: 307, headers: { location: `${base}/elsewhere` } });
      expect(await failing(ask(chosen(api)))).toMatchObject({ kind: 'invalid', status: 307 });
    }
    expect(asked).toHaveLength(APIS.length);
  });
});

describe('silence', () => {
  const hang = (sent: string) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sent);
  };

  it.each(APIS)('of bytes ends an exchange with %s', async (api) => {
    const start = WHOLE[api].slice(0, WHOLE[api].indexOf('\n\n') + 2);
    for (const sent of [hang(start), hang('\n'), () => {}]) {
      answerWith = sent;
      expect((await failing(ask(chosen(api), asking(), { byte: 0.1, part: 60 }))).kind).toBe('timeout');
    }
  });

  it('of parts ends one that only pings', async () => {
    let pings: NodeJS.Timeout | undefined;
    answerWith = (response) => {
      hang(events(message))(response);
      pings = setInterval(() => response.write(events({ type: 'ping' })), 20);
    };
    const fault = await failing(ask(chosen('anthropic'), asking(), { byte: 60, part: 0.3 }));
    clearInterval(pings);
    expect(fault.kind).toBe('timeout');
  });

  it.each(APIS)('ends when who asked %s wants no more, for their reason', async (api) => {
    const control = new AbortController();
    const why = new Error('enough');
    const closed = new Promise((done) => {
      answerWith = (response) => {
        response.on('close', done);
        hang(WHOLE[api].slice(0, WHOLE[api].indexOf('\n\n') + 2))(response);
        setTimeout(() => control.abort(why), 20);
      };
    });
    await expect(ask(chosen(api), asking({ signal: control.signal }))).rejects.toBe(why);
    await closed;
  });

  it('is a server that is not there', async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    expect((await failing(ask(chosen('chat', { baseURL: `http://127.0.0.1:${port}` })))).kind).toBe('transport');
  });
});

describe('toFault', () => {
  it('knows what a fault was wrapped in, and circles', () => {
    const fault = new ProviderFault('timeout', 'late');
    expect(
      toFault(new Error('outer', { cause: new Error('inner', { cause: fault }) }), { key: undefined, now: NOW }),
    ).toBe(fault);
    const circle = new Error('round');
    circle.cause = circle;
    expect(toFault(circle, { key: undefined, now: NOW })).toMatchObject({ kind: 'protocol', message: 'round' });
    expect(toFault('nothing', { key: undefined, now: NOW }).message).toBe('nothing');
  });
});
