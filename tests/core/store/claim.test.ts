import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimPath, findClaimOwner } from '../../../src/store/claim.js';
import { identifyProcess } from '../../../src/store/process.js';
import { claimedError, inspectClaim } from '../../../src/store/standing.js';
import { openStore, temporaryRoot } from './disk.js';
import { countingIds, step, steppingClock } from './sample.js';

const options = { clock: steppingClock(), ids: countingIds(), purpose: 'npm test' };

/** Writes a lock file as another process would have left it. */
function left(path: string, change: object): void {
  const { host, start } = identifyProcess();
  const at = '2026-01-01T00:00:00.000Z';
  writeFileSync(path, JSON.stringify({ host, pid: process.pid, start, token: 'abc', at, for: 'a test', ...change }));
}

function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '0']).pid;
}

describe('a claim', () => {
  it('is had by one, names its holder, and is free again when released', () => {
    const path = join(temporaryRoot(), 'claim');
    expect(findClaimOwner(path)).toBeNull();
    const first = claimPath(path, options);
    expect(findClaimOwner(path)).toMatchObject({ pid: process.pid, for: 'npm test' });
    expect(claimPath(path, options)).toBeNull();
    first?.release();
    expect(existsSync(path)).toBe(false);
    expect(claimPath(path, options)).not.toBeNull();
  });

  it('has further keys for readers, of which none stands for the holder', () => {
    const path = join(temporaryRoot(), 'claim');
    claimPath(path, { ...options, more: { started_at: 'now', base_commit: 'abc', pid: 1 } });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      started_at: 'now',
      base_commit: 'abc',
      pid: process.pid,
    });
    expect(inspectClaim(path)).toMatchObject({ state: 'alive', holder: { pid: process.pid, for: 'npm test' } });
    expect(claimPath(path, options)).toBeNull();
  });

  it.each([
    ['nothing', null, 'free'],
    ['a dead process', () => `run: x\npid: ${deadPid()} # ours\n`, 'dead'],
    ['a living one', () => `---\npid: "${process.pid}"\nstarted_at: now\n`, 'alive'],
    ['no process', () => 'locked: true\n', 'unreadable'],
    ['a directory', 'directory', 'unreadable'],
  ])('of another program, with %s, is told and taken over from the dead alone', (_what, text, state) => {
    const path = join(temporaryRoot(), 'auto.lock');
    if (text === 'directory') mkdirSync(path);
    else if (text !== null) writeFileSync(path, (text as () => string)());
    const standing = inspectClaim(path);
    expect(standing.state).toBe(state);
    if (standing.state === 'alive' || standing.state === 'unreadable') {
      expect(claimedError(path, standing)).toMatchObject({ code: 'LOCKED' });
      expect(claimPath(path, { ...options, plain: true })).toBeNull();
    } else {
      expect(claimPath(path, { ...options, plain: true })).not.toBeNull();
      expect(readdirSync(join(path, '..'))).toEqual(['auto.lock']);
    }
    expect(inspectClaim(path).state).toBe(state === 'unreadable' ? 'unreadable' : 'alive');
  });

  it('is free when its process is gone, or its number belongs to another one by now', () => {
    for (const change of [{ pid: deadPid() }, { start: '1' }]) {
      const path = join(temporaryRoot(), 'claim');
      left(path, change);
      expect(findClaimOwner(path), JSON.stringify(change)).toBeNull();
      expect(claimPath(path, options)).not.toBeNull();
      expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(process.pid);
      expect(readdirSync(join(path, '..'))).toEqual(['claim']);
    }
  });

  it('is free when its process was killed and nobody has collected it yet', async () => {
    const path = join(temporaryRoot(), 'claim');
    // The shell starts a child that ends, and does not wait for it, so the child becomes a zombie.
    const script = 'sleep 0.01 & echo $!; exec sleep 5';
    const shell = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(shell.stdout, 'data')) as [Buffer];
    await new Promise((resolve) => setTimeout(resolve, 200));
    left(path, { pid: Number(line.toString()), start: null });
    expect(claimPath(path, options)).not.toBeNull();
    shell.kill();
  });

  it('is had where another claimant removes the directory, empty, at every moment', () => {
    const directory = join(temporaryRoot(), 'a', 'b');
    const ids = countingIds();
    let left = 5;
    // `claimPath` calls `hex` between creating the directory and writing into it, so this removes it in between.
    const hex = (bytes: number) => {
      if (left > 0) rmSync(directory, { recursive: true });
      left -= 1;
      return ids.hex(bytes);
    };
    expect(claimPath(join(directory, 'claim'), { ...options, ids: { ...ids, hex }, make: true })).not.toBeNull();
    left = Number.POSITIVE_INFINITY;
    const forEver = () => claimPath(join(directory, 'other'), { ...options, ids: { ...ids, hex }, make: true });
    expect(forEver).toThrow(/is gone/);
  });

  it('is kept by a process of another machine, and by one that cannot be read', () => {
    for (const change of [
      { host: 'elsewhere', pid: deadPid() },
      { token: '../x' },
      { pid: 0 },
      { pid: -1 },
      { at: 5 },
    ]) {
      const path = join(temporaryRoot(), 'claim');
      left(path, change);
      expect(claimPath(path, options), JSON.stringify(change)).toBeNull();
    }
  });

  it('is not walked through when it is a link', () => {
    const directory = temporaryRoot();
    symlinkSync('nowhere', join(directory, 'claim'));
    expect(claimPath(join(directory, 'claim'), options)).toBeNull();
    expect(existsSync(join(directory, 'nowhere'))).toBe(false);
  });

  it('leaves the claim of another alone when its own was taken away', () => {
    const path = join(temporaryRoot(), 'claim');
    const mine = claimPath(path, options);
    left(path, { token: 'def' });
    mine?.release();
    expect(findClaimOwner(path)?.token).toBe('def');
  });

  it('removes temporary files of takers that died, and no others', () => {
    const directory = temporaryRoot();
    const path = join(directory, 'claim');
    left(path, { pid: deadPid() });
    writeFileSync(`${path}.${deadPid()}.aa`, '');
    writeFileSync(`${path}.${process.pid}.bb`, '');
    writeFileSync(`${path}.md`, '');
    claimPath(path, options);
    expect(readdirSync(directory).sort()).toEqual(['claim', `claim.${process.pid}.bb`, 'claim.md']);
  });
});

describe('a lock', () => {
  it('is waited for within the bound, then the holder is named and nothing is changed', async () => {
    const root = temporaryRoot();
    await openStore(root).transact('run', step({}));
    const lock = join(root, '.dev/specs/run/lock');
    for (const [change, named] of [
      [{}, `process ${process.pid},`],
      [{ host: 'elsewhere' }, 'on the machine elsewhere'],
      [{ token: null }, 'not made by dev-cli'],
    ] as const) {
      left(lock, change);
      const before = readFileSync(lock, 'utf8');
      const failed = openStore(root, 30).transact('run', step({}));
      await expect(failed).rejects.toMatchObject({ code: 'LOCKED', message: expect.stringContaining(named) });
      expect(readFileSync(lock, 'utf8')).toBe(before);
    }
    expect((await openStore(root).journal('run')).length).toBe(1);
  });

  it('says what it was for without passing on control characters', async () => {
    const root = temporaryRoot();
    await openStore(root).transact('run', step({}));
    left(join(root, '.dev/specs/run/lock'), { for: 'a\u001b[31m\nb' });
    await expect(openStore(root, 0).transact('run', step({}))).rejects.toThrow('for: a??31m?b.');
  });

  it('of a holder that is gone is broken', async () => {
    const root = temporaryRoot();
    await openStore(root).transact('run', step({}));
    left(join(root, '.dev/specs/run/lock'), { pid: deadPid() });
    left(join(root, '.dev/lock'), { pid: deadPid() });
    expect(await openStore(root, 0).transact('run', step({ marks: { guarded: true } }))).toBe(2);
    expect(readdirSync(join(root, '.dev')).sort()).toEqual(['.gitignore', 'guard', 'specs']);
  });
});
