// The page's size, speed and requests (view-page.md, In the browser), and how long `view` takes until it listens.
import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { StandIn } from '../tests/support/agent.mjs';
import { launchBrowser } from '../tests/support/browser.mjs';
import { planInLanes, simpleCrew } from '../tests/support/crew.mjs';
import { BINARY, CHECKOUT, createProject } from '../tests/support/project.mjs';
import { answer, ratio, Samples, sampleRounds, timedFloor } from './measure.mjs';

const NAME = 'many';
/** How many runs home shows. */
const RUNS = 20;
/** The escape sequence that ends a frame on a terminal. */
const DRAWN = '\u001b[?2026l';
/** How long a browser's frame lasts, in milliseconds. */
const FRAME = 1000 / 60;

/** Measures the page with executions of 1,000 and of 10,000 todos. */
export async function view({ rounds }) {
  const rows = [
    [
      'page: script, style, shell, gzipped',
      60,
      gzipSync(readFileSync(join(CHECKOUT, 'dist/page.html'))).length / 1000,
      KB,
    ],
  ];
  rows.push(await openHome(rounds));
  const browser = await launchBrowser();
  for (const [count, goal] of [
    [1_000, FRAME],
    [10_000, 3 * FRAME],
  ]) {
    const project = createProject();
    try {
      begin(project, count);
      if (count === 1_000) rows.push(...(await start(project, rounds)), ...weighFile(project));
      if (browser !== null) rows.push(...(await act(project, browser, { count, goal, rounds })));
    } finally {
      project.remove();
    }
  }
  await browser?.close();
  return { title: `The page${browser === null ? ', without what needs a browser: none starts' : ''}`, rows };
}

const KB = { unit: ' kB' };
const MS = { unit: ' ms' };

/** Begins an execution of todos in four lanes. */
function begin(project, count) {
  const file = join(project.home, 'plan.json');
  writeFileSync(file, JSON.stringify(planInLanes(count)));
  answer(project, ['plan', 'generate', NAME, '--data', `@${file}`]);
  answer(project, ['init', NAME, '--execute', '--autopilot']);
}

/**
 * Measures how long the call `dev-cli` takes on a terminal until home has drawn its first frame. Compares it with a
 * node process that only ends a frame there.
 */
async function openHome(rounds) {
  const project = createProject();
  try {
    for (let run = 1; run <= RUNS; run += 1)
      answer(project, ['init', `run-${run}`, '--recipe', 'specify-quick-autopilot', '--goal', 'Add a route', '--new']);
    const samples = new Samples();
    for (let round = 0; round < rounds; round += 1) {
      samples.add('floor', await timeUntil(project, `-e "console.log('${DRAWN}')"`));
      samples.add('home', await timeUntil(project, BINARY));
    }
    return ratio(`home of ${RUNS} runs, until its first frame`, 2.5, samples.median('home'), samples.median('floor'));
  } finally {
    project.remove();
  }
}

/** Runs node with `words` on a terminal. Returns how long it took to end its first frame, in milliseconds. */
async function timeUntil({ root: cwd, env }, words) {
  const from = performance.now();
  const child = spawn('script', ['-qefc', `exec "${process.execPath}" ${words}`, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm' },
  });
  let shown = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    shown += part;
    if (shown.includes(DRAWN)) break;
  }
  const took = performance.now() - from;
  child.kill();
  return took;
}

/**
 * Measures the HTML file of a run of 1,000 todos. Without prompts, logs and diffs, it contains only the page itself and
 * the run's data.
 */
function weighFile(project) {
  const file = join(project.home, 'many.html');
  answer(project, ['view', NAME, '--html', file, '--without', 'prompts,logs,diffs']);
  return [['an HTML file of 1,000 todos without documents', 300, statSync(file).size / 1000, KB]];
}

/** Measures how long `view` takes until it listens, against a node process that does nothing. */
async function start(project, rounds) {
  const samples = new Samples();
  for (let round = 0; round < rounds; round += 1) {
    sampleRounds(samples, { floor: () => timedFloor(project) }, 1);
    const from = performance.now();
    const served = await serve(project);
    samples.add('view', performance.now() - from);
    served.end();
  }
  return [ratio('view until it listens', 3, samples.median('view'), samples.median('floor'))];
}

/** Starts `dev-cli view`, and waits for its link. */
function serve({ root: cwd, env }) {
  const child = spawn(process.execPath, [BINARY, 'view', '--no-open', '--text'], { cwd, env });
  return new Promise((resolve, reject) => {
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      shown += text;
      const [link] = /http:\S+(?=\s)/.exec(shown) ?? [];
      if (link !== undefined) resolve({ link, end: () => void child.kill() });
    });
    child.on('exit', () => reject(new Error(`dev-cli view has ended: ${shown}`)));
  });
}

async function act(project, browser, { count, goal, rounds }) {
  const served = await serve(project);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    const requests = [];
    page.on('request', (one) => requests.push(one.url()));
    await page.goto(`${served.link}/${NAME}/todo-${count / 2}`);
    await page.getByRole('option').first().waitFor({ timeout: 120_000 });
    await page.waitForTimeout(1_000);
    const nodes = await page.evaluate('document.querySelectorAll("*").length');
    const before = requests.length;
    await page.waitForTimeout(3_000);
    const idle = requests.length - before;
    const key = await cost(page, KEY, rounds);
    const scroll = await cost(page, SCROLL, rounds);
    const { took, bytes } = await change(project, page, rounds);
    const of = (what) => `${count} todos: ${what}`;
    return [
      [of('nodes'), 2_500, nodes],
      [of('requests of an idle page, 3 s'), 0, idle],
      [of('a key'), goal, key, MS],
      [of('a scroll'), goal, scroll, MS],
      [of('a live change, drawing it'), goal, took, MS],
      [of('a live change, sent'), 4, bytes / 1000, KB],
    ];
  } finally {
    await context.close();
    served.end();
  }
}

const KEY = `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))`;
const SCROLL = `scrollBy(0, 400); dispatchEvent(new Event('scroll'))`;

/** Measures the milliseconds that scripts and layout take until the next frame. */
async function cost(page, act, rounds) {
  const samples = new Samples();
  for (let round = 0; round < rounds; round += 1) {
    const taken = await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => {
      const begun = performance.now();
      ${act};
      // What Preact has put off comes in a microtask; then the layout is asked for.
      Promise.resolve().then(() => Promise.resolve()).then(() => {
        document.body.offsetHeight;
        resolve(performance.now() - begun);
      });
    }))`);
    samples.add(act, taken);
    await page.waitForTimeout(30);
  }
  return samples.median(act);
}

/**
 * Has an agent continue the run while the page is open. Measures how long the browser works on each change that the
 * page receives, and how many bytes arrive with it.
 */
async function change(project, page, rounds) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Network.enable');
  const sizes = [];
  session.on('Network.dataReceived', ({ dataLength }) => sizes.push(dataLength));
  const worked = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  const samples = new Samples();
  for (let round = 0; round < Math.min(rounds, 10); round += 1) {
    const before = await worked();
    const sent = sizes.length;
    let left = 1;
    const agent = new StandIn({
      project,
      name: NAME,
      crew: simpleCrew(),
      scenario: { before: () => (left-- > 0 ? undefined : 'stop') },
    });
    agent.drive();
    for (let looks = 0; sizes.length === sent && looks < 100; looks += 1) await page.waitForTimeout(50);
    await page.waitForTimeout(300);
    samples.add('took', ((await worked()) - before) / Math.max(1, sizes.length - sent));
    for (const size of sizes.slice(sent)) samples.add('bytes', size);
  }
  return { took: samples.median('took'), bytes: samples.median('bytes') };
}
