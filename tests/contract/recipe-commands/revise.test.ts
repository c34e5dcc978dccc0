import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { type Document, devCli, journalOf, nextOf, runPrinted, stateOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, tiny } from '../../support/tiny.js';

// A failing command that leads back to an earlier block (recipes.md, Loops).

useProject();

const terminal = findTerminal();
const skipped = terminal === null;
const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';

/** A test command that passes once `green` exists, and prints whether it does. */
const TEST = `command: ["node", "-e", "const there = require('node:fs').existsSync('green'); console.log('looked', there); process.exit(there ? 0 : 3)"]`;
const testing = (more = '') => `\n  - id: test\n    type: cli\n    ${TEST}\n    revise: think\n${more}`;

function start(blocks: string[]): Action {
  const recipe = tiny(project, 'tiny', blocks);
  const result = terminal?.(`dev-cli trust ${recipe}`, { cwd: project.root, env: project.env, answers: ['y'] });
  expect(result?.exit, result?.output).toBe(0);
  return nextOf(devCli(project, ['init', 'run-1', '--recipe', recipe]).json);
}

/** Acknowledges, and polls until the pending action is no longer `running`. */
function go(action: Action): Document {
  let answer: Document = acknowledge(project, action).json;
  while (nextOf(answer).action === 'running') {
    const polled = runPrinted(project, nextOf(answer).poll ?? '').json;
    answer = polled.next === undefined ? { ...polled, next: polled as unknown as Action } : polled;
  }
  return answer;
}
const makeGreen = () => writeFileSync(join(project.root, 'green'), '');
const text = (path: string) => readFileSync(join(project.root, path), 'utf8');

describe.skipIf(skipped)(`a command with revise${suffix}`, () => {
  it('goes on when it passes', () => {
    const action = start([PLAIN_BLOCK, testing(), END_BLOCK]);
    makeGreen();
    expect(nextOf(go(action)).block).toBe('last');
    expect(stateOf(project, 'run-1').steps['test']).toMatchObject({ status: 'done', exit: 0 });
  });

  it('leads back when it fails: the log stands in read, the rounds are counted', () => {
    const first = start([PLAIN_BLOCK, testing(), END_BLOCK]);
    const answer = go(first);
    const again = nextOf(answer);
    expect(answer.ran).toMatchObject([{ block: 'test', ok: false }]);
    expect(again).toMatchObject({ block: 'think', actionId: 'a3', read: ['.dev/specs/run-1/actions/a2/command.log'] });
    expect(text(again.read?.[0] ?? '')).toBe('looked false\n');
    expect(stateOf(project, 'run-1').steps['test']).toMatchObject({ status: 'stale' });
    expect(stateOf(project, 'run-1').steps['test']).not.toHaveProperty('exit');
    makeGreen();
    expect(nextOf(go(again)).block).toBe('last');
    expect(stateOf(project, 'run-1').steps['test']).toMatchObject({ status: 'done', round: 2, exit: 0 });
    expect(journalOf(project, 'run-1').filter(({ type }) => type === 'round')).toHaveLength(1);
  });

  it('halts at the bound', () => {
    let answer = go(start([PLAIN_BLOCK, testing('    maxRounds: 2\n'), END_BLOCK]));
    expect(nextOf(answer).block).toBe('think');
    answer = go(nextOf(answer));
    expect(answer.next).toMatchObject({ done: true, outcome: 'halted', failed: [{ id: 'test' }] });
  });

  it('goes on at the bound where onError says so, with a warning', () => {
    const action = start([PLAIN_BLOCK, testing('    maxRounds: 1\n    onError: continue\n'), END_BLOCK]);
    const answer = go(action);
    expect(nextOf(answer).block).toBe('last');
    expect(answer.warnings?.join()).toContain('test did not pass within 1 round');
    expect(stateOf(project, 'run-1').steps['test']).toMatchObject({ status: 'failed', exit: 3 });
  });

  it('has its bound anew after step invalidate', () => {
    go(nextOf(go(start([PLAIN_BLOCK, testing('    maxRounds: 2\n'), END_BLOCK]))));
    const again = nextOf(devCli(project, ['step', 'invalidate', 'run-1', '--step', 'think']).json);
    expect(nextOf(go(again)).block).toBe('think');
  });

  it('that cannot be started leads back, too, and says why', () => {
    const broken = testing().replace(TEST, 'command: [no-such-program]');
    const again = nextOf(go(start([PLAIN_BLOCK, broken, END_BLOCK])));
    expect(again.block).toBe('think');
    expect(text(again.read?.[0] ?? '')).toMatch(/no-such-program/);
  });
});

describe('a command of dev-cli with revise', () => {
  it('leads back with what it found', () => {
    const check =
      '\n  - { id: test, type: cli, command: dev-cli check findings/one.md, revise: think, maxRounds: 2 }\n';
    const recipe = tiny(project, 'tiny', [PLAIN_BLOCK, check, END_BLOCK]);
    const action = nextOf(devCli(project, ['init', 'run-1', '--recipe', recipe]).json);
    const again = nextOf(acknowledge(project, action).json);
    expect(again).toMatchObject({ block: 'think', read: ['.dev/specs/run-1/actions/a2/command.log'] });
    expect(text(again.read?.[0] ?? '')).toContain('not written');
    expect(acknowledge(project, again).json.next).toMatchObject({ done: true, outcome: 'halted' });
  });
});
