import { describe, expect, it } from 'vitest';
import { ClaudeSession } from '../support/claude-session.mjs';
import { devCli } from '../support/cli.js';
import { freshProjects } from '../support/fresh.js';
import { type Answers, readAnswers, tellAnswers } from '../support/questions.mjs';

// The checks that `dev-cli demo handoff` relies on; tests/e2e/packed.test.ts plays the demo.

const create = freshProjects();

describe('the demonstration of a handoff', () => {
  it('finds each answer that is not the truth', () => {
    const project = create();
    devCli(project, ['memory', 'decide', '--text', 'Redis']);
    const context = JSON.parse(devCli(project, ['context', '--format', 'json']).stdout);
    const truth = readAnswers(context);
    expect(tellAnswers(context, truth, () => {})).toBe(0);
    for (const key of Object.keys(truth) as (keyof Answers)[]) {
      const said: string[] = [];
      expect(
        tellAnswers(context, { ...truth, [key]: ['something else'] }, (line) => said.push(line)),
        key,
      ).toBe(1);
      expect(said.filter((line) => line.includes('the truth is'))).toEqual([expect.stringContaining('something else')]);
    }
  });

  it('calls the hooks that stand in the settings, as the harness does', () => {
    const project = create();
    devCli(project, ['install', '--harness', 'claude', '--yes', '--json']);
    devCli(project, ['memory', 'decide', '--text', 'Redis']);
    const session = new ClaudeSession(project, 's-1');
    expect(session.start('startup')).toContain('Aim (m1): Redis');
    session.ask('Please build the cart');
    session.write('src/cart.js', '1;\n');
    expect(session.run('dev-cli memory decide --text Postgres').status).toBe(0);
    session.stop('It stands');
    expect(devCli(project, ['memory', 'show']).json).toMatchObject({
      requests: ['Please build the cart'],
      edited: [{ path: 'src/cart.js', is: 'changed' }],
      said: 'It stands',
      decisions: [{ text: 'Redis' }, { text: 'Postgres', by: { kind: 'agent', session: 's-1' } }],
    });
  });
});
