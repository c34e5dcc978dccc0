import { describe, expect, it } from 'vitest';
import { imageOf, nextOf } from '../../support/cli.js';
import { closeTerminal } from '../../support/closed-terminal.js';
import { project, useProject } from '../../support/each-project.js';
import { findRealTerminal, findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, END_BLOCK, GATE_BLOCK, PLAIN_BLOCK, startTiny, tiny } from '../../support/tiny.js';
import { begin, doAll, git, making, planOf, RUN } from './executing.js';

// protocol.md §1: closing a terminal while it shows a question ends the call as interrupted. No answer counts as given,
// nothing is written, and Node does not abort because it cannot restore the terminal.

const NAME = 'run-1';
const COMMAND = '\n  - { id: outside, type: cli, command: "touch ran.txt" }\n';

useProject({ sample: null });

function openGate(): void {
  const think = startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK]);
  expect(nextOf(acknowledge(project, think).json).action).toBe('wait-for-user');
}

function holdAsPerson(): void {
  startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
  findTerminal()?.(`dev-cli hold ${NAME}`, { cwd: project.root, env: project.env });
}

/** A question: the setup, the call, the last text before the answer, and the environment of the terminal. */
type Question = [string, () => unknown, string[], RegExp, NodeJS.ProcessEnv?];

const QUESTIONS: Question[] = [
  ['a screen', openGate, ['status', NAME, '--watch'], /\?.*keys/, { TERM: 'xterm' }],
  ['home', openGate, [], /\?.*keys/, { TERM: 'xterm' }],
  ['a gate as a page', openGate, ['approve', NAME], /leave it open\)/, { TERM: 'xterm' }],
  ['a gate in plain lines', openGate, ['approve', NAME], /leave it open\)/, { TERM: 'dumb' }],
  ['an answer that was named', openGate, ['approve', NAME, '--choice', 'yes'], /Type yes/],
  ['trust', () => tiny(project, 'outside', [COMMAND]), ['trust', 'outside'], /y or n/],
  ['a release', holdAsPerson, ['release', NAME], /Type yes/],
  [
    'an undo',
    () =>
      doAll(project, begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] })))),
    ['step', 'undo', RUN, '--todo', 'todo-1'],
    /Type yes/,
  ],
  ['install', () => {}, ['install', '--harness', 'claude'], /y or n/],
];

describe.skipIf(findRealTerminal() === null).each([true, false])(
  `a terminal that is closed, SIGHUP %s${findRealTerminal() === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
  (hears) => {
    it.each(QUESTIONS)('at %s: interrupted, nothing is written', async (_, prepare, words, asked, env = {}) => {
      prepare();
      const before = [imageOf(project), git(project, 'status', '--porcelain'), git(project, 'rev-parse', 'HEAD')];
      const ended = await closeTerminal(project, words, { when: (shown) => asked.test(shown), hears, env });
      expect(ended).toEqual({ exit: 130, by: null });
      expect([imageOf(project), git(project, 'status', '--porcelain'), git(project, 'rev-parse', 'HEAD')]).toEqual(
        before,
      );
    });
  },
);
