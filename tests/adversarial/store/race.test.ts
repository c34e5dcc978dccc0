import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore, temporaryRoot } from '../../core/store/disk.js';
import { codeOf, step } from '../../core/store/sample.js';
import { finished, startWorker } from './processes.js';

describe('processes at one run', () => {
  it('8 of them lose no update in 25 commits each', { timeout: 60_000 }, async () => {
    const root = temporaryRoot();
    const workers = Array.from({ length: 8 }, () => startWorker(root, 'race', '25'));
    const ends = await Promise.all(workers.map(finished));
    expect(ends.map(({ code }) => code)).toEqual(Array(8).fill(0));
    const store = openStore(root);
    const head = await store.read('run');
    expect([head.snapshot?.count, head.seq]).toEqual([200, 200]);
    expect(head.files.read('count.md')?.toString()).toBe('200');
    expect((await store.replay('run')).equal).toBe(true);
    expect(readdirSync(join(root, '.dev/specs/run')).sort()).toEqual(['count.md', 'events.jsonl', 'state.json']);
  });

  it('readers beside a writer see whole states only', { timeout: 60_000 }, async () => {
    const root = temporaryRoot();
    const writer = finished(startWorker(root, 'race', '60'));
    const store = openStore(root);
    let last = 0;
    let done = false;
    void writer.then(() => {
      done = true;
    });
    while (!done) {
      const head = await store.read('run');
      expect(head.notices).toEqual([]);
      expect(head.snapshot?.count ?? 0).toBeGreaterThanOrEqual(last);
      last = head.snapshot?.count ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect((await store.read('run')).snapshot?.count).toBe(60);
  });

  it('may come and go without committing, and leave nothing', { timeout: 60_000 }, async () => {
    const root = temporaryRoot();
    const workers = Array.from({ length: 4 }, () => startWorker(root, 'create', '100'));
    expect((await Promise.all(workers.map(finished))).map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const left = existsSync(join(root, '.dev/specs/run')) ? readdirSync(join(root, '.dev/specs/run')) : [];
    expect(left).toEqual([]);
  });
});

describe('a holder of the lock', () => {
  it('that was killed is no obstacle', async () => {
    const root = temporaryRoot();
    await openStore(root).transact('run', step({}));
    const worker = startWorker(root, 'hold');
    await once(worker.stdout as NonNullable<typeof worker.stdout>, 'data');
    expect(await codeOf(() => openStore(root, 50).transact('run', step({})))).toBe('LOCKED');
    worker.kill('SIGKILL');
    await once(worker, 'close');
    expect(await openStore(root, 50).transact('run', step({}))).toBe(2);
  });

  it('that is only paused keeps it', async () => {
    const root = temporaryRoot();
    await openStore(root).transact('run', step({}));
    const worker = startWorker(root, 'hold');
    await once(worker.stdout as NonNullable<typeof worker.stdout>, 'data');
    worker.kill('SIGSTOP');
    expect(await codeOf(() => openStore(root, 300).transact('run', step({})))).toBe('LOCKED');
    worker.kill('SIGKILL');
    await once(worker, 'close');
  });

  it('that is gone is broken by many at once without a lost update', { timeout: 60_000 }, async () => {
    for (let round = 0; round < 3; round++) {
      const root = temporaryRoot();
      const holder = startWorker(root, 'hold');
      await once(holder.stdout as NonNullable<typeof holder.stdout>, 'data');
      holder.kill('SIGKILL');
      await once(holder, 'close');
      const ends = await Promise.all(Array.from({ length: 6 }, () => finished(startWorker(root, 'race', '3'))));
      expect(ends.map(({ code }) => code)).toEqual(Array(6).fill(0));
      expect((await openStore(root).read('run')).snapshot?.count).toBe(18);
    }
  });
});

describe('reads', () => {
  it('never wait for a lock', async () => {
    const root = temporaryRoot();
    await openStore(root).transact('run', step({}));
    const worker = startWorker(root, 'hold');
    await once(worker.stdout as NonNullable<typeof worker.stdout>, 'data');
    const store = openStore(root, 0);
    expect((await store.read('run')).snapshot?.count).toBe(1);
    expect([await store.unfinished('run'), await store.streams()]).toEqual([false, ['run']]);
    worker.kill('SIGKILL');
    await once(worker, 'close');
  });
});

// The tests above prove nothing unless processes can be killed.
it('runs where processes can be killed', () => {
  expect(spawnSync(process.execPath, ['-e', 'process.kill(process.pid, "SIGKILL")']).signal).toBe('SIGKILL');
});
