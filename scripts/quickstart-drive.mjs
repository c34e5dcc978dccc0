// A run without a harness: `npm run quickstart -- drive`, installed `dev-cli demo drive`. The model is a script behind a loopback server for
// chat completions; dev-cli, git, the tests and every call of a tool are real. The drive is stopped by its budget and killed on the way.
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createModel } from '../tests/support/model.mjs';
import { BINARY } from '../tests/support/project.mjs';
import { startProvider } from '../tests/support/provider.mjs';
import { check, heading, playOn, run, say } from './quickstart-stage.mjs';

const NAME = 'add-jwt-auth';

/** @returns {Promise<number>} the exit code */
export function playDrive() {
  const about = {
    title:
      'dev-cli demo drive: a run planned and carried out by a model, without a harness. The model is a script; none is called.',
    prefix: 'dev-cli-drive-',
    look: `node ${BINARY} session list --run ${NAME}`,
  };
  return playOn(about, async (project) => {
    const served = await startProvider({ answer: createModel(project, NAME), key: null });
    try {
      const config = join(project.home, 'runtime.yaml');
      writeFileSync(config, describe(served.url));
      await play(project, config, served);
    } finally {
      served.close();
    }
  });
}

async function play(project, config, served) {
  heading('What would be sent, to whom');
  run(project, `dev-cli init ${NAME} --recipe specify-quick-autopilot --goal "Add JWT auth to the API"`);
  say(`  ${run(project, `dev-cli drive ${NAME} --config ${config} --dry-run`).split('\n').slice(0, 5).join('\n  ')}`);

  heading('A plan, for at most 25,000 tokens; then for more');
  const first = await drive(project, config, ['--max-tokens', '25000']);
  check([first.exit, first.json.status], [3, 'budget'], 'it ends before the limit is passed');
  check(served.billed.input + served.billed.output <= 25_000, true, 'the provider has counted no more');
  const planned = await drive(project, config);
  check([planned.exit, planned.json.status], [0, 'completed'], 'with more it goes on, to a plan that was reviewed');

  heading('The work, killed on the way');
  run(project, `dev-cli init ${NAME} --execute --quick --set approve_commands=auto`);
  const cut = drive(project, config);
  await sleep(1_500);
  cut.child.kill('SIGKILL');
  await cut;
  const done = await drive(project, config);
  check([done.exit, done.json.status], [0, 'completed'], 'the same call goes on, and carries the plan out');
  const tasks = run(project, "git log --format=%B | grep '^Dev-Cli-Task: '").trim().split('\n');
  check(new Set(tasks).size, tasks.length, `${tasks.length} commits, each todo once`);
  check(
    spawnSync('npm', ['test'], { cwd: project.root, env: project.env }).status,
    0,
    'the tests of the API are green',
  );

  heading('The bill');
  const { usage, cost } = JSON.parse(run(project, `dev-cli session list --run ${NAME} --json`));
  say(`  ${usage.input_tokens} tokens read, ${usage.output_tokens} written, $${cost.toFixed(4)}`);
  const lost = served.billed.input - usage.input_tokens;
  check(lost >= 0, true, `the provider has counted ${lost} more: what nobody saw answered when the drive was killed`);
}

/** Drives the run. @returns {Promise<{ exit: number | null, json: any }> & { child: import('node:child_process').ChildProcess }} */
function drive({ root, env }, config, more = []) {
  say(`  $ dev-cli drive ${NAME} ${more.join(' ')}`);
  const child = spawn(process.execPath, [BINARY, 'drive', NAME, '--config', config, '--json', ...more], {
    cwd: root,
    env,
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    printed += piece;
  });
  const ended = new Promise((resolve) => {
    child.on('close', (exit) => resolve({ exit, json: printed === '' ? {} : JSON.parse(printed) }));
  });
  return Object.assign(ended, { child });
}

const describe = (url) => `model: local/script
mode: danger-full-access
providers: { local: { api: chat, baseURL: "${url}" } }
models: { local/script: { window: 200000, input: 1, output: 2 } }
`;
