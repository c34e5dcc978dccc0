import { renderInstruction } from '../../base/invocation.js';
import { renderCount } from '../../base/words.js';
import type { HandoffFile, HandoffStatus } from '../../documents/handoff-file.js';
import { renderCommand } from '../../registry/render.js';
import type { RecentCommit } from '../../work/recent-commits.js';
import type { Identified } from './book.js';
import { judgeStatus, type Picture } from './picture.js';

/** What a session hands over: made of a picture and of what the call says. File and region render it (memory.md, Handoff). Pure. */

/** What only the call knows. */
export interface Said {
  /** Of this machine's time, with an offset. */
  timestamp: string;
  /** Through which door it came. */
  source: 'file_fallback' | 'mcp_provided';
  /** The goal of `.ai/goals.yaml`; null where there is none. */
  goal: { id: string; title: string } | null;
  summary?: string;
  status?: HandoffStatus;
  reason?: string;
  switchedTo?: string;
  /** Whether the call said what comes next. */
  saysNext: boolean;
}

/** What is handed over. */
export interface Handoff extends Said {
  status: HandoffStatus;
  /** What keeps the work from being complete. */
  missing: string[];
  quality: 'auto-drafted' | 'assisted' | 'ai-drafted';
  /** What is worked on: a goal, else a run, else a branch. */
  work: { id: string; title: string };
  /** What to do next, the most important first. */
  steps: string[];
  picture: Picture;
}

/** Makes the handoff. @param picture after what the call says was recorded */
export function buildHandoff(before: Picture, said: Said): Handoff {
  const picture = { ...before, waiting: withoutLast(before) };
  const proved = judgeStatus(picture);
  const hasJudgments = picture.decisions.length > 0 || picture.verification.length > 0;
  const isDrafted = said.summary !== undefined && said.saysNext;
  return {
    ...said,
    status: said.status ?? proved.status,
    missing: proved.missing,
    quality: isDrafted ? 'ai-drafted' : hasJudgments || said.summary !== undefined ? 'assisted' : 'auto-drafted',
    work: nameWork(picture, said.goal),
    steps: listSteps(picture),
    picture,
  };
}

/** What waits, but for what the handoff before this one said. */
function withoutLast({ waiting, handoff }: Picture): Picture['waiting'] {
  return waiting.filter(({ since }) => since !== handoff?.timestamp);
}

function nameWork({ runs, branch, head }: Picture, goal: Said['goal']): Handoff['work'] {
  if (goal !== null) return { id: goal.id, title: `${goal.title} (${goal.id})` };
  const run = runs.find(({ state }) => state === 'live') ?? runs.find(({ state }) => state === 'halted');
  if (run !== undefined) return { id: run.name, title: `the run ${run.name}` };
  if (branch !== null) return { id: branch, title: `the branch ${branch}` };
  const id = head?.slice(0, 12) ?? 'project';
  return { id, title: head === null ? 'the project' : `the commit ${id}` };
}

/** The next action, runs that are live, what has to be verified again, what waits. */
export function listSteps({ next, verification, waiting, runs, handoff }: Picture): string[] {
  const steps = [
    ...(next === null ? (handoff?.sections.Next ?? []) : [renderNext(next)]),
    ...runs.filter(({ state }) => state === 'live').map(({ name }) => `Go on with the run: dev-cli next ${name}`),
    ...verification
      .filter(({ freshness }) => freshness === 'stale' || freshness === 'failed')
      .map(
        ({ command, freshness }) =>
          `Run again, since ${freshness === 'stale' ? 'files have changed' : 'it failed'}: ${command}`,
      ),
    ...waiting.map(({ kind, run, summary }) => `${kind}${run === undefined ? '' : ` (${run})`}: ${summary}`),
  ];
  return [...new Set(steps)];
}

/** The next action as one line. */
export function renderNext({ text, doneWhen }: Pick<Identified<'next'>, 'text' | 'doneWhen'>): string {
  return doneWhen === undefined ? text : `${text} (done when: ${doneWhen})`;
}

/** A decision as one line. */
export function renderDecision({ text, reason }: { text: string; reason?: string | undefined }): string {
  return reason === undefined ? text : `${text} — ${reason}`;
}

/** The aim as one line. */
export function renderIntent(intent: NonNullable<Picture['intent']>): string {
  const { branch } = intent;
  return `${renderDecision(intent)}${branch === undefined ? '' : ` (decided on ${branch ?? 'no branch'})`}`;
}

/** A text of somebody else's opens no comment, which would hide what follows. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('<!--', '&lt;!--');
}

/** Decisions, each as one line that says whether it still stands. */
function tellDecisions(decisions: Picture['decisions']): string[] {
  const replaced = new Set(decisions.map(({ supersedes }) => supersedes));
  return decisions.map((one) => `${renderDecision(one)}${replaced.has(one.id) ? ' (superseded)' : ''}`);
}

/** A commit as one line. */
export function renderCommit({ sha, subject }: RecentCommit): string {
  return `${sha.slice(0, 12)} ${subject}`;
}

/** A commit that is not in the history of HEAD as one line. */
export function renderElsewhere(commit: RecentCommit): string {
  return `elsewhere (on another branch, amended or rebased away): ${renderCommit(commit)}`;
}

/** A verification as one line. */
export function renderVerification({ command, result, freshness }: Picture['verification'][number]): string {
  return `${command} -> ${result} [${freshness}]`;
}

/** What waits, as one line. */
export function renderWaiting({ kind, run, summary, since, answer }: Picture['waiting'][number]): string {
  const how = answer === undefined ? '' : `; the user answers by ${renderInstruction([answer].flat(), renderCommand)}`;
  return `${kind}${run === undefined ? '' : ` in ${run}`}: ${summary} (since ${since}${how})`;
}

/** `3 changed files (1 staged, 1 deleted)`, or that nothing is. */
export function renderChanges({ changes, branch, head }: Pick<Picture, 'changes' | 'branch' | 'head'>): string {
  const at = [branch === null ? [] : `on ${branch}`, head === null ? [] : `at ${head.slice(0, 12)}`].flat().join(' ');
  if (changes === null) return 'no repository';
  const { total, staged, deleted } = changes;
  const parts = Object.entries({ staged, deleted }).flatMap(([what, count]) => (count === 0 ? [] : `${count} ${what}`));
  const counts = total === 0 ? 'clean' : renderCount(total, 'changed file');
  return [counts, ...(parts.length === 0 ? [] : [`(${parts.join(', ')})`]), at].filter(Boolean).join(' ');
}

const CHANGED = 50;
const CONTEXT_FILES = 10;
/** Commits of a first handoff, which does not know where the work began. */
const FIRST_COMMITS = 5;

/** Makes what the file says. */
export function toFile({ picture, summary, ...handoff }: Handoff): HandoffFile {
  const { branch, head, decisions, changes, next, relevant, notes, verification, waiting } = picture;
  const { timestamp, status, reason, work, switchedTo } = handoff;
  const paths = changes?.paths ?? [];
  const more = paths.length - CHANGED;
  const files = [...relevant.map(({ path, why }) => `${path}: ${why}`), ...without(paths, relevant)];
  return {
    ...{ timestamp, status, goalId: work.id },
    ...(reason !== undefined && { reason }),
    ...(branch !== null && { branch }),
    ...(head !== null && { head }),
    sections: {
      Done: [
        ...(summary === undefined ? [] : [summary]),
        ...(switchedTo === undefined ? [] : [`Switched to: ${switchedTo}`]),
        ...listDone(picture),
      ],
      'Key Decisions': tellDecisions(decisions),
      'Changed Files': [...paths.slice(0, CHANGED), ...(more > 0 ? [`(+${more})`] : [])],
      Next: next === null ? (picture.handoff?.sections.Next ?? []) : [renderNext(next)],
      'Context Files': files.slice(0, CONTEXT_FILES),
      Tried: notes.filter(({ kind }) => kind === 'tried').map(({ text }) => text),
      Verification: verification.map(renderVerification),
      Waiting: waiting.map(renderWaiting),
    },
  };
}

function without(paths: readonly string[], relevant: Picture['relevant']): string[] {
  const named = new Set(relevant.map(({ path }) => path));
  return paths.filter((path) => !named.has(path));
}

/** Commits since the last handoff, oldest first. */
function listDone({ commits, handoff }: Picture): string[] {
  const isNew = ({ at }: RecentCommit, index: number) =>
    handoff === null ? index < FIRST_COMMITS : Date.parse(at) > Date.parse(handoff.timestamp);
  const known = commits.findIndex(({ sha }) => sha === handoff?.head);
  const fresh = known < 0 ? commits.filter(isNew) : commits.slice(0, known);
  return fresh.map(renderCommit).reverse();
}
