import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// harness.md, Install: what other people wrote is kept. The manifest says what is dev-cli's own; in a clone, which has
// none, the files themselves must show it.

useProject();

interface Row {
  path: string;
  does: string;
  why?: string;
}
const call = (words: string): Row[] => {
  const { code, stdout, json } = devCli(project, [...words.split(' '), '--yes', '--json'], {
    env: { HOME: project.home, XDG_STATE_HOME: '', PATH: '' },
  });
  expect(code, stdout).toBe(0);
  return (json['harnesses'] as { files: Row[] }[]).flatMap(({ files }) => files);
};
const install = () => call('install --harness claude,codex,gemini');
const uninstall = () => call('uninstall');
const read = (path: string) => readFileSync(join(project.root, path), 'utf8');
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), text);
};
/** Leaves the project as git clones it: without ignored files. */
const becomeClone = () => rmSync(join(project.root, '.dev'), { recursive: true, force: true });

/** One file of each kind that `install` writes completely. */
const WHOLE = [
  '.claude/agents/dev-cli-worker.md',
  '.codex/agents/dev-cli-worker.toml',
  '.gemini/agents/dev-cli-worker.md',
  '.claude/skills/specify/SKILL.md',
  '.codex/rules/dev-cli.rules',
  '.claude/hooks/dev-cli.sh',
];

describe.each(WHOLE)('%s', (path) => {
  const rowOf = (rows: readonly Row[]) => rows.find((row) => row.path === path);
  const KEPT = { path, does: 'kept', why: 'it was edited since it was installed' };

  it('edited by a team and committed, is kept and named in a clone, by install and by uninstall', () => {
    install();
    const edited = `${read(path)}# Our own rule.\n`;
    write(path, edited);
    becomeClone();
    expect(rowOf(install())).toMatchObject(KEPT);
    expect(rowOf(uninstall())).toMatchObject(KEPT);
    expect(read(path)).toBe(edited);
    becomeClone();
    expect(rowOf(uninstall())).toMatchObject(KEPT);
    expect(read(path)).toBe(edited);
  });

  it('as another version wrote it, is brought up to date in a clone, and removed', () => {
    install();
    const now = read(path);
    // The file as another version would have written it: another text, with the digest of that text.
    const bare = `${now.replace(/(installed-by: dev-cli) [0-9a-f]{12}/, '$1')}# of before\n`;
    const { createHash } = require('node:crypto') as typeof import('node:crypto');
    const digest = createHash('sha256').update(bare).digest('hex').slice(0, 12);
    const earlier = bare.replace('installed-by: dev-cli', `installed-by: dev-cli ${digest}`);
    write(path, earlier);
    becomeClone();
    expect(rowOf(install())).toMatchObject({ does: 'updated' });
    expect(read(path)).toBe(now);
    write(path, earlier);
    // Here there is a manifest, whose digest does not match. The file is updated nevertheless, because a colleague's
    // newer version may have been pulled with git.
    expect(rowOf(install())).toMatchObject({ does: 'updated' });
    write(path, earlier);
    becomeClone();
    expect(rowOf(uninstall())).toMatchObject({ does: 'removed' });
    expect(existsSync(join(project.root, path))).toBe(false);
  });

  it.each([
    ['another text', 'mine\n'],
    ['one that speaks of the mark', 'What says installed-by: dev-cli was written by it.\n'],
    ['one with marks that have no digest', '---\n# installed-by: dev-cli\nname: mine\n---\n  installed-by: dev-cli\n'],
  ])('of somebody who only calls it so, is theirs: %s', (_what, text) => {
    write(path, text);
    install();
    expect(read(path)).toBe(text);
    uninstall();
    expect(read(path)).toBe(text);
  });
});

it.each([
  ['without its mark', /^# installed-by.*\n/m],
  ['without the digest in its mark', / [0-9a-f]{12}$/m],
])('an agent as it ships, but %s, is somebody’s own in a clone', (_what, part) => {
  const path = '.claude/agents/dev-cli-verifier.md';
  install();
  const theirs = read(path).replace(part, '');
  write(path, theirs);
  becomeClone();
  expect(install().find((row) => row.path === path)).toMatchObject({ does: 'kept', why: 'it is not from dev-cli' });
  uninstall();
  expect(read(path)).toBe(theirs);
});

describe('a line in a file that others share', () => {
  it.each([
    ['.prettierignore', '.dev/'],
    ['.geminiignore', '!.dev/**'],
  ])('of %s, that was there before, stays: %s', (path, line) => {
    for (const text of [`dist/\n${line}\n`, line, `  ${line}\nmore\n`]) {
      write('.prettierrc', '{}');
      write(path, text);
      const before = imageOf(project, '.');
      install();
      expect(read(path)).toBe(text);
      write(path, `${text}\nlater\n`);
      uninstall();
      expect(read(path)).toBe(`${text}\nlater\n`);
      write(path, text);
      expect(imageOf(project, '.')).toEqual(before);
    }
  });

  it('that somebody added after ours stays, and ours goes', () => {
    write('.prettierignore', 'dist/\n');
    install();
    expect(read('.prettierignore')).toBe('dist/\n.dev/\n');
    write('.prettierignore', '.dev/\ndist/\n.dev/\nmore\n');
    uninstall();
    expect(read('.prettierignore')).toBe('.dev/\ndist/\nmore\n');
  });

  it('in a clone is nobody’s to take: it bears no mark', () => {
    write('.prettierignore', 'dist/\n');
    install();
    becomeClone();
    uninstall();
    expect(read('.prettierignore')).toBe('dist/\n.dev/\n');
  });
});

describe('a permission that a user gave before', () => {
  const settings = '.claude/settings.json';
  const own = { permissions: { allow: ['Bash(dev-cli:*)', 'Bash(ls:*)'] } };

  it('stays when the rest goes, to the byte and after a change', () => {
    write(settings, JSON.stringify(own));
    install();
    const installed = JSON.parse(read(settings));
    expect(installed.permissions.allow.length).toBeGreaterThan(2);
    uninstall();
    expect(read(settings)).toBe(JSON.stringify(own));
    install();
    write(settings, JSON.stringify({ ...JSON.parse(read(settings)), model: 'x' }));
    uninstall();
    expect(JSON.parse(read(settings))).toEqual({ ...own, model: 'x' });
  });

  it('and those that install gave go in a clone, where its hooks stand', () => {
    write(settings, '{"model": "x"}');
    install();
    becomeClone();
    uninstall();
    expect(JSON.parse(read(settings))).toEqual({ model: 'x' });
  });
});
