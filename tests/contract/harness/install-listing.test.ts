import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, init, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal } from '../../support/terminal.mjs';

// harness.md, Install: the output names every changed file, and everything else that the user should know.

useProject();

const terminal = findTerminal();
const around = () => ({ HOME: project.home, XDG_STATE_HOME: '', PATH: '' });
interface Listed {
  base: string;
  harnesses: { harness: string; files: { path: string; does: string }[] }[];
  notes?: string[];
}
const call = (words: string): Listed => {
  const { code, json, stdout } = devCli(project, [...words.split(' '), '--yes', '--json'], { env: around() });
  expect(code, stdout).toBe(0);
  return json as unknown as Listed;
};

/** Reads every file of the project and the home directory. */
function readAll(): Map<string, string> {
  const files = [project.root, project.home].flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return new Map(files.map((path): [string, string] => [path, readFileSync(path, 'utf8')]));
}

/** Makes a call; returns the changes that it makes to files and those that it reports, without unchanged files. */
function compare(words: string): { done: string[]; said: string[] } {
  const before = readAll();
  const { base, harnesses } = call(words);
  const after = readAll();
  const said = harnesses
    .flatMap(({ files }) => files)
    .filter(({ does }) => !['unchanged', 'kept'].includes(does))
    .map(({ path, does }) => `${does} ${resolve(base, path)}`);
  const done = [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === is) return [];
    return [`${was === undefined ? 'created' : is === undefined ? 'removed' : 'updated'} ${path}`];
  });
  return { done: done.sort(), said: said.sort() };
}

function expectListed(words: string, most = Number.POSITIVE_INFINITY): void {
  const { done, said } = compare(words);
  expect(said, words).toEqual(done);
  expect(done.length).toBeLessThanOrEqual(most);
}

describe('every file that is changed is listed, and no other', () => {
  it('in a project that a formatter goes over', () => {
    writeProjectFile(project, '.prettierrc', '{}');
    writeProjectFile(project, '.prettierignore', 'dist/\n');
    writeProjectFile(project, '.claude/settings.json', '{}');
    expectListed('install --harness claude');
    expectListed('install --harness claude,codex,gemini');
    expectListed('install --harness claude,codex,gemini', 0);
    expectListed('uninstall --harness codex');
    writeProjectFile(project, '.claude/agents/dev-cli-worker.md', 'mine');
    expectListed('install --harness claude', 0);
    expectListed('uninstall');
    expectListed('uninstall', 0);
  });

  it('where there are runs, and rules of git that somebody else wrote', () => {
    init(project, 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive');
    devCli(project, ['abort', 'add-x', '--reason', 'enough']);
    expectListed('install --harness gemini');
    expectListed('uninstall');
  });

  it('for the user', () => {
    expectListed('install --user --harness claude,codex,gemini');
    expectListed('uninstall --user --harness gemini');
    expectListed('uninstall --user');
  });
});

describe('beside the plugin of Claude Code', () => {
  const ON = JSON.stringify({ enabledPlugins: { 'dev-cli@dev-cli': true } });

  it.each(['.claude/settings.json', '.claude/settings.local.json'])(
    'on in %s, for the project or the user, install says so',
    (path) => {
      for (const root of [project.root, project.home]) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), ON);
        for (const words of ['install --harness claude --dry-run', 'install --user --harness claude --dry-run'])
          expect(call(words).notes, `${root} ${words}`).toEqual([
            expect.stringMatching(/plugin.*each hook runs twice/),
          ]);
        expect(call('install --harness codex --dry-run').notes).toBeUndefined();
        writeFileSync(join(root, path), '{ "enabledPlugins": { "dev-cli@dev-cli": false } }');
        expect(call('install --harness claude --dry-run').notes).toBeUndefined();
      }
    },
  );

  it.skipIf(terminal === null)('says so before it asks', () => {
    mkdirSync(join(project.home, '.claude'));
    writeFileSync(join(project.home, '.claude/settings.json'), ON);
    const { output } = terminal?.('dev-cli install --harness claude', {
      cwd: project.root,
      env: { ...project.env, ...around() },
      answers: ['n'],
    }) ?? { output: '' };
    expect(output.split('Go on?')[0]).toContain('each hook runs twice');
  });
});

it('says that the hooks run a file of somebody else where its place is taken', () => {
  writeProjectFile(project, '.claude/hooks/dev-cli.sh', 'mine');
  expect(call('install --harness claude').notes).toEqual([
    expect.stringContaining('The hooks run .claude/hooks/dev-cli.sh'),
  ]);
});
