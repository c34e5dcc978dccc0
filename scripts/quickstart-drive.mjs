// A run without a harness: `npm run quickstart -- drive [WIRE]`, or if installed, `dev-cli demo drive`. The model is a
// script behind a loopback server that imitates four services; dev-cli, git, the tests and every tool call are real.
// Each service plans and carries out the same change, although the model makes mistakes, drives are killed, and a
// budget runs out on the way.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StandIn, StandInError } from '../tests/support/agent.mjs';
import { createModel } from '../tests/support/model.mjs';
import { BINARY, createProject } from '../tests/support/project.mjs';
import { startProvider } from '../tests/support/provider.mjs';
import { findTerminal, NO_TERMINAL } from '../tests/support/terminal.mjs';
import { check, heading, playOn, run, say } from './quickstart-stage.mjs';

const NAME = 'add-jwt-auth';
const WIRES = ['anthropic', 'openai', 'google', 'chat'];
const KEY = 'a-secret';
const PREFIX = 'dev-cli-drive-';
/** The token budget of the first drive. */
const LIMIT = 25_000;
/**
 * Commands that the model runs, in order. Each worker runs the tests of its todo once, but the worker of todo-2 runs
 * them twice.
 */
const COMMANDS = ['todo-1-1', 'todo-2-1', 'todo-2-2', 'todo-3-1', 'todo-4-1', 'todo-5-1'];

/**
 * Moments at which a drive is killed, in order. After the first request for which `begins` holds, no further request is
 * answered, and the drive is killed as soon as `until` holds. That first request itself is answered only if
 * `isAnswered` is set. So the drive has received every answer that the scripted provider counts.
 */
const CUTS = {
  asked: {
    what: 'while it waits for an answer',
    begins: (told) => told.includes('plan-content.json'),
    isAnswered: false,
    until: () => true,
  },
  command: {
    what: 'while a command of the model runs',
    begins: (_, calls) => calls.includes('bash'),
    isAnswered: true,
    until: ({ counter }) => read(counter).length > 0,
  },
  commit: {
    what: 'when dev-cli has committed the first todo',
    begins: (_, calls) => calls.includes('finish'),
    isAnswered: true,
    until: ({ project }) => read(join(project.root, `.dev/specs/${NAME}/events.jsonl`)).includes('"committed"'),
  },
};

/** The answer to a request whose process is to be killed: it never comes. */
const NEVER = new Promise(() => {});

/** @param {string | undefined} wire the only service to use, or all @returns {Promise<number>} the exit code */
export function playDrive(wire) {
  if (wire !== undefined && !WIRES.includes(wire)) {
    console.error(`Usage: npm run quickstart -- drive [${WIRES.join(' | ')}]`);
    return Promise.resolve(2);
  }
  const about = {
    title:
      'dev-cli demo drive: a run planned and carried out by a model, without a harness. The model is a script; none is called.',
    prefix: PREFIX,
    look: `node ${BINARY} session list --run ${NAME}`,
  };
  return playOn(about, async (first) => {
    const left = [];
    for (const one of wire === undefined ? WIRES : [wire]) {
      left.push(await playThrough(one, left.length === 0 ? first : createProject({ prefix: PREFIX })));
    }
    if (left.length === 1) return;
    heading('Four services, one result');
    const results = left.map(({ result }) => JSON.stringify(result));
    check(new Set(results).size, 1, 'the same commits by their todos, the same tree');
    for (const { wire: name, project } of left) say(`  ${name.padEnd(9)} ${project.root}`);
  });
}

/** Plans and carries out the change through one service. @returns the service, the project, and the result */
async function playThrough(wire, project) {
  const stage = { wire, project, counter: join(project.home, 'commands'), slips: new Map(), cut: null };
  project.env['DRIVE_KEY'] = KEY;
  const habits = { counter: stage.counter, onSlip: (slip, output) => stage.slips.set(slip, output) };
  const model = createModel(project, NAME, { habits });
  const served = await startProvider({ answer: (request) => answer(stage, model, request), wire, key: KEY });
  try {
    stage.config = join(project.home, 'runtime.yaml');
    writeFileSync(stage.config, describe(wire, served.url));
    return await play(stage, served);
  } finally {
    await served.close();
  }
}

async function play(stage, served) {
  const { wire, project, slips, counter } = stage;
  // Only with the first service does a person answer the gates.
  const person = wire === WIRES[0] && findTerminal() !== null;
  if (wire === WIRES[0] && !person) say(`Nobody is at the gates, since ${NO_TERMINAL}.`);
  heading(`${wire}: a plan, ${person ? 'which a person approves' : 'and nobody is asked'}`);
  const kind = person ? 'interactive' : 'autopilot';
  run(project, `dev-cli init ${NAME} --recipe specify-quick-${kind} --goal "Add JWT auth to the API"`);
  const dry = run(project, `dev-cli drive ${NAME} --config ${stage.config} --dry-run`, true);
  say(`  $ dev-cli drive ${NAME} --dry-run\n    ${dry.split('\n').slice(0, 4).join('\n    ')}`);
  await driveTo(stage, 'budget', ['--max-tokens', String(LIMIT)]);
  check(sum(served.billed) <= LIMIT, true, `its limit is not passed: ${sum(served.billed)} tokens`);
  await killAt(stage, CUTS.asked);
  await driveTo(stage, 'completed', ['--max-tokens', String(40 * LIMIT)]);

  heading(`${wire}: the work`);
  run(project, `dev-cli init ${NAME} --execute --quick${person ? '' : ' --set approve_commands=auto'}`);
  await killAt(stage, CUTS.command);
  await killAt(stage, CUTS.commit);
  await driveTo(stage, 'completed');
  run(project, 'npm test');
  const result = { todos: listTodos(project), tree: run(project, 'git rev-parse HEAD^{tree}', true) };
  check(
    new Set(result.todos).size,
    result.todos.length,
    `${result.todos.length} commits, each todo once; the tests are green`,
  );
  check(
    slips.get('argument')?.startsWith('not run: the input does not fit'),
    true,
    `a call off its schema was refused: ${shorten(slips.get('argument'))}`,
  );
  const touched = run(project, 'git log --format=%h -- src/store.js', true).trim().split('\n').length > 1;
  check(
    [slips.get('outside')?.startsWith('dev-cli: '), touched],
    [true, false],
    `so was an edit outside of the task: ${shorten(slips.get('outside'))}`,
  );
  check(/\[exit 1\]$/.test(slips.get('test') ?? ''), true, 'a red test was seen, and put right');
  check(read(counter).trim().split('\n').sort(), COMMANDS, `${COMMANDS.length} commands were run, none of them twice`);

  const { sessions, usage, cost } = JSON.parse(run(project, `dev-cli session list --run ${NAME} --json`));
  const { requests, ...counted } = served.billed;
  const cost4 = `$${cost.toFixed(4)}`;
  check(toCounted(usage), counted, `the bill is what the provider has counted: ${sum(counted)} tokens, ${cost4}`);
  const [asked, lost] = ['requests', 'unanswered'].map((key) => sessions.reduce((all, one) => all + one[key], 0));
  check(asked - lost, requests, `${requests} requests were answered; ${lost} were not, and are told`);
  return { wire, project, result };
}

/** Answers a request as the model, unless the drive is about to be killed. */
async function answer(stage, model, request) {
  if (stage.isShut) return NEVER;
  const said = model(request);
  const { cut } = stage;
  const told = request.messages[0]?.texts.join('\n') ?? '';
  const calls = said.calls.map(({ name }) => name);
  if (cut?.begins(told, calls) !== true) return said;
  stage.isShut = true;
  killWhen(stage, cut);
  return cut.isAnswered ? said : NEVER;
}

async function killWhen(stage, { until }) {
  while (!until(stage)) await sleep(2);
  stage.child.kill('SIGKILL');
}

/** Drives until the moment `cut`, at which the drive is killed. */
async function killAt(stage, cut) {
  stage.cut = cut;
  const { exit, signal } = await driveOn(stage, []);
  Object.assign(stage, { cut: null, isShut: false });
  check([exit, signal], [null, 'SIGKILL'], `kill -9 ${cut.what}`);
}

async function driveTo(stage, status, more = []) {
  const end = await driveOn(stage, more);
  check(end.json.status, status, `the same call goes on until it ends: ${status}`);
  return end;
}

/** Calls `dev-cli drive` again after every gate, which a person answers, until the run waits for nobody. */
async function driveOn(stage, more) {
  for (;;) {
    const end = await drive(stage, more);
    if (end.json.status !== 'waiting') return end;
    const { project } = stage;
    const agent = new StandIn({ project, name: NAME });
    const action = JSON.parse(run(project, `dev-cli next ${NAME} --full`, true));
    say(`  it waits; a person answers ${action.block}${end.json.waiting.answer === undefined ? ', in a harness' : ''}`);
    agent.step(action);
  }
}

/** Calls `dev-cli drive` once. @returns {Promise<{ exit: number | null, signal: string | null, json: any }>} */
function drive(stage, more) {
  const { root, env } = stage.project;
  say(`  $ ${['dev-cli drive', NAME, ...more].join(' ')}`);
  const args = [BINARY, 'drive', NAME, '--config', stage.config, '--json', ...more];
  const child = spawn(process.execPath, args, { cwd: root, env });
  stage.child = child;
  let [printed, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    printed += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    errors += piece;
  });
  return new Promise((resolve, reject) => {
    child.on('close', (exit, signal) => {
      if (printed !== '') resolve({ exit, signal, json: JSON.parse(printed) });
      else if (signal !== null) resolve({ exit, signal, json: {} });
      else reject(new StandInError(`drive: exit ${exit} ${errors}`));
    });
  });
}

/** Lists the commits' todos, sorted, because independent todos may be committed in any order. */
function listTodos(project) {
  const format = '%(trailers:key=Dev-Cli-Task,valueonly,separator=) %s';
  const lines = run(project, `git log --format='${format}'`, true).trim().split('\n');
  return lines.flatMap((line) => /(?<=^\S+\/)todo-.*/.exec(line)?.[0] ?? []).sort();
}

const toCounted = (usage) => ({
  input: usage.input_tokens,
  output: usage.output_tokens,
  cacheRead: usage.cache_read_input_tokens,
  cacheWrite: usage.cache_creation_input_tokens,
});

const sum = ({ input, output, cacheRead, cacheWrite }) => input + output + cacheRead + cacheWrite;
const shorten = (text = 'nothing') => (text.length > 90 ? `${text.slice(0, 90)}…` : text);

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const describe = (api, url) => `model: local/script
mode: danger-full-access
sandbox: off # the commands count themselves in the home directory
providers: { local: { api: ${api}, baseURL: "${url}", key: { env: DRIVE_KEY } } }
models: { local/script: { window: 200000, input: 1, output: 2, cacheWrite: 1.25, cacheRead: 0.1 } }
`;
