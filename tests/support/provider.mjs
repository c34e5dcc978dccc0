import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { CONTEXT, spoil, writeError, writePing } from './provider-faults.mjs';
import { judge, need, Refusal } from './provider-judge.mjs';
import { createCutter, createMeter, limitOf } from './provider-meter.mjs';
import { READERS } from './provider-read.mjs';
import { WRITERS } from './provider-write.mjs';

/**
 * A local server that imitates four model services: it checks requests as they do, answers from a script, and bills
 * tokens. `node tests/support/provider.mjs SCRIPT [--port N] [--chunk BYTES] [--wire API]` prints its address as one
 * line and serves until it is killed. SCRIPT is a JSON list of steps, used in order, the last one repeatedly; or a
 * module whose default export is `answer`. `GET /billed` and `GET /requests` report to other processes.
 */

/**
 * @typedef {'anthropic' | 'openai' | 'google' | 'chat'} Api
 * @typedef {Record<string, unknown>} Json
 *
 * @typedef {object} Request what a model reads, in the same form for each service
 * @property {Api} api
 * @property {string} model
 * @property {string[]} system
 * @property {{ role: 'user' | 'assistant' | 'tool', texts: string[], calls: { id: string, name: string, input: Json }[],
 *   results: { id: string, output: string, isError: boolean }[] }[]} messages consecutive messages of one role are
 *   joined; only anthropic sends `isError`
 * @property {{ name: string }[]} tools
 * @property {Json} raw
 *
 * @typedef {object} Fault `stall` sends the beginning, then nothing or, with `pings`, a ping every 20 ms; `retryAfter`:
 * seconds or a date
 * @property {'cut-before' | 'cut-in-call' | 'cut-after-call' | 'no-stop' | 'error-event' | 'unknown-event' | 'garbage' | 'html'
 *   | 'redirect' | 'stall' | 'context' | { status: 400 | 401 | 429 | 500 | 529, retryAfter?: number | string }} [fault]
 * @property {boolean} [pings]
 *
 * @typedef {object} Spoken
 * @property {string} [thinking]
 * @property {string} [text]
 * @property {{ name: string, input: Json | string }[]} [calls] `input`: an object, or JSON text, which may be broken or
 * empty
 * @property {'length' | 'refused' | 'paused'} [stop] only anthropic has `paused`
 * @property {boolean} [interleave] whether the arguments of several calls are sent in turns
 * @property {Partial<Omit<Billed, 'requests'>>} [usage] tokens to bill; the server counts those that are not given
 * @typedef {Spoken & Fault} Step an answer, and a fault that happens to it (to `HALF` if the step has no content)
 * @typedef {(request: Request, n: number) => Step | Promise<Step>} Script `n`: how many requests were accepted before
 *
 * @typedef {object} Kept a request as it arrived
 * @property {Api | null} api null if the address belongs to none of the services
 * @property {string} method
 * @property {string} url
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {string} body
 * @property {number} status the status of the answer
 *
 * @typedef {{ requests: number, input: number, output: number, cacheRead: number, cacheWrite: number }} Billed the
 * requests that were answered completely, and their tokens
 *
 * @typedef {object} Options
 * @property {Script} answer
 * @property {number} [chunk] the bytes that are sent at a time; default: all at once
 * @property {Api} [wire] the only service that is imitated; default: all four
 * @property {string | null} [key] the only valid key; null: no key is required, as by a local server; default: any key
 * is valid
 * @property {number} [port]
 */

/** @type {[Api, RegExp][]} */
const PATHS = [
  ['anthropic', /^\/v1\/messages$/],
  ['openai', /^\/v1\/responses$/],
  ['google', /^\/v1(?:beta)?\/models\/([^/:]+):streamGenerateContent\?alt=sse$/],
  ['chat', /^\/v1\/chat\/completions$/],
];

const COUNTED = /** @type {const} */ (['input', 'output', 'cacheRead', 'cacheWrite']);

/** The answer to which a fault happens if the step itself has no content. */
const HALF = { text: 'Half of an answer.', calls: [{ name: 'probe', input: { half: 'of an argument' } }] };

/**
 * Starts the server.
 * @param {Options} options
 * @returns {Promise<{ url: string, requests: Kept[], billed: Billed, close: () => Promise<void> }>}
 */
export async function startProvider({ answer, chunk = Number.POSITIVE_INFINITY, wire, key, port = 0 }) {
  /** @type {Kept[]} */
  const requests = [];
  const billed = { requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  /** @type {Map<string, string>} */
  const thoughts = new Map();
  const measure = createMeter();
  let taken = 0;
  /** @param {Api} api */
  const isServed = (api) => wire === undefined || wire === api;

  /** @type {(kept: Kept, api: Api, model: string | undefined) => { request: Request, prompt: ReturnType<typeof measure> }} */
  const take = (kept, api, model) => {
    judgeHeaders(api, kept.headers, key);
    const raw = parse(kept.body);
    if (api !== 'google') need(raw['stream'] === true, 'stream: only streams are served');
    const name = model ?? raw['model'];
    need(typeof name === 'string' && name !== '', 'model: is missing');
    const { system, messages, tools, segments } = READERS[api](raw);
    judge(api, messages, thoughts);
    const request = {
      api,
      model: name,
      system,
      messages: simplify(messages),
      tools: tools.map((tool) => ({ name: tool })),
      raw,
    };
    return { request, prompt: measure(`${api} ${name}`, segments, api === 'anthropic') };
  };

  /** @type {(api: Api, whole: import('./provider-write.mjs').Answer) => void} */
  const bill = (api, { thinking, calls, usage }) => {
    const isGiven = thinking !== undefined && (thinking !== '' || api !== 'chat');
    if (isGiven) for (const { id } of calls) thoughts.set(id, thinking);
    billed.requests += 1;
    for (const field of COUNTED) billed[field] += usage[field];
  };

  /** @type {(kept: Kept, api: Api, { request, prompt }: ReturnType<typeof take>, step: Step, out: Out) => Promise<void>} */
  const speak = async (kept, api, { request, prompt }, step, out) => {
    const { fault, pings } = step;
    const whole = complete(step, request, prompt());
    // Bills before sending, because the next request may arrive as soon as this answer has been sent.
    if (fault === undefined || fault === 'unknown-event') bill(api, whole);
    kept.status = 200;
    out.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    const { texts, then } = spoil(api, WRITERS[api](whole), fault);
    await send(out, texts.join(''), chunk);
    if (then === 'cut') out.destroy();
    if (then === 'end') out.end();
    if (then === 'wait' && pings === true) await ping(out, api);
  };

  /** @type {(kept: Kept, api: Api, model: string | undefined, out: Out, refuse: Refuse) => Promise<void>} */
  const serve = async (kept, api, model, out, refuse) => {
    const read = take(kept, api, model);
    taken += 1;
    const step = await answer(read.request, taken - 1);
    const { fault } = step;
    if (typeof fault === 'object') {
      const { status, retryAfter } = fault;
      const more = retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` };
      refuse(status, `The script answers ${status}.`, more);
    } else if (fault === 'context') refuse(400, CONTEXT[api]);
    else if (fault === 'redirect') refuse(307, 'Elsewhere.', { location: '/elsewhere' });
    else if (fault === 'html') {
      kept.status = 200;
      out.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>\n');
    } else await speak(kept, api, read, step, out);
  };

  const server = createServer(async (incoming, out) => {
    const { method = '', url = '', headers } = incoming;
    if (method === 'GET' && url === '/billed') return out.end(JSON.stringify(billed));
    if (method === 'GET' && url === '/requests') return out.end(JSON.stringify(requests));
    const body = Buffer.concat(await incoming.toArray()).toString();
    const [api, path] = PATHS.find(([name, pattern]) => method === 'POST' && pattern.test(url) && isServed(name)) ?? [
      null,
    ];
    /** @type {Kept} */
    const kept = { api, method, url, headers, body, status: 404 };
    requests.push(kept);
    /** @type {Refuse} */
    const refuse = (status, message, more = {}) => {
      kept.status = status;
      const name = api === 'anthropic' ? 'request-id' : 'x-request-id';
      out.writeHead(status, { 'content-type': 'application/json', [name]: `req_${requests.length}`, ...more });
      out.end(JSON.stringify(writeError(api ?? 'chat', status, message)));
    };
    if (api === null) return refuse(404, 'There is nothing here.');
    try {
      await serve(kept, api, path?.exec(url)?.[1], out, refuse);
    } catch (error) {
      if (error instanceof Refusal) refuse(error.status, error.message);
      else refuse(500, `The script failed: ${error instanceof Error ? error.message : error}`);
    }
  });
  await new Promise((done) => server.listen(port, '127.0.0.1', () => done(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${address.port}`, requests, billed, close };
}

/**
 * @typedef {import('node:http').ServerResponse} Out
 * @typedef {(status: number, message: string, more?: import('node:http').OutgoingHttpHeaders) => void} Refuse
 */

/** @type {(step: Step, request: Request, prompt: import('./provider-meter.mjs').Prompt) => import('./provider-write.mjs').Answer} */
function complete({ fault, pings, usage, ...said }, { api, model, raw }, prompt) {
  const step = fault !== undefined && said.text === undefined && said.calls === undefined ? { ...said, ...HALF } : said;
  const { calls = [], interleave = false, stop, thinking, text } = step;
  const cut = createCutter(limitOf(api, raw));
  /** @type {import('./provider-write.mjs').Answer} */
  const whole = { id: randomUUID(), model, calls: [], interleave, usage: { ...prompt, output: 0, ...usage }, raw };
  if (thinking !== undefined) whole.thinking = cut.take(thinking);
  if (text !== undefined && !cut.isCut()) whole.text = cut.take(text);
  for (const { name, input } of calls) {
    if (cut.isCut()) break;
    const id = `call_${randomUUID().replaceAll('-', '')}`;
    whole.calls.push({ id, name, input: cut.take(typeof input === 'string' ? input : JSON.stringify(input)) });
  }
  const end = cut.isCut() ? 'length' : stop;
  if (end !== undefined) whole.stop = end;
  whole.usage.output = usage?.output ?? cut.tokens();
  return whole;
}

/** @type {(out: Out, api: Api) => Promise<void>} */
async function ping(out, api) {
  while (!out.destroyed) {
    out.write(writePing(api));
    await sleep(20);
  }
}

/** @type {(api: Api, headers: import('node:http').IncomingHttpHeaders, right: string | null | undefined) => void} */
function judgeHeaders(api, headers, right) {
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  const key = { anthropic: headers['x-api-key'], google: headers['x-goog-api-key'], openai: bearer, chat: bearer }[api];
  const status = api === 'google' ? 403 : 401;
  if (right !== null)
    need(typeof key === 'string' && key === (right ?? key), 'no valid key in the header for it', status);
  need(/^application\/json\b/.test(headers['content-type'] ?? ''), 'content-type: application/json is required');
  if (api === 'anthropic') need(headers['anthropic-version'] === '2023-06-01', 'anthropic-version: header is required');
}

/** @type {(body: string) => Json} */
function parse(body) {
  try {
    const value = JSON.parse(body);
    need(typeof value === 'object' && value !== null && !Array.isArray(value), 'The request body is not an object.');
    return value;
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('The request body is not valid JSON.');
  }
}

/** @type {(messages: import('./provider-read.mjs').Message[]) => Request['messages']} */
function simplify(messages) {
  /** @type {Request['messages']} */
  const simple = [];
  for (const { role, blocks } of messages) {
    let last = simple.at(-1);
    if (last?.role !== role) {
      last = { role, texts: [], calls: [], results: [] };
      simple.push(last);
    }
    for (const block of blocks) {
      if (block.kind === 'text') last.texts.push(block.text);
      else if (block.kind === 'call') last.calls.push({ id: block.id, name: block.name, input: block.input });
      else if (block.kind === 'result')
        last.results.push({ id: block.id, output: block.output, isError: block.isError });
    }
  }
  return simple;
}

/** @type {(out: Out, text: string, size: number) => Promise<void>} */
async function send(out, text, size) {
  const bytes = Buffer.from(text);
  const step = Math.min(size, bytes.length);
  for (let at = 0; at < bytes.length && !out.destroyed; at += step) {
    const piece = bytes.subarray(at, at + step);
    if (at + step < bytes.length) out.write(piece);
    else await new Promise((done) => out.write(piece, done));
  }
}

/** @param {string} path */
async function readScript(path) {
  if (!path.endsWith('.json')) {
    /** @type {{ default: Script }} */
    const { default: answer } = await import(pathToFileURL(resolve(path)).href);
    return answer;
  }
  /** @type {Step[]} */
  const steps = JSON.parse(readFileSync(path, 'utf8'));
  /** @type {Script} */
  const answer = (_, n) => {
    const step = steps[Math.min(n, steps.length - 1)];
    if (step === undefined) throw new Error('it has no step');
    return step;
  };
  return answer;
}

/** @type {(name: string | undefined) => Api | undefined} */
const apiOf = (name) => PATHS.find(([api]) => api === name)?.[0];

if (process.argv[1] !== undefined && pathToFileURL(realpathSync(process.argv[1])).href === import.meta.url) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string' }, chunk: { type: 'string' }, wire: { type: 'string' } },
  });
  const wire = apiOf(values.wire);
  const { url } = await startProvider({
    answer: await readScript(positionals[0] ?? ''),
    port: Number(values.port ?? 0),
    ...(values.chunk === undefined ? {} : { chunk: Number(values.chunk) }),
    ...(wire === undefined ? {} : { wire }),
  });
  process.stdout.write(`${url}\n`);
}
