import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  begin,
  type Dispatch,
  doAll,
  document,
  generate,
  git,
  hand,
  lastCommit,
  making,
  planOf,
  RUN,
  SHORT,
  status,
  taskOf,
  worker,
} from '../../adversarial/binary/executing.js';
import {
  type Document,
  devCli,
  journalOf,
  nextOf,
  runPrinted,
  writeProjectFile,
  writeRecipe,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// engine.md, Commits: changed files in an ignored directory, in a submodule, in a repository inside the project, and
// from an earlier phase.

useProject({ sample: null });

const COMPLETED = { done: true, outcome: 'completed' };

function commitAll(message: string): void {
  git(project, '-c', 'advice.addEmbeddedRepo=false', 'add', '--force', ':(exclude).dev', '.');
  git(project, 'commit', '--quiet', '--message', message);
}

/** Runs git in a repository inside the project. */
function within(path: string, ...args: string[]): void {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid'];
  execFileSync('git', [...who, ...args], { cwd: join(project.root, path), env: project.env });
}

/** Creates a repository inside the project, with one file. */
function inner(path: string): void {
  mkdirSync(join(project.root, path), { recursive: true });
  const run = (...args: string[]) => within(path, ...args);
  run('init', '--quiet');
  writeProjectFile(project, `${path}/src/a.txt`, 'old\n');
  run('add', '.');
  run('commit', '--quiet', '--message', 'inside');
}

/** Plays a worker whose todo names these files: changes and hands in files; returns the answer's warnings. */
function work(files: string[], change: () => void, ...filesChanged: string[]): string {
  const first = begin(project, planOf(making('todo-1', [['true']], { files })));
  change();
  hand(project, taskOf(first), worker({ filesChanged }));
  const answer = runPrinted(project, first.ack ?? '').json;
  expect(nextOf(answer)).toMatchObject(COMPLETED);
  return answer.warnings?.join('\n') ?? '';
}

describe('a file below a directory that git ignores', () => {
  beforeEach(() => {
    writeProjectFile(project, '.gitignore', 'dist/\n');
    writeProjectFile(project, 'dist/bundle.js', 'old\n');
    commitAll('a bundle that is tracked');
  });

  it('is committed where git tracks it, without a retry', () => {
    work(['dist/**'], () => writeProjectFile(project, 'dist/bundle.js', 'new\n'), 'dist/bundle.js');
    expect(lastCommit(project)).toEqual(['dist/bundle.js']);
    expect(status(project)).toBe('');
    expect(journalOf(project, RUN).map(({ type }) => type)).not.toContain('todo-retried');
  });

  it('is committed beside a new file, and one that git does not track is named', () => {
    const told = work(
      ['dist/**', 'made/**'],
      () => {
        writeProjectFile(project, 'dist/bundle.js', 'new\n');
        writeProjectFile(project, 'dist/other.js', 'new\n');
        writeProjectFile(project, 'made/new.js', 'new\n');
      },
      'dist/bundle.js',
      'dist/other.js',
      'made/new.js',
    );
    expect(lastCommit(project)).toEqual(['dist/bundle.js', 'made/new.js']);
    expect(told).toContain('dist/other.js (listed, but git ignores it)');
    expect(readFileSync(join(project.root, 'dist/other.js'), 'utf8')).toBe('new\n');
  });
});

describe('what changed in a repository inside the project', () => {
  const SUBMODULE = 'libs/one (a submodule: what changed in it is committed there)';
  const REPOSITORY = 'libs/one (a repository of its own)';

  it.each([
    ['by the repository', ['libs/one']],
    ['by what is in it', ['libs/one/src/**']],
  ])('is named as a submodule where it is one, and the todo names its files %s', (_, files) => {
    inner('libs/one');
    commitAll('with a submodule');
    const told = work(files, () => writeProjectFile(project, 'libs/one/src/a.txt', 'new\n'), 'libs/one/src/a.txt');
    expect(told).toContain(SUBMODULE);
    expect(document(project, 'report.md')).toContain(SUBMODULE);
    expect(told).not.toContain('nothing is there');
  });

  it('is committed as a new commit of the submodule, where a result lists a file in it', () => {
    inner('libs/one');
    commitAll('with a submodule');
    const change = () => {
      writeProjectFile(project, 'libs/one/src/a.txt', 'new\n');
      within('libs/one', 'commit', '--quiet', '--all', '--message', 'mended');
    };
    expect(work(['libs/one/src/**'], change, 'libs/one/src/a.txt')).toBe('');
    expect(lastCommit(project)).toEqual(['libs/one']);
  });

  it.each<[string, string, () => void]>([
    ['that was there before the run', '', () => writeProjectFile(project, 'libs/one/src/a.txt', 'new\n')],
    [
      'whose worker commits in it',
      '',
      () => within('libs/one', 'commit', '--quiet', '--allow-empty', '--message', 'more'),
    ],
    ['that git ignores', 'libs/\n', () => writeProjectFile(project, 'libs/one/src/a.txt', 'new\n')],
  ])('is named as one %s, and other paths are still named', (_, ignored, change) => {
    writeProjectFile(project, '.gitignore', ignored);
    commitAll('as it was');
    inner('libs/one');
    const told = work(['libs/**', 'made/**'], change, 'libs/one/src/a.txt', 'made/typo.txt');
    expect(told).toContain(REPOSITORY);
    expect(told).toContain('made/typo.txt (listed, but nothing is there)');
    expect(told).not.toContain('a.txt');
  });
});

describe('what a phase before the execution has changed', () => {
  const LEFT = 'phase look left changes that no commit of this run takes in';

  /** Runs a phase in which `happens` is called; returns the answer that begins the execution after it. */
  function lookFirst(happens: () => void, later = '{ name: work, recipe: short }'): Document {
    writeRecipe(project, 'short', SHORT(1));
    writeRecipe(project, 'next', LOOKING('next'));
    writeRecipe(project, 'looking', LOOKING('looking'));
    writeRecipe(project, 'whole', `name: whole\ntype: meta\nphases: [{ name: look, recipe: looking }, ${later}]\n`);
    generate(project, planOf(making('todo-1')));
    writeProjectFile(project, 'mine.txt', 'before the run');
    const begun = devCli(project, ['init', RUN, '--workflow', 'whole', '--autopilot']).json;
    happens();
    return devCli(project, ['step', 'complete', RUN, '--action', nextOf(begun).actionId]).json;
  }
  const LOOKING = (name: string) =>
    `name: ${name}\ntype: sequential\nblocks:\n  - { id: look, type: llm, instruction: Look. }\n`;

  it('is named as left, in the answer, in `done` and in the report, and no commit has it', () => {
    const answer = lookFirst(() => writeProjectFile(project, 'made/early.txt', '1'));
    const line = `${LEFT}: made/early.txt`;
    expect(answer.warnings).toContain(line);
    const done = nextOf(doAll(project, nextOf(answer) as Dispatch).json);
    expect(done).toMatchObject({ done: true, outcome: 'completed', warnings: expect.arrayContaining([line]) });
    expect(document(project, 'report.md')).toContain(line);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
    expect(status(project)).toContain('?? made/early.txt');
  });

  it.each<[string, () => void, string | undefined]>([
    ['nothing was', () => {}, undefined],
    [
      'it is committed',
      () => {
        writeProjectFile(project, 'made/early.txt', '1');
        git(project, 'add', 'made');
        git(project, 'commit', '--quiet', '--message', 'early');
      },
      undefined,
    ],
    ['nothing is carried out', () => writeProjectFile(project, 'made/early.txt', '1'), '{ name: work, recipe: next }'],
  ])('is not named where %s', (_, happens, later) => {
    expect(JSON.stringify(lookFirst(happens, later).warnings ?? [])).not.toContain('left changes');
  });
});
