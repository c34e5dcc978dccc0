import { findReserved } from '../../../base/reserved.js';
import type { GuardedWork } from '../../../recipe/declared.js';
import { createGlobTest } from '../../../work/paths.js';

/**
 * Whether a tool may write a path while a run is live (harness.md, Guard). Pure: paths have been resolved, and the run has been
 * read, by whoever asks.
 */

/** A path to be written, resolved: absolute, without links or `..`; or what git keeps of the run's repository. */
export type Write = FileWrite | 'history';

interface FileWrite {
  /** Relative to the root with `/` between its parts; empty for whatever is in it, null outside of it. */
  inRoot: string | null;
  /** The same, relative to the work tree; from `.git` on for the git directory above that it belongs to. */
  inWorkTree: string | null;
}

/** What the guard has to know of the run that judges. */
export interface GuardedRun {
  name: string;
  work: GuardedWork | null;
  /** Globs from the work tree that the recipe lets a tool write; null where it says nothing. */
  writes: readonly string[] | null;
  /** Paths below the run's directory that its pending action, or a task that is out, wants written. */
  promised: readonly string[];
  /** The globs of each task of a worker that is out; an empty list of globs means everything. */
  tasks: readonly (readonly string[])[];
}

/** Who writes. `unknown`: the harness does not tell subagents apart. */
export type Writer = 'main' | 'subagent' | 'unknown';

/** Of dev-cli alone, below `.dev`. */
const OWN = /^(?:guard|active-spec|preferences\.yaml|install\.json|sessions|memory)(?:[./]|$)/;
/** Of dev-cli alone, below the directory of a run. */
const OWN_OF_RUN =
  /^(?:state\.json|events\.jsonl|recipe\.json|objects|runs|lock|edit)(?:[./]|$)|^actions\/[^/]+\/(?:.+\/)?(?:exit\.json|started\.json|command\.json|[^/]+\.log)$/s;
/** What agents write at any step. */
const ANSWERS = /^actions\/[^/]+\/(?:data\.[^/]+|reason\.md|note\.md|result\.md|result\.json)$/;
/** What is written while a plan is made, and stays as it is while it is carried out. */
const DOCUMENTS = /^(?:DRAFT\.md|plan-content\.json|(?:findings|analysis|reviews)\/.+)$/s;
/** What a session leaves to the next one, whatever its run is at. */
const HANDOFF = /^\.ai\/handoffs\/[^/]+\.md$/s;
/** What belongs to the project below `.dev`, and the file that a request is handed over in. */
const SHARED = /^(?:recipes|workflows|agents)\/|^goal\.md$/;

/**
 * Judges one write.
 * @returns why it must not be done; null where it may
 */
export function judgeWrite(write: Write, run: GuardedRun, writer: Writer): string | null {
  if (write === 'history') return run.work === 'execution' && writer !== 'main' ? renderHistory(run) : null;
  const { inRoot, inWorkTree } = write;
  const below = inRoot === null ? null : cutPrefix(inRoot, '.dev/');
  if (inRoot === '.dev') return `.dev is dev-cli's: ${TELL}`;
  if (below !== null) return judgeBelowDev(below, run);
  if (inWorkTree !== null) return judgeSource(inWorkTree, run, writer);
  // Outside of the project nothing is guarded.
  if (inRoot === null || run.promised.includes(`/${inRoot}`)) return null;
  return `"${run.name}" works in another work tree: ${shown(inRoot)} is not one of its files.`;
}

function renderHistory({ name }: GuardedRun): string {
  return `"${name}" makes its own commits, of what results list: a worker leaves commits, branches, stash and index alone (\`git restore FILE\` is allowed).`;
}

const TELL = 'change nothing there; commands of dev-cli do.';

function judgeBelowDev(below: string, run: GuardedRun): string | null {
  if (OWN.test(below)) return `.dev/${below} is dev-cli's: ${TELL}`;
  if (SHARED.test(below)) return null;
  const [, name = '', path = ''] = /^specs\/([^/]+)(?:\/(.*))?$/s.exec(below) ?? [];
  if (name === '') return `.dev/${below} is not a place for a file.`;
  if (OWN_OF_RUN.test(path)) return `.dev/${below} is dev-cli's record: ${TELL}`;
  if (name !== run.name) return `.dev/${below} belongs to another run than "${run.name}".`;
  if (ANSWERS.test(path) || run.promised.includes(path)) return null;
  if (DOCUMENTS.test(path) && run.work !== 'execution' && run.work !== 'publishing') return null;
  return `.dev/${below} is not asked for by the pending action of "${run.name}".`;
}

function judgeSource(path: string, run: GuardedRun, writer: Writer): string | null {
  const reserved = findReserved(path);
  if (reserved !== null) return `${shown(path)} belongs to ${reserved.owner}: no run changes it.`;
  if (
    HANDOFF.test(path) ||
    run.promised.includes(`/${path}`) ||
    (run.writes !== null && run.writes.length > 0 && createGlobTest(run.writes)(path))
  )
    return null;
  switch (run.work) {
    case 'execution':
      return judgeWorker(path, run, writer);
    case 'planning':
      return `"${run.name}" plans: nothing outside .dev/ is written while it does (${shown(path)}).`;
    case 'publishing':
      return `"${run.name}" opens a pull request: it changes no source (${shown(path)}).`;
    case null:
      return run.writes === null ? null : `"${run.name}" may write ${run.writes.join(', ')}, not ${shown(path)}.`;
  }
}

function judgeWorker(path: string, { name, tasks }: GuardedRun, writer: Writer): string | null {
  if (writer === 'main') {
    return `"${name}" carries a plan out: its subagents write sources, the agent that drives it does not (${shown(path)}).`;
  }
  if (tasks.some((globs) => globs.length === 0 || createGlobTest(globs)(path))) return null;
  const allowed = [...new Set(tasks.flat())];
  return allowed.length === 0
    ? `no todo of "${name}" that may change sources is at work (${shown(path)}).`
    : `${shown(path)} is in no todo that is at work in "${name}": ${allowed.join(', ')}. A worker that needs it hands in BLOCKED with needs.files.`;
}

/** The work tree itself stands for whatever is in it. */
function shown(path: string): string {
  return path === '' ? 'anything in the work tree' : path;
}

function cutPrefix(text: string, prefix: string): string | null {
  return text.startsWith(prefix) ? text.slice(prefix.length) : null;
}
