import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HandlersOf } from '../../src/protocol/ports.js';
import { CHECKOUT, createProject, type Project } from '../support/project.mjs';
import { chosenSeed } from '../support/seeded.js';
import { HANDLERS, MEMO, type SPECS } from '../support/wing-commands.js';
import { buildHouse, copyHouse, ROWS } from '../support/wing-house.js';

let house: string;
let project: Project;
beforeAll(async () => {
  house = buildHouse();
  project = createProject();
  call('bin/dev-cli.js', ['init', 'one', '--recipe', 'specify-quick-autopilot', '--goal', 'Add a route']);
  mkdirSync(join(project.root, '.dev/notes'));
  writeFileSync(join(project.root, '.dev/notes/one'), 'The port is 8080\n');
  writeFileSync(join(project.root, '.dev/notes/two'), `A long one ${'x'.repeat(200)}\n`);
  writeFileSync(join(project.root, '.dev/notes/verse'), 'Two\nlines\n');
}, 120_000);
afterAll(() => {
  project?.remove();
  rmSync(house, { recursive: true, force: true });
});

function call(program: string, args: string[], input = ''): { status: number | null; stdout: string; stderr: string } {
  const options = { cwd: project.root, env: project.env, encoding: 'utf8', input } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(house, program), ...args], options);
  return { status, stdout, stderr };
}

const shown = `${`Notes: The port is 8080; A long one ${'x'.repeat(200)}`.slice(0, 59)}…`;

function never(given: unknown): never {
  throw new Error(String(given));
}

describe('a wing', () => {
  it('leaves the house in order', () => {
    const bin = join(CHECKOUT, 'node_modules/.bin/depcruise');
    const { status, stdout } = spawnSync(bin, ['--config', '.dependency-cruiser.cjs', 'src'], {
      cwd: house,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('no dependency violations')]);
  });

  it.each(['bin/dev-cli.js', 'dist/cli.cjs'])('shows its sections in what %s tells of a run', (program) => {
    const status = call(program, ['status', 'one', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ sections: { notes: shown } });
    expect(call(program, ['status', 'one', '--text']).stdout.trimEnd().split('\n').at(-1)).toBe(shown);
    const lines = call(program, ['manifest', 'one', '--text']).stdout.split('\n');
    expect(lines[lines.findIndex((line) => line.startsWith('The pending action')) - 1]).toBe(shown);
  });

  it('judges its documents', () => {
    expect(call('bin/dev-cli.js', ['check', '.dev/notes/one']).status).toBe(0);
    const { status, stdout } = call('bin/dev-cli.js', ['check', '.dev/notes/verse']);
    expect([status, JSON.parse(stdout)]).toMatchObject([3, { kind: 'note', problems: [{ target: 'note' }] }]);
  });

  it('carries out its commands, and explains them', () => {
    const { status, stdout } = call('bin/dev-cli.js', ['memo', 'add', '--memo', 'a b']);
    expect([status, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ kept: 'A B', until: 1 })]);
    const line = ['memo', 'add', '--memo', 'a', '--because', 'b, c', '--because', '@.dev/notes/one'];
    expect(JSON.parse(call('bin/dev-cli.js', line).stdout).because).toEqual(['b, c', 'The port is 8080']);
    expect(call('bin/dev-cli.js', [...line, '--because', ' ']).stdout).toContain('--because is empty.');
    expect(call('bin/dev-cli.js', ['memo', 'add', '--memo', 'nothing']).status).toBe(2);
    expect(call('bin/dev-cli.js', ['memo', 'add', '--days', 'x']).stdout).toContain('--memo is missing.');
    expect(call('bin/dev-cli.js', ['memo', 'ad']).stdout).toContain('Did you mean \\"memo add\\"?');
    expect(call('bin/dev-cli.js', ['help']).stdout).toContain('memo add [name]');
    expect(call('bin/dev-cli.js', ['memo', 'add', '--help']).stdout).toContain('For so many days.');
    const offered = call('bin/dev-cli.js', ['completion', '--complete', 'fish', '--', 'me']).stdout;
    expect(offered).toContain('memo\tWhat is to be remembered.\n');
    expect(call('bin/dev-cli.js', ['list']).status).toBe(0);
  });

  it('does not compile with a handler that is missing or of another type', () => {
    // @ts-expect-error: `memo add` has no handler.
    const missing: HandlersOf<typeof SPECS> = {};
    const wrong: HandlersOf<typeof SPECS> = {
      ...HANDLERS,
      // @ts-expect-error: a memo is not a number.
      'memo add': async (_, input: { memo: number }) => never(input),
    };
    expect([Object.keys(missing), Object.keys(wrong)]).toEqual([[], Object.keys(HANDLERS)]);
    expect(Object.keys(HANDLERS)).toEqual(MEMO.specs.map(({ name }) => name));
  });

  it('hears of events of a harness, behind the guard', () => {
    const hook = (event: string, payload: object) =>
      call('bin/dev-cli.js', ['hook', event, '--harness', 'claude'], JSON.stringify({ session_id: 's', ...payload }));
    expect(hook('session-start', { source: 'compact' }).stdout).toContain('The port is 8080; A long one');
    expect(hook('pre-tool-use', { tool_name: 'Burn', tool_input: {} })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('notes are not burned'),
    });
  });

  it('puts nothing but its sections into the programs of the questions', () => {
    for (const question of ['next', 'manifest', 'status', 'list']) {
      expect(readFileSync(join(house, `dist/${question}.cjs`), 'utf8')).not.toContain('notes are not burned');
    }
    expect(readFileSync(join(house, 'dist/status.cjs'), 'utf8')).toContain('Notes: ');
  });

  it.each([
    ['a mark that no cut has', '// door: nowhere', 'notes.ts: there is no "door: nowhere"'],
    [
      'a module behind a door that exports more than functions',
      '// door: plan',
      'notes.ts exports more than functions',
    ],
  ])('is not built with %s', (_, mark, complaint) => {
    const file = join(house, 'src/wings/x/notes.ts');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${mark}\n${text}`);
    const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: house, encoding: 'utf8' });
    writeFileSync(file, text);
    expect([status, stderr]).toEqual([1, expect.stringContaining(complaint)]);
  });
});

/**
 * Wings without which the rest of dev-cli still compiles. Testing one takes half a minute, so a test run tests only
 * one, chosen by its seed; with DEV_CLI_WINGS=all it tests all.
 */
const REMOVABLE = ['authoring', 'plan-import'];
const chosen = chosenSeed() % REMOVABLE.length;
const removed = REMOVABLE.filter((_, at) => process.env['DEV_CLI_WINGS'] === 'all' || at === chosen);

describe.each(removed)('the wing %s', (wing) => {
  let rest: string;
  beforeAll(() => {
    rest = mkdtempSync(join(tmpdir(), 'dev-cli-without-'));
    copyHouse(rest, ['tests']);
    for (const room of ['src', 'tests']) rmSync(join(rest, room, 'wings', wing), { recursive: true });
    for (const file of Object.keys(ROWS)) {
      const text = readFileSync(join(rest, file), 'utf8');
      writeFileSync(join(rest, file), withoutRows(text, wing));
    }
    execFileSync(process.execPath, [join(rest, 'scripts/generate.mjs')], { cwd: rest });
  });
  afterAll(() => rmSync(rest, { recursive: true, force: true }));

  function listErrors(include: readonly string[]): string[] {
    const settings = join(rest, 'looked-at.json');
    writeFileSync(settings, JSON.stringify({ extends: './tsconfig.json', include }));
    const compiler = join(CHECKOUT, 'node_modules/typescript-7/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '--noEmit', '-p', settings], { encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line.includes('error TS'));
  }

  it('comes out with its folders and its rows', () => {
    expect(listErrors(['src', 'tests'])).toEqual([]);
    writeFileSync(join(rest, 'src/base/planted.ts'), `export * from '../wings/${wing}/specs.js';\n`);
    expect(listErrors(['src/base/planted.ts'])).toHaveLength(1);
  });
});

/** Returns the text of a table in `app/` without a wing's imports and rows. */
function withoutRows(text: string, wing: string): string {
  const row = new RegExp(`^  '?${wing}'?: (?:\\{\\n.*?^  \\}|[^\\n]*),\\n`, 'gms');
  const line = new RegExp(`^(?:import|  \\w+: async) .*wings/${wing}/.*\\n`, 'gm');
  return text
    .replace(row, '')
    .replace(line, '')
    .replace(new RegExp(`async [^\\n]*wings/${wing}/[^\\n\\]]*`, 'g'), '');
}
