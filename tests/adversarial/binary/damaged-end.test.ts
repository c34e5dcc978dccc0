import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf, nextOf, runDir, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { acknowledge, CHOICE_BLOCK, END_BLOCK, PLAIN_BLOCK, startTiny, tiny } from '../../support/tiny.js';
import { call, eventually, runnersOf, trusted } from './victims.js';

// The last line of a journal is damaged, but state.json already contains its effect. Questions are answered from
// state.json; every call that changes something or shows the journal must refuse (storage.md, Recovery).

const NAME = 'run-1';
useProject({ sample: null, replay: false });

/** Changes the last line, which holds an acknowledgement and its results. */
function damage(change: (line: string) => string): void {
  const path = join(runDir(project, NAME), 'events.jsonl');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  expect(change(last)).not.toBe(last);
  writeFileSync(path, `${[...lines.slice(0, -1), change(last)].join('\n')}\n`);
}

const aDigit = (line: string): string => line.replace('"at":"20', '"at":"30');

describe('an end that lost its checksum', () => {
  let seq: number;
  beforeEach(() => {
    nextOf(acknowledge(project, startTiny(project, [PLAIN_BLOCK, CHOICE_BLOCK, END_BLOCK])).json);
    seq = stateOf(project, NAME).seq;
    damage(aDigit);
  });

  it('is refused by whoever would add to it, and nothing is touched', () => {
    const image = imageOf(project);
    for (const args of [
      ['step', 'complete', NAME, '--action', 'a2', '--choice', 'red'],
      ['step', 'invalidate', NAME, '--step', 'think'],
      ['abort', NAME, '--reason', 'x'],
      ['init', NAME, '--recipe', 'tiny-run-1', '--force'],
    ]) {
      const refused = devCli(project, args);
      expect([refused.code, refused.json.error?.code], args.join(' ')).toEqual([1, 'JOURNAL_CORRUPT']);
    }
    expect(imageOf(project)).toEqual(image);
  });

  it('is none of what a question is answered with', () => {
    expect(devCli(project, ['next', NAME]).json).toMatchObject({ block: 'colour', actionId: 'a2' });
    expect(devCli(project, ['status', NAME, '--json']).json).toMatchObject({ block: 'colour' });
    expect(devCli(project, ['manifest', NAME]).stdout).toContain('"actionId":"a2"');
  });

  it('is shown by replay --check', () => {
    const checked = devCli(project, ['replay', NAME, '--check', '--json']);
    expect([checked.code, checked.json.ok]).toEqual([3, false]);
  });

  it.each([
    ['history', () => ['history', NAME, '--json']],
    ['journal', () => ['journal', NAME]],
    ['replay --at', () => ['replay', NAME, '--at', String(seq)]],
    ['fork', () => ['fork', NAME, '--at', String(seq), '--as', 'other']],
    ['use', () => ['use', NAME]],
  ] as const)('is refused by %s, which otherwise takes a whole commit for one that never happened', (_what, args) => {
    const refused = devCli(project, args());
    expect([refused.code, refused.json.error?.code]).toEqual([1, 'JOURNAL_CORRUPT']);
  });
});

describe('an end whose version is damaged', () => {
  beforeEach(() => {
    nextOf(acknowledge(project, startTiny(project, [PLAIN_BLOCK, CHOICE_BLOCK, END_BLOCK])).json);
    damage((line) => line.replace('"v":3', '"v":4'));
  });

  it('is damaged, and not of a newer dev-cli', () => {
    const refused = devCli(project, ['step', 'complete', NAME, '--action', 'a2', '--choice', 'red']);
    expect([refused.code, refused.json.error?.code]).toEqual([1, 'JOURNAL_CORRUPT']);
  });
});

describe('an external command whose start is in a damaged end', () => {
  const effects = (): string => join(project.root, 'effects.txt');
  beforeEach(async () => {
    writeProjectFile(project, 'effect.sh', 'echo ran >>effects.txt\n');
    const outside = '\n  - id: outside\n    type: cli\n    command: sh effect.sh\n';
    const recipe = trusted(project, tiny(project, 'tiny', [PLAIN_BLOCK, outside, END_BLOCK]));
    expect(devCli(project, ['init', NAME, '--recipe', recipe]).code).toBe(0);
    await call(project, ['step', 'complete', NAME, '--action', 'a1'], { DEV_CLI_ANSWER_WITHIN: '0' });
    await eventually('the command has run', () => existsSync(join(runDir(project, NAME), 'actions/a2/exit.json')));
    await eventually('the runner has ended', () => runnersOf(project).length === 0);
    // Makes the action look as if its command had never been launched.
    rmSync(join(runDir(project, NAME), 'actions/a2'), { recursive: true });
    mkdirSync(join(runDir(project, NAME), 'actions/a2'));
    rmSync(effects());
    damage(aDigit);
  });

  it('is not launched by a call that then refuses to record it', () => {
    const refused = devCli(project, ['next', NAME, '--wait', '20']);
    expect(refused.json.error?.code).toBe('JOURNAL_CORRUPT');
    expect(existsSync(effects())).toBe(false);
  });
});

describe('a first commit that a crash cut off', () => {
  it('is no run, neither by its name nor as a suggestion, and init begins it', () => {
    const recipe = `tiny-${NAME}`;
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const path = join(runDir(project, NAME), 'events.jsonl');
    writeFileSync(path, readFileSync(path).subarray(0, 200));
    rmSync(join(runDir(project, NAME), 'state.json'));
    for (const name of [NAME, `${NAME}x`]) {
      const { error } = devCli(project, ['next', name]).json;
      expect(error?.code).toBe('NO_SUCH_RUN');
      expect(error?.message).toMatch(new RegExp(`^There is no run named "${name}"\\. There are no runs in `));
    }
    expect(devCli(project, ['list']).stdout).toMatch(/^No runs yet/);
    expect(devCli(project, ['init', NAME, '--recipe', recipe]).code).toBe(0);
  });
});
