import type { Answer } from '../../../base/answer.js';
import { defined } from '../../../base/defined.js';
import type { Invocation } from '../../../base/invocation.js';
import { HARNESSES } from '../harness.js';
import type { Part, Places } from './carry-out.js';
import type { Decision } from './decide.js';
import type { GitHookResult } from './git-hook.js';

/** What `install` and `uninstall` say that they do, or would do (harness.md, Install). */

/** What was carried out, or would be in a dry run. */
export interface CarriedOut {
  parts: Part[];
  /** Whether a person has seen just this before agreeing to it. */
  isAsShown: boolean;
  /** What became of the hook of the clone, where that was asked for. */
  git?: GitHookResult;
  /** Nothing was done, since the hook that was named cannot be had. */
  isRefused?: true;
  /** The call that does what this one did not, since nobody could be asked. */
  unasked?: Invocation;
}

type Does = Decision['does'];

/** What is done to the files of one part, as data. */
interface PartRow {
  harness: Part['part'];
  files: Pick<Decision, 'path' | 'what' | 'does' | 'why'>[];
}

function isShown({ part, decisions }: Part): boolean {
  return part !== 'project' || decisions.length > 0;
}

/** What a decision does to a file, before it is done. */
const WOULD: Readonly<Record<Does, string>> = {
  created: 'create',
  updated: 'update',
  unchanged: 'leave',
  removed: 'remove',
  kept: 'keep',
};

/** Renders what is done to each file and to the hook of git, or before it is carried out what would be. */
export function renderDone({ parts, git }: CarriedOut, tense: 'done' | 'would'): string[] {
  return [...renderParts(parts, tense), ...(git === undefined ? [] : ['The clone', `  ${renderHook(git, tense)}`])];
}

function renderHook({ status, path, detail }: GitHookResult, tense: 'done' | 'would'): string {
  const does = tense === 'would' ? (WOULD_HOOK[status] ?? status) : status;
  return `${does.padEnd(9)} ${path ?? 'the hook of git'}${detail === undefined ? '' : `: ${detail}`}`;
}

const WOULD_HOOK: Partial<Record<GitHookResult['status'], string>> = {
  installed: 'install',
  updated: 'update',
  removed: 'remove',
};

function renderParts(parts: readonly Part[], tense: 'done' | 'would'): string[] {
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

/** Counts what was done, for a person who has just read the list: `24 created, 1 kept.` */
function renderCounts(parts: readonly Part[]): string {
  const all = parts.flatMap(({ decisions }) => decisions.map(({ does }) => does));
  const counts = (Object.keys(WOULD) as Does[])
    .map((does) => ({ does, count: all.filter((one) => one === does).length }))
    .filter(({ does, count }) => does !== 'unchanged' && count > 0);
  return `Done: ${counts.map(({ does, count }) => `${count} ${does}`).join(', ')}.`;
}

/** Lists what is done to each file, as data. */
export function listRows(parts: readonly Part[]): PartRow[] {
  return parts.filter(isShown).map(({ part, decisions }) => ({
    harness: part,
    files: decisions.map(({ path, what, does, why }) => ({ path, what, does, ...defined({ why }) })),
  }));
}

/** The answer of `install` and `uninstall`. Where nobody could be asked it is a refusal that shows what it would do. */
export function buildAnswer(
  dry: boolean,
  { scope, base }: Places,
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
      harnesses: listRows(parts),
      ...defined({ git }),
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
          : ['', `Nobody can be asked here. To do it: ${written(unasked)}`]),
      ].join('\n'),
  };
}

const HOOK_REFUSED = {
  code: 'NEEDS_MISSING',
  message: 'Nothing was written: the hook of git cannot be changed here.',
  fix: 'Do by hand what the detail says, and repeat the call without git if there is more in it.',
};

const UNASKED = { code: 'TERMINAL_REQUIRED', message: 'Nothing was written: nobody can be asked here.', details: [] };
