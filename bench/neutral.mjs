// What the task tools of `mcp --tools neutral` cost: starting the server, adding a task in a running server, searching
// a long history, and the tool descriptions that each session gets. Also: whether tasks get lost that one process adds
// while another closes cycles.
import { spawn } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { BINARY, CHECKOUT, createProject } from '../tests/support/project.mjs';
import { answer, ratio, Samples, shuffledByTurns, timed, timedCall, timedFloor } from './measure.mjs';

/** How many tasks are added per round, each followed by a bare write for comparison. */
const ADDS = 20;
const CYCLES = 2_000;
/** Bytes of one cycle in the searched history, which has 15 MB in all. */
const CYCLE = 7_500;
const SERVER = ['mcp', '--tools', 'neutral'];

/** In each round, one process adds tasks this often, and another closes cycles this often. */
const RACE = { adds: 60, closes: 15 };

const INITIALIZE = [
  'initialize',
  { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
];
const tool = (name, given) => ['tools/call', { name, arguments: given }];
const ADD = tool('task_add', { title: 'Cache pages', context: 'GET /pages is slow.' });
const TASKS = '.nexus/state/tasks.json';

/** A server without tools, made with the same package as dev-cli's. */
const BARE_SERVER = `
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
serveStdio(() => new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } }));
`;

/** Compares everything that the server does with the least that is needed for it, both measured in the same rounds. */
export async function neutral({ rounds }) {
  const samples = new Samples();
  const project = createProject();
  const bare = join(CHECKOUT, 'node_modules/.cache/bare-server.mjs');
  writeFileSync(bare, BARE_SERVER);
  fill(project);
  const call = await connect(project);
  const works = {
    floor: () => timedFloor(project),
    start: () => timedCall(project, SERVER, write([INITIALIZE])),
    'bare server': () => timed(project, process.execPath, [bare], write([INITIALIZE])),
    search: () => taken(() => call(...tool('history_search', { query: 'Nowhere' }))),
    'bare search': () => taken(() => searchBare(project)),
  };
  try {
    for (let round = 0; round < rounds; round++) {
      await shuffledByTurns(
        Object.entries(works).map(
          ([kind, work]) =>
            async () =>
              samples.add(kind, await work()),
        ),
      );
      for (let n = 0; n < ADDS; n++) {
        samples.add('add', await taken(() => call(...ADD)));
        const text = readFileSync(join(project.root, TASKS));
        samples.add('bare add', await taken(() => writeBare(project, text)));
      }
      rmSync(join(project.root, TASKS));
    }
    const told = JSON.stringify(await call('tools/list', {}));
    await call.end();
    const against = (what, goal, kind) => ratio(what, goal, samples.median(kind), samples.median(`bare ${kind}`));
    return {
      title: 'The neutral contract',
      rows: [
        ratio('start to initialize, and the end', '', samples.median('start'), samples.median('floor')),
        ratio('the same, to a bare server', '', samples.median('start'), samples.median('bare server')),
        against('an add, to a write of the same bytes, synced twice', 1.5, 'add'),
        against(`a search of ${CYCLES} cycles, to a bare one`, 1.5, 'search'),
        ['bytes of tools/list', 5000, Buffer.byteLength(told)],
      ],
    };
  } finally {
    project.remove();
  }
}

async function taken(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function writeBare({ root }, text) {
  const file = join(root, '.nexus/state/bare.json');
  synced(`${file}.tmp`, 'w', text);
  renameSync(`${file}.tmp`, file);
  synced(dirname(file), 'r');
}

function synced(path, flags, text) {
  const descriptor = openSync(path, flags);
  if (text !== undefined) writeSync(descriptor, text);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function searchBare({ root }) {
  const { cycles } = JSON.parse(readFileSync(join(root, '.nexus/history.json'), 'utf8'));
  return cycles.filter((cycle) => JSON.stringify(cycle).toLowerCase().includes('nowhere'));
}

/** Adds tasks in one process while another closes cycles, repeatedly. */
export async function neutralRace({ rounds }) {
  const sums = { acknowledged: 0, lost: 0, twice: 0 };
  for (let round = 0; round < rounds; round++) {
    const project = createProject();
    try {
      const [acknowledged] = await Promise.all([add(project), close(project)]);
      answer(project, ['nexus', 'call', 'task_close']);
      const { cycles } = JSON.parse(readFileSync(join(project.root, '.nexus/history.json'), 'utf8'));
      const archived = cycles.flatMap(({ tasks }) => tasks.map(({ title }) => title));
      sums.acknowledged += acknowledged.length;
      sums.lost += acknowledged.filter((title) => !archived.includes(title)).length;
      sums.twice += archived.length - new Set(archived).size;
    } finally {
      project.remove();
    }
  }
  return {
    title: `${RACE.adds} adds in one process against ${RACE.closes} closes in another, ${rounds} rounds`,
    rows: [
      ['tasks added and acknowledged', '', sums.acknowledged],
      ['of them lost', 0, sums.lost],
      ['archived twice', 0, sums.twice],
    ],
  };
}

async function add(project) {
  const call = await connect(project);
  const titles = Array.from({ length: RACE.adds }, (_, n) => `Task ${n}`);
  const added = [];
  for (const title of titles) {
    if (!(await call(...tool('task_add', { title, context: 'c' }))).isError) added.push(title);
  }
  await call.end();
  return added;
}

async function close(project) {
  const call = await connect(project);
  for (let n = 0; n < RACE.closes; n++) await call(...tool('task_close', {}));
  await call.end();
}

/** Connects a client to a new server. The client makes one request at a time. */
async function connect({ root: cwd, env }) {
  const server = spawn(process.execPath, [BINARY, ...SERVER], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.on('close', resolve));
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const call = async (...request) => {
    server.stdin.write(write([request]));
    return JSON.parse((await lines.next()).value).result;
  };
  await call(...INITIALIZE);
  call.end = () => {
    server.stdin.end();
    return ended;
  };
  return call;
}

/** Writes a very long history. */
function fill({ root }) {
  const text = 'Each page is kept for an hour, and made anew when one of its parts has changed. ';
  const task = {
    id: 1,
    title: 'Cache pages',
    context: text.repeat(CYCLE / text.length),
    status: 'completed',
    deps: [],
  };
  const cycles = Array.from({ length: CYCLES }, (_, n) => ({
    completed_at: new Date(n * 86_400_000).toISOString(),
    branch: 'main',
    plan: null,
    tasks: [task],
  }));
  mkdirSync(join(root, '.nexus'));
  writeFileSync(join(root, '.nexus/history.json'), JSON.stringify({ cycles }, null, 2));
}

function write(requests) {
  return requests.map(([method, params], id) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`).join('');
}
