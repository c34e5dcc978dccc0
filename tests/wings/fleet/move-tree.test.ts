import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRoot } from '../../../src/project/root.js';
import { openClone } from '../../../src/wings/fleet/clone.js';
import { moveTree } from '../../../src/wings/fleet/move-tree.js';
import { keepDifference, writeTree } from '../../../src/work/attempt-commits.js';
import { addTree } from '../../../src/work/trees.js';
import { gitIn, openProject, options, put } from './repository.js';

/** The tree of an attempt, recreated on another machine (fleet.md, An attempt). */

/** The files that a tree's set-up writes: new ones, and a changed committed one. */
const FURNISHED = { 'made.txt': 'made\n', 'lock.txt': 'set up\n', 'ignored/x': 'x' };

/** Begins an attempt on one machine: two commits of the agent's own, and uncommitted changes. */
async function begin() {
  const project = openProject({
    ...{ 'a.txt': 'a\n', 'gone.txt': 'g\n', 'lock.txt': 'l\n', 'turned/x.txt': 'x\n', dir: 'file\n' },
    '.gitignore': 'ignored/\n',
  });
  const tree = join(project.directory, 'tree-a');
  await addTree(project.home, tree, project.base, options);
  put(tree, FURNISHED);
  const zero = await writeTree(tree, options);
  const git = gitIn(tree);
  put(tree, { 'a.txt': 'changed\n', 'new/deep.txt': 'n\n' });
  git('add', 'a.txt', 'new');
  git('commit', '--quiet', '--message', 'own');
  rmSync(join(tree, 'gone.txt'));
  rmSync(join(tree, 'turned'), { recursive: true });
  rmSync(join(tree, 'dir'));
  put(tree, { turned: 'a file now\n', 'dir/inner.txt': 'i\n', 'made.txt': 'made, then changed\n', 'a.txt': 'again\n' });
  put(tree, { 'ça va.txt': 'c\n' });
  const change = { base: project.base, zero, message: 'g#1', leaves: () => false };
  const { commit: kept } = await keepDifference(tree, change, options);
  const head = git('rev-parse', 'HEAD');
  git('push', '--quiet', 'origin', `${kept}:refs/dev-cli/attempts/g/1`, `${head}:refs/dev-cli/heads/g/1`);
  const { top } = await openClone({
    ...{ directory: join(project.directory, 'worker'), url: project.bare, remote: 'origin', git: options },
  });
  const site = { top, remote: 'origin', root: top, below: '', git: options };
  const attempt = { goal: 'g', run: 'g-1', tree: join(project.directory, 'tree-b'), base: project.base, kept, head };
  return { project, tree, zero, git, site, attempt };
}

describe('a tree that moves', () => {
  it('has the files, the commit and the changes that it had, and one that lies there already goes', async () => {
    const { tree, zero, git, site, attempt } = await begin();
    put(attempt.tree, { 'left.txt': 'of an earlier one' });
    const moved = await moveTree(site, attempt, async () => {
      put(attempt.tree, FURNISHED);
      return null;
    });
    expect(moved).toEqual({ zero });
    const there = gitIn(attempt.tree);
    const status = ['-c', 'core.quotepath=off', 'status', '--porcelain', '--untracked-files=all'];
    expect(there(...status)).toBe(git(...status));
    expect(there(...status)).not.toBe('');
    expect(await writeTree(attempt.tree, options)).toBe(await writeTree(tree, options));
    expect(there('rev-parse', 'HEAD')).toBe(attempt.head);
    expect(() => there('symbolic-ref', '-q', 'HEAD')).toThrow();
    expect(there('log', '--format=%s', '-1')).toBe('own');
    // If the attempt's work is kept there once more, the commit has the same tree as the one kept here.
    const change = { base: attempt.base, zero, message: 'g#1', leaves: () => false };
    const again = await keepDifference(attempt.tree, change, options);
    expect(there('rev-parse', `${again.commit}^{tree}`)).toBe(there('rev-parse', `${attempt.kept}^{tree}`));
    const found = findRoot({ cwd: join(attempt.tree, 'new'), env: {} });
    expect(found).toMatchObject({ root: site.root, workTree: attempt.tree, boundRun: 'g-1', boundGoal: 'g' });
  });

  it('is at its base where nothing was changed yet', async () => {
    const { site, attempt } = await begin();
    const early = { ...attempt, kept: null, head: attempt.base };
    expect(await moveTree(site, early, async () => null)).toHaveProperty('zero');
    expect(gitIn(attempt.tree)('status', '--porcelain')).toBe('');
    expect(gitIn(attempt.tree)('rev-parse', 'HEAD')).toBe(attempt.base);
  });

  it('is not made where it cannot be set up, or where the remote lacks a commit', async () => {
    const { site, attempt } = await begin();
    expect(await moveTree(site, attempt, async () => 'the set-up failed')).toEqual({ refused: 'the set-up failed' });
    const lost = moveTree(site, { ...attempt, head: 'a'.repeat(40) }, async () => null);
    await expect(lost).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });
});
