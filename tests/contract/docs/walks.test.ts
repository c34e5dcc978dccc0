import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshProjects } from '../../support/fresh.js';
import { CHECKOUT } from '../../support/project.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, deliver, startTiny } from '../../support/tiny.js';
import { matches, type Step, stepsOf, tagged, take } from './walk.js';

const fresh = freshProjects();
const freshProject = () => tagged(fresh());

const needsTerminal = (step: Step) => step.kind === 'run' && step.terminal;
const WALKS = [
  'README.md',
  'docs/authoring.md',
  'docs/authoring-tools.md',
  'docs/own-handlers.md',
  'docs/getting-started.md',
  'docs/loop.md',
  'docs/memory.md',
  'docs/shared-plan.md',
];

describe('the walks of the docs', () => {
  for (const page of WALKS) {
    const left = stepsOf(page).some(needsTerminal) && findRealTerminal() === null;
    it.skipIf(left)(`go as ${page} says${left ? ` (skipped: ${NO_TERMINAL})` : ''}`, () => {
      const steps = stepsOf(page);
      expect(steps.filter(({ kind }) => kind === 'run').length).toBeGreaterThan(
        page === 'docs/authoring.md' || page === 'docs/getting-started.md' ? 4 : 3,
      );
      const project = freshProject();
      for (const step of steps) expect(take(step, project)).toBeNull();
    });
  }

  it('the failure in docs/run-protocol.md is what a refusal prints', () => {
    const page = readFileSync(join(CHECKOUT, 'docs/run-protocol.md'), 'utf8');
    const [, sample = ''] = /^A failure:\n\n```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const project = freshProject();
    const agents = ['gap-analyzer', 'tradeoff-analyzer', 'verification-planner'].map(
      (type) => `{ type: ${type}, prompt: Look., output: 'analysis/${type.split('-')[0]}.md' }`,
    );
    const action = startTiny(project, [`\n  - { id: a, type: subagent, agents: [${agents.join(', ')}] }\n`]);
    deliver(project, action, ['tradeoff-analyzer', 'verification-planner']);
    const { code, stdout } = acknowledge(project, action);
    expect(code).toBe(3);
    const told = sample.replaceAll('add-auth', 'run-1').replaceAll('a6', 'a1');
    expect(matches(told, stdout), `${told}\nis not\n${stdout}`).toBe(true);
  });

  it('would notice an answer that is no longer so', () => {
    const project = freshProject();
    const run = { kind: 'run', command: 'dev-cli list', exit: 0, terminal: false } as const;
    expect(take({ ...run, expected: 'No runs yet. …' }, project)).toBeNull();
    expect(take({ ...run, expected: 'No runs here. …' }, project)).toContain('printed');
    expect(take({ ...run, expected: '…', exit: 3 }, project)).toContain('exit 0');
    expect(matches('{ "a": 1, … "c": 3 }', '{"a":1,"b":2,"c":3}\n')).toBe(true);
    expect(matches('{ "a": 1, … "c": 4 }', '{"a":1,"b":2,"c":3}\n')).toBe(false);
  });

  it('lint clean in every recipe that is not wrong on purpose, and not in the others', () => {
    for (const page of WALKS) {
      const project = freshProject();
      for (const step of stepsOf(page)) {
        if (step.kind === 'run') continue;
        take(step, project);
        if (step.kind !== 'file' || !/^\.dev\/(recipes|agents)\//.test(step.path) || !step.wrong) continue;
        expect(
          take({ kind: 'run', command: 'dev-cli recipe lint', expected: '…', exit: 3, terminal: false }, project),
        ).toBeNull();
      }
      expect(
        take({ kind: 'run', command: 'dev-cli recipe lint', expected: '…', exit: 0, terminal: false }, project),
      ).toBeNull();
    }
  });
});
