import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devCli, writeProjectFile } from '../../support/cli.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';

// Whatever a project's recipe directories contain, the binary's lint reports it with its position, and quickly.

const HEAD = 'name: NAME\ntype: sequential\n';
const BLOCK = '  - { id: a, type: llm, instruction: x }\n';
const BLOCKS = `blocks:\n${BLOCK}`;

function recipeOf(blocks: number): string {
  return `${HEAD}blocks:\n${Array.from({ length: blocks }, (_, at) => BLOCK.replace('id: a', `id: a${at}`)).join('')}`;
}

/** The content of `NAME.yaml`, and the line (null: no problem) and the text of the problem that lint must report. */
const FILES: [name: string, content: string | Buffer, line: number | null, says: string][] = [
  [
    'bomb',
    `${HEAD}vars: { a: &a [x, x], ${'bcdefgh'.replace(/./g, (c, i: number) => `${c}: &${c} [${`*${'abcdefg'[i]},`.repeat(9)}], `)} }\n${BLOCKS}`,
    1,
    'Excessive alias count',
  ],
  ['large', `${HEAD}# ${'x'.repeat(10 * 1024 * 1024)}\n${BLOCKS}`, 1, 'of at most 8 MiB'],
  ['long', `${HEAD}# ${'x'.repeat(100 * 1024)}\n${BLOCKS}`, 1, 'larger than 64 KiB'],
  ['tab', `${HEAD}blocks:\n\t- { id: a }\n`, 4, 'YAML cannot be indented with tabs'],
  ['bom', `\uFEFF${HEAD}${BLOCKS}`, null, ''],
  [
    'crlf',
    `${HEAD}${BLOCKS}  - { id: b, type: llm, instruction: '{nope}' }\n`.replaceAll('\n', '\r\n'),
    5,
    'Unknown placeholder {nope}',
  ],
  ['twice', `${HEAD}name: NAME\n${BLOCKS}`, 3, 'The key `name` occurs twice'],
  ['anchors', `${HEAD}vars: { say: &say hello }\nblocks:\n  - { id: a, type: llm, instruction: *say }\n`, null, ''],
  [
    'merge',
    `${HEAD}blocks:\n  - &one { id: a, type: llm, instruction: x }\n  - { <<: *one, id: b }\n`,
    5,
    'are not supported',
  ],
  ['latin', Buffer.from(`${HEAD}description: caf\u00e9\n${BLOCKS}`, 'latin1'), 3, 'The file is not UTF-8'],
  ['binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]), 1, ''],
  ['empty', '', 1, 'A mapping of fields is expected'],
  ['list', '- a\n', 1, 'A mapping of fields is expected'],
  ['no-command', `${HEAD}blocks:\n  - { id: a, type: cli, command: false }\n`, 4, '`command` must be'],
  [
    'untyped',
    `${HEAD}blocks:\n  - { id: a, type: llm, instruction: x, when: 'round + "a" == goal' }\n`,
    4,
    'is not valid',
  ],
  [
    'outside',
    `${HEAD}blocks:\n  - { id: a, type: llm, instructionFile: ../../../secret.md }\n`,
    4,
    'There is no file `../../../secret.md`',
  ],
  ['thousand', recipeOf(1000), null, ''],
  ['thousand-faults', `${HEAD}blocks:\n${BLOCK.repeat(1000)}`, 5, 'is used twice'],
  ['ring', 'name: NAME\ntype: meta\nphases: [{ name: a, recipe: gnir }]\n', 3, '`gnir` is a workflow itself'],
  ['gnir', 'name: NAME\ntype: meta\nphases: [{ name: a, recipe: ring }]\n', 3, '`ring` is a workflow itself'],
  ['other', `name: another\ntype: sequential\n${BLOCKS}`, 1, 'its file `other.yaml`'],
  ['not a name', `${HEAD.replace('NAME', 'x')}${BLOCKS}`, 1, 'No recipe can be found'],
  ['hostile', `name: "\u001b[31mNAME\u202e"\ntype: sequential\n${BLOCKS}`, 1, ''],
];

let project: Project;
let told: { file: string; ok: boolean; problems: { line: number; column: number; message: string }[] }[];

beforeAll(() => {
  project = createProject({ sample: null, git: false });
  writeProjectFile(project, '../secret.md', 'secret');
  for (const [name, content] of FILES) {
    const text = typeof content === 'string' ? content.replaceAll('NAME', name) : content;
    writeProjectFile(
      project,
      `.dev/recipes/${name}.yaml`,
      Buffer.isBuffer(text) ? Buffer.from(text.toString('latin1').replace('NAME', name), 'latin1') : text,
    );
  }
  writeProjectFile(project, '.dev/recipes/node_modules/p/x.yaml', 'no recipe');
  writeProjectFile(project, '.dev/recipes/.hidden.yaml', 'no recipe');
  writeProjectFile(project, '.dev/recipes/notes/a.md', 'no recipe');
  const many = `${project.root}/.dev/recipes/notes`;
  for (let at = 0; at < 10; at++) mkdirSync(`${many}/${at}`);
  for (let at = 0; at < 10_000; at++) writeFileSync(`${many}/${at % 10}/${at}.md`, '');
  writeProjectFile(
    project,
    '.dev/workflows/deep/er/found.yml',
    'name: found\ntype: meta\nphases: [{ name: a, recipe: bom }]\n',
  );
  symlinkSync('nowhere.yaml', `${project.root}/.dev/recipes/dangling.yaml`);
  symlinkSync('.', `${project.root}/.dev/recipes/around`);
  writeProjectFile(project, '.dev/recipes/LOUD.YAML', BLOCKS);
  const { json, code } = devCli(project, ['recipe', 'lint', '--json']);
  expect(code).toBe(3);
  told = json['files'] as typeof told;
});
afterAll(() => project.remove());

/** Returns the processor time of a call, in seconds. */
function processorSeconds(...words: string[]): number {
  const script = '"$@" >"$0" 2>&1; times';
  const args = ['-c', script, `${project.home}/told`, process.execPath, BINARY, ...words];
  const said = execFileSync('/bin/sh', args, { cwd: project.root, env: project.env, encoding: 'utf8' });
  const [, ofChildren = ''] = said.split('\n');
  return [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + 60 * Number(m) + Number(s), 0);
}

const problemsOf = (file: string) => told.find((one) => one.file === file)?.problems;

describe('bad input', () => {
  it.each(FILES)('%s', (name, _content, line, says) => {
    const [first] = problemsOf(`.dev/recipes/${name}.yaml`) ?? [];
    if (line === null) expect(problemsOf(`.dev/recipes/${name}.yaml`)).toEqual([]);
    else expect(first).toMatchObject({ line, message: expect.stringContaining(says) });
  });

  it('each file is told once, and nothing that is none', () => {
    const files = [
      ...FILES.map(([name]) => `.dev/recipes/${name}.yaml`),
      '.dev/recipes/LOUD.YAML',
      '.dev/recipes/around',
      '.dev/recipes/dangling.yaml',
      '.dev/workflows/deep/er/found.yml',
    ];
    expect(told.map(({ file }) => file).sort()).toEqual(files.sort());
    expect(problemsOf('.dev/recipes/around')?.[0]?.message).toBe('A link to a directory is not followed.');
    expect(problemsOf('.dev/recipes/dangling.yaml')?.[0]?.message).toBe('The link leads nowhere.');
    expect(problemsOf('.dev/workflows/deep/er/found.yml')).toEqual([]);
  });

  it('is told in time', () => {
    writeProjectFile(project, 'hundred.yaml', recipeOf(100).replace('NAME', 'hundred'));
    const hundred = processorSeconds('recipe', 'lint', 'hundred.yaml');
    const thousand = processorSeconds('recipe', 'lint', 'thousand');
    // Half of the smaller one is the start of the program; the square of the growth would be a hundred.
    expect(thousand).toBeLessThan(6 * hundred);
    // One recipe of a thousand blocks takes the linter longer than all that is hostile should.
    expect(processorSeconds('recipe', 'lint')).toBeLessThan(5 * thousand);
  });

  it('keeps nobody from listing or beginning a recipe', () => {
    const { json, stdout } = devCli(project, ['recipe', 'list', '--json']);
    expect(json['closed']).toEqual([
      { file: '.dev/recipes/LOUD.YAML', problem: 'Its extension is not in lower case.' },
      { file: '.dev/recipes/around', problem: 'A link to a directory is not followed.' },
    ]);
    expect(stdout).not.toContain('\u001b');
    for (const name of ['bom', 'found']) expect(devCli(project, ['init', name, '--recipe', name]).code).toBe(0);
    expect(devCli(project, ['init', 'plain', '--goal', 'x', '--new', '--quick', '--autopilot']).code).toBe(0);
    expect(devCli(project, ['init', 'ring', '--recipe', 'ring']).json.error?.code).toBe('RECIPE_INVALID');
  });
});

describe('a file that a recipe uses and nobody can read', () => {
  it('is told where it is named, and the rest of the recipe is judged', () => {
    const other = createProject({ sample: null, git: false });
    try {
      mkdirSync(`${other.root}/.dev/recipes/prompts`, { recursive: true });
      mkdirSync(`${other.root}/.dev/agents/scout.md`, { recursive: true });
      writeProjectFile(other, '.dev/recipes/large.md', 'x'.repeat(9 * 1024 * 1024));
      writeProjectFile(
        other,
        '.dev/recipes/uses.yaml',
        `${HEAD.replace('NAME', 'uses')}blocks:
  - { id: a, type: llm, instructionFile: prompts }
  - { id: b, type: llm, instructionFile: large.md }
  - { id: c, type: subagent, agents: [{ type: scout }] }
  - { id: d, type: llm, instruction: 'About {gaol}.' }
`,
      );
      const { json } = devCli(other, ['recipe', 'lint', '--json']);
      const [found] = json['files'] as typeof told;
      expect(found?.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
        '4:42 `prompts` cannot be read: it is not a regular file of at most 8 MiB.',
        '5:42 `large.md` cannot be read: it is not a regular file of at most 8 MiB.',
        '6:47 `.dev/agents/scout.md` cannot be read: it is not a regular file of at most 8 MiB.',
        '7:45 Unknown placeholder {gaol}; did you mean {goal}?',
      ]);
    } finally {
      other.remove();
    }
  });

  it('is a finding, too, where it is a recipe that is named, or the phase of a workflow', () => {
    const large = '.dev/recipes/large.yaml';
    const { json, code } = devCli(project, ['recipe', 'lint', large, 'anchors', '--json']);
    expect([code, (json['files'] as typeof told).map(({ ok }) => ok)]).toEqual([3, [false, true]]);
    writeProjectFile(
      project,
      '.dev/workflows/whole.yaml',
      'name: whole\ntype: meta\nphases: [{ name: a, recipe: large }]\n',
    );
    const whole = devCli(project, ['recipe', 'lint', 'whole', '--json']).json['files'] as typeof told;
    expect(whole[0]?.problems).toMatchObject([
      { line: 3, message: `${large} cannot be read: it is not a regular file of at most 8 MiB.` },
    ]);
  });
});

describe('a link out of the project', () => {
  it('leads to no prompt, though a linked .dev/recipes holds one and a linked recipe counts', () => {
    const other = createProject({ sample: null, git: false });
    const away = mkdtempSync(`${tmpdir()}/dev-cli-away-`);
    const promptOf = (name: string, file: string) =>
      `${HEAD.replace('NAME', name)}blocks:\n  - { id: a, type: llm, instructionFile: ${file} }\n`;
    try {
      mkdirSync(`${away}/recipes`);
      mkdirSync(`${other.root}/.dev`, { recursive: true });
      symlinkSync(`${away}/recipes`, `${other.root}/.dev/recipes`);
      for (const file of ['key.md', 'recipes/own.md']) {
        writeFileSync(`${away}/${file}`, 'Say it.\n');
      }
      writeFileSync(`${away}/apart.yaml`, promptOf('apart', 'own.md'));
      writeFileSync(`${away}/recipes/inside.yaml`, promptOf('inside', 'own.md'));
      writeFileSync(`${away}/recipes/linked.yaml`, promptOf('linked', 'key.md'));
      symlinkSync('../key.md', `${away}/recipes/key.md`);
      symlinkSync('../apart.yaml', `${away}/recipes/apart.yaml`);
      const { files } = devCli(other, ['recipe', 'lint', '--json']).json as unknown as { files: typeof told };
      const saidOf = (name: string) =>
        files.find(({ file }) => file === `.dev/recipes/${name}.yaml`)?.problems.map(({ message }) => message);
      expect(saidOf('linked')?.[0]).toContain('There is no file `key.md`');
      expect([saidOf('inside'), saidOf('apart')]).toEqual([[], []]);
    } finally {
      other.remove();
      rmSync(away, { recursive: true });
    }
  });
});

describe('a package', () => {
  const PREFERENCES = '.dev/preferences.yaml';

  it('is read, not run, and nothing outside it is read', () => {
    const other = createProject({ sample: null, git: false });
    try {
      const at = 'node_modules/evil';
      const planted = "require('node:fs').writeFileSync('ran', ''); throw new Error('ran');";
      writeProjectFile(
        other,
        `${at}/package.json`,
        '{ "name": "evil", "main": "index.js", "exports": "./index.js", "scripts": { "install": "touch ran" } }',
      );
      writeProjectFile(other, `${at}/index.js`, planted);
      writeProjectFile(other, `${at}/recipes/index.js`, planted);
      writeProjectFile(other, `${at}/recipes/index.yaml`, `${HEAD.replace('NAME', 'index')}${BLOCKS}`);
      writeProjectFile(
        other,
        `${at}/recipes/linked.yaml`,
        `${HEAD.replace('NAME', 'linked')}blocks:\n  - { id: a, type: llm, instructionFile: key.md }\n`,
      );
      writeProjectFile(other, 'key.md', 'The key.');
      symlinkSync('../../../key.md', `${other.root}/${at}/recipes/key.md`);
      writeProjectFile(other, 'away.yaml', `${HEAD.replace('NAME', 'away')}${BLOCKS}`);
      symlinkSync('../../../away.yaml', `${other.root}/${at}/recipes/away.yaml`);
      writeProjectFile(other, PREFERENCES, 'recipes: [evil]\n');
      const { recipes, closed } = devCli(other, ['recipe', 'list', '--json']).json as unknown as {
        recipes: { name: string; problem?: string }[];
        closed: { file: string; problem: string }[];
      };
      expect(closed).toEqual([{ file: `${at}/recipes/away.yaml`, problem: expect.stringContaining('leads out of') }]);
      expect(recipes.find(({ name }) => name === 'linked')?.problem).toContain('There is no file `key.md`');
      expect(devCli(other, ['init', 'one', '--recipe', 'index']).code).toBe(0);
      expect(devCli(other, ['next', 'one']).code).toBe(0);
      expect(existsSync(`${other.root}/ran`)).toBe(false);
    } finally {
      other.remove();
    }
  });

  it.each([
    ['nope', '`npm install --save-dev nope` installs it.'],
    ['../nope', 'There is no directory'],
    ['"../../../../../../etc/passwd"', 'none of the directories'],
    ['"@x/../../y"', 'There is no directory'],
    ['"nope; touch ran"', 'There is no directory'],
    ['{ a: b }', 'must be text'],
  ])('that is not there is told: %s', (entry, says) => {
    writeProjectFile(project, PREFERENCES, `recipes:\n  - ${entry}\n`);
    const { json } = devCli(project, ['recipe', 'list', '--json']);
    expect(json.error).toMatchObject({ code: 'PREFERENCES_INVALID' });
    expect(json.error?.details).toMatchObject([{ at: `${PREFERENCES}:2:5`, problem: expect.stringContaining(says) }]);
  });
});
