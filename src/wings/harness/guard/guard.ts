import { findReserved } from '../../../base/reserved.js';
import type { GuardedWork } from '../../../recipe/declared.js';
import { createGlobTest } from '../../../work/paths.js';

/**
 * Decides whether a tool may write a path while a run is live (harness.md, Guard). Pure: the caller has resolved the
 * paths and read the run.
 */

/**
 * A resolved write: a path whose links and `..` have been followed, or a change to the history of the run's repository.
 */
export type ResolvedWrite = FileWrite | 'history';

interface FileWrite {
  /**
   * The path relative to the root, with `/` as separator. Empty if the tool could write any file in the root; null if
   * the path is outside.
   */
  inRoot: string | null;
  /**
   * The path relative to the work tree. If the path is in the `.git` of a directory above the work tree: its part from
   * `.git` on.
   */
  inWorkTree: string | null;
}

/** Facts about the run that judges the write. */
export interface GuardedRun {
  name: string;
  work: GuardedWork | null;
  /** Globs, relative to the work tree, that the recipe lets tools write; null if the recipe does not say. */
  writes: readonly string[] | null;
  /** Paths in the run's directory that the pending action, or a task under way, expects to be written. */
  promised: readonly string[];
  /** For each worker task under way, the globs of what it may write; a task with an empty list may write everything. */
  tasks: readonly (readonly string[])[];
}

/** Who writes. `unknown`: the harness does not tell subagents from the main agent. */
export type Writer = 'main' | 'subagent' | 'unknown';

/** Paths below `.dev` that only dev-cli writes. */
const OWN = /^(?:guard|active-spec|preferences\.yaml|install\.json|sessions|memory)(?:[./]|$)/;
/** Paths below the directory of a run that only dev-cli writes. */
const OWN_OF_RUN =
  /^(?:state\.json|events\.jsonl|recipe\.json|objects|runs|lock|edit)(?:[./]|$)|^actions\/[^/]+\/(?:.+\/)?(?:exit\.json|started\.json|command\.json|[^/]+\.log)$/s;
/** Files with answers to an action; they may be written whatever block the run is at. */
const ANSWERS = /^actions\/[^/]+\/(?:data\.[^/]+|reason\.md|note\.md|result\.md|result\.json)$/;
/** Documents that are written during planning and must not change during execution. */
const DOCUMENTS = /^(?:DRAFT\.md|plan-content\.json|(?:findings|analysis|reviews)\/.+)$/s;
/** The handoff of a session to the next one; it may be written in every state of the run. */
const HANDOFF = /^\.ai\/handoffs\/[^/]+\.md$/s;
/** Paths below `.dev` that belong to the project, and the file in which an agent passes a request to `init`. */
const SHARED = /^(?:recipes|workflows|agents)\/|^goal\.md$/;

/**
 * Judges one write.
 * @returns why it is forbidden; null if it is allowed
 */
export function judgeWrite(write: ResolvedWrite, run: GuardedRun, writer: Writer): string | null {
  if (write === 'history') return run.work === 'execution' && writer !== 'main' ? renderHistory(run) : null;
  const { inRoot, inWorkTree } = write;
  const below = inRoot === null ? null : cutPrefix(inRoot, '.dev/');
  if (inRoot === '.dev') return `.dev belongs to dev-cli: ${TELL}`;
  if (below !== null) return judgeBelowDev(below, run);
  if (inWorkTree !== null) return judgeSource(inWorkTree, run, writer);
  // Outside the root and the work tree, nothing is guarded.
  if (inRoot === null || run.promised.includes(`/${inRoot}`)) return null;
  return `"${run.name}" works in another work tree: ${shown(inRoot)} is not one of its files.`;
}

function renderHistory({ name }: GuardedRun): string {
  return `"${name}" makes its own commits, from what results list: a worker leaves commits, branches, stash and index alone (\`git restore FILE\` is allowed).`;
}

const TELL = 'change it only by commands of dev-cli.';

function judgeBelowDev(below: string, run: GuardedRun): string | null {
  if (OWN.test(below)) return `.dev/${below} belongs to dev-cli: ${TELL}`;
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
      return `"${run.name}" is planning: until it is done, nothing outside .dev/ may be written (${shown(path)}).`;
    case 'publishing':
      return `"${run.name}" is opening a pull request and changes no sources (${shown(path)}).`;
    case null:
      return run.writes === null ? null : `"${run.name}" may write ${run.writes.join(', ')}, not ${shown(path)}.`;
  }
}

function judgeWorker(path: string, { name, tasks }: GuardedRun, writer: Writer): string | null {
  if (writer === 'main') {
    return `"${name}" is carrying out a plan: its subagents write sources; the agent that drives it does not (${shown(path)}).`;
  }
  if (tasks.some((globs) => globs.length === 0 || createGlobTest(globs)(path))) return null;
  const allowed = [...new Set(tasks.flat())];
  return allowed.length === 0
    ? `no todo that is at work in "${name}" may change sources (${shown(path)}).`
    : `${shown(path)} is in no todo that is at work in "${name}": ${allowed.join(', ')}. A worker that needs it hands in BLOCKED with needs.files.`;
}

/** Renders a path for a message; an empty path stands for anything in the work tree. */
function shown(path: string): string {
  return path === '' ? 'anything in the work tree' : path;
}

function cutPrefix(text: string, prefix: string): string | null {
  return text.startsWith(prefix) ? text.slice(prefix.length) : null;
}
