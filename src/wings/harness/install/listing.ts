import type { Answer } from '../../../base/answer.js';
import { omitUndefined } from '../../../base/defined.js';
import type { Invocation } from '../../../base/invocation.js';
import { HARNESSES } from '../harness.js';
import type { InstallPaths, PartDecisions } from './carry-out.js';
import type { FileDecision } from './decide.js';
import type { GitHookResult } from './git-hook.js';

/** Renders the changes that `install` and `uninstall` make, or would make (harness.md, Install). */

/** The changes that were made, or would be in a dry run. */
export interface CarriedOut {
  parts: PartDecisions[];
  /** Whether a person has seen exactly these changes before agreeing. */
  isAsShown: boolean;
  /** The change to the hook of the clone, if requested. */
  git?: GitHookResult;
  /** True if nothing was done, because the user named the git hook and it cannot be changed. */
  isRefused?: true;
  /** The call that makes the changes; set if nothing was done because nobody could be asked. */
  unasked?: Invocation;
}

type Does = FileDecision['does'];

/** The changes to the files of one part, as data. */
interface PartRow {
  harness: PartDecisions['part'];
  files: Pick<FileDecision, 'path' | 'what' | 'does' | 'why'>[];
}

function isShown({ part, decisions }: PartDecisions): boolean {
  return part !== 'project' || decisions.length > 0;
}

/** The verbs for changes that are only planned. */
const WOULD: Readonly<Record<Does, string>> = {
  created: 'create',
  updated: 'update',
  unchanged: 'leave',
  removed: 'remove',
  kept: 'keep',
};

/** Renders the change of each file and of the git hook, as done or as planned. */
export function renderDone({ parts, git }: CarriedOut, tense: 'done' | 'would'): string[] {
  return [...renderParts(parts, tense), ...(git === undefined ? [] : ['The clone', `  ${renderHook(git, tense)}`])];
}

function renderHook({ status, path, detail }: GitHookResult, tense: 'done' | 'would'): string {
  const does = tense === 'would' ? (WOULD_HOOK[status] ?? status) : status;
  return `${does.padEnd(9)} ${path ?? 'the git hook'}${detail === undefined ? '' : `: ${detail}`}`;
}

const WOULD_HOOK: Partial<Record<GitHookResult['status'], string>> = {
  installed: 'install',
  updated: 'update',
  removed: 'remove',
};

function renderParts(parts: readonly PartDecisions[], tense: 'done' | 'would'): string[] {
  return parts
    .filter(isShown)
    .flatMap(({ part, decisions }) => [
      part === 'project' ? 'The project' : HARNESSES[part].title,
      ...decisions
        .filter(({ does }) => does !== 'unchanged')
        .map(
          ({ does, path, what, why }) =>
            `  ${(tense === 'done' ? does : WOULD[does]).padEnd(9)} ${path}${why === undefined ? (what === '' ? '' : `  (${what})`) : `: ${why}`}`,
        ),
      ...(decisions.every(({ does }) => does === 'unchanged') ? ['  nothing to do'] : []),
    ]);
}

/** Renders only the numbers of changes, because the person has just read the list: `Done: 24 created, 1 kept.` */
function renderCounts(parts: readonly PartDecisions[]): string {
  const all = parts.flatMap(({ decisions }) => decisions.map(({ does }) => does));
  const counts = (Object.keys(WOULD) as Does[])
    .map((does) => ({ does, count: all.filter((one) => one === does).length }))
    .filter(({ does, count }) => does !== 'unchanged' && count > 0);
  return `Done: ${counts.map(({ does, count }) => `${count} ${does}`).join(', ')}.`;
}

/** Lists the change of each file, as data. */
export function listPartRows(parts: readonly PartDecisions[]): PartRow[] {
  return parts.filter(isShown).map(({ part, decisions }) => ({
    harness: part,
    files: decisions.map(({ path, what, does, why }) => ({ path, what, does, ...omitUndefined({ why }) })),
  }));
}

/**
 * Builds the answer of `install` and `uninstall`. If nobody could be asked, the answer is a refusal that shows the
 * plan.
 */
export function buildInstallAnswer(
  dry: boolean,
  { scope, base }: InstallPaths,
  done: CarriedOut,
  status: 'installed' | 'uninstalled',
  { notes, nextSteps }: { notes: readonly string[]; nextSteps: readonly string[] } = { notes: [], nextSteps: [] },
): Answer {
  const { parts, isAsShown, unasked, git, isRefused = false } = done;
  const isPlanned = dry || unasked !== undefined || isRefused;
  const ok = unasked === undefined && !isRefused;
  return {
    exit: ok ? 0 : 3,
    json: {
      ok,
      status: isPlanned ? 'planned' : status,
      scope,
      base,
      harnesses: listPartRows(parts),
      ...omitUndefined({ git }),
      ...(notes.length === 0 ? {} : { notes }),
      ...(unasked !== undefined
        ? { error: { ...UNASKED, fix: unasked } }
        : isRefused
          ? { error: { ...HOOK_REFUSED, details: [{ target: git?.path, problem: git?.detail }] } }
          : { nextSteps }),
    },
    text: (written) =>
      [
        ...(isPlanned ? ['Nothing was written. What would be done:'] : []),
        ...(isAsShown
          ? [renderCounts(parts), ...renderDone({ ...done, parts: [] }, 'done')]
          : renderDone(done, isPlanned ? 'would' : 'done')),
        ...(notes.length === 0 ? [] : ['', ...notes]),
        ...(unasked === undefined
          ? nextSteps.length === 0
            ? []
            : ['', ...nextSteps]
          : ['', `There is nobody to ask here. To do it: ${written(unasked)}`]),
      ].join('\n'),
  };
}

const HOOK_REFUSED = {
  code: 'NEEDS_MISSING',
  message: 'Nothing was written: the git hook cannot be changed here.',
  fix: 'Do what the detail says by hand; if the call named anything besides git, repeat it without git.',
};

const UNASKED = {
  code: 'TERMINAL_REQUIRED',
  message: 'Nothing was written: there is nobody to ask here.',
  details: [],
};
