import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addTree, moveBranch } from '../../../src/work/trees.js';
import { freshProjects } from '../../support/fresh.js';
import { git } from '../../support/loop.js';

// loop-core.md, auto: git reads all work trees of a repository, including one that another call is still creating.

const create = freshProjects();

describe('a work tree that somebody else is just making', () => {
  it.each(['a tree is made', 'a branch is moved'])('is waited for where %s', async (what) => {
    const project = create();
    const [top, env] = [project.root, { env: project.env }];
    const from = git(project, 'rev-parse', 'HEAD');
    git(project, 'commit', '-q', '--allow-empty', '-m', 'next');
    const to = git(project, 'rev-parse', 'HEAD');
    git(project, 'branch', 'side', from);
    const half = join(top, '.git/worktrees/half');
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, 'gitdir'), `${project.home}/half/.git\n`);
    writeFileSync(join(half, 'locked'), 'initializing');
    writeFileSync(join(half, 'HEAD'), `${from}\n`);
    writeFileSync(join(half, 'commondir'), '');
    setTimeout(() => writeFileSync(join(half, 'commondir'), '../..\n'), 250);
    if (what === 'a tree is made') {
      await addTree(top, join(project.home, 'tree'), to, env);
      expect(readFileSync(join(project.home, 'tree/.git'), 'utf8')).toContain('worktrees/tree');
    } else {
      expect(await moveBranch(top, 'side', { from, to }, env)).toEqual({ kind: 'moved' });
      expect(git(project, 'rev-parse', 'side')).toBe(to);
    }
  });
});
