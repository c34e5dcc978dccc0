import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { aCommand, aPlan, aTodo } from '../../core/plan/fixture.js';
import { devCli, nextOf, readStateFile, runDir, runPrinted, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { git } from '../../support/executing.js';
import { createProject } from '../../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { again, answered, begin, deliver, followed, judged, lose, part, told, worked } from '../../support/told.js';

// summary.md, report.md, `done` and warnings are correct (documents.md, summary.md and report.md).

const terminal = findTerminal();
const skipped = terminal === null;
const note = skipped ? ` (skipped: ${NO_TERMINAL})` : '';

useProject();

const SHIP = { verdict: 'SHIP', issues: [], summary: 'Good.' };
/**
 * A script that fails once if `.dev/red` exists. Creating and removing that file does not change the digest of the
 * tree, which leaves out `.dev`.
 */
const FLAKY = "const fs = require('fs'); if (fs.existsSync('.dev/red')) { fs.rmSync('.dev/red'); process.exit(1); }";
const report = () => told(project, 'report.md');

/** Builds a plan of two todos, the second after the first, each judged by one command. */
function twoTodos(first: object = {}, second: object = {}): PlanContent {
  return aPlan({
    todos: [
      aTodo('todo-1', {
        files: ['notes/one.txt'],
        acceptance: [aCommand('ac-1', ['test', '-f', 'notes/one.txt'])],
        ...first,
      }),
      aTodo('todo-2', {
        dependsOn: ['todo-1'],
        files: ['notes/two.txt'],
        acceptance: [aCommand('ac-1', ['test', '-f', 'notes/two.txt'])],
        ...second,
      }),
    ],
  });
}

describe('what the plan decided', () => {
  it('stands in the report, and what nobody confirmed before it and in done', () => {
    const plan = {
      ...twoTodos(),
      decisions: [
        { text: 'Keep one format.', reason: 'the callers know it', by: 'agent' as const },
        { text: 'No file is empty', reason: 'nobody said', by: 'assumed' as const },
      ],
    };
    const second = followed(
      project,
      begin(project, plan, ['--autopilot']),
      'todo-1',
      worked(project, { 'notes/one.txt': '1' }),
    );
    const review = followed(project, second, 'todo-2', worked(project, { 'notes/two.txt': '2' }));
    const done = followed(project, review, null, SHIP);
    expect(part(report(), 'For you to confirm')).toEqual(['No file is empty']);
    expect(part(report(), 'Decisions')).toContain('Keep one format, because the callers know it (agent, in the plan)');
    expect(done).toMatchObject({ results: { unconfirmed: 'No file is empty' } });
    expect(part(report(), 'Cost')).toEqual([
      expect.stringMatching(/^4 calls by agents, 3 prompts \(\d+\.\d kB\), \d+ s$/),
    ]);
  });
});

describe('the files that a run changed', () => {
  it('are those in its commits, and those that only a worker lists, told apart', () => {
    const first = begin(project, twoTodos(), ['--autopilot']);
    const second = followed(project, first, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    const blocked = { status: 'BLOCKED', reason: 'no way' };
    deliver(project, second, 'todo-2', worked(project, { './notes/two.txt': 'half' }, blocked));
    expect(part(report(), 'Changed files')).toEqual([
      'notes/one.txt',
      'notes/two.txt (listed by todo-2, in no commit of this run)',
    ]);
    expect(git(project, 'show', '--name-only', '--format=', 'HEAD')).toBe('notes/one.txt');
  });

  it('are told without a repository too, as what they are', () => {
    const bare = createProject({ git: false });
    try {
      const first = begin(bare, twoTodos({}, {}), ['--autopilot', '--quick']);
      const second = followed(bare, first, 'todo-1', worked(bare, { 'notes/one.txt': 'one' }));
      deliver(bare, second, 'todo-2', worked(bare, { 'notes/two.txt': 'two' }));
      const text = told(bare, 'report.md');
      expect(part(text, 'Changed files')).toEqual([
        'notes/one.txt (listed by todo-1, in no commit of this run)',
        'notes/two.txt (listed by todo-2, in no commit of this run)',
      ]);
      expect(part(text, 'Skipped or degraded').join('\n')).toContain('no repository that git could read');
      expect(part(text, 'Commits')).toEqual([]);
    } finally {
      bare.remove();
    }
  });
});

describe('a warning of files that nobody lists', () => {
  const stray = (answer: { warnings?: string[] }) =>
    (answer.warnings ?? []).filter((line) => line.includes('no result lists it'));

  it('is not given of a file that a blocked worker lists', () => {
    const first = begin(project, twoTodos(), ['--autopilot']);
    const blocked = { status: 'BLOCKED', reason: 'more is needed', needs: { files: ['notes/more.txt'] } };
    const files = { 'notes/one.txt': 'one', 'notes/more.txt': 'begun' };
    const answer = deliver(project, first, 'todo-1', worked(project, files, blocked));
    expect(stray(answer)).toEqual([]);
  });

  it('is not given in a later attempt of a file that an earlier one listed', () => {
    const first = begin(project, twoTodos(), ['--autopilot']);
    const red = worked(project, { 'notes/helper.txt': 'a helper' });
    const retry = followed(project, first, 'todo-1', red);
    expect(retry.tasks).toMatchObject([{ todoId: 'todo-1', attempt: 2 }]);
    const answer = deliver(project, retry, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    expect(stray(answer)).toEqual([]);
    expect(git(project, 'show', '--name-only', '--format=', 'HEAD').split('\n')).toContain('notes/helper.txt');
  });

  it('is not given of what a todo of the same wave left behind that has failed', () => {
    const plan = twoTodos({}, { dependsOn: [] });
    const first = begin(project, plan, ['--autopilot']);
    const left = worked(project, { 'notes/one.txt': 'half' }, { status: 'BLOCKED', reason: 'no way' });
    const rest = followed(project, first, 'todo-1', left);
    const answer = deliver(
      project,
      { ...first, ...rest, tasks: first.tasks },
      'todo-2',
      worked(project, { 'notes/two.txt': 'two' }),
    );
    expect(stray(answer)).toEqual([]);
  });

  it('is given of a file that really nobody lists', () => {
    const first = begin(project, twoTodos(), ['--autopilot']);
    writeProjectFile(project, 'notes/stray.txt', 'whose?');
    const answer = deliver(project, first, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    expect(stray(answer)).toEqual([expect.stringContaining('notes/stray.txt')]);
  });
});

describe('the evidence in the report', () => {
  it('names a log only while it is there', () => {
    const first = begin(project, twoTodos(), ['--autopilot']);
    const second = followed(project, first, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    const [, log = ''] =
      /\((actions\/\S+)\)/.exec(JSON.stringify(devCli(project, ['history', 'work', '--json']).json)) ?? [];
    const { log: kept } = readStateFile(project, 'work').engine.todos[0].evidence[0];
    expect(log === '' || log === kept).toBe(true);
    lose(project, kept);
    const review = followed(project, second, 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    deliver(project, review, null, SHIP);
    const lines = part(report(), 'Verification');
    expect(lines.find((line) => line.startsWith('todo-1 ac-1: '))).toMatch(/exit 0.*, tree [0-9a-f]{7}$/);
    for (const [, named = ''] of lines.join('\n').matchAll(/\((actions\/\S+)\)/g)) {
      expect(existsSync(join(runDir(project, 'work'), named)), named).toBe(true);
    }
    expect(lines.filter((line) => line.startsWith('final verification: '))).toHaveLength(2);
  });

  it('of a failed todo stands beside why it failed', () => {
    writeRecipe(
      project,
      'execute-once',
      'name: execute-once\ntype: engine\nconfig: { policies: { max_retries: 0 } }\n',
    );
    const first = begin(project, twoTodos(), ['--autopilot', '--recipe', 'execute-once']);
    deliver(project, first, 'todo-1', worked(project, {}));
    expect(part(report(), 'Failed')).toEqual([expect.stringMatching(/^todo-1: ac-1 .*exit 1.*; blocks todo-2$/)]);
    expect(part(report(), 'Verification')).toEqual([
      expect.stringMatching(/^todo-1 ac-1: test -f notes\/one\.txt: exit 1/),
    ]);
    expect(part(report(), 'Skipped or degraded')).toEqual(
      expect.arrayContaining([
        'codeReview: the run ended before this stage',
        'finalVerify: the run ended before this stage',
      ]),
    );
  });

  it('says that rules were kept only where a verifier judged them', () => {
    const first = begin(project, twoTodos({ mustNotDo: ['Touch the API.'] }), ['--autopilot']);
    const verify = followed(project, first, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    const kept = {
      mustNotDoViolations: [
        { rule: 'Touch the API.', violated: false, evidence: 'Read the whole diff; the API is not in it.' },
      ],
    };
    const second = followed(project, verify, 'todo-1', { ...judged('VERIFIED', [], 'Kept.'), ...kept });
    const review = followed(project, second, 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    deliver(project, review, null, SHIP);
    expect(part(report(), 'Verification')).toContain(
      'todo-1: its rule of what must not be done is kept, as a verifier judged',
    );
  });

  it('says of a person’s criterion that nobody judged it, where nobody was asked', () => {
    const first = begin(
      project,
      twoTodos({ acceptance: [{ id: 'hu-1', kind: 'human', text: 'It reads well.' }, aCommand('ac-1', ['true'])] }),
      ['--autopilot'],
    );
    const second = followed(project, first, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    const review = followed(project, second, 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    deliver(project, review, null, SHIP);
    expect(part(report(), 'Verification')).toContain('todo-1 hu-1: judged by nobody (autopilot): It reads well.');
  });

  it('says of todos whose boxes were ticked that this run did not do them, and what the final verification found', () => {
    begin(project, twoTodos(), ['--autopilot']);
    expect(devCli(project, ['abort', 'work', '--reason', 'by hand']).code).toBe(0);
    const path = join(runDir(project, 'work'), 'PLAN.md');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('### [ ]', '### [x]'));
    for (const name of ['one', 'two']) writeProjectFile(project, `notes/${name}.txt`, name);
    const done = again(project, ['--autopilot']);
    expect(done).toMatchObject({ action: 'done', outcome: 'completed' });
    expect(part(report(), 'Done')).toEqual([
      expect.stringContaining('not by this run: its box was already ticked'),
      expect.stringContaining('not by this run: its box was already ticked'),
    ]);
    expect(report()).not.toContain('a verifier judged');
    expect(part(report(), 'Skipped or degraded')).toContain('codeReview: skipped, this run did none of the todos');
    expect(part(report(), 'Verification')).toContainEqual(
      expect.stringMatching(/^final verification: todo-1 ac-1: .*exit 0/),
    );
  });
});

describe('handlers of the recipe’s own', () => {
  const RECIPE = `name: execute-own
type: engine
handlers:
  look_twice: { actor: subagent, agent: security-reviewer, after: verify }
`;

  it('have their verdicts in the report, attempt by attempt', () => {
    writeRecipe(project, 'execute-own', RECIPE);
    const first = begin(project, twoTodos(), ['--autopilot', '--recipe', 'execute-own']);
    const look = followed(project, first, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    expect(look.tasks).toMatchObject([{ todoId: 'todo-1', substep: 'lookTwice' }]);
    const seen = 'Read notes/one.txt line by line against the plan; the second line is missing there.';
    const retry = followed(
      project,
      look,
      'todo-1',
      judged('FAILED', [{ id: 'sec-1', pass: false, evidence: seen }], 'A line is missing.'),
    );
    const lookAgain = followed(project, retry, 'todo-1', worked(project, { 'notes/one.txt': 'one\ntwo' }));
    deliver(
      project,
      lookAgain,
      'todo-1',
      judged('VERIFIED', [{ id: 'sec-1', pass: true, evidence: seen }], 'All there.'),
    );
    expect(devCli(project, ['abort', 'work', '--reason', 'enough for today']).code).toBe(0);
    expect(part(report(), 'Verification').slice(1)).toEqual([
      'todo-1 lookTwice, attempt 1: FAILED; A line is missing.',
      'todo-1 lookTwice, attempt 2: VERIFIED; All there.',
    ]);
    expect(part(report(), 'On the way')).toEqual([
      expect.stringMatching(/^\S+Z: retried: todo-1: sec-1: Read notes/),
      expect.stringMatching(/^\S+Z: aborted: enough for today$/),
    ]);
  });

  it.skipIf(skipped)(`that run before the verification keep their evidence${note}`, () => {
    writeRecipe(
      project,
      'execute-own',
      'name: execute-own\ntype: engine\nhandlers:\n  look_first: { actor: cli, command: "test -d notes", after: worker }\n',
    );
    const trusted = terminal?.('dev-cli trust execute-own', { cwd: project.root, env: project.env, answers: ['y'] });
    expect(trusted?.exit, trusted?.output).toBe(0);
    const first = begin(project, twoTodos(), ['--autopilot', '--recipe', 'execute-own']);
    deliver(project, first, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    expect(devCli(project, ['abort', 'work', '--reason', 'enough']).code).toBe(0);
    const lines = part(report(), 'Verification');
    expect(lines).toEqual([
      expect.stringMatching(/^todo-1 lookFirst: test -d notes: exit 0/),
      expect.stringMatching(/^todo-1 ac-1: test -f notes\/one\.txt: exit 0/),
    ]);
  });
});

describe('what happened on the way', () => {
  it('tells of files that were granted, of halts and of what reopened them', () => {
    const first = begin(project, twoTodos(), ['--autopilot']);
    const more = { status: 'BLOCKED', reason: 'the index lists it', needs: { files: ['notes/index.txt'] } };
    const widened = followed(project, first, 'todo-1', worked(project, {}, more));
    const halted = followed(project, widened, 'todo-1', worked(project, {}, { status: 'BLOCKED', reason: 'no way' }));
    expect(halted).toMatchObject({ action: 'done', outcome: 'halted' });
    expect(report()).toMatch(/^Outcome: halted \(\d{4}-.*Z\)$/m);
    const reopened = nextOf(runPrinted(project, halted.resume ?? '').json) as typeof first;
    const second = followed(project, reopened, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    const review = followed(project, second, 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    deliver(project, review, null, SHIP);
    expect(report()).toMatch(/^Outcome: completed /m);
    expect(part(report(), 'On the way').map((line) => line.replace(/^\S+Z: /, ''))).toEqual([
      'widened: todo-1 may also touch notes/index.txt: the index lists it',
      'halted: todo-1: no way',
      'reopened: todo-1: done again',
    ]);
  });

  it.skipIf(skipped)(`tells what a person rejected, in their words${note}`, () => {
    const human = { id: 'hu-1', kind: 'human', text: 'It reads well.' } as const;
    begin(project, twoTodos({ acceptance: [human, aCommand('ac-1', ['true'])] }), []);
    const first = answered(project, 'approve');
    deliver(project, first, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    const retry = answered(project, 'fail', 'Too long; half of it says nothing.');
    deliver(project, retry, 'todo-1', worked(project, { 'notes/one.txt': 'short' }));
    const second = answered(project, 'pass');
    const review = followed(project, second, 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    deliver(project, review, null, SHIP);
    expect(part(report(), 'On the way')).toEqual([
      expect.stringMatching(/: rejected: todo-1, attempt 1, by a person: Too long; half of it says nothing\.$/),
    ]);
    expect(part(report(), 'Verification')).toContain('todo-1 hu-1: holds, as a person judged: It reads well.');
  });
});

describe('summary.md', () => {
  const summary = () => told(project, 'summary.md');

  it('of a decision that names the user in its middle, whoever writes it is told at once that it counts as the agent’s', () => {
    writeRecipe(
      project,
      'decide',
      `name: decide
type: sequential
blocks:
  - { id: decide, type: llm, instruction: Decide., sections: [decisions], save: 'dev-cli draft update {name}' }
  - { id: last, type: cli, command: 'dev-cli cleanup {name}' }
`,
    );
    expect(devCli(project, ['init', 'work', '--recipe', 'decide', '--goal', 'Add notes']).code).toBe(0);
    const bullets = '- Plain files (user). Turned down: a database\n- One format (user)\n';
    writeProjectFile(project, '.dev/d.md', `## decisions\n\n${bullets}`);
    const taken = devCli(project, ['step', 'complete', 'work', '--step', 'decide', '--data', '@.dev/d.md']);
    expect(taken.json.warnings).toEqual([
      expect.stringMatching(
        /^decisions: "Plain files \(user\)\. Turned down: a database" counts as the agent's\. .*\(user\)$/,
      ),
    ]);
    expect(part(summary(), 'Decisions')).toEqual([
      expect.stringMatching(/^Plain files \(user\)\. Turned down: a database \(agent, /),
      expect.stringMatching(/^One format \(user, /),
    ]);
  });

  it('is true at any time: what was decided stays, what is planned is not called verified, nothing of the future is denied', () => {
    writeRecipe(
      project,
      'specify-short',
      `name: specify-short
type: sequential
blocks:
  - { id: decide, type: llm, instruction: Decide., sections: [decisions], save: 'dev-cli draft update {name}' }
  - { id: write, type: llm+cli, instruction: Plan., write: plan-content.json, schema: plan-content, command: 'dev-cli plan generate {name} --data plan-content.json' }
  - { id: last, type: cli, command: 'dev-cli cleanup {name}' }
`,
    );
    expect(devCli(project, ['init', 'work', '--recipe', 'specify-short', '--goal', 'Add notes']).code).toBe(0);
    writeProjectFile(project, '.dev/d.md', '## decisions\n\n- Plain files (user)\n');
    expect(devCli(project, ['step', 'complete', 'work', '--step', 'decide', '--data', '@.dev/d.md']).code).toBe(0);
    writeProjectFile(project, '.dev/specs/work/plan-content.json', JSON.stringify(twoTodos()));
    expect(devCli(project, ['step', 'complete', 'work', '--step', 'write']).code).toBe(0);
    expect(summary()).toMatch(/^Outcome: completed \(.*Z\)$/m);
    expect(part(summary(), 'Verification')).toEqual([]);
    expect(part(summary(), 'Decisions')).toEqual([expect.stringMatching(/^Plain files \(user, .*Z\)$/)]);
    expect(summary()).not.toContain('implemented');
    const decided = part(summary(), 'Decisions');

    const first = again(project, ['--autopilot']);
    const halted = followed(project, first, 'todo-1', worked(project, {}, { status: 'BLOCKED', reason: 'no way' }));
    expect(summary()).toMatch(/^Outcome: halted /m);
    const second = nextOf(runPrinted(project, halted.resume ?? '').json) as typeof first;
    const third = followed(project, second, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    const review = followed(project, third, 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    const done = followed(project, review, null, SHIP);
    expect(done.artifacts).toContain('.dev/specs/work/summary.md');
    expect(summary()).toMatch(/^2 changed files, 2 commits\. All of it: \[report\.md\]\(report\.md\)$/m);
    expect(Buffer.byteLength(summary())).toBeLessThan(Buffer.byteLength(report()) / 2);
    expect(part(summary(), 'Done')).toEqual([expect.stringContaining('todo-1'), expect.stringContaining('todo-2')]);
    expect(part(summary(), 'Decisions')).toEqual(expect.arrayContaining(decided));
    expect(part(summary(), 'Changed files')).toEqual([]);
    expect(part(report(), 'Changed files')).toEqual(['notes/one.txt', 'notes/two.txt']);
  });
});

describe('a flag that cannot be taken', () => {
  it('is not said to contradict a recipe that says nothing of it, and the fix runs', () => {
    begin(project, twoTodos(), ['--autopilot']);
    const refused = devCli(project, ['init', 'work', '--execute', '--interactive']);
    expect([refused.code, refused.json.error?.code]).toEqual([2, 'MODE_CONTRADICTION']);
    expect(refused.json.error?.message).toBe(
      'The run "work" began as autopilot and keeps that mode: --interactive cannot change it.',
    );
    expect(runPrinted(project, refused.json.error?.fix ?? '').json).toMatchObject({ ok: true, status: 'resumed' });
    const stated = devCli(project, [
      'init',
      'other',
      '--recipe',
      'specify-quick-autopilot',
      '--standard',
      '--goal',
      'g',
    ]);
    expect(stated.json.error?.message).toContain('contradicts the recipe "specify-quick-autopilot"');
  });
});

describe('a command that is red and green on one tree', () => {
  it('is an open issue of the report, and what is used again is told with when it ran', () => {
    const flaky = aCommand('ac-1', ['node', '-e', FLAKY]);
    const first = begin(project, twoTodos({}, { acceptance: [flaky] }), ['--autopilot']);
    const second = followed(project, first, 'todo-1', worked(project, { 'notes/one.txt': 'one' }));
    const review = followed(project, second, 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    writeProjectFile(project, '.dev/red', '');
    const fix = followed(project, review, null, SHIP);
    expect(fix.tasks).toMatchObject([{ todoId: 'fix-r1-1' }]);
    const again = followed(project, fix, 'fix-r1-1', worked(project, {}));
    followed(project, again, null, SHIP);
    expect(part(report(), 'Open issues')).toEqual([
      expect.stringMatching(
        /^red and green on the same tree: todo-2 ac-1: node .*: exit 1 at \d{4}-\S+Z, on commit [0-9a-f]{7}, tree [0-9a-f]{7} \(actions\/\S+\); nothing that git sees was changed/,
      ),
    ]);
    const last = part(report(), 'Verification').filter((line) => line.startsWith('final verification: '));
    expect(last.join('\n')).toMatch(/todo-2 ac-1: .*: exit 0 at \d{4}-\S+Z, and nothing has changed since, on commit/);
    expect(report()).not.toContain('reused');
  });
});
