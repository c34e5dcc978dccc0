import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';

/** Rows that somebody has changed who may write the database, and not this machine (fleet.md, Trust). */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());

const goals = ['one', 'two'].map((id) => `  - { id: ${id}, title: "Write ${id}", status: active }\n`).join('');
const sessions = { one: [{ write: { 'one.txt': '1\n' } }], two: [{ sleep: 4, write: { 'two.txt': '2\n' } }] };
const desk = fleet.addProject('rows', { goals, sessions });
expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
const machine = fleet.addMachine('rows-1', { slots: 1 });
const clone = join(machine.state, 'dev-cli/fleet/rows-1/rows');
const victim = join(fleet.base, 'victim');

type Row = Record<string, any>;
let whole: string;

/** Attempts are begun by a desk that has no worker yet; then it goes. */
beforeAll(async () => {
  mkdirSync(victim);
  writeFileSync(join(victim, 'kept.txt'), 'kept\n');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet');
  await until('both are begun', async () => Object.keys((await fleet.readState(desk)).attempts).length === 2);
  auto.kill('SIGKILL');
  await auto.ended;
  const [row] = await fleet.ask("SELECT snapshot FROM dev_cli.streams WHERE project = 'rows'");
  whole = row.snapshot;
});

/** Each begins with the same rows, and leaves nothing beside. */
afterEach(async () => {
  expect(readdirSync(victim)).toEqual(['kept.txt']);
  expect(readFileSync(join(victim, 'kept.txt'), 'utf8')).toBe('kept\n');
  for (const directory of [join(clone, '.git/hooks'), join(desk.root, '.git/hooks')])
    if (existsSync(directory)) expect(readdirSync(directory).filter((name) => !name.endsWith('.sample'))).toEqual([]);
  expect(existsSync(join(machine.root, 'made'))).toBe(false);
});

const change = async (edit: (state: Row) => void): Promise<void> => {
  const state = JSON.parse(whole) as Row;
  edit(state);
  await fleet.ask("UPDATE dev_cli.streams SET snapshot = $1 WHERE project = 'rows'", [JSON.stringify(state)]);
};

const editOne = (patch: Row) => change(({ attempts }) => Object.assign(attempts['one#1'], patch));

const listHeads = (directory: string): string =>
  execFileSync('git', ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads'], {
    ...{ cwd: directory, encoding: 'utf8' },
  });

const out = `--output=${victim}/made`;
const UNFIT: readonly [string, Row][] = [
  ['a base that is a refspec', { base: '+refs/heads/main:refs/heads/taken' }],
  ['a base that is an option', { base: out }],
  ['a base that is a name, and may mean another commit later', { base: 'main' }],
  ['a branch that is an option', { branch: `--upload-pack=touch ${victim}/made` }],
  ['a branch that is two', { branch: 'main:refs/heads/other' }],
  ['a goal that is a path', { goal: '../../victim' }],
  ['a number that is a path', { n: '1/../../../../victim' }],
  ['a number of sessions that is a path', { sessions: '1/../../../../victim' }],
  ['a run that is a path', { run: '../../.git/hooks', state: 'judging' }],
  ['a tree that is an option', { zero: out, state: 'saving' }],
  ['a kept commit that is an option', { kept: '--strategy=made', state: 'judging' }],
  ['a commit to go on from that is an option', { from: out }],
  ['a handoff that is a path', { handoff: '../../../victim/kept.txt', state: 'saving' }],
];

it.each(UNFIT)('says of %s where it does not fit, to a worker and to people', async (_what, patch) => {
  const heads = listHeads(desk.root);
  await editOne(patch);
  const key = Object.keys(patch)[0];
  const worker = fleet.call(machine, 'fleet', 'worker', '--once');
  expect(worker.stderr).toContain(`does not fit its schema at /attempts/one#1/${key}`);
  const taken = fleet.call(desk, 'fleet', 'take', 'one', '--json');
  expect({ exit: taken.exit, code: taken.json.error.code }).toEqual({ exit: 1, code: 'STATE_CORRUPT' });
  expect(listHeads(desk.root)).toBe(heads);
  expect(listHeads(clone)).not.toContain('taken');
});
