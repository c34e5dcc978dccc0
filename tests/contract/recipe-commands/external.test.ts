import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import {
  type Document,
  devCli,
  devCliAsync,
  imageOf,
  journalOf,
  nextOf,
  runDir,
  runPrinted,
  spawnDevCli,
  stateOf,
  writeProjectFile,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { CHECKOUT } from '../../support/project.mjs';
import { findRealTerminal, findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, tiny } from '../../support/tiny.js';

useProject();

const external = (command: string, more = ''): string =>
  `\n  - id: outside\n    type: cli\n    command: ${command}\n${more}`;
const terminal = findTerminal();
const skipped = terminal === null;
const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';

function trust(recipe: string): void {
  const result = terminal?.(`dev-cli trust ${recipe}`, { cwd: project.root, env: project.env, answers: ['y'] });
  expect(result?.exit, result?.output).toBe(0);
}

/**
 * Runs a trusted recipe with one external command after a plain block; returns the answer to the plain block's
 * acknowledgement.
 */
function runExternal(command: string, more = '', env: NodeJS.ProcessEnv = {}): Document {
  const recipe = tiny(project, 'tiny', [PLAIN_BLOCK, external(command, more), END_BLOCK]);
  trust(recipe);
  expect(devCli(project, ['init', 'run-1', '--recipe', recipe]).code).toBe(0);
  const result = devCli(project, ['step', 'complete', 'run-1', '--action', 'a1'], { env });
  expect(result.code, result.stdout).toBe(0);
  return result.json;
}

/** Runs the printed poll until the pending action is no longer `running`. */
function poll(document: Document): Document {
  let answer: Document = document;
  for (let n = 0; n < 20; n += 1) {
    const action = (answer.next ?? answer) as Action;
    if (action.action !== 'running') return answer;
    answer = runPrinted(project, action.poll ?? '').json;
  }
  throw new Error('still running');
}

describe.skipIf(skipped)(`a command of a block with a title${suffix}`, () => {
  it('is named by it, in the answer, in status and in why the run halted', () => {
    const done = poll(runExternal('[node, -e, "process.exit(7)"]', '    title: Run all tests\n'));
    expect(done).toMatchObject({ ran: [{ block: 'outside', ok: false, summary: 'Run all tests: exit 7' }] });
    expect(nextOf(done).summary).toContain('Run all tests: exit 7');
    expect(devCli(project, ['status', 'run-1', '--text']).stdout).toMatch(/✗ outside +Run all tests: exit 7/);
    expect(devCli(project, ['recipe', 'show', 'tiny', '--text']).stdout).toContain('title: Run all tests');
  });
});

describe.skipIf(skipped)(`a clock that is set back while a command is waited for${suffix}`, () => {
  it('draws no wait out', () => {
    const recipe = tiny(project, 'tiny', [external('node -e "setTimeout(() => {}, 120000)"')]);
    trust(recipe);
    const env = { DEV_CLI_ANSWER_WITHIN: '0' };
    expect(nextOf(devCli(project, ['init', 'run-1', '--recipe', recipe], { env }).json).action).toBe('running');
    const hook = join(CHECKOUT, 'tests/adversarial/binary/hooks/shifted-clock.cjs');
    // The clock goes back by an hour each time it is read: a wait measured by it would take hours.
    const waited = spawnDevCli(project, ['next', 'run-1', '--wait', '1'], {
      env: { NODE_OPTIONS: `--require=${hook}`, TEST_CLOCK_BACK: '1' },
    });
    expect(waited.json, waited.stdout).toMatchObject({ action: 'running', actionId: 'a1' });
    expect(devCli(project, ['abort', 'run-1', '--reason', 'seen']).code).toBe(0);
  });
});

describe.skipIf(skipped)(`how long a call takes where Codex calls${suffix}`, () => {
  const seconds = (from: number): number => (performance.now() - from) / 1000;

  it.each(['CODEX_CI', 'CODEX_THREAD_ID'])(
    '%s: eight seconds, whatever --wait says; the printed poll fits',
    async (mark) => {
      const recipe = tiny(project, 'tiny', [external('node -e "setTimeout(() => {}, 3600000)"')]);
      trust(recipe);
      const other = ['init', 'other', '--recipe', recipe];
      expect(devCli(project, other, { env: { DEV_CLI_ANSWER_WITHIN: '0' } }).code).toBe(0);
      // Beside a call that waits for 20 seconds, the one that answers first waits for less, however slow both are.
      const longer = devCliAsync(project, ['next', 'other', '--wait', '20']);
      const begun = performance.now();
      const call = devCliAsync(project, ['init', 'run-1', '--recipe', recipe], { env: { [mark]: 'yes' } });
      const first = await Promise.race([longer, call]);
      expect(nextOf(first.json), first.stdout).toMatchObject({
        action: 'running',
        poll: 'dev-cli next run-1 --wait 8',
      });
      expect(seconds(begun)).toBeGreaterThan(7);

      const within = { [mark]: 'yes', DEV_CLI_ANSWER_WITHIN: '2' };
      const polled = performance.now();
      expect(devCli(project, ['next', 'run-1', '--wait', '3600'], { env: within }).json).toMatchObject({
        action: 'running',
      });
      expect(seconds(polled)).toBeGreaterThan(1.5);
      await longer;
      for (const run of ['run-1', 'other']) expect(devCli(project, ['abort', run, '--reason', 'seen']).code).toBe(0);
    },
  );
});

describe('trust (protocol.md §4)', () => {
  it('an external command of the project is refused before it runs, and nothing is left behind', () => {
    const recipe = tiny(project, 'tiny', [external('touch ran.txt'), END_BLOCK]);
    const result = devCli(project, ['init', 'run-1', '--recipe', recipe]);
    expect([result.code, result.json.error?.code]).toEqual([3, 'RECIPE_UNTRUSTED']);
    expect(result.json.error).toMatchObject({ answer: `dev-cli trust ${recipe}` });
    expect(result.json.error?.fix).not.toContain('trust');
    expect(existsSync(join(project.root, 'ran.txt'))).toBe(false);
    expect(existsSync(runDir(project, 'run-1'))).toBe(false);
  });

  it.skipIf(skipped)(`a yes that was typed before the question is no answer to it${suffix}`, () => {
    const recipe = tiny(project, 'tiny', [external('node --version'), END_BLOCK]);
    const typed = { cwd: project.root, env: project.env, ahead: 'y\n', answers: ['n'] };
    expect(terminal?.(`dev-cli trust ${recipe}`, typed).output).toContain(
      `RECIPE_UNTRUSTED: "${recipe}" was not trusted`,
    );
    expect(devCli(project, ['init', 'run-1', '--recipe', recipe]).json.error?.code).toBe('RECIPE_UNTRUSTED');
  });

  it('what would run is told with its line breaks', () => {
    const recipe = tiny(project, 'tiny', [external('[sh, -c, "exit 1\\ngrep -r x\\n", "a b"]'), END_BLOCK]);
    const { error } = devCli(project, ['init', 'run-1', '--recipe', recipe]).json;
    expect(error?.details).toMatchObject([{ target: 'sh -c "exit 1\\ngrep -r x\\n" \'a b\'' }]);
  });

  it('trust needs a terminal', () => {
    tiny(project, 'tiny', [external('touch ran.txt'), END_BLOCK]);
    const result = devCli(project, ['trust', 'tiny']);
    expect([result.code, result.json.error?.code]).toEqual([3, 'TERMINAL_REQUIRED']);
    expect(imageOf({ ...project, root: project.home }, '.')).toEqual({});
  });

  it.skipIf(skipped)(`is given once, by digest, outside the project; a changed recipe needs it anew${suffix}`, () => {
    const before = imageOf(project);
    const recipe = tiny(project, 'tiny', [external('touch ran.txt'), END_BLOCK]);
    trust(recipe);
    expect(Object.keys(imageOf(project)).sort()).toEqual([...Object.keys(before), '.dev/recipes/tiny.yaml'].sort());
    expect(devCli(project, ['init', 'run-1', '--recipe', recipe]).code).toBe(0);
    expect(existsSync(join(project.root, 'ran.txt'))).toBe(true);
    tiny(project, 'tiny', [external('touch other.txt'), END_BLOCK]);
    const changed = devCli(project, ['init', 'run-2', '--recipe', recipe]);
    expect([changed.code, changed.json.error?.code]).toEqual([3, 'RECIPE_UNTRUSTED']);
    expect(existsSync(join(project.root, 'other.txt'))).toBe(false);
  });

  it('recipes without external commands need none', () => {
    const recipe = tiny(project, 'tiny', [PLAIN_BLOCK, END_BLOCK]);
    expect(devCli(project, ['init', 'run-1', '--recipe', recipe]).code).toBe(0);
  });
});

describe.skipIf(skipped)(`external commands (protocol.md §4)${suffix}`, () => {
  it('run on the way, without a shell, with a log; started and finished are two entries with one key', () => {
    const answer = poll(runExternal('node -e "console.log(process.argv[1])" \'a b;$HOME\''));
    expect(((answer.next ?? answer) as Action).block).toBe('last');
    const logs = readdirSync(runDir(project, 'run-1'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.log'),
    );
    expect(logs).toHaveLength(1);
    expect(readFileSync(join(runDir(project, 'run-1'), logs[0] ?? ''), 'utf8')).toContain('a b;$HOME');
    const entries = journalOf(project, 'run-1').filter(({ data }) => JSON.stringify(data).includes('key'));
    expect(entries.length).toBeGreaterThanOrEqual(2);
  });

  it('one that outlasts a call is shown as running with a poll, and finished by a later call', {
    timeout: 120_000,
  }, () => {
    const answer = runExternal('node -e "setTimeout(() => {}, 3000)"', '', { DEV_CLI_ANSWER_WITHIN: '2' });
    const action = nextOf(answer);
    expect(action).toMatchObject({
      action: 'running',
      block: 'outside',
      commands: [{ run: expect.any(Array), log: expect.any(String), startedAt: expect.any(String) }],
    });
    expect(action.poll).toBe('dev-cli next run-1 --wait 2');
    expect(devCli(project, ['next', 'run-1']).json).toEqual(action);
    expect(runPrinted(project, action.poll ?? '').json.block).toBe('last');
  });

  it('a failing one is onError, not an error of the acknowledgement', () => {
    const answer = poll(runExternal('node -e "console.error(\'broken here\'); process.exit(3)"'));
    const done = (answer.next ?? answer) as Action;
    expect(done).toMatchObject({ done: true, outcome: 'halted' });
    expect(JSON.stringify(done)).toMatch(/exit 3|exit code 3|exited with 3/);
    expect(stateOf(project, 'run-1').steps['outside']?.status).toBe('failed');
  });

  it('continue goes on after a failure; a program that does not exist is a failure', () => {
    const answer = poll(runExternal('no-such-program-anywhere --x', '    onError: continue\n'));
    expect(((answer.next ?? answer) as Action).block).toBe('last');
    expect(stateOf(project, 'run-1').steps['outside']?.status).toBe('failed');
  });

  it('a timeout ends it', () => {
    const answer = poll(runExternal('node -e "setTimeout(() => {}, 3600000)"', '    timeout: 1\n'));
    const done = (answer.next ?? answer) as Action;
    expect(done).toMatchObject({
      done: true,
      outcome: 'halted',
      summary: expect.stringContaining('timed out after 1 s'),
    });
  });

  it('abort ends the process group', async () => {
    const script = "require('fs').writeFileSync('pid.txt', String(process.pid)); setTimeout(() => {}, 60000)";
    writeProjectFile(project, 'slow.cjs', script);
    const recipe = tiny(project, 'tiny', [PLAIN_BLOCK, external('node slow.cjs', '    timeout: 60\n'), END_BLOCK]);
    trust(recipe);
    devCli(project, ['init', 'run-1', '--recipe', recipe]);
    // The acknowledgement waits for the command, while another terminal aborts the run.
    const waiting = devCliAsync(project, ['step', 'complete', 'run-1', '--action', 'a1']);
    for (let n = 0; n < 100 && !existsSync(join(project.root, 'pid.txt')); n += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    const pid = Number(readFileSync(join(project.root, 'pid.txt'), 'utf8'));
    expect(devCli(project, ['abort', 'run-1', '--reason', 'enough']).code).toBe(0);
    await waiting;
    for (let n = 0; n < 50 && alive(pid); n += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(alive(pid)).toBe(false);
    expect(stateOf(project, 'run-1').status).toBe('aborted');
  });

  it('shell syntax without `shell: true` is a lint error', () => {
    const recipe = tiny(project, 'tiny', [external('npm test && touch ran.txt'), END_BLOCK]);
    const result = devCli(project, ['init', 'run-1', '--recipe', recipe]);
    expect([result.code, result.json.error?.code]).toEqual([3, 'RECIPE_INVALID']);
  });

  it('a check of a document of the run judges the document that there is', () => {
    const note = join(project.root, '.dev/specs/run-1/NOTE.md');
    const again =
      '\n  - id: again\n    type: llm\n    instruction: Judge.\n    choices: [{ id: back, label: again, goto: think }, { id: on, label: on, goto: next }]\n';
    const recipe = tiny(project, 'tiny', [
      PLAIN_BLOCK,
      external('grep -q Removal .dev/specs/run-1/NOTE.md', '    onError: halt\n'),
      again,
      END_BLOCK,
    ]);
    trust(recipe);
    devCli(project, ['init', 'run-1', '--recipe', recipe]);
    writeFileSync(note, 'Removal\n');
    const first = poll(devCli(project, ['step', 'complete', 'run-1', '--action', 'a1']).json);
    const { actionId } = (first.next ?? first) as Action;
    const back = devCli(project, ['step', 'complete', 'run-1', '--action', actionId, '--choice', 'back']).json;
    writeFileSync(note, 'Nothing\n');
    const second = devCli(project, ['step', 'complete', 'run-1', '--action', back.next?.actionId ?? '']).json;
    expect(poll(second).next ?? second).toMatchObject({ done: true, outcome: 'halted' });
  });

  it('the same command on the same tree is reused within a run, and shown as reused', () => {
    writeFileSync(join(project.root, '.gitignore'), 'count.txt\n');
    writeProjectFile(project, 'count.cjs', "require('fs').appendFileSync('count.txt', 'x')");
    const recipe = tiny(project, 'tiny', [
      PLAIN_BLOCK,
      external('node count.cjs'),
      external('node count.cjs').replace('outside', 'outside2'),
      END_BLOCK,
    ]);
    trust(recipe);
    devCli(project, ['init', 'run-1', '--recipe', recipe]);
    const answer = poll(devCli(project, ['step', 'complete', 'run-1', '--action', 'a1']).json);
    expect(((answer.next ?? answer) as Action).block).toBe('last');
    expect(readFileSync(join(project.root, 'count.txt'), 'utf8')).toBe('x');
    expect(JSON.stringify(journalOf(project, 'run-1'))).toContain('reused');
    expect(acknowledge(project, (answer.next ?? answer) as Action).code).toBe(0);
  });

  it(`a person's time to think is not taken from the time of the call${suffix}`, () => {
    const gate =
      '\n  - id: approve\n    type: wait-for-user\n    human: required\n    message: Is this right?\n    choices: [approve]\n';
    const recipe = tiny(project, 'tiny', [gate, external('sleep 1'), END_BLOCK]);
    trust(recipe);
    expect(devCli(project, ['init', 'run-1', '--recipe', recipe]).code).toBe(0);
    const env = { ...project.env, DEV_CLI_ANSWER_WITHIN: '3' };
    const person = { cwd: project.root, env, answers: ['approve'], pause: 4000 };
    const answered = findRealTerminal()?.('dev-cli approve run-1', person);
    expect(answered?.exit, answered?.output).toBe(0);
    expect(stateOf(project, 'run-1').pendingAction).toMatchObject({ block: 'last' });
  });
});

/** Whether a process still exists; a zombie does not count. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}
