import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Api, type Kept, type Step, startProvider } from '../../support/provider.mjs';
import { scratchDirectory } from '../../support/scratch.js';
import { ask, goOn, mark, openModel, say } from './provider-calls.js';

/** Requests that the loopback provider refuses: each is the valid second request of a turn, with a single fault. */

const STEPS: Step[] = [
  {
    thinking: 'Two things.',
    calls: [
      { name: 'add', input: { a: 1 } },
      { name: 'look', input: { b: 2 } },
    ],
  },
  { text: 'Done.' },
];

/** A request, to be modified in ways that no type would allow. */
type Bent = ReturnType<typeof JSON.parse>;
type Wrong = [what: string, reason: RegExp, bend: (body: Bent) => void];

const RIGHT = { status: 200 };

/** Makes the two valid requests of a turn, then sends the second again, modified. */
async function send(api: Api, bend: (body: Bent) => unknown, bendHeaders: (headers: Record<string, string>) => void) {
  const provider = await startProvider({ answer: (_, n) => STEPS[n] ?? { text: 'More.' } });
  try {
    const model = openModel(api, provider.url);
    const first = [{ role: 'system' as const, content: 'You calculate.' }, say('Go.')];
    const heard = await ask(model, mark(first));
    await ask(model, mark([...first, ...goOn(heard)]));
    const { url, headers, body } = provider.requests.at(-1) as Kept;
    const kept = ['content-type', 'x-api-key', 'x-goog-api-key', 'authorization', 'anthropic-version'];
    const sent = Object.fromEntries(kept.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
    bendHeaders(sent);
    const bent = JSON.parse(body);
    const text = bend(bent);
    const answer = await fetch(`${provider.url}${url}`, {
      method: 'POST',
      headers: sent,
      body: typeof text === 'string' ? text : JSON.stringify(bent),
    });
    return { status: answer.status, text: await answer.text(), billed: provider.billed.requests };
  } finally {
    await provider.close();
  }
}

const refused = (reason: RegExp, status = 400) => ({ status, text: expect.stringMatching(reason), billed: 2 });

// Messages of the valid request: [user, assistant [thinking, call, call], user [result, result]]
const ANTHROPIC: Wrong[] = [
  ['a result is missing', /results of/, ({ messages }) => messages[2].content.pop()],
  ['results in another order', /results of/, ({ messages }) => messages[2].content.reverse()],
  ['no results', /no results/, ({ messages }) => messages.pop()],
  ['results of nothing', /calls are none/, ({ messages }) => messages.splice(1, 1)],
  ['a text before results', /come first/, ({ messages }) => messages[2].content.unshift({ type: 'text', text: 'a' })],
  ['a call twice', /unique/, ({ messages }) => messages.splice(1, 0, messages[1], messages[2])],
  ['a role that it does not know', /unexpected role tool/, ({ messages }) => (messages[2].role = 'tool')],
  ['an assistant first', /first message/, ({ messages }) => messages.shift()],
  ['another signature', /invalid signature/, ({ messages }) => (messages[1].content[0].signature += 'a')],
  ['no signature', /invalid signature/, ({ messages }) => delete messages[1].content[0].signature],
  ['another thought', /invalid signature/, ({ messages }) => (messages[1].content[0].thinking += ' ')],
  ['no thought', /has not come back/, ({ messages }) => messages[1].content.shift()],
  ['a thought at the end', /final block/, ({ messages }) => messages[1].content.push(messages[1].content.shift())],
  ['an input that is text', /input is not an object/, ({ messages }) => (messages[1].content[1].input = '{}')],
  ['an input that is a list', /input is not an object/, ({ messages }) => (messages[1].content[1].input = [])],
  ['an empty text', /non-whitespace/, ({ messages }) => (messages[0].content[0].text = ' ')],
  ['a message of nothing', /content is empty/, ({ messages }) => (messages[0].content = [])],
  ['no limit', /max_tokens/, (body) => delete body.max_tokens],
  ['a field of another service', /extra inputs/, (body) => (body.max_output_tokens = 9)],
  ['no stream', /stream/, (body) => (body.stream = false)],
  ['no model', /model/, (body) => (body.model = '')],
  ['a tool twice', /not unique/, ({ tools }) => tools.push(tools[0])],
  ['a name of a tool', /does not match/, ({ tools }) => (tools[0].name = 'a.b')],
  ['a breakpoint at a thought', /at thinking/, ({ messages }) => (messages[1].content[0].cache_control = {})],
  [
    'five breakpoints',
    /maximum of 4 .* Found 5/,
    ({ tools, system, messages }) => {
      for (const item of [tools[0], tools[1], system[0]]) item.cache_control = { type: 'ephemeral' };
      expect(JSON.stringify(messages).match(/cache_control/g)).toHaveLength(2);
    },
  ],
];

// Input items of the valid request: [system, user, reasoning, call, call, output, output]
const OPENAI: Wrong[] = [
  ['an output is missing', /results of/, ({ input }) => input.pop()],
  ['outputs in another order', /results of/, ({ input }) => input.push(...input.splice(5).reverse())],
  ['no outputs', /no results/, ({ input }) => input.splice(5)],
  ['outputs of nothing', /calls are none/, ({ input }) => input.splice(2, 3)],
  ['a user between', /no results/, ({ input }) => input.splice(5, 0, input[1])],
  ['a role that it does not know', /unexpected role tool/, ({ input }) => (input[1].role = 'tool')],
  ['another encrypted content', /invalid signature/, ({ input }) => (input[2].encrypted_content += 'a')],
  ['no encrypted content', /invalid signature/, ({ input }) => delete input[2].encrypted_content],
  ['another summary', /invalid signature/, ({ input }) => (input[2].summary[0].text = 'Other.')],
  ['no reasoning', /has not come back/, ({ input }) => input.splice(2, 1)],
  ['reasoning at the end', /following item/, ({ input }) => input.push(input.splice(2, 1)[0])],
  ['reasoning behind the call', /has not come back/, ({ input }) => ([input[2], input[3]] = [input[3], input[2]])],
  ['arguments that are a list', /is not an object/, ({ input }) => (input[3].arguments = '[]')],
  ['broken arguments', /is not JSON/, ({ input }) => (input[3].arguments = '{"a": ')],
  ['too low a limit', /minimum of 16/, (body) => (body.max_output_tokens = 15)],
  ['a field of another service', /extra inputs/, (body) => (body.messages = [])],
];

// Contents of the valid request: [user, model [thought, call, call], user [response, response]]
const GOOGLE: Wrong[] = [
  ['a response is missing', /results of/, ({ contents }) => contents[2].parts.pop()],
  ['responses in another order', /results of/, ({ contents }) => contents[2].parts.reverse()],
  ['no responses', /last content/, ({ contents }) => contents.pop()],
  ['another user in between', /no results/, ({ contents }) => contents.splice(2, 0, contents[0])],
  ['a response beside a text', /beside other/, ({ contents }) => contents[2].parts.push({ text: 'a' })],
  ['a role that it does not know', /valid role/, ({ contents }) => (contents[1].role = 'assistant')],
  ['the model first', /first message/, ({ contents }) => contents.shift()],
  ['another signature', /invalid signature/, ({ contents }) => (contents[1].parts[1].thoughtSignature += 'a')],
  ['no signature', /has not come back/, ({ contents }) => delete contents[1].parts[1].thoughtSignature],
  ['args that are text', /args is not an object/, ({ contents }) => (contents[1].parts[1].functionCall.args = '{}')],
  ['no parts', /at least one parts/, ({ contents }) => (contents[0].parts = [])],
  ['a field of another service', /extra inputs/, (body) => (body.max_tokens = 9)],
];

// Messages of the valid request: [system, user, assistant {calls}, tool, tool]
const CHAT: Wrong[] = [
  ['a result is missing', /results of/, ({ messages }) => messages.pop()],
  ['results in another order', /results of/, ({ messages }) => messages.push(...messages.splice(3).reverse())],
  ['no results', /no results/, ({ messages }) => messages.splice(3)],
  ['results of nothing', /calls are none/, ({ messages }) => messages.splice(2, 1)],
  ['a role that it does not know', /unexpected role model/, ({ messages }) => (messages[2].role = 'model')],
  ['another thought', /has not come back/, ({ messages }) => (messages[2].reasoning_content = 'Other.')],
  ['no thought', /has not come back/, ({ messages }) => delete messages[2].reasoning_content],
  [
    'arguments that are no object',
    /is not an object/,
    ({ messages }) => (messages[2].tool_calls[0].function.arguments = '1'),
  ],
  ['broken arguments', /is not JSON/, ({ messages }) => (messages[2].tool_calls[0].function.arguments = '{"a')],
  ['nothing said', /content or tool_calls/, ({ messages }) => messages.push({ role: 'assistant', content: null })],
  ['no messages', /no messages/, (body) => (body.messages = [])],
];

describe.each<[Api, string, Wrong[]]>([
  ['anthropic', 'x-api-key', ANTHROPIC],
  ['openai', 'authorization', OPENAI],
  ['google', 'x-goog-api-key', GOOGLE],
  ['chat', 'authorization', CHAT],
])('%s', (api, header, wrongs) => {
  const bendNothing = () => {};

  it('takes the request as it is', async () => {
    expect(await send(api, bendNothing, bendNothing)).toMatchObject(RIGHT);
  });

  it.each(wrongs)('refuses %s', async (_, reason, bend) => {
    expect(await send(api, (body) => void bend(body), bendNothing)).toMatchObject(refused(reason));
  });

  it('refuses what is no JSON', async () => {
    expect(await send(api, () => '{"model": ', bendNothing)).toMatchObject(refused(/not valid JSON/));
    expect(await send(api, () => '[]', bendNothing)).toMatchObject(refused(/not an object/));
  });

  it('refuses no key, and a key in the header of another service', async () => {
    const status = api === 'google' ? 403 : 401;
    const move = (headers: Record<string, string>) => {
      delete headers[header];
      headers['x-key'] = 'secret';
    };
    expect(await send(api, bendNothing, move)).toMatchObject(refused(/no valid key/, status));
    const other = (headers: Record<string, string>) => {
      delete headers[header];
      headers[header === 'authorization' ? 'x-api-key' : 'authorization'] = 'Bearer secret';
    };
    expect(await send(api, bendNothing, other)).toMatchObject(refused(/no valid key/, status));
  });
});

it('refuses a request to anthropic without a version', async () => {
  const bend = (headers: Record<string, string>) => delete headers['anthropic-version'];
  expect(await send('anthropic', () => {}, bend)).toMatchObject(refused(/anthropic-version/));
});

it('gives what is encrypted only to who asks for it', async () => {
  const provider = await startProvider({ answer: (_, n) => STEPS[n] ?? {} });
  const model = openModel('openai', provider.url);
  const more = { providerOptions: { openai: {} } };
  const { content } = await ask(model, [say('Go.')], more);
  expect(content[0]?.providerOptions).toMatchObject({ openai: { reasoningEncryptedContent: null } });
  await provider.close();
});

it('knows one key, and one service, if it is told so', async () => {
  const answer = () => ({ text: 'Yes.' });
  const strict = await startProvider({ answer, key: 'other' });
  await expect(ask(openModel('chat', strict.url), [say('Go.')])).rejects.toMatchObject({ statusCode: 401 });
  const single = await startProvider({ answer, wire: 'google' });
  await expect(ask(openModel('chat', single.url), [say('Go.')])).rejects.toMatchObject({ statusCode: 404 });
  expect((await ask(openModel('google', single.url), [say('Go.')])).content).toMatchObject([{ text: 'Yes.' }]);
  await strict.close();
  await single.close();
});

it.each([
  ['steps.json', JSON.stringify([{ text: 'One.' }, { text: 'Two.' }])],
  [
    'answer.mjs',
    'export default ({ messages }, n) => ({ text: n === 0 ? "One." : messages.length === 1 ? "Two." : "?" });',
  ],
])('serves a script of its own: %s', async (name, text) => {
  const script = join(scratchDirectory('provider-'), name);
  writeFileSync(script, text);
  const child = spawn(process.execPath, ['tests/support/provider.mjs', script, '--chunk', '7']);
  try {
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    const url = String(line).trim();
    const texts: unknown[] = [];
    for (const expected of ['One.', 'Two.', 'Two.']) {
      texts.push((await ask(openModel('openai', url), [say('Go.')])).content);
      expect(texts.at(-1)).toMatchObject([{ text: expected }]);
    }
    expect(await (await fetch(`${url}/billed`)).json()).toMatchObject({ requests: 3 });
    expect(await (await fetch(`${url}/requests`)).json()).toHaveLength(3);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});
