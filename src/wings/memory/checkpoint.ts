import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { toIoError } from '../../store/io.js';
import { KEPT_COMMIT_IDENTITY } from '../../work/attempt-commits.js';
import { storeContentTree } from '../../work/content.js';
import { executeGit } from '../../work/git-command.js';
import { findCommitOf } from '../../work/trees.js';
import { listEntries } from './book.js';
import type { PictureContext } from './gather.js';
import { requireBook } from './memory.js';
import { buildRecordedAnswer, recordAndAnswer } from './setters.js';
import { createKeeper } from './text.js';

const REFERENCES = 'refs/dev-cli/checkpoints';

/**
 * `memory checkpoint` (memory.md, Commands). Creates the reference before recording it: a crash in between leaves only
 * an unused reference.
 * @throws DevCliError `NEEDS_MISSING` without a repository, `DATA_MISSING`, `GIT_FAILED`, `IO`; as `recordJudgments`
 */
export async function createCheckpoint({ context, memory, options }: PictureContext, given: string): Promise<Answer> {
  const { workTree } = context;
  const keeper = createKeeper();
  const message = keeper.keep(given, '--message');
  const { book } = await requireBook(memory);
  const kept = await storeContentTree(workTree, options).catch((error) => {
    throw toIoError(error, workTree, null);
  });
  if (kept === null) {
    throw new DevCliError('NEEDS_MISSING', 'A checkpoint needs a git repository, but there is none here.', {
      details: [{ target: workTree, problem: 'no repository' }],
      fix: 'Run git init, then repeat the call.',
    });
  }
  const { content } = kept;
  const last = listEntries(book, 'checkpoint').at(-1);
  if (last?.content === content && (await findCommitOf(workTree, last.ref, options)) !== null) {
    const { id, ...entry } = last;
    return buildRecordedAnswer({ stored: 'none', kind: 'checkpoint', id, entry }, { restore: sayRestore(last.ref) });
  }
  const head = await findCommitOf(workTree, 'HEAD', options);
  const parents = head === null ? [] : ['-p', head];
  const env = { ...options.env, ...KEPT_COMMIT_IDENTITY };
  const made = await executeGit(workTree, ['commit-tree', kept.tree, ...parents, '-m', message], { ...options, env });
  const commit = made.toString('utf8').trim();
  const ref = `${REFERENCES}/${commit.slice(0, 12)}`;
  await executeGit(workTree, ['update-ref', ref, commit], options);
  const entry = { message, ref, content };
  return recordAndAnswer(memory, { keeper, restore: sayRestore(ref) }, () => ({ kind: 'checkpoint', entry }));
}

/** Returns the command that restores the files of a checkpoint; files created since then stay. */
function sayRestore(ref: string): string {
  return `git restore --source=${ref} --worktree -- :/`;
}
