import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DISK_READER } from '../../../src/project/reader.js';
import { acceptTicket } from '../../../src/wings/loop/decisions/accept.js';
import { checkTicket, findDecision } from '../../../src/wings/loop/decisions/ticket.js';
import { freshProjects } from '../../support/fresh.js';
import { call, git, setUpLoop, write } from '../../support/loop.js';
import { scratchDirectory } from '../../support/scratch.js';

// loop-operations.md, Decisions: the content of a ticket, the goal that it holds back, and refusals before any work.

const FILE = '.ai/decisions/d.yaml';
const TICKET =
  'decision_id: d\ngoal_id: one\nquestion: Which?\nstatus: proposed\nalternatives: [{id: a, approach: A}, {id: b, approach: B}]\nmore: 1\n';
const ACCEPTED = TICKET.replace('proposed', 'accepted').concat('selected: b\nevidence_refs: [x]\n');

describe('a ticket', () => {
  const faultsOf = (text: string): string[] =>
    checkTicket(text, FILE, ['one', 'd.taken']).problems.map(({ at, problem }) => `${at} ${problem}`);

  it('may say more than is known, and nothing is in the way', () => {
    expect(faultsOf(TICKET)).toEqual([]);
    expect(checkTicket(ACCEPTED, FILE, null).ticket).toMatchObject({ selected: 'b', more: 1 });
  });

  it.each<[string, string, string, RegExp]>([
    ['one alternative', ', {id: b, approach: B}', '', /:5:15 .*alternatives.*two or more/],
    ['an id with ;', 'id: b', 'id: "b;c"', /:5:43 .*"b;c".*letters, digits/],
    ['a blank in an id', 'id: b', 'id: b c', /:5:43 .*letters/],
    ['..', 'id: b', 'id: a..b', /:5:43 id is "a..b", which has ".."/],
    ['.lock', 'decision_id: d', 'decision_id: d.lock', /:1:14 id is "d.lock", which ends in/],
    ['a number', 'id: b', 'id: 7', /:5:43 .*quotes/],
    ['the same id twice', 'id: b', 'id: A', /:5:43 id is "A", which is too similar/],
    ['an attempt of a goal', 'id: b', 'id: taken', /:5:43 id is "taken", which makes "d\.taken", which is a goal/],
    ['another name', 'decision_id: d', 'decision_id: e', /:1:14 decision_id differs from the name of the file/],
    ['no such goal', 'goal_id: one', 'goal_id: two', /:2:10 goal_id is "two", which is not a goal/],
    ['a strange status', 'proposed', 'acepted', /:4:9 status is "acepted"; did you mean "accepted"/],
    ['nothing selected', 'proposed', 'accepted', /must name one of its alternatives as `selected`/],
    ['an unknown selection', 'proposed', 'accepted\nselected: c', /:5:11 .*must name one of its alternatives/],
    ['broken YAML', 'question: Which?', 'question: "Which', /d\.yaml:/],
    ['an alias', 'question: Which?', 'question: &q Which?\nx: *q', /is a YAML alias/],
    ['no mapping', TICKET, '- a\n', /mapping/],
    ['nothing', TICKET, '', /mapping/],
  ])('%s is found', (_what, from, to, found) => {
    const text = TICKET.replace(from, to);
    expect(text).not.toBe(TICKET);
    expect(faultsOf(text).join('\n')).toMatch(found);
  });

  it('is told all that is wrong at once', () => {
    const text = 'decision_id: e\nstatus: x\nalternatives: [{id: a}, {id: A, approach: B}]\ngoal_id: two\n';
    expect(faultsOf(text)).toHaveLength(6);
  });

  it('holds its goal back until it is accepted, and says why', () => {
    const root = scratchDirectory('decisions-');
    const at = (path: string) => join(root, path);
    mkdirSync(at('.ai/decisions'), { recursive: true });
    const find = (id = 'one', file = FILE) => findDecision({ root, reader: DISK_READER }, { id, decision_file: file });
    const why = (...args: Parameters<typeof find>) => (find(...args) as { why: string }).why;
    expect(why()).toBe(`the decision in ${FILE} is not accepted: there is no such file`);
    const put = (text: string) => writeFileSync(at(FILE), text);
    put(TICKET);
    expect(why()).toBe(`the decision in ${FILE} is not accepted`);
    put('status: accepted\n');
    expect(why()).toContain(`is not accepted: ${FILE}:1:1: "decision_id" is missing`);
    put('status: [accepted\n');
    expect(why()).toContain(`is not accepted: ${FILE}:`);
    put(ACCEPTED);
    expect(why('two')).toBe(`the decision in ${FILE} is not accepted for it: its goal_id is one`);
    expect(find()).toEqual({ id: 'd', question: 'Which?', alternative: 'b', approach: 'B', refs: ['x'] });
    expect(why('one', '.ai/decisions')).toContain('is not accepted: ');
    const outside = join(scratchDirectory('decisions-'), 'd.yaml');
    writeFileSync(outside, ACCEPTED);
    rmSync(at(FILE));
    symlinkSync(outside, at(FILE));
    expect(why()).toContain('which is outside the project');
  });

  it('is written at once or not at all, and not where it has changed, or leads out', async () => {
    const root = scratchDirectory('decisions-');
    mkdirSync(join(root, '.ai/decisions'), { recursive: true });
    writeFileSync(join(root, FILE), TICKET);
    let now = 0;
    const context = {
      root,
      clock: { now: () => (now += 1_000) },
      ids: { hex: (length: number) => 'a'.repeat(length) },
    };
    const accept = (text: string) =>
      acceptTicket(context as unknown as Parameters<typeof acceptTicket>[0], { file: FILE, text }, chosen);
    const chosen = { selected: 'b', ref: null };
    expect(await accept(`${TICKET}\n`)).toBe('ticket_changed: it has changed since it was tried');
    const elsewhere = scratchDirectory('decisions-');
    renameSync(join(root, '.ai/decisions'), join(root, 'aside'));
    symlinkSync(elsewhere, join(root, '.ai/decisions'));
    expect(await accept(TICKET)).toMatch(/^ticket_unwritten: .*leads out of the project/);
    rmSync(join(root, '.ai/decisions'));
    renameSync(join(root, 'aside'), join(root, '.ai/decisions'));
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(TICKET);
    expect(await accept(TICKET)).toBeNull();
    expect(readFileSync(join(root, FILE), 'utf8')).toContain('status: accepted\nselected: "b"\n');
  });
});

describe('decision spike', () => {
  const create = freshProjects();

  it('refuses what cannot be done before any work', () => {
    const project = create();
    mkdirSync(join(project.root, '.ai/decisions'), { recursive: true });
    write(project, FILE, TICKET);
    write(project, '.ai/decisions/done.yaml', ACCEPTED.replace('id: d', 'id: done'));
    write(project, '.ai/decisions/bad.yaml', TICKET.replace('id: b', 'id: b;c'));
    write(project, 'out.yaml', TICKET.replace('id: d', 'id: out'));
    setUpLoop(project, { goals: '  - {id: one, title: One, status: active}\n', sessions: {} });
    const line = ['--command', 'true'];
    const cases: [number, string, string[]][] = [
      [2, 'USAGE', ['d']],
      [2, 'USAGE', ['d', '--command', ' ']],
      [2, 'USAGE', ['d', ...line, '--parallel', '0']],
      [2, 'USAGE', ['d', ...line, '--parallel', '33']],
      [2, 'USAGE', ['d', ...line, '--backend', 'ray']],
      [2, 'USAGE', ['d', ...line, '--backend', 'dask']],
      [2, 'USAGE', ['d', ...line, '--accept-if-reason', 'passed']],
      [2, 'USAGE', ['d', ...line, '--accept-max-diff-lines', '0']],
      [2, 'USAGE', ['d', ...line, '--accept-require-eligible']],
      [2, 'USAGE', ['d', ...line, '--accept', '--accept-if-reason', 'no_passing']],
      [2, 'USAGE', ['nothing', ...line]],
      [2, 'USAGE', ['d;rm', ...line]],
      [2, 'USAGE', ['../d.yaml', ...line]],
      [3, 'SCHEMA_INVALID', ['bad', ...line]],
      [3, 'DECISION_REFUSED', ['done', ...line, '--accept']],
      [2, 'USAGE', ['out.yaml', ...line]],
      [2, 'USAGE', ['..', ...line]],
      [3, 'TOOL_MISSING', ['d', '--tool', 'none']],
      [3, 'CONFIG_UNTRUSTED', ['d', ...line, '--accept', '--accept-require-eligible']],
    ];
    for (const [exit, code, args] of cases) {
      const answer = call(project, ['decision', 'spike', ...args]);
      expect([answer.exit, answer.json.error?.code], args.join(' ')).toEqual([exit, code]);
    }
    project.env['CLAUDECODE'] = '1';
    const own = call(project, ['decision', 'spike', 'd', ...line, '--accept']);
    expect(own.json.error?.code, 'a line of an agent’s own accepts nothing without the tests').toBe('CONFIG_UNTRUSTED');
    write(project, '.ai/auto.lock', `pid: ${process.pid}\nstarted_at: ${new Date().toISOString()}\n`);
    expect(call(project, ['decision', 'spike', 'd', ...line]).json.error?.code).toBe('LOCKED');
    expect(existsSync(join(project.root, '.dev/loop'))).toBe(false);
    expect(git(project, 'for-each-ref', 'refs/dev-cli')).toBe('');
  });
});
