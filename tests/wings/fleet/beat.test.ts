import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { identifyProcess } from '../../../src/store/process.js';
import { type Introduction, listWorkers, openBeat } from '../../../src/wings/fleet/beat.js';
import { queryRows } from '../../../src/wings/fleet/database.js';
import { openLeases } from '../../../src/wings/loop/leases.js';
import { LOOP } from '../../../src/wings/loop/streams.js';
import { ask as askFor, IDS } from '../loop/streams-suite.js';
import { nameProject, openProject, useDatabase } from './shared.js';

// A worker's heartbeat (fleet.md, Leases).

const shared = useDatabase();

let count = 0;
const introduce = (more: Partial<Introduction> = {}): Introduction => ({
  ...{ worker: `w${++count}`, version: 1, cliVersion: '1.2.3', slots: 2, leaseSeconds: 60, projects: [] },
  ...more,
});

/** Lets a worker claim a goal. @returns its claim, and a function that reads the lease */
async function take(worker: string) {
  const project = nameProject();
  const streams = openProject(shared.pool, project);
  const taken = await openLeases(streams, IDS).take(askFor(worker, { minutes: 1 }));
  if (taken.kind !== 'taken') throw new Error('it was free');
  const claim = taken.lease.id;
  const look = async () => {
    const { seq, leases } = await streams.read(LOOP);
    return { seq, lease: leases[claim] };
  };
  return { project, streams, claim, look };
}

/** Ages a worker's row and leases by some seconds. */
async function pass(worker: string, seconds: number): Promise<void> {
  const older = 'make_interval(secs => $2)';
  await queryRows(shared.pool, `UPDATE dev_cli.workers SET beat = beat - ${older} WHERE worker = $1`, [
    worker,
    seconds,
  ]);
  await queryRows(shared.pool, `UPDATE dev_cli.leases SET expires = expires - ${older} WHERE worker = $1`, [
    worker,
    seconds,
  ]);
}

it('renews what its worker works on, by the clock of the database, without an entry', async () => {
  const about = introduce();
  const beat = await openBeat(shared.pool, about);
  const { claim, look } = await take(about.worker);
  const other = await take(about.worker);
  await pass(about.worker, 30);
  const before = [await look(), await other.look()] as const;
  expect([...(await beat.renew([claim, 'QCLM_000000000bad']))]).toEqual([claim]);
  const after = [await look(), await other.look()] as const;
  expect(after[0].seq).toBe(before[0].seq);
  const gained = Date.parse(after[0].lease?.expiresAt ?? '') - Date.parse(before[0].lease?.expiresAt ?? '');
  expect(gained).toBeGreaterThanOrEqual(29_000);
  expect(after[1]).toEqual(before[1]);
  await beat.end();
});

it('has once more what is past its time, unless somebody took it', async () => {
  const about = introduce();
  const beat = await openBeat(shared.pool, about);
  const { claim, streams } = await take(about.worker);
  await pass(about.worker, 90);
  expect([...(await beat.renew([claim]))]).toEqual([claim]);
  expect(await streams.transact(LOOP, () => ({ answer: 1 }), { claim })).toBe(1);
  await pass(about.worker, 90);
  expect(await openLeases(streams, IDS).take(askFor('other'))).toMatchObject({ kind: 'taken' });
  expect([...(await beat.renew([claim]))]).toEqual([]);
  await expect(streams.transact(LOOP, () => ({ answer: 1 }), { claim })).rejects.toMatchObject({
    code: 'CLAIM_REFUSED',
  });
  await beat.end();
});

it('is one process’s; another one has the name once that is silent for a lease', async () => {
  const about = introduce();
  const first = await openBeat(shared.pool, about);
  const { claim, look } = await take(about.worker);
  await expect(openBeat(shared.pool, about)).rejects.toMatchObject({ code: 'LOCKED' });
  await pass(about.worker, 61);
  await expect(openBeat(shared.pool, { ...about, leaseSeconds: 120 })).rejects.toMatchObject({ code: 'LOCKED' });
  // `second` gets the name. As both beats are of this process, the row is made to name another process as its owner.
  const second = await openBeat(shared.pool, about);
  await queryRows(shared.pool, "UPDATE dev_cli.workers SET process = 'elsewhere' WHERE worker = $1", [about.worker]);
  await expect(first.renew([claim])).rejects.toMatchObject({ code: 'LOCKED' });
  expect((await look()).lease).toMatchObject({ status: 'released', reason: 'the worker was restarted' });
  await second.end();
  expect((await listWorkers(shared.pool)).map(({ worker }) => worker)).toContain(about.worker);
});

it('gives the name of a process of this machine that was killed to the next at once', async () => {
  const about = introduce();
  await openBeat(shared.pool, about);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const gone = JSON.stringify({ ...identifyProcess(), pid, start: '1' });
  await queryRows(shared.pool, 'UPDATE dev_cli.workers SET process = $2 WHERE worker = $1', [about.worker, gone]);
  const next = await openBeat(shared.pool, about);
  expect(await next.renew([])).toEqual(new Set());
  await next.end();
});

it('gives the name to the next process after the machine was started anew, where its files say that it was its own', async () => {
  const about = introduce();
  await openBeat(shared.pool, about);
  const [host, , namespace] = identifyProcess().host.split('@');
  const before = JSON.stringify({ ...identifyProcess(), host: [host, 'another boot', namespace].join('@') });
  await queryRows(shared.pool, 'UPDATE dev_cli.workers SET process = $2 WHERE worker = $1', [about.worker, before]);
  // An equal host name does not prove that the earlier process ran on this machine; the machine's own files (`before`)
  // do.
  await expect(openBeat(shared.pool, about)).rejects.toMatchObject({ code: 'LOCKED' });
  await (await openBeat(shared.pool, about, before)).end();
});

it('is steady once it has beaten for a lease without a gap', async () => {
  const beat = await openBeat(shared.pool, introduce({ leaseSeconds: 0.6 }));
  expect([beat.isSteady(), beat.silence() < 600]).toEqual([false, true]);
  const poll = { interval: 50 };
  await expect.poll(() => beat.renew([]).then(() => beat.isSteady()), poll).toBe(true);
  await expect.poll(() => beat.isSteady(), poll).toBe(false);
  expect(beat.silence()).toBeGreaterThanOrEqual(300);
  // After a gap, heartbeats must be steady for a whole lease again.
  await beat.renew([]);
  expect(beat.isSteady()).toBe(false);
  await expect.poll(() => beat.renew([]).then(() => beat.isSteady()), poll).toBe(true);
  await beat.end();
});

it('says who is there, and what is passed by, until the end', async () => {
  const projects = [{ project: 'api', trust: ['aa'] }];
  const about = introduce({ projects });
  const beat = await openBeat(shared.pool, about);
  beat.note('api', { 'a#1': 'its commands\u0000 are not "trusted" here: ü' });
  await beat.renew([]);
  await pass(about.worker, 7);
  const find = async () => (await listWorkers(shared.pool)).find(({ worker }) => worker === about.worker);
  expect(await find()).toMatchObject({
    ...{ worker: about.worker, version: 1, cli_version: '1.2.3', slots: 2, projects },
    passed: { api: { 'a#1': 'its commands\u0000 are not "trusted" here: ü' } },
  });
  expect((await find())?.silent).toBeGreaterThanOrEqual(7);
  await beat.end();
  expect(await find()).toBeUndefined();
});

it('is given to one of many that begin at once, and to none while a stranger has it', async () => {
  const about = introduce();
  await openBeat(shared.pool, about);
  const stranger = { ...identifyProcess(), host: 'elsewhere@@', pid: 2 ** 30 };
  for (const process of ['no JSON', '{}', 'null', JSON.stringify(stranger)]) {
    await queryRows(shared.pool, 'UPDATE dev_cli.workers SET process = $2 WHERE worker = $1', [about.worker, process]);
    await expect(openBeat(shared.pool, about)).rejects.toMatchObject({ code: 'LOCKED' });
  }
  await pass(about.worker, 61);
  const opened = await Promise.allSettled(Array.from({ length: 4 }, () => openBeat(shared.pool, about)));
  expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
