import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ActionItem, RunHistory } from '../../../src/views/history-items.js';
import {
  devCli,
  imageOf,
  journalOf,
  nextOf,
  readStateFile,
  runDir,
  runPrinted,
  stateOf,
  writeProjectFile,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import {
  AGENTS_BLOCK,
  acknowledge,
  CHOICE_BLOCK,
  choose,
  deliver,
  END_BLOCK,
  PLAIN_BLOCK,
  startTiny,
} from '../../support/tiny.js';

/** storage.md, History: who did what and when, how long it took, and on what evidence. */

useProject({ git: false });

/** Returns the answer as JSON and as text, after checking that asking changed nothing. */
function ask(...args: string[]): { runs: RunHistory[]; text: string } {
  const before = imageOf(project);
  const { code, json } = devCli(project, ['history', ...args, '--json']);
  expect(code).toBe(0);
  const text = devCli(project, ['history', ...args]).stdout;
  expect(imageOf(project)).toEqual(before);
  return { runs: json['runs'] as RunHistory[], text };
}

/** Runs through a choice and a dispatch of two agents, only one of which delivers at first. */
function throughAgents(): void {
  const first = startTiny(project, [CHOICE_BLOCK, AGENTS_BLOCK, END_BLOCK]);
  const look = nextOf(choose(project, first, 'blue').json);
  deliver(project, look, ['one']);
  expect(acknowledge(project, look).code).toBe(3);
  deliver(project, look, ['two']);
  const env = { DEV_CLI_HARNESS: 'some-harness', DEV_CLI_SESSION: 'session-7' };
  expect(runPrinted(project, look.ack ?? '', { env }).code).toBe(0);
}

describe('history --step', () => {
  it('says who said that it was done, when, and on what evidence', () => {
    throughAgents();
    const { runs, text } = ask('run-1', '--step', 'look');
    expect(runs[0]?.items.length).toBe(1);
    const action = runs[0]?.items[0] as ActionItem;
    expect(action).toMatchObject({
      block: 'look',
      result: 'done',
      by: { kind: 'agent', harness: 'some-harness', session: 'session-7' },
      refused: [{ evidence: [{ path: 'findings/one.md', agent: 'one' }] }],
      evidence: [{ path: 'findings/two.md', agent: 'two', summary: expect.any(String) }],
    });
    const { outputHash } = stateOf(project, 'run-1').agents['two'] ?? {};
    expect(action.evidence[0]?.sha256).toBe(outputHash);
    expect(text).toContain('by agent in some-harness session session-7');
    expect(text).toContain(`findings/two.md by two sha256 ${outputHash}`);
    const taken = action.refused[0]?.evidence[0]?.sha256;
    expect(text).toMatch(/refused, partly accepted, by agent \(entry \d+\):/);
    expect(text).toContain(`findings/one.md by one sha256 ${taken}`);
  });

  it('takes the beginning of an id, and names the blocks there are', () => {
    throughAgents();
    expect(ask('run-1', '--step', 'col').text).toMatch(/✓ colour a1: blue after \d+ s, by agent \(entry 3\)/);
    const { code, stderr } = devCli(project, ['history', 'run-1', '--step', 'nowhere']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^UNKNOWN_BLOCK: .*colour, look, last/)]);
  });
});

const TALK_BLOCK = `
  - id: talk
    type: subagent
    agents:
      - { type: code-explorer, id: one, prompt: Say what you think. }
      - { type: code-explorer, id: two, prompt: Look at the tests., output: findings/two.md }
`;

describe('history', () => {
  it('names the entry of each action, as fork and replay want it, and what was taken on a word alone', () => {
    const talk = startTiny(project, [TALK_BLOCK]);
    expect(ask('run-1').text).toMatch(/◐ talk a1: pending for \d+ s \(entry 2\)/);
    writeProjectFile(project, '.dev/specs/run-1/actions/a1/result.md', 'It looks simple.');
    expect(acknowledge(project, talk).code).toBe(3);
    const { runs, text } = ask('run-1');
    expect(text).toMatch(/refused, partly accepted, by agent \(entry 3\):\n +one: self-reported\n/);
    expect(runs[0]?.items).toMatchObject([{ refused: [{ evidence: [], selfReported: ['one'] }] }]);
    deliver(project, talk, ['two']);
    acknowledge(project, talk);
    expect(ask('run-1').text).toMatch(/✓ talk a1: done after \d+ s, by agent \(entry 4\)/);
  });

  it('tells the newest run; earlier ones by id, or all', () => {
    startTiny(project, [PLAIN_BLOCK]);
    const { runId } = stateOf(project, 'run-1');
    devCli(project, ['abort', 'run-1', '--reason', 'the user changed their mind']);
    startTiny(project, [PLAIN_BLOCK]);
    expect(ask('run-1').runs.map(({ status }) => status)).toEqual(['live']);
    expect(ask('run-1').text).toContain('1 more of this name: dev-cli history run-1 --all');
    expect(ask('run-1', '--all').runs.map(({ status }) => status)).toEqual(['aborted', 'live']);
    const earlier = ask('run-1', '--run', runId);
    expect(earlier.runs.map((run) => run.runId)).toEqual([runId]);
    expect(earlier.text).toContain('■ aborted: the user changed their mind (agent)');
    expect(devCli(project, ['history', 'run-1', '--run', 'x']).code).toBe(2);
  });

  it('cleans what others wrote, and keeps to the newest items when told so', () => {
    const first = startTiny(project, [PLAIN_BLOCK.replace('think', 'think'), CHOICE_BLOCK]);
    const second = nextOf(acknowledge(project, first).json);
    writeProjectFile(project, 'note.md', 'red \u001b[31mALERT\u001b[0m\u0007 and\nmore');
    devCli(project, [
      'step',
      'complete',
      'run-1',
      '--action',
      second.actionId,
      '--choice',
      'red',
      '--note',
      '@note.md',
    ]);
    const { text } = ask('run-1');
    expect(text).toContain('“red ALERT and more”');
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    const { runs } = ask('run-1', '--last', '1');
    expect(runs[0]?.items).toMatchObject([{ kind: 'ended', outcome: 'completed' }]);
  });

  it('of no run is exit 2; a torn end is told and nothing else; a damaged middle is exit 1', () => {
    expect(devCli(project, ['history', 'none']).code).toBe(2);
    startTiny(project, [PLAIN_BLOCK]);
    const journal = join(runDir(project, 'run-1'), 'events.jsonl');
    appendFileSync(journal, '{"v":1,');
    expect(ask('run-1').text).toContain('! the last line of events.jsonl is torn');
    project.replay = false;
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"init"', '"Init"'));
    expect(devCli(project, ['history', 'run-1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('JOURNAL_CORRUPT'),
    });
  });
});

describe('the history of what is not this run', () => {
  it.each([
    [
      'a copied directory',
      () => cpSync(runDir(project, 'run-2'), runDir(project, 'run-1'), { recursive: true }),
      'STATE',
    ],
    ['a journal from elsewhere', () => cpSync(journal('run-2'), journal('run-1')), 'JOURNAL'],
    ['a journal that is gone', () => rmSync(journal('run-1')), 'JOURNAL'],
  ])('is not told: %s', (_, damage, what) => {
    const first = startTiny(project, [PLAIN_BLOCK, CHOICE_BLOCK]);
    startTiny(project, [PLAIN_BLOCK], '', 'run-2');
    acknowledge(project, first);
    project.replay = false;
    damage();
    const { code, stdout, stderr } = devCli(project, ['history', 'run-1']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(`^${what}_CORRUPT: .*run-1`)]);
    expect(devCli(project, ['list']).stdout).toMatch(new RegExp(`run-1 .*${what}_CORRUPT`));
  });

  function journal(name: string): string {
    return join(runDir(project, name), 'events.jsonl');
  }
});

describe('replay --at', () => {
  it('prints the state as it was, with the whole commit of that entry', () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const then = readStateFile(project, 'run-1');
    acknowledge(project, first);
    for (const seq of [1, 2]) {
      const { code, json } = devCli(project, ['replay', 'run-1', '--at', String(seq)]);
      expect(code).toBe(0);
      expect(json).toMatchObject({ ok: true, seq, commit: { first: 1, last: 2 } });
      expect(json['state']).toEqual(then);
      expect(Object.keys(json['documents'] as object)).toContain('recipe.json');
    }
  });

  it.each(['0', '99'])('has no entry %s', (seq) => {
    startTiny(project, [PLAIN_BLOCK]);
    const { code, json } = devCli(project, ['replay', 'run-1', '--at', seq]);
    expect([code, json.error?.code]).toEqual([2, 'UNKNOWN_ENTRY']);
    expect(devCli(project, ['replay', 'run-1', '--at', '1', '--check']).code).toBe(2);
  });

  it('is not taken from the journal of another name', () => {
    startTiny(project, [PLAIN_BLOCK]);
    startTiny(project, [PLAIN_BLOCK], '', 'run-2');
    project.replay = false;
    writeFileSync(
      join(runDir(project, 'run-1'), 'events.jsonl'),
      readFileSync(join(runDir(project, 'run-2'), 'events.jsonl')),
    );
    expect(devCli(project, ['replay', 'run-1', '--at', '1']).json.error?.code).toBe('JOURNAL_CORRUPT');
    expect(journalOf(project, 'run-1').length).toBe(2);
  });
});
