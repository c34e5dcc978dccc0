import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';

// A skill that `recipe new` wrote is updated with its recipe until somebody edits it (authoring.md, recipe new).

const fresh = freshProjects();
const RECIPE = '.dev/recipes/release.yaml';
const SKILLS = [
  '.claude/skills/release/SKILL.md',
  '.agents/skills/release/SKILL.md',
  '.gemini/skills/release/SKILL.md',
];
const [CLAUDE = ''] = SKILLS;

let project: Project;
beforeEach(() => {
  project = fresh();
  for (const harness of ['.claude', '.codex', '.gemini']) mkdirSync(join(project.root, harness));
  expect(make().code).toBe(0);
  describeAs('Tags and publishes.');
});

const make = () => devCli(project, ['recipe', 'new', 'release', '--skill', '--json']);
const read = (path: string) => readFileSync(join(project.root, path), 'utf8');
const write = (path: string, text: string) => writeFileSync(join(project.root, path), text);
const describeAs = (text: string) => write(RECIPE, read(RECIPE).replace(/^description: .*/m, `description: ${text}`));
const lint = () => devCli(project, ['recipe', 'lint', '--text']);
const install = (...words: string[]) =>
  devCli(project, ['install', '--harness', 'claude,codex,gemini', '--json', ...words], {
    env: { HOME: dirname(project.root), XDG_STATE_HOME: '' },
  });

describe('a skill of a recipe', () => {
  it('that says what the recipe said before is named by lint, and renewed by the same call', () => {
    const warned = lint();
    expect([warned.code, warned.stdout.match(/warning:/g)]).toEqual([0, ['warning:']]);
    expect(warned.stdout).toContain(`These skills no longer match the recipe: ${SKILLS.join(', ')}.`);
    expect(warned.stdout).toContain('dev-cli recipe new release --skill');
    const { code, json } = make();
    expect([code, json['created'], [...(json['renewed'] as string[])].sort()]).toEqual([0, [], [...SKILLS].sort()]);
    for (const path of SKILLS) expect(read(path)).toContain('description: "Tags and publishes. Use for /release');
    expect(lint().stdout).not.toContain('warning:');
    const image = imageOf(project, '.');
    expect(make().json).not.toHaveProperty('renewed');
    expect(imageOf(project, '.')).toEqual(image);
  });

  it('is renewed by install, which says so, and not by uninstall removed', () => {
    const updated = ({ json }: ReturnType<typeof install>) =>
      (json['harnesses'] as { files: { path: string; does: string }[] }[])
        .flatMap(({ files }) => files)
        .filter(({ path, does }) => does === 'updated' && path.includes('/release/'))
        .map(({ path }) => path);
    expect(updated(install('--dry-run')).sort()).toEqual([...SKILLS].sort());
    expect(read(CLAUDE)).not.toContain('Tags and publishes');
    expect(updated(install('--yes')).sort()).toEqual([...SKILLS].sort());
    for (const path of SKILLS) expect(read(path)).toContain('Tags and publishes.');
    expect(updated(install('--yes'))).toEqual([]);
    expect(devCli(project, ['uninstall', '--yes', '--json'], { env: { HOME: dirname(project.root) } }).code).toBe(0);
    expect(SKILLS.filter((path) => existsSync(join(project.root, path)))).toEqual(SKILLS);
  });

  it('that somebody edited keeps none of the others from being renewed', () => {
    const mine = `${read(CLAUDE)}- And one rule of our own.\n`;
    write(CLAUDE, mine);
    write(RECIPE, read(RECIPE).replace('Tags and publishes', 'Tags, signs and publishes'));
    const { code, json } = make();
    const others = SKILLS.filter((path) => path !== CLAUDE);
    expect([code, [...(json['renewed'] as string[])].sort()]).toEqual([0, others.sort()]);
    expect(read(CLAUDE)).toBe(mine);
    for (const path of others) expect(read(path)).toContain('Tags, signs and publishes');
  });

  it('that somebody edited is theirs', () => {
    for (const path of SKILLS) write(path, `${read(path)}- And one rule of our own.\n`);
    const image = imageOf(project, '.');
    expect(lint().stdout).not.toContain('warning:');
    expect(make().json.error?.code).toBe('RECIPE_EXISTS');
    expect(imageOf(project, '.')).toEqual(image);
    install('--yes');
    for (const path of SKILLS) expect(read(path)).toMatch(/\n- And one rule of our own\.\n$/);
  });

  it('stays as it is where its recipe is gone or has errors', () => {
    write(RECIPE, read(RECIPE).replace(/^blocks:/m, 'blocs:'));
    const before = read(CLAUDE);
    expect(install('--yes').code).toBe(0);
    expect(read(CLAUDE)).toBe(before);
  });
});

describe('snapshots of a test', () => {
  it('are not written where a link leads out of the project', () => {
    const linked = fresh();
    const outside = join(dirname(linked.root), 'outside');
    mkdirSync(outside);
    mkdirSync(join(linked.root, '.dev'));
    const recipe = 'name: ask\ntype: sequential\nblocks: [{ id: one, type: llm, instruction: x }]\n';
    writeFileSync(join(outside, 'ask.yaml'), recipe);
    const cases = 'cases:\n  - name: all\n    steps: [{ expect: { block: one, snapshot: true } }]\n';
    writeFileSync(join(outside, 'ask.test.yaml'), `recipe: ask\n${cases}`);
    symlinkSync(outside, join(linked.root, '.dev/recipes'));
    for (const words of [[], ['.dev/recipes/ask.test.yaml']]) {
      const { code, json } = devCli(linked, ['recipe', 'test', '--update', '--json', ...words]);
      expect([code, json.error?.code, JSON.stringify(json)]).toEqual([
        1,
        'IO',
        expect.stringContaining('it is a link to'),
      ]);
    }
    expect(existsSync(join(outside, 'ask.snapshots.json'))).toBe(false);
    expect(devCli(linked, ['recipe', 'test', '--text']).stdout).toContain('No snapshot');
  });
});
