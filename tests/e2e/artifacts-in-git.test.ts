import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../support/agent.mjs';
import { devCli, nextOf, runDir, writeProjectFile } from '../support/cli.js';
import { project, useProject } from '../support/each-project.js';
import { git } from '../support/executing.js';
import { acknowledge, END_BLOCK, startTiny } from '../support/tiny.js';

/** The artifacts of a recipe can be committed once a run has ended (storage.md, Layout). */

const RUN = 'run-1';

useProject();

const document = (path: string): string => `.dev/specs/${RUN}/${path}`;
const ownRules = (): string => join(runDir(project, RUN), '.gitignore');

/** Lists the changed and untracked files that git reports in the run's directory. */
function seen(): string[] {
  const status = git(project, 'status', '--porcelain', '-z', '--untracked-files=all', '--', `.dev/specs/${RUN}`);
  return status.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(3)]));
}

/** Begins a run whose one-step recipe has this header, and writes the documents at `paths` as its agent would. */
function begin(head: string, ...paths: string[]): Action {
  const action = startTiny(project, [END_BLOCK], head);
  for (const path of paths) writeProjectFile(project, document(path), `# ${path}\n`);
  return action;
}

function end(action: Action): void {
  const { code, stdout, json } = acknowledge(project, action);
  expect(code, stdout).toBe(0);
  expect(nextOf(json)).toMatchObject({ action: 'done' });
}

describe('the artifacts that a recipe states', () => {
  it('are seen by git from the end of the run on, with nothing else of it', () => {
    const action = begin('artifacts: [UPGRADE.md, summary.md]\n', 'UPGRADE.md', 'notes.md');
    expect(seen()).toEqual([]);
    end(action);
    expect(seen()).toEqual([document('UPGRADE.md')]);
    git(project, 'add', '.dev');
    expect(git(project, 'diff', '--cached', '--name-only').split('\n')).toContain(document('UPGRADE.md'));
  });

  it('are seen in a directory of their own, under any name', () => {
    const paths = ['notes/deep/of [1] #a! .md', '#first.md', '!second.md', 'ends in a blank '];
    end(begin(`artifacts: ${JSON.stringify(paths)}\n`, ...paths, 'notes/other.md', 'notes/deep/of 1 #a! .md'));
    expect(seen()).toEqual(paths.map(document).sort());
  });

  it('are seen where the rules of .dev are those of an earlier release', () => {
    const action = begin('artifacts: [UPGRADE.md]\n', 'UPGRADE.md');
    const rules = join(project.root, '.dev/.gitignore');
    writeFileSync(rules, `${readFileSync(rules, 'utf8')}!/mine.md\n`);
    const before = readFileSync(rules, 'utf8');
    end(action);
    expect(seen()).toEqual([document('UPGRADE.md')]);
    expect(readFileSync(rules, 'utf8')).toBe(before);
  });

  it('leave the rules of a person as they are', () => {
    const action = begin('artifacts: [UPGRADE.md]\n', 'UPGRADE.md');
    writeFileSync(ownRules(), '# mine\n');
    end(action);
    expect(readFileSync(ownRules(), 'utf8')).toBe('# mine\n');
    expect(seen()).toEqual([]);
  });

  it('stay unseen where a person decides what git sees of .dev', () => {
    const action = begin('artifacts: [UPGRADE.md]\n', 'UPGRADE.md');
    writeFileSync(join(project.root, '.dev/.gitignore'), '/specs/*/*\n');
    end(action);
    expect(seen()).toEqual([]);
  });

  it('never open the records of a run', () => {
    const records = ['state.json', 'events.jsonl', 'recipe.json', 'objects/x', 'lock'];
    end(begin(`artifacts: ${JSON.stringify(['UPGRADE.md', ...records])}\n`, 'UPGRADE.md'));
    expect(seen()).toEqual([document('UPGRADE.md')]);
  });

  it('survive git clean, with the rules, while the run is live', () => {
    const action = begin('artifacts: [UPGRADE.md]\n', 'UPGRADE.md');
    for (const _ of [1, 2]) git(project, 'clean', '-fd');
    end(action);
    git(project, 'add', '.dev');
    for (const _ of [1, 2]) git(project, 'clean', '-fd');
    expect(seen()).toEqual([document('UPGRADE.md')]);
  });

  it('are those that the next run of the name leaves', () => {
    end(begin('artifacts: [UPGRADE.md]\n', 'UPGRADE.md'));
    rmSync(join(runDir(project, RUN), 'UPGRADE.md'));
    end(begin('artifacts: [MOVE.md]\n', 'MOVE.md'));
    expect(seen()).toEqual([document('MOVE.md')]);
  });

  it('a link in place of the rules is not followed', () => {
    const action = begin('artifacts: [UPGRADE.md]\n', 'UPGRADE.md');
    const elsewhere = join(project.home, 'rules');
    symlinkSync(elsewhere, ownRules());
    end(action);
    expect(existsSync(elsewhere)).toBe(false);
    expect(seen()).toEqual([]);
  });
});

it('nothing that a recipe does not state is seen', () => {
  end(begin('', 'notes.md'));
  expect(seen()).toEqual([]);
  expect(devCli(project, ['status', RUN, '--json']).json).toMatchObject({ status: 'completed' });
});
