import { execSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { devCli, devCliAsync, imageOf, nextOf, runDir, stateOf } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { acknowledge, CHOICE_BLOCK, END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

let project: Project;
let first: Action;
let second: Action;
beforeEach(() => {
  project = createProject();
  first = startTiny(project, [PLAIN_BLOCK, CHOICE_BLOCK, END_BLOCK]);
  second = nextOf(acknowledge(project, first).json);
});
afterEach(() => project.remove());

const state = (): string => join(runDir(project, 'run-1'), 'state.json');
const journal = (): string => join(runDir(project, 'run-1'), 'events.jsonl');

function red(): ReturnType<typeof devCli> {
  return devCli(project, ['step', 'complete', 'run-1', '--action', second.actionId, '--choice', 'red']);
}

describe('state.json', () => {
  it.each([
    ['torn', (text: string) => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    ['zeros', (text: string) => '\0'.repeat(text.length)],
    ['another document', () => '{"hello":1}'],
    ['no JSON', () => 'hello'],
  ])('that is %s is kept aside and rebuilt from the journal; the next acknowledgement says so', (_what, damage) => {
    const good = readFileSync(state(), 'utf8');
    writeFileSync(state(), damage(good));
    expect(devCli(project, ['next', 'run-1']).json).toEqual(second);
    const accepted = red();
    expect(accepted.code, accepted.stdout).toBe(0);
    expect(accepted.json.warnings?.join(' ')).toContain('state.json');
    expect(nextOf(accepted.json).block).toBe('last');
    expect(
      readdirSync(runDir(project, 'run-1')).filter((file) => file.startsWith('state.json')).length,
    ).toBeGreaterThan(1);
  });

  it('that is missing is rebuilt', () => {
    rmSync(state());
    expect(devCli(project, ['next', 'run-1']).json).toEqual(second);
    expect(red().code).toBe(0);
    expect(stateOf(project, 'run-1').steps['colour']?.status).toBe('done');
  });

  it('of a newer version is refused and not touched', () => {
    project.replay = false;
    const newer = readFileSync(state(), 'utf8').replace(/"schemaVersion":\s*3/, '"schemaVersion":4');
    writeFileSync(state(), newer);
    const image = imageOf(project);
    for (const result of [
      red(),
      devCli(project, ['next', 'run-1']),
      devCli(project, ['init', 'run-1', '--recipe', 'tiny-run-1']),
    ]) {
      expect([result.code, result.json.error?.code]).toEqual([1, 'STATE_NEWER']);
    }
    expect(imageOf(project)).toEqual(image);
  });

  it.skipIf(process.getuid?.() === 0)(
    'that cannot be read is exit 1 and not touched (skipped for root, who reads everything)',
    () => {
      chmodSync(state(), 0o000);
      const result = red();
      expect([result.code, result.json.error?.code]).toEqual([1, 'IO']);
      chmodSync(state(), 0o644);
      expect(devCli(project, ['next', 'run-1']).json).toEqual(second);
    },
  );

  it('that is a directory is exit 1', () => {
    renameSync(state(), `${state()}.good`);
    mkdirSync(state());
    for (const result of [red(), devCli(project, ['next', 'run-1'])]) expect(result.code).toBe(1);
    rmSync(state(), { recursive: true });
    renameSync(`${state()}.good`, state());
    expect(red().code).toBe(0);
  });
});

/** Replaces the journal by the text that `damage` returns; null removes the journal. */
function cut(damage: (whole: string) => string | null): void {
  const left = damage(readFileSync(journal(), 'utf8'));
  if (left === null) rmSync(journal());
  else writeFileSync(journal(), left);
}

/** Returns the offset in the journal at which a commit begins: the one that issues this action. */
function beginningOf(whole: string, action: string): number {
  const lines = whole.split('\n');
  const last = lines.findIndex((line) => line.includes('"type":"issued"') && line.includes(`"actionId":"${action}"`));
  let begun = last;
  while (begun > 0 && lines[begun - 1]?.includes('"more":true')) begun -= 1;
  return lines.slice(0, begun).join('\n').length + 1;
}

/** Follows the fix with which `next` is refused, and calls `next` again. */
function follow(): ReturnType<typeof devCli> {
  const refused = devCli(project, ['next', 'run-1']);
  expect([refused.code, refused.json.error?.code]).toEqual([1, 'JOURNAL_CORRUPT']);
  const [move = ''] = /mv \S+ \S+(?=,)/.exec(refused.json.error?.fix ?? '') ?? [];
  execSync(move, { cwd: project.root });
  return devCli(project, ['next', 'run-1']);
}

describe('the journal', () => {
  it.each([
    ['without its newline', (line: string) => line.slice(0, -1)],
    ['half', (line: string) => line.slice(0, line.length / 2)],
    ['one byte', () => '{'],
  ])('torn at the end (%s): the torn part is cut under the lock and nothing acknowledged is lost', (_what, tear) => {
    const text = readFileSync(journal(), 'utf8');
    const last = `${JSON.stringify({ v: 1, seq: 99, at: new Date(0).toISOString(), type: 'x', by: {}, data: {}, patch: [], files: [], crc: '0' })}\n`;
    writeFileSync(journal(), text + tear(last));
    expect(devCli(project, ['next', 'run-1']).json).toEqual(second);
    const accepted = red();
    expect(accepted.code, accepted.stdout).toBe(0);
    expect(nextOf(accepted.json).block).toBe('last');
    const now = readFileSync(journal(), 'utf8');
    expect(now.startsWith(text)).toBe(true);
    for (const line of now.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });

  it.each([
    ['flipped', (line: string) => line.replace(/"seq":(\d)/, '"seq":9')],
    ['cut', (line: string) => line.slice(0, 40)],
    ['replaced', () => 'hello'],
  ])('with a line in the middle %s: exit 1, named, nothing touched', (_what, damage) => {
    project.replay = false;
    const lines = readFileSync(journal(), 'utf8').split('\n');
    expect(lines.length).toBeGreaterThan(2);
    lines[0] = damage(lines[0] ?? '');
    writeFileSync(journal(), lines.join('\n'));
    const image = imageOf(project);
    const result = red();
    expect([result.code, result.json.error?.code]).toEqual([1, 'JOURNAL_CORRUPT']);
    expect(JSON.stringify(result.json.error)).toMatch(/events\.jsonl/);
    expect(imageOf(project)).toEqual(image);
  });

  it('missing while state.json is there: exit 1, nothing touched, whoever asks; never an empty run', () => {
    project.replay = false;
    rmSync(journal());
    const image = imageOf(project);
    for (const result of [red(), devCli(project, ['next', 'run-1']), devCli(project, ['init', 'run-1', '--force'])]) {
      expect([result.code, result.json.error?.code], result.stdout).toEqual([1, 'JOURNAL_CORRUPT']);
    }
    expect(imageOf(project)).toEqual(image);
  });

  describe.each<[string, (whole: string) => string | null]>([
    ['empty', () => ''],
    ['missing', () => null],
    ['cut in its first commit', (whole) => whole.slice(0, 200)],
  ])('%s beside a whole state.json', (_, damage) => {
    it('is refused with a fix that leads on: the name can be begun anew', () => {
      cut(damage);
      const refused = follow();
      expect(refused).toMatchObject({ code: 2, json: { error: { code: 'NO_SUCH_RUN' } } });
      expect(refused.json.error?.fix).toContain('dev-cli init');
      const again = devCli(project, ['init', 'run-1', '--recipe', 'tiny-run-1']);
      expect(again.json).toMatchObject({ ok: true, status: 'initialized' });
      expect(acknowledge(project, nextOf(again.json)).code).toBe(0);
    });
  });

  it.each<[string, (whole: string) => string]>([
    ['after its first commit', (whole) => whole.slice(0, beginningOf(whole, second.actionId))],
    ['in its second commit', (whole) => whole.slice(0, beginningOf(whole, second.actionId) + 200)],
  ])('cut %s beside a whole state.json is refused with a fix that leads on: from what is left', (_, damage) => {
    cut(damage);
    expect(follow().json).toEqual(first);
    const back = nextOf(acknowledge(project, first).json);
    const { code, json } = devCli(project, ['step', 'complete', 'run-1', '--action', back.actionId, '--choice', 'red']);
    expect([code, nextOf(json).block]).toEqual([0, 'last']);
    expect(devCli(project, ['replay', 'run-1', '--check', '--json']).json.ok).toBe(true);
  });

  it('and state.json both gone with the directory left: no run, not a crash', () => {
    rmSync(journal());
    rmSync(state());
    for (const result of [red(), devCli(project, ['next', 'run-1'])]) {
      expect([result.code, result.json.error?.code], result.stdout).toEqual([2, 'NO_SUCH_RUN']);
    }
  });
});

describe('recipe.json', () => {
  it('damaged: exit 1, named, nothing touched', () => {
    project.replay = false;
    // Damaged, not merely truncated: a truncated file would be repaired.
    writeFileSync(join(runDir(project, 'run-1'), 'recipe.json'), '{"compiled":');
    const image = imageOf(project);
    const result = red();
    expect([result.code, result.json.error?.code]).toEqual([1, 'STATE_CORRUPT']);
    expect(imageOf(project)).toEqual(image);
  });
});

describe('the place', () => {
  it.skipIf(process.getuid?.() === 0)(
    'a read-only .dev: exit 1, state as it was (skipped for root, who writes everywhere)',
    () => {
      const image = imageOf(project);
      chmodSync(runDir(project, 'run-1'), 0o555);
      const result = red();
      expect([result.code, result.json.error?.code]).toEqual([1, 'IO']);
      expect(devCli(project, ['next', 'run-1']).json).toEqual(second);
      chmodSync(runDir(project, 'run-1'), 0o755);
      expect(imageOf(project)).toEqual(image);
      expect(red().code).toBe(0);
    },
  );

  it('a file where .dev should be: exit 1, the file is kept', () => {
    project.remove();
    project = createProject();
    writeFileSync(join(project.root, '.dev'), 'mine\n');
    const result = devCli(project, ['init', 'one', '--quick', '--goal', 'x']);
    expect([result.code, result.json.error?.code]).toEqual([1, 'IO']);
    expect(readFileSync(join(project.root, '.dev'), 'utf8')).toBe('mine\n');
  });

  it('a .dev that is a link out of the project is refused and not written through', () => {
    project.remove();
    project = createProject({ replay: false });
    const elsewhere = join(project.home, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(project.root, '.dev'));
    const result = devCli(project, ['init', 'one', '--quick', '--goal', 'x']);
    expect([result.code, result.json.error?.code], result.stdout).toEqual([1, 'IO']);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('without git: the whole way works', () => {
    project.remove();
    project = createProject({ git: false });
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    expect(acknowledge(project, action).code).toBe(0);
  });

  it('without git on the PATH: the whole way works', () => {
    const bin = join(project.home, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'node'));
    const env = { PATH: bin };
    expect(devCli(project, ['next', 'run-1'], { env }).json).toEqual(second);
    const args = ['step', 'complete', 'run-1', '--action', second.actionId, '--choice', 'red'];
    expect(devCli(project, args, { env }).code).toBe(0);
  });

  it('leftovers of other processes do not disturb: temporary files, an unknown lock of a dead process', () => {
    writeFileSync(join(runDir(project, 'run-1'), 'state.json.123456'), 'half');
    writeFileSync(join(runDir(project, 'run-1'), 'notes.txt'), 'mine');
    expect(red().code).toBe(0);
    expect(readFileSync(join(runDir(project, 'run-1'), 'notes.txt'), 'utf8')).toBe('mine');
  });
});

describe('sixteen at once', () => {
  it('acknowledge the same action: one is accepted, the others are duplicates, nothing is skipped', async () => {
    const args = ['step', 'complete', 'run-1', '--action', second.actionId, '--choice', 'red'];
    const results = await Promise.all(Array.from({ length: 16 }, () => devCliAsync(project, args)));
    expect(results.map(({ code }) => code)).toEqual(Array(16).fill(0));
    expect(results.filter(({ json }) => json.duplicate !== true)).toHaveLength(1);
    for (const { json } of results) expect(nextOf(json)).toMatchObject({ block: 'last', actionId: 'a3' });
    expect(existsSync(join(runDir(project, 'run-1'), 'lock'))).toBe(false);
  });

  it('init the same name: one run', async () => {
    const args = ['init', 'race', '--recipe', 'tiny-run-1'];
    const results = await Promise.all(Array.from({ length: 16 }, () => devCliAsync(project, args)));
    expect(results.map(({ code }) => code)).toEqual(Array(16).fill(0));
    expect(results.filter(({ json }) => json.status === 'initialized')).toHaveLength(1);
    expect(new Set(results.map(({ json }) => nextOf(json).actionId))).toEqual(new Set(['a1']));
  });
});
