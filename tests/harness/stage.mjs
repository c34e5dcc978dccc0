// The stage for one play: a project with dev-cli installed, a harness that the rig starts in it, and the results.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINARY, createProject } from '../support/project.mjs';
import { findTerminal } from '../support/terminal.mjs';
import { record } from './recorder.mjs';

/** Maximum number of seconds for all sessions of a play. */
const SECONDS = 180;

/**
 * Runs a play in a new project. A play exports what the rig uses, and may also export:
 * - `title`; by harness, `cannot`, why it is left out, and `planted`, how it must fail without dev-cli (run.mjs);
 * - `prepare(project, harness)`, called before the install; `look(project, home)`, whose result is `before` in `check`;
 *   `check(project, { harness, out, home, before, uninstall, requests, history })`, called at the end;
 * - `subdirectory`, where the session begins; `user`, by harness, whether dev-cli is installed for the user;
 * - `extras` for `install --with`; `autopilot`, whether a person trusts autopilot in the project;
 * - `then`, prompts that resume the session; `typed(harness)`, lines to type, each once its `when` is on the screen;
 * - `instead(project, harness)`, the arguments with which dev-cli, or the script `driver`, starts the CLI.
 * @param {{ rig: string, harness: string, name: string, script: string, play: object, installed?: boolean }} given
 *   `play` is the module at `script`; with `installed: false`, `dev-cli install` is not called
 * @returns null, or why the play failed
 */
export async function act({ rig, harness, name, script, play, installed = true }) {
  const project = createProject({ replay: false });
  const out = mkdtempSync(join(tmpdir(), `dev-cli-${harness}-${name}-`));
  const home = join(out, 'home');
  let why = null;
  try {
    putOnPath(project, project.root, home);
    if (process.env['RECORD'] !== undefined) record(project, harness, name, process.env['RECORD']);
    await play.prepare?.(project, harness);
    const before = await play.look?.(project, home);
    const isHere = installed && !isForUser(play, harness);
    const extras = play.extras === undefined ? [] : ['--with', play.extras.join(',')];
    if (isHere) runDevCli(project, ['install', '--harness', harness, ...extras, '--yes']);
    if (play.autopilot === true) trustAutopilot(project, home);
    const ran = start({ rig, harness, script, play, project, out, home, installed });
    if (ran.status !== 0) throw new Error(`exit ${ran.status} ${ran.stdout}${ran.stderr}`);
    const uninstall = () => (isHere ? uninstallAsPerson(project, harness) : null);
    const requests = readRequests(out);
    await play.check?.(project, {
      harness,
      out,
      home,
      before,
      uninstall,
      requests,
      history: (run) => readHistory(project, run),
    });
  } catch (error) {
    why = `${error.message} (${out})`;
  }
  if (process.env['KEEP'] === undefined) {
    project.remove();
    if (why === null) rmSync(out, { recursive: true, force: true });
  } else console.log(`  ${project.root} ${out}`);
  return why;
}

function start({ rig, harness, script, play, project, out, home, installed }) {
  const directory = join(project.root, play.subdirectory ?? '.');
  if (directory !== project.root) linkBinary(directory);
  const cli = writeCli({ rig, harness, play, project, out, installed });
  const words = [harness, directory, script, '--out', out, '--home', home, '--timeout', String(SECONDS), '--cli', cli];
  return spawnSync(process.execPath, [join(rig, 'run.mjs'), ...words, '--dump'], {
    encoding: 'utf8',
    timeout: (SECONDS + 30) * 1000,
  });
}

/** Writes the program that the rig runs as the harness's CLI. It starts sessions.mjs with a plan of the sessions. */
function writeCli({ rig, harness, play, project, out, installed }) {
  const { then: prompts = [], typed } = play;
  const plan = join(out, 'sessions.json');
  const program = join(rig, harness, 'node_modules', '.bin', harness);
  const typing = typeof typed === 'function' ? typed(harness) : typed;
  writeFileSync(
    plan,
    JSON.stringify({
      harness,
      program,
      then: prompts,
      typed: typing,
      user: installed && isForUser(play, harness),
      seconds: SECONDS,
      binary: BINARY,
      instead: play.instead?.(project, harness),
      driver: play.driver,
    }),
  );
  const cli = join(out, 'cli');
  writeFileSync(
    cli,
    `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'sessions.mjs')}' '${plan}' "$@"\n`,
  );
  chmodSync(cli, 0o755);
  return cli;
}

/** Has a person trust autopilot, for plays whose prompt does not ask for autopilot. */
function trustAutopilot(project, home) {
  const env = { ...project.env, HOME: home };
  const said = findTerminal()?.('dev-cli trust autopilot', { cwd: project.root, env, answers: ['y'] });
  if (said?.exit !== 0) throw new Error(`dev-cli trust autopilot: ${said?.output ?? 'there is no terminal'}`);
}

/** Uninstalls on a terminal, because otherwise `uninstall` is refused while a run is guarded. */
function uninstallAsPerson(project, harness) {
  const command = `'${process.execPath}' '${BINARY}' uninstall --harness ${harness} --yes`;
  const { exit, output } = findTerminal()(command, { cwd: project.root, env: project.env });
  if (exit !== 0) throw new Error(`${command}: ${output}`);
}

/** Runs dev-cli in a project, as its user would, and returns the output. @throws Error if the call fails */
export function runDevCli(project, words, { env = {}, input = '' } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...words], {
    cwd: project.root,
    env: { ...project.env, ...env },
    encoding: 'utf8',
    input,
  });
  if (status !== 0) throw new Error(`dev-cli ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** Links dev-cli in the project's node_modules/.bin, puts that on the harnesses' PATH, and has git ignore it. */
function putOnPath(project, root, home) {
  const bin = linkBinary(root);
  mkdirSync(join(project.root, '.git', 'info'), { recursive: true });
  appendFileSync(join(project.root, '.git', 'info', 'exclude'), 'node_modules/\n');
  mkdirSync(home, { recursive: true });
  // Codex runs commands in a login shell, whose PATH comes from the profile.
  writeFileSync(join(home, '.bash_profile'), `export PATH='${bin}':$PATH\n`);
}

function linkBinary(directory) {
  const bin = join(directory, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  if (!existsSync(join(bin, 'dev-cli'))) symlinkSync(BINARY, join(bin, 'dev-cli'));
  return bin;
}

/** Returns the requests to the scripted model, and the answers, in order. */
function readRequests(out) {
  return readFileSync(join(out, 'requests.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function readHistory(project, run) {
  return JSON.parse(runDevCli(project, ['history', run, '--json']));
}

const isForUser = ({ user = {} }, harness) => user[harness] === true;
