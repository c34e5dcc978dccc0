import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { DISK_READER } from '../../../src/project/reader.js';
import { requireRecipe } from '../../../src/recipe/load/load.js';
import { createFleet, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';
import { CHECKOUT } from '../../support/project.mjs';

/** Rows changed by an attacker who can write to the database, but not to this machine (fleet.md, Trust). */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());

const RECIPE = 'bugfix';
const goals = [
  ...['one', 'two', 'late', 'long', 'mine'].map((id) => `  - { id: ${id}, title: "Write ${id}", status: active }\n`),
  `  - { id: fix, title: Fix, status: active, recipe: ${RECIPE} }\n`,
].join('');
const write = (id: string) => ({ write: { [`${id}.txt`]: `${id}\n` } });
const sessions = {
  ...{ one: [write('one')], two: [write('two')], late: [write('late')] },
  ...{ long: [{ sleep: 4, ...write('long') }], mine: [{ sleep: 4, ...write('mine') }] },
};
const desk = fleet.addProject('rows', { goals, sessions });
expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
const machine = fleet.addMachine('rows-1', { slots: 1 });
const clone = join(machine.state, 'dev-cli/fleet/rows-1/rows');
const victim = join(fleet.base, 'victim');

type Row = Record<string, unknown>;
let whole: string;

/** A desk without workers begins the attempts, then ends. */
beforeAll(async () => {
  mkdirSync(victim);
  writeFileSync(join(victim, 'kept.txt'), 'kept\n');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet');
  await until('all are begun', async () => Object.keys((await fleet.readState(desk)).attempts).length === 6);
  auto.kill('SIGKILL');
  await auto.ended;
  const [row] = await fleet.ask("SELECT snapshot FROM dev_cli.streams WHERE project = 'rows'");
  whole = row.snapshot;
});

/** Checks that a test left no files outside, and restores the rows for the next one. */
afterEach(async () => {
  await fleet.ask('DELETE FROM dev_cli.leases');
  expect(readdirSync(victim)).toEqual(['kept.txt']);
  expect(readFileSync(join(victim, 'kept.txt'), 'utf8')).toBe('kept\n');
  for (const directory of [join(clone, '.git/hooks'), join(desk.root, '.git/hooks')])
    if (existsSync(directory)) expect(readdirSync(directory).filter((name) => !name.endsWith('.sample'))).toEqual([]);
  expect(existsSync(join(machine.root, 'made'))).toBe(false);
});

/** Resets some attempts to how they were begun, applies `edit`, and removes the others. */
const change = async (goals: readonly string[], edit: (attempts: Record<string, Row>) => void): Promise<void> => {
  const { leases: _, ...now } = await fleet.readState(desk);
  const all = Object.entries((JSON.parse(whole) as { attempts: Record<string, Row> }).attempts);
  const attempts = Object.fromEntries(all.filter(([id]) => goals.includes(id.replace('#1', ''))));
  edit(attempts);
  await fleet.ask("UPDATE dev_cli.streams SET snapshot = $1 WHERE project = 'rows'", [
    JSON.stringify({ ...now, attempts }),
  ]);
};

const editOne = (patch: Row) => change(['one'], ({ 'one#1': one }) => Object.assign(one ?? {}, patch));

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

it('begins nothing at a commit that the remote has not', async () => {
  const foreign = 'b'.repeat(40);
  await editOne({ base: foreign });
  const worker = fleet.call(machine, 'fleet', 'worker', '--once');
  expect(worker.exit).toBe(0);
  expect(fleet.listSessions(desk)).not.toContain('one');
  expect(fleet.listDone(desk)).not.toContain('one');
});

it('makes trees where this machine has them, whatever a row says', async () => {
  await editOne({ tree: victim, state: 'preparing' });
  const worker = fleet.call(machine, 'fleet', 'worker', '--once');
  expect(worker.exit).toBe(0);
  expect(fleet.listDone(desk)).toContain('one');
});

it('does not take up a run of 50 MB that is none, nor one whose goal has another recipe', async () => {
  const facts = {
    ...{ handoff: null, unread: null, misnamed: null, changed: [], forbidden: [], branches: [] },
    run: { status: 'live', waits: true, grew: true, said: 'a gate' },
    session: { line: '', exit: 0, timedOut: false, started: true, log: '' },
  };
  await change(['one', 'fix'], (attempts) => {
    for (const goal of ['one', 'fix'])
      Object.assign(attempts[`${goal}#1`] ?? {}, { state: 'parked', run: `${goal}-1`, facts });
  });
  const { digest } = requireRecipe({ reader: DISK_READER, shipped: CHECKOUT, project: desk.root }, RECIPE);
  const large = Buffer.alloc(50 * 1024 * 1024, 'a');
  const FREIGHT: readonly [string, string, Buffer, string][] = [
    ['one', digest, Buffer.alloc(0), 'FLEET_UNTRUSTED'],
    ['fix', 'e'.repeat(64), Buffer.alloc(0), 'FLEET_UNTRUSTED'],
    ...[large, Buffer.from('{"seq":1}\n'), Buffer.alloc(0)].map((one): [string, string, Buffer, string] => [
      ...(['fix', digest, one, 'JOURNAL_CORRUPT'] as const),
    ]),
  ];
  for (const [goal, recipe, journal, code] of FREIGHT) {
    await fleet.ask(
      `INSERT INTO dev_cli.freight VALUES ('rows', $1, 1, $1 || '-1', $2, '/', $3)
       ON CONFLICT (project, goal, n) DO UPDATE SET journal = excluded.journal, recipe_hash = excluded.recipe_hash`,
      [goal, recipe, journal],
    );
    const { json } = fleet.call(desk, 'fleet', 'take', goal, '--json');
    expect(json.error.code).toBe(code);
    expect(existsSync(join(desk.root, `.dev/specs/${goal}-1`))).toBe(false);
    // The attempt that could not be taken is not claimed or leased any more, so others can take it.
    const { attempts, leases } = await fleet.readState(desk);
    expect(attempts[`${goal}#1`].claim).toBeNull();
    expect(leases.filter(({ status }) => status === 'active')).toEqual([]);
  }
  await fleet.ask('DELETE FROM dev_cli.freight');
});

it('ends an attempt at once whose freight is none, on a worker', async () => {
  const facts = {
    ...{ handoff: null, unread: null, misnamed: null, changed: [], forbidden: [], branches: [] },
    run: { status: 'live', waits: false, grew: true, said: '' },
    session: { line: '', exit: 0, timedOut: false, started: true, log: '' },
  };
  await change(['fix'], ({ 'fix#1': fix }) => Object.assign(fix ?? {}, { state: 'judging', run: 'fix-1', facts }));
  const { digest } = requireRecipe({ reader: DISK_READER, shipped: CHECKOUT, project: desk.root }, RECIPE);
  await fleet.ask("INSERT INTO dev_cli.freight VALUES ('rows', 'fix', 1, 'fix-1', $1, '/', 'a')", [digest]);
  const { exit } = fleet.call(machine, 'fleet', 'worker', '--once');
  expect(exit).toBe(0);
  const { attempts } = await fleet.readState(desk);
  expect(attempts['fix#1']).toMatchObject({ state: 'settling', verdict: { classification: 'interrupted' } });
  expect(attempts['fix#1'].verdict.reason).toContain('cannot be moved');
  await fleet.ask('DELETE FROM dev_cli.freight');
});

it('writes documents of attempts to their own places alone', async () => {
  const paths = [
    '../../victim/made',
    'attempts/one/1/../../../../victim/made',
    '/victim/made',
    'attempts/one/1/.git/config',
  ];
  for (const [at, path] of [...paths, 'loop/state.json', '../ai/goals.yaml'].entries())
    await fleet.ask("INSERT INTO dev_cli.documents VALUES ('rows', $1, $2, 'made') ON CONFLICT DO NOTHING", [
      path,
      2 + (at % 2),
    ]);
  rmSync(join(desk.root, '.dev/loop/fleet.json'), { force: true });
  await change(['one'], () => {});
  expect(fleet.call(desk, 'attempt', 'list').exit).toBe(0);
  const made = execFileSync('find', [desk.root, '-name', 'made', '-o', '-path', '*one/1/.git*'], { encoding: 'utf8' });
  expect(made).toBe('');
  const written = join(fleet.base, 'written');
  const { exit, stderr } = fleet.call(desk, 'fleet', 'export', written);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('no document may have the path ')]);
  expect([existsSync(join(fleet.base, 'made')), existsSync(written)]).toEqual([false, false]);
  await fleet.ask("DELETE FROM dev_cli.documents WHERE content = 'made'");
  expect(fleet.call(desk, 'fleet', 'export', written).exit).toBe(0);
});

it('shows people no line of git with more in it than commits', async () => {
  const kept = 'refs/dev-cli/attempts/*';
  execFileSync('git', ['fetch', '--quiet', 'origin', `+${kept}:${kept}`], { cwd: desk.root, env: desk.env });
  const verdict = { classification: 'failed', reason: 'no', success: false, base: '; touch made #', ended_at: null };
  const path = join(desk.root, '.dev/loop/attempts/one/1/verdict.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(verdict));
  const { stdout } = fleet.call(desk, 'attempt', 'show', 'one#1');
  expect(stdout).toContain('git diff refs/dev-cli/attempts/one/1^ refs/dev-cli/attempts/one/1');
  expect(stdout).not.toContain('touch made');
  rmSync(path);
});

it('prints no signs of a terminal that a row brought', async () => {
  const name = 'w\u001b[2Jx\nmade up';
  await fleet.ask(
    `INSERT INTO dev_cli.workers VALUES ($1, 'p', $1, 1, $1, 1, $2, $3, clock_timestamp(), clock_timestamp())`,
    [name, JSON.stringify([{ project: name, trust: [] }]), JSON.stringify({ [name]: { [name]: name } })],
  );
  const { exit, stdout } = fleet.call(desk, 'fleet', 'list');
  expect(exit).toBe(0);
  expect(stdout).not.toContain('\u001b');
  expect(stdout.split('\n').filter((line) => line.startsWith('made up'))).toEqual([]);
  await fleet.ask('DELETE FROM dev_cli.workers WHERE worker = $1', [name]);
});

/** Leases a goal to somebody else until undone. */
const hold = async (goal: string) => {
  await fleet.ask(
    `INSERT INTO dev_cli.leases VALUES ('rows', 'QCLM_0000000000aa', $1, 'outsider', 'auto', NULL, 'active',
       clock_timestamp(), clock_timestamp() + interval '1 h', NULL, NULL, NULL)`,
    [goal],
  );
  return () => fleet.ask("DELETE FROM dev_cli.leases WHERE id = 'QCLM_0000000000aa'");
};

it('runs what a machine has looked at and trusts, not what the row names by then', async () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: desk.root, env: desk.env, encoding: 'utf8' });
  const config = readFileSync(join(desk.root, '.ai/config.yaml'), 'utf8');
  writeFileSync(join(desk.root, '.ai/config.yaml'), config.replace('"true"', `touch ${victim}/made`));
  git('commit', '--quiet', '--all', '--message', 'Another test');
  git('push', '--quiet', 'origin', 'HEAD:refs/heads/other');
  const other = git('rev-parse', 'HEAD').trim();
  git('reset', '--quiet', '--hard', 'HEAD^');
  await change(['late', 'long'], () => {});
  const release = await hold('late');
  const worker = fleet.start(machine, 'fleet', 'worker');
  await until('one is at work, and the other looked at', () => fleet.listSessions(desk).includes('long'));
  await fleet.ask(
    `UPDATE dev_cli.streams SET snapshot = jsonb_set(snapshot::jsonb, '{attempts,late#1,base}', to_jsonb($1::text))::text
     WHERE project = 'rows'`,
    [other],
  );
  await release();
  await until('the other is passed by', () => fleet.call(desk, 'fleet', 'list').stdout.includes('not trusted here'));
  expect(fleet.listSessions(desk)).not.toContain('late');
  worker.kill();
  await worker.ended;
});

it('ends the session under a claim that has become somebody else’s', async () => {
  await change(['mine'], () => {});
  const worker = fleet.start(machine, 'fleet', 'worker');
  await until('a session is under way', () => fleet.listSessions(desk).includes('mine'));
  await fleet.ask("UPDATE dev_cli.leases SET worker = 'outsider' WHERE goal = 'mine' AND status = 'active'");
  await until('its attempt is over', async () => (await fleet.readState(desk)).attempts['mine#1'].state === 'settling');
  const { verdict } = (await fleet.readState(desk)).attempts['mine#1'];
  expect(verdict).toMatchObject({ classification: 'interrupted', success: false });
  expect(fleet.listDone(desk)).not.toContain('mine');
  worker.kill();
  expect((await worker.ended).exit).toBe(130);
});
