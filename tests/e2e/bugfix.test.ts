import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../support/agent.mjs';
import { type Document, devCli, nextOf, runPrinted } from '../support/cli.js';
import { freshProjects } from '../support/fresh.js';
import { CHECKOUT, type Project } from '../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

// Tries the shipped recipe for bugs on a real bug in the sample: PATCH /todos/0x1 changes to-do 1.

const fresh = freshProjects();
const terminal = findTerminal();
const skipped = terminal === null;

const BUG = {
  seen: 'PATCH /todos/0x1 changes to-do 1',
  expected: '404, as for any id that is none',
  cause: 'src/routes.js:29 takes whatever Number() makes of the id',
  approach: 'Ids are digits; nothing else changes.',
  reproduction: 'test/ids.test.js',
  command: 'node --test test/ids.test.js',
  suite: 'npm test',
};

const SOLUTION = join(CHECKOUT, 'samples/fix-todo-id/todo-1');

const bringTest = (project: Project) =>
  cpSync(join(SOLUTION, 'test/ids.test.js'), join(project.root, 'test/ids.test.js'));
const bringFix = (project: Project) => cpSync(join(SOLUTION, 'src/routes.js'), join(project.root, 'src/routes.js'));

function write(project: Project, path: string, text: string): void {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), text);
}

/** Returns the action in a command's answer; the answer of `next` is the action itself. */
const actionOf = (json: Document): Action => json.next ?? (json as unknown as Action);

/** Runs a printed command, and polls while dev-cli runs commands of its own. */
function go(project: Project, line = ''): { ran: NonNullable<Document['ran']>; next: Action } {
  let { json } = runPrinted(project, line);
  const ran = [...(json.ran ?? [])];
  let next = actionOf(json);
  while (next.action === 'running') {
    ({ json } = runPrinted(project, next.poll ?? ''));
    ran.push(...(json.ran ?? []));
    next = actionOf(json);
  }
  return { ran, next };
}

/** Answers the gate as a person at a terminal. */
function answer(project: Project, choice: string, typed = ['yes']): Action {
  const said = terminal?.(`dev-cli approve fix-id --choice ${choice} --text`, {
    cwd: project.root,
    env: project.env,
    answers: typed,
  });
  expect(said?.exit, said?.output).toBe(0);
  return go(project, 'dev-cli next fix-id').next;
}

const begin = (project: Project): Action =>
  nextOf(devCli(project, ['init', 'fix-id', '--recipe', 'bugfix', '--goal', `${BUG.seen}; it should not.`]).json);

function handIn(project: Project, { data, ack }: Action, bug: object = BUG) {
  write(project, data?.write ?? '', JSON.stringify(bug));
  return runPrinted(project, ack ?? '');
}

function judge(project: Project, { agents = [], ack }: Action, verdict: string) {
  const head = `agent: code-reviewer\ntimestamp: 2026-11-21T10:00:00Z\nsummary: "Judged."\nverdict: ${verdict}`;
  write(project, agents[0]?.output ?? '', `---\n${head}\n---\n\n- to-do 01 is changed, too.\n`);
  return go(project, ack);
}

describe.skipIf(skipped)(`a bug is mended${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`, () => {
  it('after its test was red, until it and all others are green and a reviewer is content', () => {
    const project = fresh();
    bringTest(project);
    const gate = nextOf(handIn(project, begin(project)).json);
    expect(gate).toMatchObject({ block: 'agree', human: 'required' });
    for (const said of Object.values(BUG)) expect(gate.message).toContain(said);

    const mend = answer(project, 'mend');
    expect(mend).toMatchObject({ block: 'mend', action: 'llm' });
    const { ran, next: again } = go(project, mend.ack);
    expect(ran).toMatchObject([{ block: 'green', ok: false }]);
    expect(again).toMatchObject({ block: 'mend' });
    // The step that runs the new test succeeds because the test fails, as it must before the fix.
    expect(devCli(project, ['status', 'fix-id']).stdout).toContain('Run the new test, which must fail: as expected');
    expect(again.read?.map((path) => readFileSync(join(project.root, path), 'utf8')).join('\n')).toContain('0x1');

    bringFix(project);
    const { ran: proofs, next: review } = go(project, again.ack);
    expect(proofs).toMatchObject([
      { block: 'green', ok: true },
      { block: 'suite', ok: true },
    ]);
    expect(review).toMatchObject({ block: 'review', action: 'dispatch-subagents' });
    const { next: sentBack } = judge(project, review, 'REJECT');
    expect(sentBack).toMatchObject({ block: 'mend', read: expect.arrayContaining([review.agents?.[0]?.output]) });
    const { next: second } = go(project, sentBack.ack);
    const { next: done } = judge(project, second, 'OKAY');
    expect(done).toMatchObject({ done: true, outcome: 'completed', instruction: expect.stringContaining('commit') });
  });

  it('not where the test passes before the fix: the person is asked about another one', () => {
    const project = fresh();
    bringTest(project);
    bringFix(project);
    handIn(project, begin(project));
    const back = answer(project, 'mend');
    expect(back).toMatchObject({ block: 'reproduce' });
    expect(back.read?.map((path) => readFileSync(join(project.root, path), 'utf8')).join('\n')).toContain(
      'It passes: this shows no bug.',
    );
    const gate = nextOf(handIn(project, back, { ...BUG, command: 'node --test test/none.test.js' }).json);
    expect(gate).toMatchObject({ block: 'agree', message: expect.stringContaining('none.test.js') });
  });

  it('and no command runs before a person has read it', () => {
    const project = fresh();
    const ran = join(project.root, 'ran');
    const harmful = { ...BUG, command: `touch ${ran}` };
    const { json } = handIn(project, begin(project), harmful);
    expect(nextOf(json).message).toContain(`touch ${ran}`);
    const refused = devCli(project, ['step', 'complete', 'fix-id', '--action', 'a2', '--choice', 'mend']);
    expect(refused.json.error?.code).toBe('HUMAN_REQUIRED');
    // Only the accepted command may run: the file now holds one that the person was not asked about.
    write(project, '.dev/specs/fix-id/bug.json', JSON.stringify({ ...harmful, command: `touch ${ran}-too` }));
    const said = terminal?.('dev-cli approve fix-id --choice mend --text', {
      cwd: project.root,
      env: project.env,
      answers: ['yes'],
    });
    expect(said?.output).toMatch(/changed/);
    expect(() => readFileSync(ran)).toThrow();
  });

  it.each(['a\u0007b', 'npm test\nrm -rf x', 'npm test \u202e', '-x', ' npm test', ''])(
    'nor is a command taken that a person could misread: %j',
    (command) => {
      const project = fresh();
      const { code, json } = handIn(project, begin(project), { ...BUG, command });
      expect([code, json.error?.code]).toEqual([3, 'SCHEMA_INVALID']);
    },
  );
});
