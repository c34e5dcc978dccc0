import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, devCliAsync, imageOf } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { CHECKOUT, type Project } from '../../support/project.mjs';

// `recipe new` (authoring.md, recipe new): everything it writes passes lint, tests and verification, and no file is
// overwritten.

const fresh = freshProjects();

const SHIPPED = ['recipes', 'workflows'].flatMap((directory) =>
  readdirSync(join(CHECKOUT, directory)).flatMap((name) => /^(.+)\.test\.yaml$/.exec(name)?.[1] ?? []),
);

const make = (project: Project, ...args: string[]) => {
  const { code, json, stdout } = devCli(project, ['recipe', 'new', ...args, '--json']);
  return { code, json: json as typeof json & { created: string[]; nextSteps: string[] }, stdout };
};
const read = (project: Project, path: string) => readFileSync(join(project.root, path), 'utf8');
function write(project: Project, path: string, text: string): void {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), text);
}

/** Expects that everything in a project passes lint without a warning. */
function expectClean(project: Project): void {
  const lint = devCli(project, ['recipe', 'lint', '--text']);
  expect([lint.code, lint.stdout.match(/(error|warning):/g)], lint.stdout).toEqual([0, null]);
}

/** Expects a clean lint, and tests that cover every transition. */
function expectSound(project: Project): void {
  expectClean(project);
  const tested = devCli(project, ['recipe', 'test', '--coverage', '100']);
  expect(tested.code, tested.stdout).toBe(0);
}

function expectProved(project: Project, name: string): void {
  expect(devCli(project, ['recipe', 'verify', name, '--json']).json).toMatchObject({
    ok: true,
    recipes: [{ findings: [] }],
  });
}

describe('recipe new', () => {
  it.each(['sequential', 'engine', 'meta'])('%s: passes lint, test with full coverage, and verify at once', (type) => {
    const project = fresh();
    const { code, json } = make(project, 'release', '--type', type);
    expect(code).toBe(0);
    const home = type === 'meta' ? '.dev/workflows' : '.dev/recipes';
    expect(json.created.slice(0, 2)).toEqual([`${home}/release.yaml`, `${home}/release.test.yaml`]);
    for (const path of json.created) expect(existsSync(join(project.root, path))).toBe(true);
    expectSound(project);
    expectProved(project, 'release');
    // The recipe has comments, the first of which names the schema.
    expect(read(project, `${home}/release.yaml`).match(/^\s*# /gm)?.length).toBeGreaterThan(4);
    expect(read(project, `${home}/release.yaml`)).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/schemas\/recipe\.schema\.json\n/,
    );
  });

  it('every next step runs as printed, up to the one that only a person takes', () => {
    const project = fresh();
    const { json } = make(project, 'release');
    const steps = json.nextSteps.map((step) => step.replace(/ \([^()]*\)$/, ''));
    expect(steps.length).toBe(5);
    for (const step of steps) {
      const words = (step.match(/'[^']*'|\S+/g) ?? []).slice(1).map((word) => word.replaceAll("'", ''));
      expect([step, devCli(project, words).code]).toEqual([step, 0]);
    }
  });

  it('every shipped recipe, each with what it names and its whole test', () => {
    const project = fresh();
    expect(SHIPPED.length).toBeGreaterThan(10);
    for (const name of SHIPPED) expect([name, make(project, `our-${name}`, '--from', name).code]).toEqual([name, 0]);
    // The copies are independent: they name no file of another recipe, and none is a default of `init`.
    for (const name of SHIPPED) {
      const file = ['recipes', 'workflows'].map((at) => `.dev/${at}/our-${name}.yaml`);
      const text = read(project, file.find((path) => existsSync(join(project.root, path))) ?? '');
      const named = [...text.matchAll(/^\s*(?:- )?(?:instructionFile|promptFile|schema): (\S+\/\S+)$/gm)];
      for (const [, path = ''] of named) expect(path).toMatch(new RegExp(`^our-${name}/`));
      expect(text).not.toMatch(/^begins:/m);
      expect(text).not.toMatch(new RegExp(`dev-cli init .*(?<!our-)${name}`));
    }
    expectClean(project);
    const tests = ['our-bugfix', 'our-open-pr'].map((name) => `.dev/recipes/${name}.test.yaml`);
    expect(devCli(project, ['recipe', 'test', ...tests, '--coverage', '100']).code).toBe(0);
  });

  it.each([
    ['description: Do it.', 'description: Do it. (from ask)'],
    ["description: 'Do it.' # so", "description: 'Do it. (from ask)' # so"],
    ['description: "Do: it. (from old)"', 'description: "Do: it. (from ask)"'],
    ['description: >-\n  Do\n  it.\n', 'description: >-\n  Do\n  it. (from ask)\n'],
  ])('a copy says in its description what it comes from: %j', (given, made) => {
    const project = fresh();
    const rest = 'type: sequential\nblocks: [{ id: one, type: llm, instruction: x }]\n';
    write(project, '.dev/recipes/ask.yaml', `name: ask\n${given}\n${rest}`);
    expect(make(project, 'copy', '--from', 'ask').code).toBe(0);
    expect(read(project, '.dev/recipes/copy.yaml')).toContain(`name: copy\n${made}\n${rest}`);
  });

  it("one of the project's own, with its snapshots; one without a test gets a first one", () => {
    const project = fresh();
    write(
      project,
      '.dev/recipes/ask.yaml',
      'type: sequential # blocks\nname: "ask"\nblocks: [{ id: one, type: llm, instructionFile: ./texts/one.md }]\n',
    );
    write(project, '.dev/recipes/texts/one.md', 'Do it.\n');
    expect(make(project, 'first', '--from', 'ask').code).toBe(0);
    expect(read(project, '.dev/recipes/first.yaml')).toContain(
      'type: sequential # blocks\nname: first\nblocks: [{ id: one, type: llm, instructionFile: first/texts/one.md }]\n',
    );
    expect(read(project, '.dev/recipes/first/texts/one.md')).toBe('Do it.\n');
    expect(devCli(project, ['recipe', 'test']).code).toBe(0);
    write(
      project,
      '.dev/recipes/ask.test.yaml',
      'recipe: ask\ncases:\n  - name: all\n    steps: [{ expect: { block: one, snapshot: true } }]\n',
    );
    expect(devCli(project, ['recipe', 'test', '--update']).code).toBe(0);
    expect(make(project, 'second', '--from', 'ask').json.created).toContain('.dev/recipes/second.snapshots.json');
    expect(devCli(project, ['recipe', 'test']).code).toBe(0);
  });

  it('writes nothing over, and says what is in the way', () => {
    const project = fresh();
    write(project, '.dev/recipes/release.test.yaml', 'mine\n');
    const before = imageOf(project, '.');
    const { code, json } = make(project, 'release');
    expect([code, json.error?.code, json.error?.details?.map(({ target }) => target)]).toEqual([
      4,
      'RECIPE_EXISTS',
      ['.dev/recipes/release.test.yaml'],
    ]);
    expect(imageOf(project, '.')).toEqual(before);
    // Refused, because the recipe would hide a workflow of the same name.
    make(project, 'other', '--type', 'meta');
    expect(make(project, 'other').json.error?.details).toMatchObject([{ target: '.dev/workflows/other.yaml' }]);
  });

  it('goes on where a call was cut off, and does nothing where all is there', () => {
    const project = fresh();
    const whole = make(project, 'our', '--from', 'bugfix').json.created;
    rmSync(join(project.root, '.dev/recipes/our.yaml'));
    rmSync(join(project.root, '.dev/recipes/our/schemas/bug.json'));
    const again = make(project, 'our', '--from', 'bugfix');
    expect(again.json.created.sort()).toEqual(['.dev/recipes/our.yaml', '.dev/recipes/our/schemas/bug.json']);
    expect(whole).toEqual(expect.arrayContaining(again.json.created));
    const before = imageOf(project, '.');
    expect(make(project, 'our', '--from', 'bugfix')).toMatchObject({ code: 0, json: { created: [] } });
    expect(imageOf(project, '.')).toEqual(before);
    write(project, '.dev/recipes/our.yaml', `${read(project, '.dev/recipes/our.yaml')}# mine\n`);
    expect(make(project, 'our', '--from', 'bugfix').code).toBe(4);
  });

  it('two at once make one recipe, or one of them is told', async () => {
    const project = fresh();
    const calls = await Promise.all([
      devCliAsync(project, ['recipe', 'new', 'same', '--json']),
      devCliAsync(project, ['recipe', 'new', 'same', '--json']),
      devCliAsync(project, ['recipe', 'new', 'same', '--from', 'open-pr', '--json']),
    ]);
    expect(calls.map(({ code }) => code).filter((code) => code === 0).length).toBeGreaterThan(0);
    for (const { code } of calls) expect([0, 4]).toContain(code);
    expect(readdirSync(join(project.root, '.dev/recipes')).filter((name) => /\.\d+$/.test(name))).toEqual([]);
  });

  it('with a skill for each harness that is found, and for none without one', () => {
    const project = fresh();
    const env = { PATH: dirname(process.execPath) };
    const bare = devCli(project, ['recipe', 'new', 'release', '--skill', '--json'], { env });
    expect([bare.code, bare.json.error?.code]).toEqual([2, 'USAGE']);
    expect(existsSync(join(project.root, '.dev/recipes'))).toBe(false);
    for (const harness of ['.claude', '.codex', '.gemini']) mkdirSync(join(project.root, harness));
    const { json } = make(project, 'release', '--skill');
    const skills = ['.claude', '.agents', '.gemini'].map((at) => `${at}/skills/release/SKILL.md`);
    expect(json.created).toEqual(expect.arrayContaining(skills));
    for (const path of skills) expect(read(project, path)).toMatch(/^---\nname: release\ndescription: .+\/release/);
    expect(read(project, skills[0] ?? '')).toContain('dev-cli init <name> --recipe release --goal -');
    expect(read(project, skills[0] ?? '')).toContain('- `done`:');
    make(project, 'all', '--type', 'meta', '--skill');
    expect(read(project, '.claude/skills/all/SKILL.md')).toContain('dev-cli init <name> --workflow all --goal -');
    make(project, 'todos', '--type', 'engine', '--skill');
    expect(read(project, '.claude/skills/todos/SKILL.md')).toContain('dev-cli init <name> --recipe todos\n');
    // If the recipe exists and somebody has changed it, only the skill is written.
    make(project, 'later');
    write(
      project,
      '.dev/recipes/later.yaml',
      read(project, '.dev/recipes/later.yaml').replace(/^description: .*/m, 'description: Tidies.'),
    );
    expect(make(project, 'later', '--skill')).toMatchObject({
      code: 0,
      json: { created: skills.map((path) => path.replace('release', 'later')).reverse() },
    });
    expect(read(project, '.claude/skills/later/SKILL.md')).toContain('description: "Tidies. Use for /later');
    // Somebody else's skill is not overwritten.
    write(project, '.claude/skills/mine/SKILL.md', 'mine');
    expect(make(project, 'mine', '--skill').json.error?.code).toBe('RECIPE_EXISTS');
    expect(existsSync(join(project.root, '.dev/recipes/mine.yaml'))).toBe(false);
  });

  it.each([
    [['../x'], 'NAME_INVALID'],
    [['x.yaml'], 'NAME_INVALID'],
    [[''], 'NAME_INVALID'],
    [['x', '--from', 'relaese'], 'UNKNOWN_RECIPE'],
    [['x', '--from', 'broken'], 'RECIPE_INVALID'],
    [['x', '--type', 'loop'], 'USAGE'],
    [['x', '--type', 'meta', '--from', 'bugfix'], 'USAGE'],
  ])('%j: %s, and nothing is written', (args, code) => {
    const project = fresh();
    write(project, '.dev/recipes/broken.yaml', 'name: broken\ntype: sequential\nblocks: [{ id: a }]\n');
    const before = imageOf(project, '.');
    expect(make(project, ...args).json.error?.code).toBe(code);
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('says when a shipped recipe is replaced, and when a person has to trust the new one', () => {
    const project = fresh();
    const { json } = make(project, 'bugfix', '--from', 'bugfix');
    expect(json['replaces']).toBe('dev-cli:recipes/bugfix.yaml');
    expect(json.nextSteps.join('\n')).toContain('dev-cli trust bugfix');
    expect(devCli(project, ['recipe', 'test', '--coverage', '100']).code).toBe(0);
  });

  it('tells what keeps it from writing', () => {
    const project = fresh();
    mkdirSync(join(project.root, '.dev'));
    symlinkSync(join(project.root, 'nowhere'), join(project.root, '.dev/recipes'));
    expect(make(project, 'x').json.error?.code).toBe('IO');
  });
});
