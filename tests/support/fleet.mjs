// A fleet on one machine, for tests and demonstrations: a PostgreSQL; projects, each with a bare remote and a desk (the
// clone of the person who writes its goals); machines, each with a home, a state directory and a fleet.yaml; and their
// processes. Everything is real except the agent's tool.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { StandInError } from './agent.mjs';
import { BINARY, createProject } from './project.mjs';

const TOOL = fileURLToPath(new URL('tool.mjs', import.meta.url));
/** Milliseconds between two checks of a condition. */
const LOOK = 150;

/**
 * Where dev-cli is called: in a root or, for a machine, in its home.
 * @typedef {{ root: string, env: NodeJS.ProcessEnv, binary?: string }} Place
 * @typedef {Place & { project: string, remote: string, script: string, recipes: string[], remove: () => void }} Desk
 * @typedef {Place & { name: string, state: string, config: string }} Machine
 * @typedef {{ child: import('node:child_process').ChildProcess, told: () => string, kill: (signal?: NodeJS.Signals) => void,
 *   ended: Promise<{ exit: number | null, stdout: string }> }} Started
 * @typedef {{ exit: number, stdout: string, stderr: string, json: any }} Called
 */

/**
 * Creates a fleet without projects and machines.
 * @param {{ url: string, prefix?: string, lease?: number, env?: NodeJS.ProcessEnv }} options `lease` in seconds
 */
export function createFleet({ url, prefix = 'dev-cli-fleet-', lease = 6, env: more = {} }) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  /** @type {Desk[]} */
  const desks = [];
  /** @type {Set<Started>} */
  const running = new Set();

  /** @param {string} name @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} */
  const furnish = (name, env) => {
    const home = join(base, 'homes', name);
    mkdirSync(join(home, 'config/dev-cli'), { recursive: true });
    writeFileSync(join(home, '.gitconfig'), `[user]\nname = ${name}\nemail = ${name}@example.invalid\n`);
    const own = { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') };
    return { ...env, ...own, DEV_CLI_DATABASE: url, ...more };
  };

  return {
    base,
    desks,

    /**
     * Adds a project, and commits and pushes goals and configuration from its desk.
     * @param {string} project
     * @param {{ sample?: string | null, goals: string, sessions: Record<string, object[]>, config?: string, files?:
     * Record<string, string>,
     * isAlone?: boolean }} about `isAlone`: its configuration names no fleet
     * @returns {Desk}
     */
    addProject(
      project,
      { sample = null, goals, sessions, config = 'test_command: "true"\n', files = {}, isAlone = false },
    ) {
      const made = createProject({ sample, at: join(base, project) });
      const { root } = made;
      const remote = join(base, project, 'remote.git');
      const script = join(base, project, 'script.json');
      writeFileSync(script, JSON.stringify(sessions));
      const tool = `ai_tool: ${process.execPath} ${TOOL} ${script} {prompt_file} {goal}\n`;
      const all = {
        '.ai/config.yaml': `${config}${config.includes('ai_tool:') ? '' : tool}${isAlone ? '' : `fleet: { project: ${project} }\n`}`,
        '.ai/goals.yaml': `goals:\n${goals}`,
        '.ai/rules.md': '',
        '.ai/.gitignore': 'auto.lock*\nevents/\nhandoffs/\n',
        ...files,
      };
      for (const [path, content] of Object.entries(all)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
      const env = furnish(`desk-${project}`, made.env);
      const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, env, stdio: 'pipe' });
      git('init', '--quiet', '--bare', '--initial-branch=main', remote);
      git('remote', 'add', 'origin', remote);
      git('add', '--all');
      git('commit', '--quiet', '--message', 'Goals for the fleet');
      git('push', '--quiet', '--set-upstream', 'origin', 'main');
      const recipes = Object.entries(files).filter(([path]) => path.startsWith('.dev/recipes/'));
      const desk = { root, env, project, remote, script, recipes: recipes.map(digestRecipe), remove: made.remove };
      desks.push(desk);
      return desk;
    },

    /**
     * Adds another person's clone.
     * @param {Desk} desk @param {string} name @returns {Desk}
     */
    addClone({ project, remote, script, recipes, env }, name) {
      const root = join(base, 'clones', name);
      const own = furnish(name, env);
      execFileSync('git', ['clone', '--quiet', remote, root], { env: own, stdio: 'pipe' });
      return { root, env: own, project, remote, script, recipes, remove: () => {} };
    },

    /**
     * Adds a machine on which workers run, for all projects added so far.
     * @param {string} name
     * @param {{ slots?: number, trust?: string[] }} [about] `trust`: digests; default: those of all
     * projects' commands
     * @returns {Machine}
     */
    addMachine(name, { slots = 2, trust } = {}) {
      const env = furnish(name, desks[0]?.env ?? {});
      const config = join(env['XDG_CONFIG_HOME'] ?? '', 'dev-cli/fleet.yaml');
      const projects = desks.map((desk) => {
        const trusted = trust ?? [digestOf(desk), ...desk.recipes];
        return `  - { project: ${desk.project}, remote_url: "${desk.remote}", trust: [${trusted.join(', ')}] }\n`;
      });
      writeFileSync(config, `name: ${name}\nslots: ${slots}\nlease_seconds: ${lease}\nprojects:\n${projects.join('')}`);
      return { name, root: env['HOME'] ?? '', env, state: env['XDG_STATE_HOME'] ?? '', config };
    },

    /**
     * Calls dev-cli and waits until it ends.
     * @param {Place} place @param {...string} args @returns {Called}
     */
    call({ root, env, binary = BINARY }, ...args) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...args], {
        ...{ cwd: root, env, encoding: 'utf8', timeout: 120_000, maxBuffer: 64 * 1024 * 1024 },
      });
      return { exit: status ?? -1, stdout, stderr, json: parse(stdout) };
    },

    /**
     * Starts dev-cli without waiting; `end` kills it.
     * @param {Place} place @param {...string} args @returns {Started}
     */
    start({ root, env, binary = BINARY }, ...args) {
      const child = spawn(process.execPath, [binary, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const log = `${env['HOME']}/told-${args[1] === 'worker' ? 'worker' : (args[0] ?? '')}`;
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        stderr += text;
        if (existsSync(base)) appendFileSync(log, text);
      });
      /** @type {Started} */
      const started = {
        child,
        told: () => stderr,
        kill: (signal = 'SIGTERM') => void child.kill(signal),
        ended: new Promise((resolve) => child.on('close', (exit) => resolve({ exit, stdout }))),
      };
      running.add(started);
      void started.ended.then(() => running.delete(started));
      return started;
    },

    /**
     * Queries the database.
     * @param {string} text @param {unknown[]} [values] @returns {Promise<any[]>}
     */
    async ask(text, values = []) {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query(text, values)).rows;
      } finally {
        await client.end();
      }
    },

    /**
     * Reads the state and the leases of a project's loop.
     * @param {Pick<Desk, 'project'>} desk
     * @returns {Promise<{ seq: number, attempts: Record<string, any>, goals: Record<string, any>, leases: any[], batch:
     * any }>}
     */
    async readState({ project }) {
      const [[stream], leases] = await Promise.all([
        this.ask('SELECT snapshot FROM dev_cli.streams WHERE project = $1', [project]),
        this.ask('SELECT * FROM dev_cli.leases WHERE project = $1 ORDER BY created', [project]),
      ]);
      const empty = { seq: 0, attempts: {}, goals: {}, batch: null };
      return { ...empty, ...(stream?.snapshot ? JSON.parse(stream.snapshot) : {}), leases };
    },

    /**
     * Lists the goals that a branch's commits name in their trailers, oldest first; each goal should occur once.
     * @param {Pick<Desk, 'remote' | 'env'>} desk
     */
    listDone({ remote, env }, branch = 'main') {
      const format = '--format=%(trailers:key=Dev-Cli-Goal,valueonly)';
      const said = execFileSync('git', ['log', '--reverse', format, branch], { cwd: remote, env, encoding: 'utf8' });
      return said.split('\n').filter(Boolean);
    },

    /**
     * Lists the remote's references with their commits. @param {Pick<Desk, 'remote' | 'env'>} desk @returns
     * {Map<string, string>}
     */
    listRefs({ remote, env }) {
      const said = execFileSync('git', ['for-each-ref', '--format=%(refname) %(objectname)'], {
        ...{ cwd: remote, env, encoding: 'utf8' },
      });
      const lines = said.split('\n').filter(Boolean);
      return new Map(lines.map((line) => /** @type {[string, string]} */ (line.split(' '))));
    },

    /** Lists the goal of each agent session that was begun, in order. @param {Pick<Desk, 'script'>} desk */
    listSessions({ script }) {
      try {
        return readFileSync(`${script}.begun`, 'utf8').split('\n').filter(Boolean);
      } catch {
        return [];
      }
    },

    /** Kills all started processes, and removes all files unless `keep` is set. @param {{ keep?: boolean }} [how] */
    async end({ keep = false } = {}) {
      for (const { child } of running) {
        child.kill('SIGCONT');
        child.kill('SIGKILL');
      }
      await Promise.all([...running].map(({ ended }) => ended));
      if (keep) return;
      for (const desk of desks) desk.remove();
      rmSync(base, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/**
 * Waits until a condition holds.
 * @template T
 * @param {string} what the condition in words @param {() => T | Promise<T>} ask called again until it returns something
 * truthy, also after an error
 * @returns {Promise<T>}
 */
export async function until(what, ask, seconds = 30) {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    /** @type {unknown} */
    let failed = null;
    try {
      const answer = await ask();
      if (answer) return answer;
    } catch (error) {
      failed = error;
    }
    if (performance.now() > end)
      throw new StandInError(`not within ${seconds} s: ${what}${failed ? `: ${failed}` : ''}`);
    await sleep(LOOK);
  }
}

/**
 * Computes the digest of a project's configured commands, which a machine must trust before it runs them. The goals of
 * the project must not have commands of their own. @param {Place} desk
 */
export function digestOf({ root, env }) {
  const plan = spawnSync(process.execPath, [BINARY, 'auto', '--recursive', '--dry-run', '--json'], {
    ...{ cwd: root, env: { ...env, DEV_CLI_DATABASE: env['DEV_CLI_DATABASE'] }, encoding: 'utf8' },
  });
  const answer = parse(plan.stdout);
  if (answer?.trust === undefined) throw new StandInError(`auto --dry-run: ${plan.stdout}${plan.stderr}`);
  return sha256(JSON.stringify(answer.trust.commands));
}

/**
 * Computes the digest by which a machine trusts a recipe that consists of one file. @param {[path: string, text:
 * string]} file
 */
export const digestRecipe = ([path, text]) => sha256(JSON.stringify([[path, sha256(text)]]));

/** @param {string} text */
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** @param {string} text @returns {any} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
