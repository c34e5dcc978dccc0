import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, nextOf } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { runLine } from '../../support/line.mjs';
import type { Project } from '../../support/project.mjs';
import { acknowledge, choose, END_BLOCK, GATE_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

// memory.md, Truth: the questions of real runs that wait for a person.

const create = freshProjects();
const document = (project: Project, ...args: string[]) => devCli(project, args).json as Record<string, unknown>;
const waiting = (project: Project) => document(project, 'memory', 'show')['waiting'];
const told = (project: Project) => JSON.parse(devCli(project, ['context', '--format', 'json']).stdout).extra.waiting;

/** Writes a handoff. Returns its answer and the text of its file. */
function handOver(project: Project) {
  const { status, path } = document(project, 'handoff', 'write');
  return { status, file: readFileSync(join(project.root, String(path)), 'utf8') };
}

const PERSON = GATE_BLOCK.replace('type: wait-for-user\n', 'type: wait-for-user\n    human: required\n');

describe.each([
  ['a person alone answers', PERSON],
  ['the agent asks', GATE_BLOCK],
])('a gate that %s', (_, gate) => {
  it('is told with the command that answers it, until it is answered', () => {
    const project = create();
    const { run } = nextOf(acknowledge(project, startTiny(project, [PLAIN_BLOCK, gate, END_BLOCK])).json);
    const answer = 'dev-cli approve run-1';
    const expected = [{ kind: 'gate', run, summary: 'Is it right?', since: expect.any(String), answer }];
    expect(waiting(project)).toEqual(expected);
    expect(told(project)).toEqual(expected);
    const { status, file } = handOver(project);
    expect(status).toBe('blocked');
    expect(file).toContain(`gate in run-1: Is it right? (since `);
    expect(file).toContain(answer);
    // The printed command answers the gate.
    const { exit, stdout } = runLine(answer, { cwd: project.root, env: project.env, typed: ['yes'] });
    expect(exit, stdout).toBe(0);
    expect([waiting(project), told(project)]).toEqual([[], []]);
  });
});

describe('a halted run', () => {
  it('is told with the reason and with the command that goes on', () => {
    const project = create();
    const gate = nextOf(acknowledge(project, startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK])).json);
    choose(project, gate, 'stop');
    const answer = 'dev-cli step invalidate run-1 --step confirm';
    const [halted, ...rest] = waiting(project) as { summary: string }[];
    expect(rest).toEqual([]);
    expect(halted).toMatchObject({ kind: 'halted', run: 'run-1', answer, summary: expect.stringContaining('confirm') });
    expect(told(project)).toEqual([halted]);
    const { status, file } = handOver(project);
    expect(status).toBe('blocked');
    expect(file).toContain(answer);
    expect(devCli(project, answer.split(' ').slice(1)).code).toBe(0);
    expect(waiting(project)).toMatchObject([{ kind: 'gate', run: 'run-1' }]);
  });
});
