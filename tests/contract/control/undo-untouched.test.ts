import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begin, type Dispatch, git, hand, making, planOf, RUN, worker } from '../../adversarial/binary/executing.js';
import { nextOf, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { readTree } from '../../support/image.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// control.md, Undoing: a refusal, whenever it happens, leaves work tree, index and HEAD unchanged; the same command
// succeeds once the obstacle is gone.

const terminal = findTerminal();

useProject({ sample: null });

const PLAN = planOf(
  making('todo-1', [['true']], { files: ['made/**'] }),
  making('todo-2', [['true']], { dependsOn: ['todo-1'], files: ['made/**'] }),
  making('todo-3', [['true']], { dependsOn: ['todo-2'] }),
);

/** Does the only task that is handed out: `make` changes files and returns their paths. */
function work(dispatch: Dispatch, make: () => string[]): Dispatch {
  hand(project, dispatch.tasks[0] as never, worker({ filesChanged: make() }));
  return nextOf(runPrinted(project, dispatch.ack ?? '').json) as Dispatch;
}

/** Commits two todos: the second changes files that the first made, adds one and removes one. */
function twoDone(): void {
  const first = begin(project, PLAN);
  const write = (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) writeProjectFile(project, path, text);
    return Object.keys(files);
  };
  const second = work(first, () => write({ 'made/a.txt': 'a\n', 'made/b.txt': 'b\n', 'made/deep/c.txt': 'c\n' }));
  work(second, () => {
    rmSync(join(project.root, 'made/deep'), { recursive: true });
    return [
      ...write({ 'made/a.txt': 'a, changed\n', 'made/b.txt': 'b, changed\n', 'made/d.txt': 'd\n' }),
      'made/deep/c.txt',
    ];
  });
}

/**
 * Makes git pass the todos' files through filters: `smudge`, a script that gets the file's name as `$1`, when it writes
 * them, `clean` when it reads them. A failing filter fails git.
 */
function filter(smudge: string, clean = 'cat'): void {
  const script = join(project.home, 'smudge');
  writeFileSync(script, `#!/bin/sh\n${smudge}\n`, { mode: 0o755 });
  writeProjectFile(project, '.git/info/attributes', '*.txt filter=big\n');
  git(project, 'config', 'filter.big.smudge', `'${script}' %f`);
  git(project, 'config', 'filter.big.clean', clean);
  git(project, 'config', 'filter.big.required', 'true');
}

function undo(todo = 'todo-2'): { exit: number; output: string } {
  const told = terminal?.(`dev-cli step undo ${RUN} --todo ${todo}`, {
    cwd: project.root,
    env: project.env,
    answers: ['yes'],
  });
  return told ?? { exit: -1, output: '' };
}

/**
 * Returns what a refusal must leave unchanged: files with their modes, the index, HEAD, the run, and dev-cli's files in
 * the git directory.
 */
function stand(): unknown {
  const files = [...readTree(project.root)].filter(([path]) => !/^\.(dev|git)\//.test(path));
  return {
    files: files.map(([path, bytes]) => [path, bytes.toString('latin1'), lstatSync(join(project.root, path)).mode]),
    index: git(project, 'ls-files', '--stage'),
    head: git(project, 'rev-parse', 'HEAD'),
    run: stateOf(project, RUN),
    left: readdirSync(join(project.root, '.git')).filter((name) => name.startsWith('dev-cli')),
  };
}

describe.skipIf(terminal === null)(
  `refused${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}: all is as it was`,
  () => {
    function expectUntouched(named: RegExp): void {
      const before = stand();
      const { exit, output } = undo();
      expect(exit, output).not.toBe(0);
      expect(output).toMatch(named);
      expect(stand()).toEqual(before);
    }

    function expectUndone(): void {
      const { exit, output } = undo();
      expect(exit, output).toBe(0);
      const texts = ['a.txt', 'b.txt', 'deep/c.txt'].map((path) =>
        readFileSync(join(project.root, 'made', path), 'utf8'),
      );
      expect([texts, readdirSync(join(project.root, 'made'))]).toEqual([
        ['a\n', 'b\n', 'c\n'],
        ['a.txt', 'b.txt', 'deep'],
      ]);
      expect(git(project, 'status', '--porcelain', '--', ':(exclude).dev')).toBe('');
    }

    it('a required filter that fails, of the first file and of a later one', () => {
      twoDone();
      for (const script of ['exit 1', 'test "$1" != made/deep/c.txt && cat']) {
        filter(script);
        expectUntouched(/smudge filter big failed/);
      }
      filter('cat');
      expectUndone();
    });

    it('a required filter that cannot take in what is there', () => {
      twoDone();
      filter('cat', 'false');
      writeProjectFile(project, 'made/a.txt', 'a, changed\n');
      expectUntouched(/clean filter 'big' failed/);
      filter('cat');
      expectUndone();
    });

    it('a file that cannot be replaced, after others were', () => {
      twoDone();
      filter('cat; if [ "$1" = made/deep/c.txt ]; then echo in the way > made/deep; fi');
      const before = stand();
      const { exit, output } = undo();
      expect([exit, output]).toEqual([1, expect.stringContaining('made/deep/c.txt cannot be replaced (ENOTDIR)')]);
      rmSync(join(project.root, 'made/deep'));
      expect(stand()).toEqual(before);
      filter('cat');
      expectUndone();
    });

    it('an index that somebody else has locked meanwhile', () => {
      twoDone();
      filter('cat; : > .git/index.lock');
      expectUntouched(/index\.lock/);
      rmSync(join(project.root, '.git/index.lock'));
      filter('cat');
      expectUndone();
    });

    it.skipIf(process.platform !== 'linux')('a git that is ended when all but HEAD is in place', () => {
      twoDone();
      const hook = join(project.root, '.git/hooks/post-index-change');
      const end = [
        '#!/bin/sh',
        `rm '${hook}'`,
        'for process in /proc/[0-9]*; do',
        '  [ "$(readlink "$process/cwd")" = "$PWD" ] && grep -q update-ref "$process/cmdline" && kill "${process#/proc/}"',
        'done',
        'while [ -e .git/HEAD.lock ]; do :; done',
      ];
      writeProjectFile(project, '.git/hooks/post-index-change', `${end.join('\n')}\n`);
      chmodSync(hook, 0o755);
      expectUntouched(/GIT_FAILED/);
      expectUndone();
    });
  },
);

describe.skipIf(terminal === null)('what is put back', () => {
  it('is as git checks it out: line ends, modes and links', () => {
    writeProjectFile(project, '.git/info/attributes', '*.txt text eol=crlf\n*.id ident\n');
    const first = begin(project, PLAN);
    const made = ['made/a.txt', 'made/b.id', 'made/run', 'made/link'];
    const at = (path: string) => join(project.root, path);
    const second = work(first, () => {
      writeProjectFile(project, 'made/a.txt', 'one\r\ntwo\r\n');
      writeProjectFile(project, 'made/b.id', '$Id$\n');
      writeProjectFile(project, 'made/run', '#!/bin/sh\n');
      chmodSync(at('made/run'), 0o755);
      symlinkSync('a.txt', at('made/link'));
      return made;
    });
    work(second, () => {
      rmSync(dirname(at('made/a.txt')), { recursive: true });
      return made;
    });
    expect(undo().exit).toBe(0);
    expect(readFileSync(at('made/a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
    expect(readFileSync(at('made/b.id'), 'utf8')).toMatch(/^\$Id: [0-9a-f]{40} \$\n$/);
    expect([lstatSync(at('made/run')).mode & 0o111, readlinkSync(at('made/link'))]).toEqual([0o111, 'a.txt']);
    expect(git(project, 'status', '--porcelain', '--', ':(exclude).dev')).toBe('');
  });
});
