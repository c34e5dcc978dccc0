import { DevCliError, type ErrorDetail } from '../../../base/errors.js';
import { joinFirst } from '../../../base/words.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { mayGlobsOverlap, mayOverlap } from '../../../documents/globs.js';
import type { OtherExecution } from '../../../run/other-executions.js';
import type { Transaction } from '../../../run/transaction.js';

type Row = OtherExecution['todos'][number];

const DETAILS_SHOWN = 20;
const NAMED = 5;

/**
 * Finds another execution in the work tree that may change the same files, because each would then judge and commit the
 * other's unfinished work. If the files differ, only warns of the other executions (engine.md, Two executions).
 * @returns `FILES_OVERLAP`, or null
 */
export function findFileConflict(tx: Transaction, todos: readonly Row[]): DevCliError | null {
  const others = tx.others();
  for (const { name, hold, todos: theirs } of others) {
    const details = todos.filter(isOpen).flatMap((todo) => describeOverlap(todo, name, theirs.filter(isOpen)));
    if (details.length > 0) return buildOverlapError(tx.state.name, { name, hold }, details);
  }
  if (others.length > 0) {
    const names = others.map(({ name }) => `"${name}"`);
    tx.warnings.push(
      `${joinFirst(names, NAMED)} also executes a plan in this work tree, on other files: leave its uncommitted work alone`,
    );
  }
  return null;
}

function isOpen({ status }: Row): boolean {
  return status !== 'done';
}

function buildOverlapError(
  run: string,
  { name: other, hold }: Pick<OtherExecution, 'name' | 'hold'>,
  details: ErrorDetail[],
): DevCliError {
  const more = details.length - DETAILS_SHOWN;
  const rest = more > 0 ? [{ problem: `and ${more} more todos` }] : [];
  return new DevCliError(
    'FILES_OVERLAP',
    `"${other}" executes a plan in this work tree and may change the same files, so "${run}" cannot be executed until it has ended.${hold}`,
    {
      run,
      details: [...details.slice(0, DETAILS_SHOWN), ...rest],
      fix: [
        `Tell the user that "${other}" has to be finished or given up first. Its next action: `,
        { command: 'next', input: { name: other } },
      ],
    },
  );
}

function describeOverlap(todo: Row, other: string, theirs: readonly Row[]): ErrorDetail[] {
  const met = theirs.filter((row) => mayOverlap(todo, row));
  if (met.length === 0) return [];
  const ids = met.map(({ id }) => id);
  const files = renderSharedFiles(todo, met);
  return [
    { target: todo.id, problem: `may change the same files as ${joinFirst(ids, NAMED)} of "${other}": ${files}` },
  ];
}

/** Renders the todo's globs that overlap with the globs of todos in the other execution. */
function renderSharedFiles({ files }: Row, met: readonly Row[]): string {
  const unbounded = files.length === 0 || met.some((row) => row.files.length === 0);
  if (unbounded) return 'a todo that names no files may change any file';
  const theirs = met.flatMap((row) => row.files);
  const both = files.filter((glob) => theirs.some((other) => mayGlobsOverlap(glob, other)));
  const shown = both.map((glob) => toBoundedLine(glob, 120));
  return joinFirst(shown, NAMED);
}
