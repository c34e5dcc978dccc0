import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generatePlan, RUN } from '../../support/executing.js';
import { readImage } from '../../support/image.js';
import { COUNTER, takeLoaded } from '../../support/loaded.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';

// Completion through the binary, called as a shell does; for real shells see completion-shells.test.ts.

let project: Project;
beforeAll(() => {
  project = createProject({ replay: false });
  call(['init', 'add-auth', '--goal', 'Add\tJWT\n\u001b[31mauth\u202e \u001b]0;x\u0007here', '--quick']);
  call(['init', 'add-log', '--new', '--recipe', 'specify-quick-autopilot', '--goal', 'Log all requests']);
});
afterAll(() => project.remove());

function call(args: string[], { cwd = project.root, env = {} as NodeJS.ProcessEnv, preload = [] as string[] } = {}) {
  const options = { cwd, env: { ...project.env, ...env }, encoding: 'utf8' } as const;
  const flags = preload.flatMap((file) => ['--require', file]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, BINARY, ...args], options);
  return { status, stdout, stderr };
}

/** Returns the completions offered after these words, each with its description. */
function offered(words: string[], shell = 'zsh', cwd?: string): [word: string, text: string][] {
  const answer = call(['completion', '--complete', shell, '--', ...words], cwd === undefined ? {} : { cwd });
  expect(answer).toMatchObject({ status: 0, stderr: '' });
  return (answer.stdout.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const [, word, text] = /^([^\t\n]*)\t([^\t\n]*)\n$/.exec(line) ?? [];
    if (word === undefined || text === undefined)
      throw new Error(`not a line of a completion: ${JSON.stringify(line)}`);
    return [word, text];
  });
}

const wordsOf = (...words: string[]): string[] => offered(words).map(([word]) => word);

describe('a completion call', () => {
  it('offers commands, and runs with what they wait for and are about', () => {
    expect(offered(['sta'])).toEqual([['status', expect.stringContaining('who is waiting')]]);
    expect(offered(['next', ''])).toEqual([
      ['add-auth', expect.stringMatching(/^\w+: Add JWT auth here$/)],
      ['add-log', expect.stringMatching(/^\w+: Log all requests$/)],
    ]);
  });

  it('offers what the run that is named has: blocks, actions, choices, entries', () => {
    expect(wordsOf('history', 'add-log', '--step', 'classify')).toEqual(['classify-intent']);
    expect(wordsOf('step', 'complete', 'add-log', '--action', '')).toEqual(['a1']);
    const gate = offered(['step', 'complete', 'add-auth', '--choice', '']);
    expect(gate).toEqual(expect.arrayContaining([['Feature', expect.any(String)]]));
    expect(offered(['fork', 'add-log', '--at', '1'])).toEqual([['1', expect.stringMatching(/Z init/)]]);
  });

  it('offers the todos of a plan, also without a run, one behind the other', () => {
    generatePlan(project);
    const todos = offered(['plan', 'drop', RUN, '--todo', '']);
    expect(todos[0]).toEqual(['todo-1', 'Title of todo-1']);
    const [[first] = [''], [second] = ['']] = todos;
    expect(wordsOf('plan', 'add', RUN, '--after', `${first},${second}`)).toEqual([`${first},${second}`]);
    const others = todos.map(([word]) => `${first},${word}`).slice(1);
    expect(wordsOf('plan', 'add', RUN, '--after', `${first},`)).toEqual(others);
    expect(wordsOf('step', 'invalidate', RUN, '--step', `${first},`)).toEqual(others);
  });

  it('offers recipes of the project and of dev-cli, apart from workflows', () => {
    mkdirSync(join(project.root, '.dev/recipes/deep'), { recursive: true });
    const own = join(project.root, '.dev/recipes/deep/own.yaml');
    writeFileSync(own, 'schema: 1\nname: own\ndescription: "What only we do"\n');
    expect(offered(['init', 'x', '--recipe', 'o'])).toEqual([
      ['own', 'What only we do'],
      ['open-pr', expect.stringContaining('Open a draft pull request')],
    ]);
    expect(wordsOf('init', 'x', '--workflow', '')).toEqual(['ultrawork-autopilot', 'ultrawork']);
    expect(wordsOf('init', 'x', '--recipe=own')).toEqual(['--recipe=own']);
  });

  it('offers sections, guides and closed lists, and leaves files to the shell', () => {
    expect(wordsOf('draft', 'show', '--section', 'in')).toEqual(['intent']);
    expect(wordsOf('help', 'auth')).toEqual(['authoring', 'authoring-tools']);
    expect(wordsOf('init', 'x', '--size', '')).toEqual(['small', 'middle', 'large']);
    expect(offered(['step', 'complete', '--data', '@'])).toEqual([['', 'files']]);
  });

  it('gives each shell what it replaces', () => {
    expect(offered(['init', 'x', '--recipe', '=', 'bug'], 'bash').map(([word]) => word)).toEqual(['bugfix']);
    expect(offered(['init', 'x', '--recipe', '='], 'bash').map(([word]) => word)).toContain('bugfix');
    expect(offered(['step', 'complete', '--data', '@', 'n'], 'bash')).toEqual([['', 'files']]);
    expect(offered(['next', '""'], 'powershell')).toHaveLength(2);
  });

  it.each([
    [`'add-l`, 'add-log'],
    [`"add-l`, 'add-log'],
    [`add\\-l`, 'add-log'],
    [`'it'"s`, ''],
  ])('takes quotes off what bash gives as it is typed: %s', (typed, word) => {
    expect(offered(['next', typed], 'bash').map(([one]) => one)).toEqual(word === '' ? [] : [word]);
  });

  it('asks the root that is named, however it is quoted', () => {
    const root = join(project.home, 'my "own" place');
    symlinkSync(project.root, root);
    for (const typed of [`'${root}'`, `"${root.replaceAll('"', '\\"')}"`, root.replace(/[ "]/g, '\\$&')])
      expect(offered(['next', '--root', typed, 'add-l'], 'bash', '/').map(([word]) => word)).toEqual(['add-log']);
    const there = join(project.home, 'here');
    symlinkSync(project.root, there);
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(offered(['next', '--root', '~/here', 'add-l'], shell, '/').map(([word]) => word)).toEqual(['add-log']);
  });

  it('never offers a word that a shell would take for more than a word', () => {
    const recipes = join(project.root, '.dev/recipes');
    for (const name of ['$(touch x)', 'a b', ';x', '`x`', '-x\n']) {
      writeFileSync(join(recipes, `${name}.yaml`), 'schema: 1\nname: x\n');
    }
    for (const word of wordsOf('init', 'x', '--recipe', '')) expect(word).toMatch(/^[\w-]+$/);
  });

  it('writes nothing, makes no lock, and loads nothing but its program', () => {
    const before = readImage(project.root);
    const lock = join(project.root, '.dev/runs/add-log/lock');
    const notes = join(project.home, 'loaded.jsonl');
    const env = { DEV_CLI_TEST_LOADED: notes, HOME: join(project.home, 'none') };
    const args = ['completion', '--complete', 'zsh', '--', 'next', ''];
    expect(call(args, { env, preload: [COUNTER] }).stdout).toContain('add-log\t');
    expect(takeLoaded(notes, BINARY)[0]?.files).toEqual(['bin/dev-cli.js', 'dist/complete.cjs']);
    expect(readImage(project.root)).toEqual(before);
    expect([existsSync(env.HOME), existsSync(lock)]).toEqual([false, false]);
  });

  it('says nothing where nothing is, and nothing of a run that is damaged', () => {
    const specs = join(project.root, '.dev/specs');
    const broken = ['state.json', 'journal.jsonl'].map((file) => join(specs, 'add-log', file)).filter(existsSync);
    const kept = broken.map((file) => [file, readFileSync(file)] as const);
    expect(kept.length).toBeGreaterThan(0);
    for (const [file] of kept) writeFileSync(file, '{"half');
    const silent = { status: 0, stdout: '', stderr: '' };
    expect(call(['completion', '--complete', 'zsh', '--', 'history', 'add-log', '--step', ''])).toEqual(silent);
    expect(wordsOf('next', 'add-')).toEqual(['add-auth']);
    for (const [file, bytes] of kept) writeFileSync(file, bytes);
    expect(call(['completion', '--complete', 'zsh', '--', 'next', ''], { cwd: '/' })).toEqual(silent);
    expect(call(['completion', '--complete'])).toMatchObject({ status: 0, stderr: '' });
    expect(call(['completion', '--complete', 'zsh', '--', 'history', '../../x', '--step', ''])).toEqual(silent);
  });
});

describe('completion install, where it cannot', () => {
  const install = (...args: string[]) => call(['completion', 'install', ...args, '--json']);
  const startup = () => join(project.home, '.bashrc');

  it('says for which shells there is one', () => {
    const { status, stdout } = call(['completion', 'install', '--json'], { env: { SHELL: '/bin/tcsh' } });
    expect([status, stdout]).toEqual([2, expect.stringContaining('Name one of bash, zsh, fish, powershell.')]);
    expect(call(['completion', 'bash']).status).toBe(2);
  });

  it('changes no startup file without a yes, and shows what it would put there', () => {
    const { status, stdout } = install('bash');
    expect([status, stdout]).toEqual([3, expect.stringContaining('# >>> dev-cli completion >>>')]);
    expect(existsSync(join(project.home, '.local'))).toBe(false);
    expect(JSON.parse(install('bash', '--dry-run').stdout)).toMatchObject({
      ok: true,
      dryRun: true,
      files: [{ text: expect.stringContaining('_dev_cli()') as string }, { path: startup(), change: 'written' }],
    });
    expect([existsSync(join(project.home, '.local')), existsSync(startup())]).toEqual([false, false]);
  });

  it('takes the home directory of the user where HOME is not set', () => {
    const env: NodeJS.ProcessEnv = { HOME: undefined };
    const { status, stdout } = call(['completion', 'install', 'bash', '--dry-run', '--json'], { env });
    const { files } = JSON.parse(stdout) as { files: { path: string }[] };
    expect([status, files[0]?.path]).toEqual([0, expect.stringContaining(`${homedir()}/`)]);
  });

  it.each([
    ['half a block', '# >>> dev-cli completion >>>\nx\n'],
    ['two blocks', '# >>> dev-cli completion >>>\n# <<< dev-cli completion <<<\n'.repeat(2)],
  ])('leaves %s alone, and names the line', (_, text) => {
    writeFileSync(startup(), text);
    const { status, stdout } = install('bash', '--yes');
    expect([status, stdout]).toEqual([3, expect.stringContaining('.bashrc:')]);
    expect(readFileSync(startup(), 'utf8')).toBe(text);
    expect(existsSync(join(project.home, '.local'))).toBe(false);
  });

  it('leaves a startup file alone that is read-only, or a link that leads nowhere', () => {
    writeFileSync(startup(), 'x=1\n');
    chmodSync(startup(), 0o444);
    const { status, stdout } = install('bash', '--yes');
    expect([status, stdout]).toEqual([1, expect.stringContaining('it is read-only')]);
    expect(readFileSync(startup(), 'utf8')).toBe('x=1\n');
    rmSync(startup());
    symlinkSync('gone/bashrc', startup());
    const linked = install('bash', '--yes');
    expect([linked.status, linked.stdout]).toEqual([1, expect.stringContaining('a link that leads nowhere')]);
    expect(existsSync(join(project.home, '.local'))).toBe(false);
  });
});
