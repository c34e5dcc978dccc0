import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addDigest } from '../../../src/documents/mark.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import { renderHookLine } from '../../../src/wings/harness/install/hook-line.js';
import { type CallOptions, devCli, imageOf, init } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal } from '../../support/terminal.mjs';

// harness.md, Install: the effects on files. Tests elsewhere try the installation in the harnesses themselves.

useProject();

const terminal = findTerminal();
const ALL = 'claude,codex,gemini';
const call = (words: string, options: CallOptions = {}) =>
  devCli(project, [...words.split(' '), '--yes'], {
    ...options,
    env: { HOME: project.home, XDG_STATE_HOME: '', PATH: '', ...options.env },
  });
const install = (words = `--harness ${ALL}`) => call(`install ${words} --json`);
const uninstall = (words = '') => call(`uninstall${words === '' ? '' : ` ${words}`} --json`);
const read = (path: string) => readFileSync(join(project.root, path), 'utf8');
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), text);
};

const listAll = (directory: string) => readdirSync(directory, { recursive: true }).sort();

interface Row {
  path: string;
  does: string;
  why?: string;
}
const rowsOf = (result: { json: Record<string, unknown> }): Row[] =>
  (result.json['harnesses'] as { files: Row[] }[]).flatMap(({ files }) => files);
const doneOf = (result: { json: Record<string, unknown> }, does: string) =>
  rowsOf(result)
    .filter((row) => row.does === does)
    .map(({ path }) => path);

describe('install (harness.md, Install)', () => {
  it('keeps a formatter of the whole tree out of .dev, until the last harness is uninstalled', () => {
    expect(doneOf(install(), 'created')).not.toContain('.prettierignore');
    uninstall();
    write('.prettierignore', 'dist/');
    const before = imageOf(project, '.');
    expect(doneOf(install(), 'updated')).toContain('.prettierignore');
    expect(read('.prettierignore')).toBe('dist/\n.dev/\n');
    expect(doneOf(install(), 'updated')).toEqual([]);
    uninstall('--harness codex,gemini');
    expect(read('.prettierignore')).toContain('.dev/');
    uninstall('--harness claude');
    expect(imageOf(project, '.')).toEqual(before);
    rmSync(join(project.root, '.prettierignore'));
    write('package.json', '{ "devDependencies": { "prettier": "^3" } }');
    expect(doneOf(install('--harness claude'), 'created')).toContain('.prettierignore');
  });

  it('keeps the schemas for editors as they ship, whatever became of them, until the last harness is uninstalled', () => {
    const before = imageOf(project, '.');
    const schema = '.dev/schemas/recipe.schema.json';
    expect(doneOf(install(), 'created')).toContain(schema);
    const shipped = read(schema);
    expect(JSON.parse(shipped)).toMatchObject({ $id: 'recipe' });
    write(schema, '{}');
    expect(doneOf(install(), 'updated')).toEqual([schema]);
    expect(read(schema)).toBe(shipped);
    uninstall('--harness codex,gemini');
    expect(read(schema)).toBe(shipped);
    write(schema, '{}');
    uninstall('--harness claude');
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('writes what each harness looks for, and a second time nothing', () => {
    const first = install();
    expect(first.code, first.stdout).toBe(0);
    for (const path of [
      '.claude/skills/specify/SKILL.md',
      '.claude/agents/dev-cli-worker.md',
      '.claude/settings.json',
      '.claude/hooks/dev-cli.sh',
      '.codex/hooks/dev-cli.sh',
      '.gemini/hooks/dev-cli.sh',
      '.agents/skills/specify/SKILL.md',
      '.codex/agents/dev-cli-worker.toml',
      '.codex/hooks.json',
      '.codex/rules/dev-cli.rules',
      '.gemini/skills/specify/SKILL.md',
      '.gemini/agents/dev-cli-worker.md',
      '.gemini/settings.json',
      '.geminiignore',
    ]) {
      expect(doneOf(first, 'created'), path).toContain(path);
      expect(existsSync(join(project.root, path)), path).toBe(true);
    }
    const image = imageOf(project, '.');
    const second = install();
    expect(new Set(rowsOf(second).map(({ does }) => does))).toEqual(new Set(['unchanged']));
    expect(imageOf(project, '.')).toEqual(image);
  });

  it.each<[string, string | null]>([
    ['none', null],
    ['an empty file', ''],
    ['none of ours', '{\n  "model": "x"\n}\n'],
    ['lists of their own', '{\n\t"permissions": {\n\t\t"allow": ["Bash(ls:*)"]\n\t},\n\t"hooks": {"Stop": []}\n}'],
    ['a comment, a trailing comma, CRLF', '{\r\n  // mine\r\n  "env": { "KEY": "s3cret", },\r\n}\r\n'],
    [
      'one line',
      '{"env":{"KEY":"s3cret"},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}',
    ],
  ])('leaves the project as it was to the byte after uninstall, with settings that are %s', (_what, text) => {
    const shared = ['.claude/settings.json', '.codex/hooks.json', '.gemini/settings.json'];
    if (text !== null) for (const path of shared) write(path, text);
    write('.geminiignore', 'secrets/');
    const before = imageOf(project, '.');
    expect(install().code).toBe(0);
    for (const path of shared) {
      const settings = read(path);
      expect(settings).toContain('set -- stop ');
      if (text?.includes('s3cret') === true) expect(settings).toContain('s3cret');
    }
    // Other people's settings may contain secrets, so no copy of them is stored.
    expect(read('.dev/install.json')).not.toContain('s3cret');
    expect(uninstall().code).toBe(0);
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('takes only its own part out of settings that were changed since', () => {
    write('.claude/settings.json', '{\n  "model": "x"\n}\n');
    install();
    const mine = { type: 'command', command: 'mine' };
    const settings = JSON.parse(read('.claude/settings.json'));
    settings.hooks.Stop.push({ hooks: [mine] });
    settings.model = 'y';
    write('.claude/settings.json', JSON.stringify(settings));
    uninstall();
    expect(JSON.parse(read('.claude/settings.json'))).toEqual({ model: 'y', hooks: { Stop: [{ hooks: [mine] }] } });
  });

  it('overwrites nothing of somebody else: a skill gets a name of its own', () => {
    write('.claude/skills/specify/SKILL.md', 'mine');
    write('.claude/skills/dev-cli-run-recipe/SKILL.md', 'mine, too');
    write('.claude/skills/run-recipe/SKILL.md', 'mine as well');
    write('.gemini/commands/open.toml', 'prompt = "mine"');
    const first = install();
    expect(read('.claude/skills/specify/SKILL.md')).toBe('mine');
    expect(read('.claude/skills/dev-cli-specify/SKILL.md')).toMatch(/^---\nname: dev-cli-specify\n/);
    expect(read('.gemini/commands/open.toml')).toBe('prompt = "mine"');
    // Gemini CLI makes a command of each skill. If there already is a command of that name, Gemini CLI renames both. To
    // prevent that, the skill is installed under a name of its own.
    expect(existsSync(join(project.root, '.gemini/skills/open'))).toBe(false);
    expect(read('.gemini/skills/dev-cli-open/SKILL.md')).toMatch(/^---\nname: dev-cli-open\n/);
    expect(existsSync(join(project.root, '.gemini/commands/specify.toml'))).toBe(false);
    expect(rowsOf(first)).toContainEqual(
      expect.objectContaining({
        path: '.claude/skills/dev-cli-run-recipe/SKILL.md',
        does: 'kept',
        why: 'it is not from dev-cli',
      }),
    );
    uninstall();
    expect(read('.claude/skills/specify/SKILL.md')).toBe('mine');
    expect(existsSync(join(project.root, '.claude/skills/dev-cli-specify'))).toBe(false);
  });

  it('keeps and names what was edited since it was installed, also when it is uninstalled', () => {
    install();
    write('.claude/agents/dev-cli-worker.md', 'edited');
    const kept = {
      path: '.claude/agents/dev-cli-worker.md',
      does: 'kept',
      why: 'it was edited since it was installed',
    };
    expect(rowsOf(install())).toContainEqual(expect.objectContaining(kept));
    expect(rowsOf(uninstall())).toContainEqual(expect.objectContaining(kept));
    expect(read('.claude/agents/dev-cli-worker.md')).toBe('edited');
  });

  it('knows an edited skill of its own without the manifest: it is kept, and one of before is brought up to date', () => {
    install();
    const [skill, before] = ['.claude/skills/specify/SKILL.md', '.claude/skills/run-recipe/SKILL.md'];
    write(skill, `${read(skill)}\nMine.\n`);
    const edited = read(skill);
    write(before, addDigest(`${read(before).replace(/(installed-by: dev-cli) [0-9a-f]{12}/, '$1')}Before.\n`));
    rmSync(join(project.root, '.dev/install.json'));
    const rows = rowsOf(install());
    const kept = { path: skill, does: 'kept', why: 'it was edited since it was installed' };
    expect(rows).toContainEqual(expect.objectContaining(kept));
    expect(rows).toContainEqual(expect.objectContaining({ path: before, does: 'updated' }));
    expect(rows.some(({ path }) => path.includes('dev-cli-specify'))).toBe(false);
    expect(read(skill)).toBe(edited);
    expect(rowsOf(uninstall())).toContainEqual(expect.objectContaining({ path: before, does: 'removed' }));
    expect(read(skill)).toBe(edited);
  });

  it('brings what an earlier version installed up to date, and removes what is no more', () => {
    install();
    const old = read('.dev/install.json');
    const worker = read('.claude/agents/dev-cli-worker.md');
    const { createHash } = require('node:crypto') as typeof import('node:crypto');
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    write('.claude/agents/dev-cli-worker.md', 'of before');
    write('.claude/agents/dev-cli-gone.md', 'of before');
    const manifest = JSON.parse(old);
    manifest.harnesses.claude['.claude/agents/dev-cli-worker.md'].sha256 = digest('of before');
    manifest.harnesses.claude['.claude/agents/dev-cli-gone.md'] = { kind: 'file', sha256: digest('of before') };
    write('.dev/install.json', JSON.stringify(manifest));
    write(
      '.claude/settings.json',
      read('.claude/settings.json').replace('set -- stop claude;', 'set -- stop claude; old;'),
    );
    const updated = install('--harness claude');
    expect(doneOf(updated, 'updated')).toEqual([
      '.claude/agents/dev-cli-worker.md',
      '.claude/settings.json',
      '.dev/install.json',
    ]);
    expect(doneOf(updated, 'removed')).toEqual(['.claude/agents/dev-cli-gone.md']);
    expect(read('.claude/agents/dev-cli-worker.md')).toBe(worker);
    const { hooks } = JSON.parse(read('.claude/settings.json'));
    expect(hooks.Stop).toHaveLength(1);
    expect(hooks.Stop[0].hooks[0].command).toBe(renderHookLine('stop', HARNESSES.claude, 'project'));
  });

  it.each([
    ['do not parse', '{ "hooks": '],
    ['are a list', '[]'],
    ['have something else where a list belongs', '{"hooks":{"SessionStart":"x"}}'],
    ['have a list where an object belongs', '{"hooks":[]}'],
    ['have null where an object belongs', '{"hooks":null}'],
    ['have a key twice', '{"hooks":{},"hooks":{"SessionStart":[]}}'],
  ])('writes nothing at all where settings %s', (_what, text) => {
    write('.gemini/settings.json', text);
    const before = imageOf(project, '.');
    const refused = install();
    expect([refused.code, refused.json.error?.code]).toEqual([2, 'DATA_MALFORMED']);
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('goes on after a cut: every file is as it was or as the manifest says', () => {
    write('.claude/settings.json', '{ "model": "x" }\n');
    const before = imageOf(project, '.');
    install();
    const manifest = read('.dev/install.json');
    for (const cut of ['.claude/agents', '.codex', '.gemini/settings.json']) {
      rmSync(join(project.root, cut), { recursive: true });
    }
    write('.claude/settings.json', '{ "model": "x" }\n');
    write('.dev/install.json', manifest);
    expect(install().code).toBe(0);
    rmSync(join(project.root, '.codex'), { recursive: true });
    expect(uninstall().code).toBe(0);
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('only shows with --dry-run, in words and as JSON', () => {
    const before = imageOf(project, '.');
    const shown = call('install --harness claude --dry-run');
    expect(shown.stdout).toMatch(/^Nothing was written\. What would be done:\nClaude Code\n {2}create {4}/);
    expect(call('install --harness claude --dry-run --json').json).toMatchObject({ ok: true, status: 'planned' });
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('says how to go on in each harness, by the names that were free', () => {
    write('.claude/skills/specify/SKILL.md', 'mine');
    const first = install();
    const steps = first.json['nextSteps'] as string[];
    expect(steps).toHaveLength(5);
    expect(steps[0]).toContain('npm install -g');
    expect(steps[1]).toMatch(/^Claude Code: .*\/dev-cli-specify /);
    expect(steps[2]).toMatch(/^Codex CLI: .*trust .*\$specify /);
    expect(steps[3]).toMatch(/^Gemini CLI: .*\/specify /);
    expect(steps[4]).toMatch(
      /^Your agent may call dev-cli .*only once you have approved them, or after `dev-cli trust autopilot`/,
    );
    expect(install().json['nextSteps']).toEqual([steps[0]]);
  });

  it('tells a dev-cli that stays from one that npm has put on the PATH for one call', () => {
    const bin = join(dirname(project.root), 'bin');
    const ofNpm = join(dirname(project.root), 'node_modules', '.bin');
    for (const at of [bin, ofNpm]) {
      mkdirSync(at, { recursive: true });
      writeFileSync(join(at, 'dev-cli'), '#!/bin/sh\n');
    }
    const stepsOn = (PATH: string) =>
      call('install --harness claude --dry-run --json', { env: { PATH } }).json['nextSteps'] as string[];
    expect(stepsOn(ofNpm)[0]).toContain('not on the PATH');
    expect(stepsOn(`${ofNpm}:${bin}`)[0]).toMatch(/^Claude Code: /);
  });

  it('finds the harnesses by their directories and programs; without any it asks for one', () => {
    const none = call('install --json');
    expect([none.code, none.json.error?.code]).toEqual([2, 'USAGE']);
    expect(none.json.error?.fix).toBe('dev-cli install --harness claude');
    mkdirSync(join(project.home, '.gemini'));
    const bin = join(dirname(project.root), 'programs');
    mkdirSync(bin);
    writeFileSync(join(bin, 'codex'), '#!/bin/sh\n');
    chmodSync(join(bin, 'codex'), 0o755);
    const found = call('install --dry-run --json', { env: { PATH: bin } });
    expect((found.json['harnesses'] as { harness: string }[]).map(({ harness }) => harness)).toEqual([
      'codex',
      'gemini',
      'project',
    ]);
    const unknown = call('install --harness cursor --json');
    expect([unknown.code, unknown.json.error?.code]).toEqual([2, 'USAGE']);
  });

  it('goes into the home directory with --user, through links, and out of it again', () => {
    const elsewhere = join(dirname(project.root), 'dotfiles.json');
    writeFileSync(elsewhere, '{}\n');
    mkdirSync(join(project.home, '.claude'));
    symlinkSync(elsewhere, join(project.home, '.claude', 'settings.json'));
    const before = imageOf(project, '.');
    expect(install('--user --harness claude').code).toBe(0);
    expect(imageOf(project, '.')).toEqual(before);
    expect(readFileSync(elsewhere, 'utf8')).toContain('hooks/dev-cli.sh');
    expect(readFileSync(join(project.home, '.claude/settings.json'), 'utf8')).toContain('"Edit(.dev/**)"');
    expect(uninstall('--user').code).toBe(0);
    expect(readFileSync(elsewhere, 'utf8')).toBe('{}\n');
    expect(existsSync(join(project.home, '.claude/skills'))).toBe(false);
  });

  it('writes for the user where a link leads, also when nothing is there yet, and leaves the link', () => {
    const link = join(project.home, '.claude/settings.json');
    mkdirSync(dirname(link));
    symlinkSync('../dotfiles.json', link);
    expect(install('--user --harness claude').code).toBe(0);
    expect(readlinkSync(link)).toBe('../dotfiles.json');
    expect(readFileSync(join(project.home, 'dotfiles.json'), 'utf8')).toContain('hooks/dev-cli.sh');
    expect(uninstall('--user').code).toBe(0);
    expect([readlinkSync(link), existsSync(join(project.home, 'dotfiles.json'))]).toEqual(['../dotfiles.json', false]);
    rmSync(link);
    for (const [path, target] of [
      ['.claude/settings.json', '../gone/settings.json'],
      ['.agents', 'gone'],
    ] as const) {
      symlinkSync(target, join(project.home, path));
      const before = listAll(project.home);
      const refused = install('--user --harness claude,codex');
      expect([refused.code, refused.json.error?.code]).toEqual([1, 'IO']);
      expect(refused.json.error?.message).toContain(path);
      expect(listAll(project.home)).toEqual(before);
      rmSync(join(project.home, path));
    }
  });

  it('follows no manifest out of the project', () => {
    const elsewhere = join(dirname(project.root), 'elsewhere');
    mkdirSync(elsewhere);
    install('--harness claude');
    const manifest = JSON.parse(read('.dev/install.json'));
    write('.dev/install.json', JSON.stringify({ ...manifest, directories: [...manifest.directories, elsewhere] }));
    expect(uninstall().code).toBe(0);
    expect(existsSync(elsewhere)).toBe(true);
    for (const path of [
      '../elsewhere',
      `${elsewhere}/x`,
      '.claude/../../x',
      '.git/config',
      'src/index.js',
      'README.md',
    ]) {
      const records = { claude: { [path]: { kind: 'file', sha256: '0' } } };
      write('.dev/install.json', JSON.stringify({ ...manifest, harnesses: records }));
      expect(uninstall().json.error?.code, path).toBe('DATA_MALFORMED');
      expect(install('--harness claude').json.error?.code, path).toBe('DATA_MALFORMED');
    }
  });

  it('leaves runs alone, and the ignore rules that they need', () => {
    install('--harness claude');
    init(project, 'add-auth', '--goal', 'Add auth', '--recipe', 'specify-quick-autopilot');
    expect(devCli(project, ['abort', 'add-auth', '--reason', 'enough']).code).toBe(0);
    uninstall();
    expect(existsSync(join(project.root, '.dev/specs/add-auth/state.json'))).toBe(true);
    expect(existsSync(join(project.root, '.dev/.gitignore'))).toBe(true);
    expect(existsSync(join(project.root, '.dev/install.json'))).toBe(false);
  });

  it('means the project, unless it is told to mean the user', () => {
    expect(call('install --harness claude --project --json').json).toMatchObject({
      scope: 'project',
      base: project.root,
    });
    expect(call('install --harness claude --user --json').json).toMatchObject({ scope: 'user', base: project.home });
    expect(call('install --harness claude --user --project --json').json.error?.code).toBe('USAGE');
  });

  it.skipIf(terminal === null)('tells a person what it would do, and after their yes only how much it did', () => {
    const env = { ...project.env, HOME: project.home, XDG_STATE_HOME: '' };
    const say = (answer: string) =>
      terminal?.('dev-cli install --harness claude', { cwd: project.root, env, answers: [answer] }).output ?? '';
    const before = imageOf(project, '.');
    const refused = say('n');
    expect(refused).toMatch(/^ {2}create +\.claude\/settings\.json/m);
    expect(refused).toContain('Nothing was changed.');
    expect(imageOf(project, '.')).toEqual(before);
    const [asked = '', answered = ''] = say('y').split('Go on?');
    expect(asked).toMatch(/^ {2}create +\.claude\/settings\.json/m);
    expect(answered).toMatch(/^Done: \d+ created\.\r?$/m);
    expect(answered).not.toContain('.claude/settings.json');
    expect(doneOf(install('--harness claude'), 'created')).toEqual([]);
  });
});
