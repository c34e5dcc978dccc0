// What the runtime adds to the time of a model and its tools: its start, a request, an action of a run, a command, a
// long session; also how much a provider has to read again. The provider is a separate process that answers at once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BINARY, CHECKOUT, createProject } from '../tests/support/project.mjs';
import { answer, ratio, run, Samples, sampleRounds, spawned, timed, timedCall, timedFloor } from './measure.mjs';

const RUN = 'add-jwt-auth';
const MODEL = 'anthropic/claude-haiku-4-5';
/**
 * A turn is also measured with this many additional requests or tool calls. The time that they add, divided by their
 * number, is the time of one request or call.
 */
const MANY = 20;
/**
 * LONG and SHORT are the numbers of entries in the two sessions that are continued. They are filled by turns of up to
 * FILLING entries, of which all but BESIDE are ends of tool calls.
 */
const [LONG, SHORT] = [5_000, 50];
const [FILLING, BESIDE] = [200, 6];
const TURNS = 10;
const COMPACTIONS = 50;
/** The goal for a summary's size, in bytes. */
const SUMMARY = 8_192;

/**
 * Script that sends a session's requests again without the runtime, and prints the milliseconds that the provider and
 * the connection take.
 */
const BARE = `(async () => {
  const { url, bodies, headers } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
  const send = async (body) => (await fetch(url, { method: 'POST', headers, body })).text();
  await send(bodies[0]);
  const from = performance.now();
  for (const body of bodies) await send(body);
  console.log(performance.now() - from);
})()`;

/** Compares the runtime with an empty node process, with the provider alone, and with a short session. */
export async function runtime({ rounds }) {
  const provider = await serve();
  const projects = [begin(provider.url), begin(provider.url)];
  const [project, shelf] = projects;
  try {
    const sandbox = findSandbox(project);
    const sessions = { long: fill(shelf, LONG), short: fill(shelf, SHORT) };
    const ask = (...words) => timedCall(project, prompt(...words));
    const go = (session) => timedCall(shelf, prompt('ask 0 0 bash', '--session', session));
    const works = {
      floor: () => timedFloor(project),
      command: () => timed(project, 'bash', ['-c', 'true']),
      start: () => timeStart(project),
      'one request': () => ask('ask 1 1 write_file'),
      requests: () => ask(`ask ${1 + MANY} 1 write_file`),
      'one call': () => ask('ask 1 1 bash'),
      calls: () => ask(`ask 1 ${1 + MANY} bash`),
      ...(sandbox && {
        'one call, kept': () => ask('ask 1 1 bash', '--config', sandbox),
        'calls, kept': () => ask(`ask 1 ${1 + MANY} bash`, '--config', sandbox),
      }),
      long: () => go(sessions.long),
      short: () => go(sessions.short),
    };
    const samples = new Samples();
    sampleRounds(samples, works, rounds);
    const of = (kind) => samples.median(kind);
    const own = (of('requests') - of('one request')) / MANY - (await timeProvider(provider.url, project));
    const call = (kept) => (of(`calls${kept}`) - of(`one call${kept}`)) / MANY - of('command');
    return {
      title: 'The agent runtime',
      rows: [
        ratio('prompt, until its first request has arrived', 4.5, of('start'), of('floor')),
        ratio('a request with a file written, less the provider', 0.6, own, of('floor')),
        ratio('drive of specify-quick-autopilot, each action of it', 4, await timeActions(rounds), of('floor')),
        ratio('a bash call, less its command', 2, call(''), of('floor')),
        sandbox
          ? ratio('the same in the sandbox', 2.5, call(', kept'), of('floor'))
          : ['the same in the sandbox: no sandbox on this machine', 2.5, null],
        [`not from the cache, of what went before, ${TURNS} turns`, 5, countUnread(project), { unit: '%' }],
        ratio(`going on with ${LONG} entries, to ${SHORT}`, 3, of('long'), of('short')),
        [`bytes of the summary of ${COMPACTIONS} compactions`, SUMMARY, summarize(project)],
      ],
    };
  } finally {
    for (const one of projects) one.remove();
    provider.close();
  }
}

const prompt = (message, ...more) => ['prompt', message, '--json', ...more];

/** Starts a provider. @param {{ project: object, name: string }} [driven] the run whose model it plays */
async function serve(driven) {
  const env = { ...process.env, ...(driven && { DEV_CLI_BENCH_RUN: JSON.stringify(driven) }) };
  const args = ['tests/support/provider.mjs', 'bench/answers.mjs'].map((path) => join(CHECKOUT, path));
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { url: line.trim(), close: () => child.kill() };
}

/** Creates a project whose model is served at `url`. */
function begin(url, at) {
  const project = createProject({ at });
  const served = { DEV_CLI_MODEL: MODEL, ANTHROPIC_API_KEY: 'bench', ANTHROPIC_BASE_URL: url };
  Object.assign(project.env, served);
  configure(project, '.config/dev-cli/runtime.yaml', 'off');
  return project;
}

function configure({ home }, name, sandbox) {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `mode: danger-full-access\nsandbox: ${sandbox}\n`);
  return path;
}

/** Writes a configuration that requires a sandbox, and returns its path; null if no sandbox works here. */
function findSandbox(project) {
  const path = configure(project, 'kept.yaml', 'require');
  const dry = prompt('ask 0 0 bash', '--config', path, '--dry-run');
  return spawned(project, process.execPath, [BINARY, ...dry]).status === 0 ? path : null;
}

/**
 * Measures the milliseconds from the start of a call until the provider has its request. The two processes can compare
 * their `process.hrtime`, because it is the same for all processes of a machine.
 */
function timeStart(project) {
  const from = process.hrtime.bigint();
  const { message } = JSON.parse(answer(project, prompt('ask 0 0 bash')));
  return Number(BigInt(message) - from) / 1e6;
}

/** Measures the milliseconds of a request that is sent without the runtime. */
async function timeProvider(url, project) {
  answer(project, prompt(`ask ${MANY} 1 write_file`));
  const requests = await (await fetch(`${url}/requests`)).json();
  const bodies = requests.slice(-MANY).map(({ body }) => body);
  const { 'x-api-key': key, 'anthropic-version': version, 'content-type': type } = requests.at(-1).headers;
  const headers = { 'x-api-key': key, 'anthropic-version': version, 'content-type': type };
  const input = JSON.stringify({ url: `${url}/v1/messages`, bodies, headers });
  return Number(run(project, process.execPath, ['-e', BARE], input)) / MANY;
}

/**
 * Measures the milliseconds that a drive takes per action. The first drive is not counted, because the provider still
 * has to compute its answers.
 */
async function timeActions(rounds) {
  const at = join(mkdtempSync(join(tmpdir(), 'dev-cli-driven-')), 'project');
  const samples = new Samples();
  let provider;
  try {
    for (let round = 0; round <= Math.max(3, Math.ceil(rounds / 5)); round++) {
      const project = begin('', at);
      provider ??= await serve({ project, name: RUN });
      project.env.ANTHROPIC_BASE_URL = provider.url;
      answer(project, ['init', RUN, '--recipe', 'specify-quick-autopilot', '--goal', 'Add JWT auth to the API']);
      const took = timedCall(project, ['drive', RUN, '--json']);
      const { sessions } = JSON.parse(answer(project, ['session', 'list', '--run', RUN, '--json']));
      if (round > 0) samples.add('action', took / new Set(sessions.map(({ action }) => action)).size);
      project.remove();
    }
    return samples.median('action');
  } finally {
    provider?.close();
    rmSync(dirname(at), { recursive: true });
  }
}

/**
 * Returns how much of what the provider already knew it had to read again: the percentage of the previous request's
 * tokens that did not come from the cache. Of several turns in one session, the worst counts.
 */
function countUnread(project) {
  let before = null;
  const missed = Array.from({ length: TURNS }, () => {
    const more = before === null ? [] : ['--session', before.session];
    const { session, turn_usage: used } = JSON.parse(answer(project, prompt('ask 0 0 bash', ...more)));
    const unread = before === null ? 0 : 1 - used.cache_read_input_tokens / before.tokens;
    const tokens = used.input_tokens + used.cache_read_input_tokens + used.cache_creation_input_tokens;
    before = { session, tokens };
    return unread * 100;
  });
  return Math.max(...missed);
}

/** Creates a session with this many entries. @returns its id */
function fill(project, entries) {
  const turn = Math.min(FILLING, entries);
  let session;
  for (let made = 0; made < entries; made += turn) {
    const more = session === undefined ? [] : ['--session', session];
    ({ session } = JSON.parse(answer(project, prompt(`ask 1 ${turn - BESIDE} read_file`, ...more))));
  }
  return session;
}

/** Measures the bytes of the summary that replaces the messages after many compactions. */
function summarize(project) {
  const words = `ask 2 3 write_file ${'for a reason that takes its time to tell '.repeat(100)}`;
  const { session } = JSON.parse(answer(project, prompt(words)));
  for (let count = 0; count < COMPACTIONS; count++) {
    answer(project, prompt(words, '--session', session));
    const compact = answer(project, ['session', 'compact', session, '--keep', '1', '--json']);
    if (JSON.parse(compact).removed_message_count === 0) throw new Error('nothing was compacted');
  }
  const { messages } = JSON.parse(answer(project, ['session', 'export', session]));
  return Buffer.byteLength(messages[0].blocks[0].text);
}
