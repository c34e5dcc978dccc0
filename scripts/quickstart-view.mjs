// What a person sees: `npm run quickstart -- view`, or if installed, `dev-cli demo view`. Of three runs, one has ended,
// one waits at a gate, one is executing. Shows home at 80 columns; then the page in Chromium, where the execution
// continues and the gate is answered with the number that the terminal shows; then the HTML file for a colleague. Last,
// scrolls through a run of 1,000 todos while their agents work. Scripts play the agents.
import { spawn } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { StandIn, StandInError } from '../tests/support/agent.mjs';
import { launchBrowser, NO_BROWSER } from '../tests/support/browser.mjs';
import { CHANGES } from '../tests/support/changes.mjs';
import { jwtCrew, planInLanes, simpleCrew } from '../tests/support/crew.mjs';
import { BINARY, createProject } from '../tests/support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../tests/support/terminal.mjs';
import { check, heading, playOn, run, say } from './quickstart-stage.mjs';

const PREFIX = 'dev-cli-view-';
const PARTS = 'write-parts';
const MANY = 1_000;
/** Milliseconds to wait for something to appear on a screen. */
const PATIENCE = 15_000;

/** @returns {Promise<number>} the exit code */
export async function playView() {
  const terminal = findTerminal();
  if (terminal === null) {
    say(`Nothing can be seen, since ${NO_TERMINAL}.`);
    return 1;
  }
  const title = 'dev-cli demo view: what a person sees of runs. The agents are scripts; no model is called.';
  return playOn({ title, prefix: PREFIX, look: `node ${BINARY}` }, async (project) => {
    const runs = stage(project);
    showHome(project, terminal);
    const browser = await launchBrowser();
    if (browser === null) return say(`\nThe page is not looked at, since ${NO_BROWSER}.`);
    try {
      await lookAround(project, browser, runs);
      await scroll(browser);
    } finally {
      await browser.close();
    }
  });
}

/** Creates three runs: one that ended after several troubles, one that waits for a person, and one being executed. */
function stage(project) {
  heading('Three runs');
  const stopAt = (wanted) => (action) => (wanted(action) ? 'stop' : undefined);
  const crew = jwtCrew({ red: true, adapt: true, needsFixes: true });
  const ended = new StandIn({ project, change: CHANGES.large, crew });
  ended.drive(ended.start('--recipe specify-quick-autopilot'));
  say(`  ${ended.name}: ${ended.drive(ended.execute('--execute --autopilot')).summary}`);
  const before = stopAt(({ human }) => human === 'required');
  const waiting = new StandIn({ project, change: CHANGES.middle, scenario: { before } });
  const gate = waiting.drive(waiting.start('--recipe specify-quick-interactive'));
  say(`  ${waiting.name}: waits at ${gate.block}`);
  generate(project, PARTS, 6);
  const busy = new StandIn({ project, name: PARTS, crew: simpleCrew() });
  busy.scenario = { before: stopAt(({ action }) => action === 'engine-dispatch') };
  const task = busy.drive(busy.execute('--execute --autopilot'));
  say(`  ${busy.name}: at work, ${task.progress}`);
  return { ended, waiting, busy, task };
}

/** Prints home as it looks on a terminal that cannot move its cursor (TERM=dumb). */
function showHome({ root, env }, terminal) {
  heading('dev-cli, at 80 columns');
  const { output } = terminal('stty cols 80 rows 24; dev-cli', { cwd: root, env: { ...env, TERM: 'dumb' } });
  const lines = output.trimEnd().split('\n');
  for (const line of lines) say(`  | ${line}`);
  check(
    lines.every((line) => line.length <= 80),
    true,
    'no line is wider',
  );
  check(lines[2]?.startsWith('Waiting for you'), true, 'what waits for you comes first');
}

async function lookAround(project, browser, { ended, waiting, busy, task }) {
  heading('dev-cli view, in Chromium');
  const served = await serve(project);
  const { page, requests } = await open(browser, served.link);
  await page.getByRole('link', { name: ended.name }).click();
  await page.getByText('todo-4-d1').first().waitFor();
  const rows = await page.getByRole('option').allInnerTexts();
  check(
    rows.length >= 12,
    true,
    `${ended.name} has ${rows.length} rows: a retry, an added todo, a fix after the review`,
  );

  await go(page, served, `#/${busy.name}`);
  await page.getByText('todo-1').first().waitFor();
  busy.scenario = {};
  const done = busy.drive(task);
  await page
    .getByText(/completed/)
    .first()
    .waitFor({ timeout: PATIENCE });
  check(done.outcome, 'completed', `${busy.name} went on and ended while the page stood open, which showed it`);

  await go(page, served, `#/${waiting.name}`);
  await page.getByRole('radio').first().waitFor();
  check(await page.title(), `(1) ${waiting.name}`, 'the title says that it waits');
  await page.getByRole('radio', { name: /^approve/ }).check();
  await page.getByRole('button', { name: 'Send' }).click();
  const number = await served.read(/\b(\d{6})\b/);
  await page.locator('input.number').fill(number === '000000' ? '000001' : '000000');
  await page.getByRole('button', { name: /^Decide/ }).click();
  await page.getByRole('alert').first().waitFor();
  check(isOpen(project, waiting.name), true, 'a wrong number decides nothing');
  await page.locator('input.number').fill(number);
  await page.getByRole('button', { name: /^Decide/ }).click();
  await page
    .getByText(/completed/)
    .first()
    .waitFor({ timeout: PATIENCE });
  const { by, choice } = readDecisions(project, waiting.name).at(-1);
  check(
    [by.kind, by.via, choice],
    ['human', 'page', 'approve'],
    'the number of the terminal did, and the journal says who and by what way',
  );
  check(
    requests.filter((url) => !url.startsWith(served.origin)),
    [],
    'no request has left the machine',
  );
  await served.end();

  heading('One file for a colleague');
  const file = join(project.home, `${ended.name}.html`);
  run(project, `dev-cli view ${ended.name} --html ${file}`);
  const offline = await open(browser, pathToFileURL(file).href);
  await offline.page.getByText('todo-4-d1').first().waitFor();
  check(
    offline.requests,
    [pathToFileURL(file).href],
    `${Math.round(statSync(file).size / 1000)} kB, opens from disk and asks for nothing`,
  );
}

/** Scrolls through a run with very many todos while its agents work. */
async function scroll(browser) {
  heading(`${MANY} todos at work`);
  const project = createProject({ prefix: PREFIX });
  generate(project, 'many', MANY);
  run(project, 'dev-cli init many --execute --autopilot', true);
  const served = await serve(project, 'many');
  const { page } = await open(browser, served.link);
  await page.getByText('todo-1').first().waitFor();
  const count = () => page.evaluate(() => document.querySelectorAll('*').length);
  const countDone = async () =>
    Number((await page.getByRole('button', { name: /done \d/ }).allInnerTexts())[0]?.replace(/\D/g, '') ?? 0);
  const before = await countDone();
  const agent = new Worker(new URL(import.meta.url), { workerData: { root: project.root, env: project.env } });
  const worked = new Promise((resolve) => agent.on('exit', resolve));
  const took = [];
  let isAtWork = true;
  worked.then(() => (isAtWork = false));
  while (isAtWork) took.push(...(await page.evaluate(scrollOn)));
  took.sort((one, other) => one - other);
  await page.waitForTimeout(1_000);
  check((await countDone()) > before, true, `${(await countDone()) - before} todos were done under the eye`);
  check((await count()) <= 2_500, true, `${await count()} elements, of which the list has those in sight`);
  say(
    `  ${took.length} steps of scrolling, each drawn within ${took[Math.floor(took.length / 2)].toFixed(0)} ms (half of them), ${took.at(-1).toFixed(0)} ms (the longest)`,
  );
  await served.end();
  project.remove();
}

/** Runs in the page: scrolls down and back up, one step per frame. @returns the milliseconds that each step took */
async function scrollOn() {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const times = [];
  for (let step = 0; step < 40; step += 1) {
    await frame();
    const from = performance.now();
    scrollBy(0, step < 20 ? 300 : -300);
    await frame();
    times.push(performance.now() - from);
  }
  return times;
}

/** Runs in its own thread: plays the agents of twelve actions. */
function work(project) {
  let left = 12;
  const before = () => (left-- > 0 ? undefined : 'stop');
  new StandIn({ project, name: 'many', crew: simpleCrew(), scenario: { before } }).drive();
}

function generate(project, name, count) {
  const file = join(project.home, `${name}.json`);
  writeFileSync(file, JSON.stringify(planInLanes(count)));
  run(project, `dev-cli plan generate ${name} --data @${file}`, true);
}

/** Starts `dev-cli view` at a terminal, as a person does. */
async function serve({ root: cwd, env }, ...words) {
  const line = `node ${BINARY} view ${words.join(' ')} --no-open`;
  say(`  $ dev-cli view ${words.join(' ')}`);
  const child = spawn(
    'script',
    process.platform === 'linux' ? ['-qefc', line, '/dev/null'] : ['-q', '/dev/null', 'sh', '-c', line],
    { cwd, env },
  );
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const read = async (wanted) => {
    for (
      const until = Date.now() + PATIENCE;
      Date.now() < until;
      await new Promise((resolve) => setTimeout(resolve, 50))
    ) {
      const found = wanted.exec(shown);
      if (found !== null) return found[1];
    }
    throw new StandInError(`dev-cli view has not shown ${wanted}, but: ${shown}`);
  };
  const link = await read(/(http:\S+)/);
  return {
    link,
    origin: new URL(link).origin,
    read,
    async end() {
      child.stdin.write('q');
      check(await ended, 0, 'q ends the server');
    },
  };
}

async function open(browser, url) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  page.setDefaultTimeout(PATIENCE);
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, requests };
}

/** Goes to a place in the page without reloading it. */
async function go(page, { origin }, place) {
  await page.goto(`${origin}/${place}`);
  await page.locator('h1').waitFor();
}

function isOpen(project, name) {
  return JSON.parse(run(project, `dev-cli status ${name} --json`, true)).status === 'live';
}

function readDecisions(project, name) {
  const lines = run(project, `dev-cli journal ${name} --json`, true).trimEnd().split('\n');
  return lines
    .map((line) => JSON.parse(line))
    .flatMap(({ by, data }) => (data?.choice === undefined ? [] : [{ by, choice: data.choice }]));
}

if (!isMainThread) work(workerData);
