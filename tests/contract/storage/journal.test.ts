import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devCli, journalOf, nextOf, runDir } from '../../support/cli.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

/** protocol.md, Output; storage.md, History: the output of `journal`. */

let project: Project;
let followers: ChildProcess[] = [];
beforeEach(() => {
  project = createProject({ git: false });
});
afterEach(() => {
  for (const follower of followers) follower.kill('SIGKILL');
  followers = [];
  project.remove();
});

interface Follower {
  /** Returns the next line as JSON. */
  next(): Promise<Record<string, unknown>>;
  ended: Promise<number | null>;
  child: ChildProcess;
}

function follow(...args: string[]): Follower {
  const child = spawn(process.execPath, [BINARY, 'journal', ...args], { cwd: project.root, env: project.env });
  followers.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    next: async () => JSON.parse((await lines.next()).value ?? '{}'),
    ended: new Promise((resolve) => child.on('exit', resolve)),
  };
}

function lines(...args: string[]): Record<string, unknown>[] {
  const { stdout } = devCli(project, ['journal', ...args]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('journal', () => {
  it('prints every entry as it was recorded, without contents, then the end', () => {
    startTiny(project, [PLAIN_BLOCK]);
    const recorded = journalOf(project, 'run-1').map(({ texts: _contents, ...entry }) => entry);
    expect(lines('run-1')).toEqual([...recorded, { seq: recorded.length, type: 'end', ok: true, status: 'live' }]);
    expect(lines('run-1', '--since', '1').map(({ seq }) => seq)).toEqual([2, 2]);
    expect(lines('run-1', '--since', '99')).toEqual([{ seq: 2, type: 'end', ok: true, status: 'live' }]);
    expect(devCli(project, ['journal', 'run-1', '--text']).stdout).toMatch(
      /^1 .* init started tiny-run-1 \(agent\)\n2 .*\n$/,
    );
  });

  it('of no run is one error; damage on the way is the last line, after what was good', () => {
    const { code, json } = devCli(project, ['journal', 'none']);
    expect([code, json.error?.code]).toEqual([2, 'NO_SUCH_RUN']);
    startTiny(project, [PLAIN_BLOCK]);
    const journal = join(runDir(project, 'run-1'), 'events.jsonl');
    appendFileSync(journal, '{"v":1,');
    expect(lines('run-1').at(-1)).toMatchObject({ type: 'end', ok: true, warnings: [expect.stringContaining('torn')] });
    project.replay = false;
    const [first = '', ...rest] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, [first.replace('"init"', '"Init"'), ...rest].join('\n'));
    const damaged = devCli(project, ['journal', 'run-1']);
    expect(damaged.code).toBe(1);
    expect(damaged.json).toMatchObject({ seq: 0, type: 'end', ok: false, error: { code: 'JOURNAL_CORRUPT' } });
  });
});

describe('journal --follow', () => {
  it('goes on with each commit until the run has ended, also over a torn end that is mended', async () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const { next, ended } = follow('run-1', '--follow');
    expect((await next())['type']).toBe('init');
    expect((await next())['seq']).toBe(2);
    appendFileSync(join(runDir(project, 'run-1'), 'events.jsonl'), '{"v":1,"seq":3,"torn');
    const second = nextOf(acknowledge(project, first).json);
    const seen: unknown[] = [];
    while (seen.at(-1) !== 'issued') seen.push((await next())['type']);
    acknowledge(project, second);
    while (seen.at(-1) !== 'end') seen.push((await next())['type']);
    expect(seen).toEqual(['recovered', 'acknowledged', 'issued', 'acknowledged', 'ended', 'end']);
    expect(await ended).toBe(0);
  });

  it('ends at once where the run has ended', () => {
    const first = startTiny(project, [PLAIN_BLOCK]);
    acknowledge(project, first);
    expect(lines('run-1', '--follow').at(-1)).toMatchObject({ type: 'end', status: 'completed' });
  });

  it('ends with 130 at Ctrl-C, its last line says so', async () => {
    startTiny(project, [PLAIN_BLOCK]);
    const { child, next, ended } = follow('run-1', '--follow', '--since', '1');
    expect((await next())['seq']).toBe(2);
    child.kill('SIGINT');
    expect(await next()).toMatchObject({ seq: 2, type: 'end', ok: false, error: { code: 'INTERRUPTED' } });
    expect(await ended).toBe(130);
  });
});
