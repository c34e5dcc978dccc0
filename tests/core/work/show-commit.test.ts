import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { showCommit } from '../../../src/work/show-commit.js';
import { project, useProject } from '../../support/each-project.js';

// view-page.md, Server; view.md, Run screen: showing a commit's changes.

useProject({ sample: null });

it('shows a commit with its patch, and starts no program that the repository names for it', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8' }).trim();
  const mark = join(project.home, 'started');
  for (const key of ['diff.own.textconv', 'diff.own.command', 'diff.external', 'gpg.program'])
    git('config', key, `sh -c 'touch "${mark}"' --`);
  git('config', 'log.showSignature', 'true');
  writeFileSync(join(project.root, '.gitattributes'), '*.txt diff=own\n');
  writeFileSync(join(project.root, 'note.txt'), 'said\n');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'A note');
  const shown = await showCommit(project.root, git('rev-parse', 'HEAD'), new AbortController().signal);
  expect(shown).toContain('A note');
  expect(shown).toContain('+said');
  expect(existsSync(mark)).toBe(false);
  // A plain `git show` does start one of these programs, so the check above is meaningful.
  git('show', 'HEAD');
  expect(existsSync(mark)).toBe(true);
});
