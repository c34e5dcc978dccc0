import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devCli } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// harness.md, Install; authoring.md, recipe new: a link in a clone must not lead any write out of the project.

let outside: string;
useProject();
beforeEach(() => {
  outside = join(dirname(project.root), 'outside');
  mkdirSync(outside);
  writeFileSync(join(project.root, '.prettierrc'), '{}');
  // Lets `recipe new --skill` find a harness.
  mkdirSync(join(dirname(project.root), 'home/.claude'), { recursive: true });
});
// A link in place of `.dev` is removed, because the check at the end searches every project's `.dev` for runs.
afterEach(() => {
  if (lstatSync(join(project.root, '.dev'), { throwIfNoEntry: false })?.isSymbolicLink())
    rmSync(join(project.root, '.dev'));
});

const call = (words: string) =>
  devCli(project, [...words.split(' '), '--json'], {
    env: { HOME: join(dirname(project.root), 'home'), XDG_STATE_HOME: '', PATH: '' },
  });
/** Lists every name below a directory, with the text of files and the target of links. */
const listAll = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path}: ${entry.isFile() ? readFileSync(path, 'utf8') : entry.isSymbolicLink() ? readlinkSync(path) : ''}`;
    })
    .sort();
const lookAtAll = () => [...listAll(project.root), ...listAll(outside)];
const link = (target: string, path: string) => {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  symlinkSync(target, join(project.root, path));
};

function expectRefused(words: string, path: string): void {
  const before = lookAtAll();
  const { code, json } = call(words);
  expect([code, json.error?.code], JSON.stringify(json)).toEqual([1, 'IO']);
  expect(json.error?.message).toContain(path);
  expect(lookAtAll()).toEqual(before);
}

const ALL = 'install --harness claude,codex,gemini --yes';
const INIT = 'init add-x --recipe specify-quick-autopilot --goal X';
const DIRECTORIES = [
  '.dev',
  '.claude',
  '.claude/skills',
  '.claude/agents',
  '.claude/hooks',
  '.agents',
  '.codex',
  '.codex/rules',
  '.gemini',
  '.dev/schemas',
];
const FILES = [
  '.claude/settings.json',
  '.codex/hooks.json',
  '.gemini/settings.json',
  '.prettierignore',
  '.geminiignore',
  '.dev/install.json',
  '.dev/.gitignore',
  '.claude/agents/dev-cli-worker.md',
  '.claude/hooks/dev-cli.sh',
];

describe('install through a link that comes with a clone', () => {
  it.each(DIRECTORIES)('%s, a directory outside', (path) => {
    link(outside, path);
    expectRefused(ALL, `${path}: it is a link to ${outside}, which is outside the project`);
  });

  it.each(FILES)('%s, a file outside, there or not', (path) => {
    const target = join(outside, 'file');
    link(target, path);
    expectRefused(ALL, path);
    writeFileSync(target, path.endsWith('.json') ? '{}' : 'text\n');
    expectRefused(ALL, path);
    if (!['.dev/install.json', '.prettierignore'].includes(path))
      expectRefused('uninstall --harness claude,codex,gemini --yes', path);
  });

  it.each([...DIRECTORIES, ...FILES])('%s, leading nowhere in the project, or in a circle', (path) => {
    link('nowhere', path);
    expectRefused(ALL, path);
    rmSync(join(project.root, path));
    symlinkSync(join(project.root, path), join(project.root, path));
    expectRefused(ALL, path);
  });

  it.each(['config', 'info/exclude', 'hooks/pre-commit'])('into the directory of git: %s', (file) => {
    link(`.git/${file}`, '.prettierignore');
    expectRefused(ALL, '.prettierignore: it is a link to');
  });

  it.each(['.agents', '.claude', '.dev/schemas'])('%s, into the directory of a repository further down', (path) => {
    mkdirSync(join(project.root, 'sub/.git'), { recursive: true });
    link(join(project.root, 'sub/.git'), path);
    expectRefused(ALL, `${path}: it is a link to`);
  });

  it('over several links, of which the last leads out', () => {
    link(outside, 'config/tools');
    link('../config/tools', '.claude/agents');
    expectRefused(ALL, '.claude/agents');
  });

  it('within the project goes on, and uninstall takes it back', () => {
    mkdirSync(join(project.root, 'config/claude'), { recursive: true });
    writeFileSync(join(project.root, 'config/settings.json'), '{}\n');
    link('config/claude', '.claude');
    link('../settings.json', 'config/claude/settings.json');
    const before = listAll(project.root);
    expect(call(ALL).code).toBe(0);
    expect(readFileSync(join(project.root, 'config/settings.json'), 'utf8')).toContain('hooks/dev-cli.sh');
    expect(existsSync(join(project.root, 'config/claude/agents/dev-cli-worker.md'))).toBe(true);
    expect(call('uninstall --yes').code).toBe(0);
    expect(listAll(project.root)).toEqual(before);
  });
});

describe('ignore rules that are a link, which git does not follow', () => {
  it.each(['outside', 'in the project', 'nowhere'])(
    '%s: refused by all that would have git ignore its files',
    (where) => {
      const target = where === 'outside' ? join(outside, 'rules') : join(project.root, 'rules');
      if (where !== 'nowhere') writeFileSync(target, '/*\n');
      link(target, '.dev/.gitignore');
      const said = '.dev/.gitignore: it is a link, which git does not follow here';
      for (const words of [ALL, 'install --harness claude --yes', 'recipe new release', INIT])
        expectRefused(words, said);
      rmSync(join(project.root, '.dev/.gitignore'));
      expect(call(INIT).code).toBe(0);
      expect(readFileSync(join(project.root, '.dev/.gitignore'), 'utf8')).toContain('/*');
    },
  );
});

describe('uninstall', () => {
  it.each(['.claude', '.claude/agents', '.codex/rules'])(
    'removes nothing where %s has come to lead outside since',
    (path) => {
      expect(call(ALL).code).toBe(0);
      cpSync(join(project.root, path), join(outside, 'copy'), { recursive: true });
      rmSync(join(project.root, path), { recursive: true });
      symlinkSync(join(outside, 'copy'), join(project.root, path));
      expectRefused('uninstall --yes', path);
    },
  );

  it('removes no empty directory that a manifest names behind a link', () => {
    expect(call('install --harness codex --yes').code).toBe(0);
    mkdirSync(join(outside, 'empty'));
    link(outside, 'linked');
    const manifest = join(project.root, '.dev/install.json');
    const said = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify({ ...said, directories: [...said.directories, 'linked/empty'] }));
    expect(call('uninstall --yes').code).toBe(0);
    expect(existsSync(join(outside, 'empty'))).toBe(true);
  });

  it('writes into no text what a manifest of a stranger would put back there', () => {
    const { createHash } = require('node:crypto') as typeof import('node:crypto');
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    const [now, evil] = ['{}\n', '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"id"}]}]}}\n'];
    const path = '.claude/settings.json';
    mkdirSync(join(project.root, '.claude'));
    mkdirSync(join(project.root, '.dev'));
    writeFileSync(join(project.root, path), now);
    const record = {
      kind: 'settings',
      before: digest(evil),
      after: digest(now),
      undo: [{ offset: 0, length: now.length, content: evil }],
    };
    const manifest = { version: 1, cli: '0.2.0', harnesses: { claude: { [path]: record } }, directories: [] };
    writeFileSync(join(project.root, '.dev/install.json'), JSON.stringify(manifest));
    for (const words of ['uninstall --yes', ALL]) expect(call(words).json.error?.code).toBe('DATA_MALFORMED');
    expect(readFileSync(join(project.root, path), 'utf8')).toBe(now);
  });
});

describe('recipe new through a link that comes with a clone', () => {
  it.each([
    ['.dev', 'recipe new release'],
    ['.dev/recipes', 'recipe new release'],
    ['.dev/schemas', 'recipe new release'],
    ['.dev/workflows', 'recipe new nightly --type meta'],
    ['.dev/recipes/mine', 'recipe new mine --from specify-quick-interactive'],
    ['.claude', 'recipe new release --skill'],
    ['.claude/skills', 'recipe new release --skill'],
  ])('%s: nothing is written by `%s`', (path, words) => {
    link(outside, path);
    expectRefused(words, path);
    rmSync(join(project.root, path));
    symlinkSync('nowhere', join(project.root, path));
    expectRefused(words, path);
  });

  it.each(['.dev/recipes/release.yaml', '.dev/recipes/release.test.yaml', '.dev/schemas/recipe.schema.json'])(
    '%s, a file',
    (path) => {
      link(join(outside, 'file'), path);
      expectRefused('recipe new release', path);
    },
  );

  it('within the project goes on', () => {
    mkdirSync(join(project.root, 'team'));
    link('../team', '.dev/recipes');
    expect(call('recipe new release').code).toBe(0);
    expect(existsSync(join(project.root, 'team/release.yaml'))).toBe(true);
    expect(spawnSync('git', ['check-ignore', '.dev/schemas'], { cwd: project.root }).status).toBe(0);
  });
});
