import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { basename, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Action, type Answer, type Call, StandIn } from '../../support/agent.mjs';
import { inShell, runLinesBy } from '../../support/line.mjs';
import { BINARY, CHECKOUT, createProject, type Project } from '../../support/project.mjs';

// What a hot command loads is what it costs (house.md, Speed). Whoever makes it load more changes the lists below, and
// says in the commit what the command needs it for.

/**
 * Digests and the token of a lock, with the streams that crypto is made of; checksums, whose module needs hardly more than those
 * streams; the name of this machine for the lock.
 */
const FOR_A_COMMIT = /^(crypto|zlib|os|stream(\/.*)?|string_decoder|diagnostics_channel)$/;

/** What each call begins with; a Node that keeps compiled code is told where (src/cli/compile-cache.ts). */
const ENTRY = ['bin/dev-cli.js', ...('enableCompileCache' in nodeModule ? ['dist/compile-cache.cjs'] : [])];

interface Loaded {
  /** Modules of Node that a bare process has not loaded. */
  builtins: string[];
  /** Relative to the checkout. */
  files: string[];
  /** Bytes of those files, without the ones that each call begins with. */
  bytes: number;
}

let project: Project;
let actionId: string;
beforeAll(() => {
  project = createProject();
  const { stdout } = call(['init', 'one', '--recipe', 'specify-standard-autopilot', '--goal', 'Add a route']);
  actionId = (JSON.parse(stdout) as Answer).next?.actionId ?? '';
});
afterAll(() => project.remove());

function call(args: string[], program = BINARY, preload: string[] = [], env: NodeJS.ProcessEnv = {}, input = '') {
  const options = { cwd: project.root, env: { ...project.env, ...env }, encoding: 'utf8', input } as const;
  const flags = preload.flatMap((file) => ['--require', file]);
  const { status, stdout } = spawnSync(process.execPath, [...flags, program, ...args], options);
  expect(status, stdout).toBe(stdout.startsWith('{"decision"') ? 2 : 0);
  return { stdout };
}

function loadedBy(args: string[], program = BINARY, input = ''): Loaded {
  const notes = join(project.home, 'loaded.json');
  call(args, program, [join(CHECKOUT, 'tests/support/loaded.cjs')], { DEV_CLI_TEST_LOADED: notes }, input);
  const { builtins, files } = JSON.parse(readFileSync(notes, 'utf8')) as Omit<Loaded, 'bytes'>;
  const paths = files.map((file) => relative(CHECKOUT, file));
  const parts = paths.filter((path) => !ENTRY.includes(path));
  const bytes = parts.reduce((sum, path) => sum + statSync(join(CHECKOUT, path)).size, 0);
  return { builtins, files: paths, bytes };
}

/** The documents of a plan, and commands that recipes run on them. */
const PLAN = ['cli-plan', 'common', 'plan'];
/** What asks git. */
const TREE = ['cli-tree', 'tree'];
/** What judges `when` and `exitWhen`. */
const CONDITIONS = ['cel-js', 'cli-conditions', 'conditions'];

/** The files beside cli.cjs that each acknowledgement of a planning run loads, by its block, up to the gate of a person. */
function loadedInRun(planned: Project): Record<string, string[]> {
  const notes = join(planned.home, 'loaded.json');
  const hook = join(CHECKOUT, 'tests/support/loaded.cjs');
  Object.assign(planned.env, { NODE_OPTIONS: `--require ${hook}`, DEV_CLI_TEST_LOADED: notes });
  const found: Record<string, string[]> = {};
  let block = '';
  const before = (action: Action) => {
    block = action.block;
    return action.human === 'required' ? 'stop' : undefined;
  };
  const onCall = ({ command }: Call) => {
    if (!command.startsWith('dev-cli step complete')) return;
    const { files } = JSON.parse(readFileSync(notes, 'utf8')) as Loaded;
    found[block] = files
      .map((file) => basename(file, '.cjs'))
      .filter((name) => !/^(dev-cli\.js|cli|compile-cache)$/.test(name))
      .sort();
  };
  const former = runLinesBy(inShell);
  try {
    const agent = new StandIn({ project: planned, scenario: { before }, onCall });
    agent.drive(agent.start('--recipe specify-standard-interactive'));
  } finally {
    runLinesBy(former);
  }
  return found;
}

describe('a hot command loads no more than it needs', () => {
  it.each([
    [['next', 'one'], 52_100],
    [['manifest', 'one'], 70_700],
    [['status', 'one', '--json'], 72_200],
    [['list', '--json'], 46_300],
  ])('%j', (args, most) => {
    const { builtins, files, bytes } = loadedBy(args);
    expect(files).toEqual([...ENTRY, `dist/${args[0]}.cjs`].sort());
    expect(builtins).toEqual([]);
    expect(bytes).toBeLessThan(most);
  });

  it('the guard, also where a run plans', () => {
    const input = (tool: object) => JSON.stringify({ session_id: 's', cwd: project.root, ...tool });
    for (const tool of [
      { tool_name: 'Bash', tool_input: { command: 'npm test' } },
      { tool_name: 'Write', tool_input: { file_path: 'src/a.js' } },
    ]) {
      const { builtins, files, bytes } = loadedBy(['hook', 'pre-tool-use', '--harness', 'claude'], BINARY, input(tool));
      expect(files).toEqual([...ENTRY, 'dist/judge.cjs'].sort());
      expect(builtins).toEqual([]);
      expect(bytes).toBeLessThan(79_700);
    }
  });

  it('step complete', () => {
    const acknowledging = ['step', 'complete', 'one', '--action', actionId, '--choice', 'Feature'];
    const { builtins, files, bytes } = loadedBy(acknowledging);
    expect(files).toEqual([...ENTRY, 'dist/cli.cjs'].sort());
    expect(builtins.filter((name) => !FOR_A_COMMIT.test(name))).toEqual([]);
    expect(bytes).toBeLessThan(261_800);
  });

  it('each acknowledgement of a planning run', () => {
    const planned = createProject();
    try {
      expect(loadedInRun(planned)).toEqual({
        'classify-intent': [],
        'explore-full': [...PLAN, ...TREE, 'yaml'].sort(),
        interview: PLAN,
        'decision-confirm': [...CONDITIONS, ...PLAN].sort(),
        'analyze-full': [...PLAN, ...TREE, 'yaml'].sort(),
        'codex-synth': [...CONDITIONS, ...PLAN, ...TREE, 'yaml'].sort(),
        'generate-plan': [...PLAN, ...TREE].sort(),
        review: [...CONDITIONS, ...PLAN, ...TREE, 'yaml'].sort(),
      });
    } finally {
      planned.remove();
    }
  });

  it('and one that loads more is found', () => {
    const planted = join(project.home, 'planted.cjs');
    const other = join(project.home, 'other.cjs');
    writeFileSync(other, '');
    writeFileSync(planted, `require('node:net'); require(${JSON.stringify(other)});`);
    const { builtins, files } = loadedBy([], planted);
    expect(builtins).toContain('net');
    expect(files).toHaveLength(2);
  });
});
