import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { type Document, devCli, nextOf, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, choose, END_BLOCK, PLAIN_BLOCK, tiny } from '../../support/tiny.js';

// An external command as the exit check of a loop (recipes.md, Loops): the round is judged once the command has ended.

useProject();

const terminal = findTerminal();
const skipped = terminal === null;
const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';

const CHECK = `["node", "-e", "const there = require('node:fs').existsSync('green'); console.log('looked', there); process.exit(there ? 0 : 3)"]`;
const loop = (more = '', check = CHECK) => `
  - id: mend
    type: llm-loop
    instruction: Mend it.
    exitCheck: ${check}
${more}`;
const LATE = { DEV_CLI_ANSWER_WITHIN: '0' };

function start(blocks: string[], head = ''): Action {
  const recipe = tiny(project, 'tiny', blocks, head);
  const result = terminal?.(`dev-cli trust ${recipe}`, { cwd: project.root, env: project.env, answers: ['y'] });
  expect(result?.exit, result?.output).toBe(0);
  return nextOf(devCli(project, ['init', 'run-1', '--recipe', recipe, '--goal', 'Mend it']).json);
}

function settle(first: Document): Document {
  let answer = first;
  while (nextOf(answer).action === 'running') {
    const polled = runPrinted(project, nextOf(answer).poll ?? '').json;
    answer = polled.next === undefined ? { ...polled, next: polled as unknown as Action } : polled;
  }
  return answer;
}
const go = (action: Action) => settle(acknowledge(project, action).json);
const makeGreen = () => writeFileSync(join(project.root, 'green'), '');
const text = (path = '') => readFileSync(join(project.root, path), 'utf8');
const step = () => stateOf(project, 'run-1').steps['mend'];

describe.skipIf(skipped)(`an external exit check${suffix}`, () => {
  it('ends the loop when it passes; there is nothing to hand in', () => {
    const action = start([loop(), END_BLOCK]);
    expect(action).toMatchObject({ action: 'llm-loop', round: 1, ack: 'dev-cli step complete run-1 --action a1' });
    expect(action.data).toBeUndefined();
    makeGreen();
    const answer = go(action);
    expect(answer).toMatchObject({ completed: 'mend', ran: [{ block: 'mend', ok: true }] });
    expect(nextOf(answer).block).toBe('last');
    expect(step()).toMatchObject({ status: 'done', round: 1 });
  });

  it('leads to another round when it fails, with its log in read', () => {
    const answer = go(start([loop(), END_BLOCK]));
    const second = nextOf(answer);
    expect(answer).toMatchObject({
      completed: null,
      round: { n: 1, passed: false },
      ran: [{ block: 'mend', ok: false }],
    });
    expect(second).toMatchObject({
      block: 'mend',
      actionId: 'a3',
      round: 2,
      read: ['.dev/specs/run-1/actions/a2/command.log'],
    });
    expect(text(second.read?.[0])).toBe('looked false\n');
    makeGreen();
    expect(nextOf(go(second)).block).toBe('last');
  });

  it('that takes longer than the call leaves the round running, and any later call judges it', () => {
    const action = start([loop(), END_BLOCK]);
    const running = runPrinted(project, action.ack ?? '', { env: LATE }).json;
    expect(running).toMatchObject({ completed: null, next: { action: 'running', block: 'mend', actionId: 'a2' } });
    expect(acknowledge(project, action).json.duplicate).toBe(true);
    expect(nextOf(settle({ next: nextOf(running) }))).toMatchObject({ block: 'mend', round: 2 });
  });

  it('goes to onError at the bound', () => {
    const action = start([loop('    maxRounds: 1\n    onError: continue\n'), END_BLOCK]);
    const answer = go(action);
    expect(nextOf(answer).block).toBe('last');
    expect(answer.warnings?.join()).toContain('mend did not pass within 1 round');
    expect(step()).toMatchObject({ status: 'failed' });
  });

  it('halts at the bound, and says why', () => {
    const answer = go(start([loop('    maxRounds: 1\n'), END_BLOCK]));
    expect(answer.next).toMatchObject({ done: true, outcome: 'halted', failed: [{ id: 'mend' }] });
    expect(JSON.stringify(answer.next)).toContain('exit 3');
  });

  it('goes back to the block that revise names', () => {
    const again = nextOf(
      go(nextOf(acknowledge(project, start([PLAIN_BLOCK, loop('    revise: think\n'), END_BLOCK])).json)),
    );
    expect(again).toMatchObject({ block: 'think', read: ['.dev/specs/run-1/actions/a3/command.log'] });
  });

  it('stands beside exitWhen: both have to hold', () => {
    const action = start([loop('    exitWhen: round > 1\n'), END_BLOCK]);
    makeGreen();
    const second = nextOf(go(action));
    expect(second).toMatchObject({ block: 'mend', round: 2 });
    expect(nextOf(go(second)).block).toBe('last');
  });

  it('judges data that the round has handed in', () => {
    writeProjectFile(
      project,
      '.dev/recipes/v.json',
      JSON.stringify({ type: 'object', properties: { n: { type: 'string' } } }),
    );
    const check = '["node", "-e", "process.exit(process.argv[1] === \'2\' ? 0 : 1)", "--", "{blocks.mend.data.n}"]';
    const first = start([loop('    schema: v.json\n', check), END_BLOCK]);
    writeProjectFile(project, first.data?.write ?? '', '{ "n": "1" }');
    const second = nextOf(go(first));
    expect(second.round).toBe(2);
    writeProjectFile(project, second.data?.write ?? '', '{ "n": "2" }');
    expect(nextOf(go(second)).block).toBe('last');
  });

  it('with a value that is unset is a round that did not pass, and says so', () => {
    writeProjectFile(
      project,
      '.dev/recipes/v.json',
      JSON.stringify({ type: 'object', properties: { n: { type: 'string' } } }),
    );
    const first = start([loop('    schema: v.json\n', '["true", "{blocks.mend.data.n}"]'), END_BLOCK]);
    writeProjectFile(project, first.data?.write ?? '', '{}');
    const answer = acknowledge(project, first).json;
    expect(answer).toMatchObject({ completed: null, round: { n: 1, passed: false }, ran: [{ ok: false }] });
    expect(text(nextOf(answer).read?.[0])).toContain('{blocks.mend.data.n} is not set');
  });

  it('of a loop with the user becomes the gate at its bound', () => {
    const asking = loop(
      '    asks: user\n    save: dev-cli draft update {name}\n    sections: [boundaries]\n    maxRounds: 1\n',
    );
    const first = start([asking, END_BLOCK]);
    writeProjectFile(project, first.data?.write ?? '', '## boundaries\n\nNothing else.\n');
    const filled = nextOf(go(first));
    expect(filled).toMatchObject({ action: 'llm-loop', round: 2 });
    writeProjectFile(project, filled.data?.write ?? '', '## boundaries\n\nNothing else.\n');
    const gate = nextOf(go(filled));
    expect(gate.action).toBe('wait-for-user');
    expect(nextOf(choose(project, gate, 'continue').json).block).toBe('last');
  });

  it('is ended by an invalidate, and begins anew in a fork', () => {
    const action = start([loop('', '["node", "-e", "setTimeout(() => {}, 60000)"]'), END_BLOCK]);
    runPrinted(project, action.ack ?? '', { env: LATE });
    const again = devCli(project, ['step', 'invalidate', 'run-1', '--step', 'mend']);
    expect(nextOf(again.json)).toMatchObject({ action: 'llm-loop', actionId: 'a3' });
    runPrinted(project, nextOf(again.json).ack ?? '', { env: LATE });
    const fork = devCli(project, ['fork', 'run-1', '--at', String(stateOf(project, 'run-1').seq), '--as', 'run-2'], {
      env: LATE,
    });
    expect(fork.code, fork.stdout).toBe(0);
    expect(nextOf(fork.json)).toMatchObject({ run: 'run-2', action: 'running', block: 'mend' });
    for (const name of ['run-1', 'run-2']) expect(devCli(project, ['abort', name, '--reason', 'seen']).code).toBe(0);
  });
});

describe('a recipe with an external exit check', () => {
  it('is refused until it is trusted, and nothing of it runs', () => {
    const recipe = tiny(project, 'tiny', [loop('', 'touch ran-untrusted'), END_BLOCK]);
    const refused = devCli(project, ['init', 'run-1', '--recipe', recipe]);
    expect(refused.code).toBe(3);
    expect(refused.json.error?.code).toBe('RECIPE_UNTRUSTED');
    expect(refused.json.error?.details).toMatchObject([{ target: 'touch ran-untrusted' }]);
    expect(existsSync(join(project.root, 'ran-untrusted'))).toBe(false);
  });

  it('is shown whole, and what is shown loads again', () => {
    const recipe = tiny(project, 'tiny', [loop('    timeout: 20\n    cwd: src\n', 'npm test'), END_BLOCK]);
    const shown = devCli(project, ['recipe', 'show', recipe]).stdout;
    expect(shown).toMatch(/exitCheck:\n\s+- npm\n\s+- test/);
    expect(shown).toContain('timeout: 20');
    expect(devCli(project, ['next', 'nobody']).code).toBe(2);
  });
});
