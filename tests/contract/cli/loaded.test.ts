import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Action, type Answer, type Call, StandIn } from '../../support/agent.mjs';
import { inShell, runLinesBy } from '../../support/line.mjs';
import { COUNTER, type Loaded, takeLoaded } from '../../support/loaded.js';
import { BINARY, CHECKOUT, createProject, type Project } from '../../support/project.mjs';

// A hot command costs as much as it loads (house.md, Speed). To raise a limit, or to extend a list, takes a separate
// commit that says why.

/**
 * Modules that a commit needs: crypto for digests and the lock's token, with the streams that it is built on; zlib for
 * checksums, which needs little besides those streams; os for this machine's name in the lock; and vm for running
 * cached compiled code.
 */
const FOR_A_COMMIT = /^(crypto|zlib|os|vm|stream(\/.*)?|string_decoder|diagnostics_channel)$/;

/** The file that Node starts with in every call. */
const ENTRY = 'bin/dev-cli.js';

/** The file that is loaded next if the call needs the full program. */
const PROGRAM = 'dist/program.cjs';

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

/** Returns what a call loads. The sizes of ENTRY and PROGRAM are left out of its `bytes`. */
function loadedBy(args: string[], program = BINARY, input = ''): Loaded {
  const notes = join(project.home, 'loaded.jsonl');
  call(args, program, [COUNTER], { DEV_CLI_TEST_LOADED: notes }, input);
  const [loaded] = takeLoaded(notes, program);
  if (loaded === undefined) throw new Error('The call has left no notes.');
  const start = [ENTRY, PROGRAM].filter((file) => loaded.files.includes(file));
  const bytes = start.reduce((rest, file) => rest - statSync(join(CHECKOUT, file)).size, loaded.bytes);
  return { ...loaded, bytes };
}

/** Parts of the program for a plan's documents, and for the commands that recipes run on them. */
const PLAN = ['cli-plan', 'common', 'plan'];
/** Parts of the program that ask git. */
const TREE = ['cli-tree', 'tree'];
/** Parts of the program that evaluate `when` and `exitWhen`. */
const CONDITIONS = ['cli-conditions', 'conditions'];

/**
 * Lists the files besides cli.cjs that each acknowledgement of a planning run loads, by block, up to the gate that a
 * person has to answer.
 */
function loadedInRun(planned: Project): Record<string, string[]> {
  const notes = join(planned.home, 'loaded.jsonl');
  Object.assign(planned.env, { NODE_OPTIONS: `--require ${COUNTER}`, DEV_CLI_TEST_LOADED: notes });
  const found: Record<string, string[]> = {};
  let block = '';
  const before = (action: Action) => {
    block = action.block;
    return action.human === 'required' ? 'stop' : undefined;
  };
  const onCall = ({ command }: Call) => {
    const [loaded] = takeLoaded(notes);
    if (loaded === undefined || !command.startsWith('dev-cli step complete')) return;
    found[block] = loaded.files
      .map((file) => basename(file, '.cjs'))
      .filter((name) => !/^(dev-cli\.js|cli|program)$/.test(name))
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
    [['next', 'one'], 55_300],
    [['manifest', 'one'], 73_900],
    [['status', 'one', '--json'], 75_900],
    [['list', '--json'], 49_400],
  ])('%j', (args, most) => {
    const { builtins, files, bytes } = loadedBy(args);
    expect(files).toEqual([ENTRY, `dist/${args[0]}.cjs`]);
    expect(builtins).toEqual([]);
    expect(bytes).toBeLessThan(most);
  });

  describe('a hook', () => {
    const COMMAND = { tool_name: 'Bash', tool_input: { command: 'npm test' } };
    const STEP = { tool_name: 'Bash', tool_input: { command: 'dev-cli step complete one --action a1' } };
    const WRITE = { tool_name: 'Write', tool_input: { file_path: 'src/a.js' } };
    const hear = (event: string, more: object) =>
      loadedBy(
        ['hook', event, '--harness', 'claude'],
        BINARY,
        JSON.stringify({ session_id: 's', cwd: project.root, ...more }),
      );
    beforeAll(() => {
      call(['use', 'one'], BINARY, [], { DEV_CLI_SESSION: 's' });
      for (const session of ['s', 'other']) hear('session-start', { session_id: session, source: 'startup' });
    });

    it.each([
      ['pre-tool-use', COMMAND, 'judge', 85_500],
      ['pre-tool-use', WRITE, 'judge', 85_500],
      ['post-tool-use', COMMAND, 'hook', 99_250],
      ['post-tool-use', STEP, 'hook', 99_250],
      ['post-tool-use', WRITE, 'hook', 99_250],
      ['user-prompt-submit', { prompt: 'Go on.' }, 'hook', 99_250],
      ['stop', {}, 'hook', 99_250],
      ['session-start', { session_id: 'other', source: 'resume' }, 'hook', 99_250],
      ['session-end', { session_id: 'unknown' }, 'hook', 99_250],
    ])('%s %j that has nothing to say', (event, more, program, most) => {
      const { builtins, files, bytes } = hear(event, more);
      expect(files).toEqual([ENTRY, `dist/${program}.cjs`]);
      expect(builtins).toEqual([]);
      expect(bytes).toBeLessThan(most);
    });

    it('that becomes a fact of memory', () => {
      const memory = join(project.root, '.dev/memory');
      mkdirSync(memory);
      const { builtins, files, bytes } = hear('stop', { last_assistant_message: 'All is done.' });
      rmSync(memory, { recursive: true });
      expect(files).toEqual([ENTRY, 'dist/facts.cjs', 'dist/hook.cjs']);
      expect(builtins).toEqual([]);
      expect(bytes).toBeLessThan(112_350);
    });

    it.each([
      ['session-start', { session_id: 'new', source: 'startup' }],
      ['session-start', { source: 'compact' }],
      ['user-prompt-submit', { prompt: 'Do it in autopilot.' }],
      ['session-end', {}],
    ])('%s %j that writes, or tells where the run stands', (event, more) => {
      const { files, bytes } = hear(event, more);
      expect(files.length).toBeLessThan(33);
      expect(bytes).toBeLessThan(971_700);
    });
  });

  it('step complete', () => {
    const acknowledging = ['step', 'complete', 'one', '--action', actionId, '--choice', 'Feature'];
    const { builtins, files, bytes } = loadedBy(acknowledging);
    expect(files).toEqual([ENTRY, 'dist/cli.cjs', PROGRAM]);
    expect(builtins.filter((name) => !FOR_A_COMMIT.test(name))).toEqual([]);
    expect(bytes).toBeLessThan(272_850);
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
