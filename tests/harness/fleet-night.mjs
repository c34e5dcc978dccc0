// Started by sessions.mjs instead of a harness's CLI, where the network has only loopback. Sets up PostgreSQL, a remote,
// a desk, and two workers with one slot each, whose tool is the harness. The exit code is 0 if both goals are on the
// branch, each done by a different worker.
//   node fleet-night.mjs HARNESS ROOT
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFleet, digestRecipe } from '../support/fleet.mjs';
import { replayJournal } from '../support/journal-reader.mjs';
import { startServer } from '../support/postgres-server.mjs';

const [harness, root] = process.argv.slice(2);
const RECIPE = '.dev/recipes/sized.yaml';
const { HOME: home } = process.env;
// PostgreSQL runs as another user, who may not enter the rig's temporary directory.
delete process.env.TMPDIR;

const server = await startServer();
const fleet = createFleet({ url: server.url, prefix: `dev-cli-${harness}-fleet-`, lease: 30 });
try {
  await play();
} finally {
  await fleet.end();
  await server.stop();
}

async function play() {
  const remote = join(fleet.base, 'remote.git');
  execFileSync('git', ['clone', '--quiet', '--bare', root, remote]);
  const recipes = [digestRecipe([RECIPE, readFileSync(join(root, RECIPE), 'utf8')])];
  const desk = fleet.addClone({ project: 'night', remote, script: '', recipes, env: process.env }, 'desk');
  fleet.desks.push(desk);
  expectDone(fleet.call(desk, 'fleet', 'init'));
  const workers = ['left', 'right'].map((name) => {
    const machine = fleet.addMachine(name, { slots: 1 });
    furnish(machine);
    return fleet.start(machine, 'fleet', 'worker');
  });
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--tool', harness, '--explain');
  const { exit, stdout } = await auto.ended;
  const told = [auto, ...workers].map((one) => one.told()).join('\n');
  assert.equal(exit, 0, `${stdout}${told}`);
  assert.deepEqual(fleet.listDone(desk).sort(), ['guided', 'plain'], told);
  const { leases, attempts } = await fleet.readState(desk);
  assert.deepEqual(attempts, {});
  const first = ['guided', 'plain'].map((goal) => leases.find((lease) => lease.goal === goal)?.worker);
  assert.deepEqual(first.toSorted(), ['left', 'right'], `${told}${JSON.stringify(leases)}`);
  expectDone(fleet.call(desk, 'fleet', 'export', join(fleet.base, 'stream')));
  assert.deepEqual(replayJournal(join(fleet.base, 'stream')), []);
  for (const worker of workers) worker.kill();
  const ends = await Promise.all(workers.map(({ ended }) => ended));
  assert.deepEqual(
    ends.map(({ exit: code }) => code),
    [130, 130],
  );
  console.log(`guided by ${first[0]}, plain by ${first[1]}`);
}

/** Copies the harness's settings to a machine, and the variables that name the model's server. */
function furnish({ env, root: own }) {
  for (const [key, value] of Object.entries(process.env)) if (/^(GEMINI|GOOGLE|RIG)_/.test(key)) env[key] = value;
  copyFileSync(join(home, '.bash_profile'), join(own, '.bash_profile'));
  for (const directory of ['.gemini', '.codex'])
    if (existsSync(join(home, directory))) cpSync(join(home, directory), join(own, directory), { recursive: true });
  if (process.env.CODEX_HOME !== undefined) env.CODEX_HOME = join(own, '.codex');
}

function expectDone({ exit, stdout, stderr }) {
  assert.equal(exit, 0, `${stdout}${stderr}`);
}
