import { renderInstruction } from '../../base/invocation.js';
import { renderCount } from '../../base/words.js';
import type { HandoffFile, HandoffStatus } from '../../documents/handoff-file.js';
import { renderInvocation } from '../../registry/render.js';
import type { RecentCommit } from '../../work/recent-commits.js';
import type { Identified } from './book.js';
import { judgeStatus, type Picture } from './picture.js';

/**
 * Builds the content of a handoff from a picture and the input of the call. The handoff file and the region in
 * PROJECT_CONTEXT.md both render this content (memory.md, Handoff). Pure.
 */

/** The part of a handoff that only the call knows. */
export interface HandoffInput {
  /** Local time with its UTC offset. */
  timestamp: string;
  /** `mcp_provided`: the call came over MCP; `file_fallback`: from the command line. */
  source: 'file_fallback' | 'mcp_provided';
  /** The goal from `.ai/goals.yaml`; null if there is none. */
  goal: { id: string; title: string } | null;
  summary?: string;
  status?: HandoffStatus;
  reason?: string;
  switchedTo?: string;
  /** Whether the call named a next action. */
  saysNext: boolean;
}

/** The content of a handoff. */
export interface Handoff extends HandoffInput {
  status: HandoffStatus;
  /** Reasons why the work is not complete. */
  missing: string[];
  quality: 'auto-drafted' | 'assisted' | 'ai-drafted';
  /** What the session worked on: a goal, else a run, else a branch. */
  work: { id: string; title: string };
  /** Next steps, most important first. */
  steps: string[];
  picture: Picture;
}

/** Builds the handoff. @param before the picture, which already includes the judgments of this call */
export function buildHandoff(before: Picture, said: HandoffInput): Handoff {
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
    steps: listHandoffSteps(picture),
    picture,
  };
}

/** Omits items that come from the previous handoff. */
function withoutLast({ waiting, handoff }: Picture): Picture['waiting'] {
  return waiting.filter(({ since }) => since !== handoff?.timestamp);
}

function nameWork({ runs, branch, head }: Picture, goal: HandoffInput['goal']): Handoff['work'] {
  if (goal !== null) return { id: goal.id, title: `${goal.title} (${goal.id})` };
  const run = runs.find(({ state }) => state === 'live') ?? runs.find(({ state }) => state === 'halted');
  if (run !== undefined) return { id: run.name, title: `the run ${run.name}` };
  if (branch !== null) return { id: branch, title: `the branch ${branch}` };
  const id = head?.slice(0, 12) ?? 'project';
  return { id, title: head === null ? 'the project' : `the commit ${id}` };
}

/** Lists the next action, live runs, verifications to repeat, and what waits for a person. */
export function listHandoffSteps({ next, verification, waiting, runs, handoff }: Picture): string[] {
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

/** Renders the next action on one line. */
export function renderNext({ text, doneWhen }: Pick<Identified<'next'>, 'text' | 'doneWhen'>): string {
  return doneWhen === undefined ? text : `${text} (done when: ${doneWhen})`;
}

/** Renders a decision on one line. */
export function renderMemoryDecision({ text, reason }: { text: string; reason?: string | undefined }): string {
  return reason === undefined ? text : `${text} — ${reason}`;
}

/** Renders the aim on one line. */
export function renderIntent(intent: NonNullable<Picture['intent']>): string {
  const { branch } = intent;
  return `${renderMemoryDecision(intent)}${branch === undefined ? '' : ` (decided on ${branch ?? 'no branch'})`}`;
}

/** Escapes the start of comments in foreign text, because an unclosed comment would hide everything after it. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('<!--', '&lt;!--');
}

/** Renders each decision on one line, marked if it was superseded. */
function tellDecisions(decisions: Picture['decisions']): string[] {
  const replaced = new Set(decisions.map(({ supersedes }) => supersedes));
  return decisions.map((one) => `${renderMemoryDecision(one)}${replaced.has(one.id) ? ' (superseded)' : ''}`);
}

/** Renders a commit on one line. */
export function renderCommit({ sha, subject }: RecentCommit): string {
  return `${sha.slice(0, 12)} ${subject}`;
}

/** Renders a commit outside the history of HEAD on one line. */
export function renderElsewhere(commit: RecentCommit): string {
  return `elsewhere (on another branch, amended or rebased away): ${renderCommit(commit)}`;
}

/** Renders a verification on one line. */
export function renderVerificationLine({ command, result, freshness }: Picture['verification'][number]): string {
  return `${command} -> ${result} [${freshness}]`;
}

/** Renders a waiting item on one line. */
export function renderWaiting({ kind, run, summary, since, answer }: Picture['waiting'][number]): string {
  const how =
    answer === undefined ? '' : `; the user answers by ${renderInstruction([answer].flat(), renderInvocation)}`;
  return `${kind}${run === undefined ? '' : ` in ${run}`}: ${summary} (since ${since}${how})`;
}

/** Renders changes: `3 changed files (1 staged, 1 deleted)`, or `clean`. */
export function renderTreeChanges({ changes, branch, head }: Pick<Picture, 'changes' | 'branch' | 'head'>): string {
  const at = [branch === null ? [] : `on ${branch}`, head === null ? [] : `at ${head.slice(0, 12)}`].flat().join(' ');
  if (changes === null) return 'no repository';
  const { total, staged, deleted } = changes;
  const parts = Object.entries({ staged, deleted }).flatMap(([what, count]) => (count === 0 ? [] : `${count} ${what}`));
  const counts = total === 0 ? 'clean' : renderCount(total, 'changed file');
  return [counts, ...(parts.length === 0 ? [] : [`(${parts.join(', ')})`]), at].filter(Boolean).join(' ');
}

const CHANGED = 50;
const CONTEXT_FILES = 10;
/** Number of commits listed in a first handoff, since no earlier handoff shows where the work began. */
const FIRST_COMMITS = 5;

/** Builds the content of the handoff file. */
export function buildHandoffFile({ picture, summary, ...handoff }: Handoff): HandoffFile {
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
      Verification: verification.map(renderVerificationLine),
      Waiting: waiting.map(renderWaiting),
    },
  };
}

function without(paths: readonly string[], relevant: Picture['relevant']): string[] {
  const named = new Set(relevant.map(({ path }) => path));
  return paths.filter((path) => !named.has(path));
}

/** Lists the commits since the last handoff, oldest first. */
function listDone({ commits, handoff }: Picture): string[] {
  const isNew = ({ at }: RecentCommit, index: number) =>
    handoff === null ? index < FIRST_COMMITS : Date.parse(at) > Date.parse(handoff.timestamp);
  const known = commits.findIndex(({ sha }) => sha === handoff?.head);
  const fresh = known < 0 ? commits.filter(isNew) : commits.slice(0, known);
  return fresh.map(renderCommit).reverse();
}
