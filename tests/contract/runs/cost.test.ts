import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, runDir } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { AGENTS_BLOCK, acknowledge, deliver, END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

/** documents.md, Cost: where the cost is shown. The tests of the report cover the cost of an execution. */

useProject({ git: false, replay: false });

const status = (...words: string[]) => devCli(project, ['status', 'run-1', ...words]);
const costOf = (...words: string[]) => status('--json', ...words).json['cost'] as Record<string, number> | undefined;

/** Aborts a run that has issued prompt files to two agents; returns the total size of the files in bytes. */
function ended(): number {
  const look = startTiny(project, [AGENTS_BLOCK, PLAIN_BLOCK, END_BLOCK]);
  const bytes = ['one', 'two'].map((id) => statSync(join(runDir(project, 'run-1'), `actions/a1/${id}.md`)).size);
  deliver(project, look);
  acknowledge(project, look);
  devCli(project, ['abort', 'run-1', '--reason', 'enough']);
  return bytes.reduce((sum, size) => sum + size, 0);
}

describe('cost', () => {
  it('of an ended run is told; questions do not count', () => {
    const promptBytes = ended();
    devCli(project, ['next', 'run-1']);
    const cost = costOf();
    expect(cost).toMatchObject({ calls: 3, prompts: 2, promptBytes, gateMilliseconds: 0 });
    const kilobytes = (promptBytes / 1000).toFixed(1);
    expect(status().stdout).toMatch(
      new RegExp(`^cost {3}3 calls by agents, 2 prompts \\(${kilobytes} kB\\), \\d+ s$`, 'm'),
    );
    expect(costOf('--full')).toEqual(cost);
  });

  it('of a live run is told with --full, so that a glance reads no journal', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    expect(costOf()).toBeUndefined();
    expect(status().stdout).not.toContain('cost');
    expect(costOf('--full')).toMatchObject({ calls: 1 });
  });

  it('is left out where the journal cannot be read, and the status stands', () => {
    ended();
    const journal = join(runDir(project, 'run-1'), 'events.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, [lines[0], lines[1]?.replace('"seq":2', '"seq":7'), ...lines.slice(2)].join('\n'));
    const { code, json } = status('--json', '--full');
    expect([code, json['status'], json['cost']]).toEqual([0, 'aborted', undefined]);
  });
});
