import { DevCliError } from '../../base/errors.js';
import { renderCount } from '../../base/words.js';
import type { ChosenGoal } from '../../documents/goals.js';
import type { HandoffFile } from '../../documents/handoff-file.js';
import {
  escapeMarkup,
  listHandoffSteps,
  renderCommit,
  renderElsewhere,
  renderIntent,
  renderMemoryDecision,
  renderNext,
  renderTreeChanges,
  renderVerificationLine,
  renderWaiting,
} from './handoff.js';
import type { Picture } from './picture.js';

/**
 * Builds the context that a new session gets (memory.md, Context). Pure: reads no clock, and does not depend on the
 * order of files.
 */

export type ContextFormat = 'markdown' | 'plain' | 'json';

/** The context as data. */
export interface ContextDocument {
  current_goal: { id: string; title: string; parent: string | null } | null;
  previous_session: { timestamp: string; status: string } | null;
  task: string[];
  context_files: string[];
  rules: string[];
  extra: Omit<Partial<Picture>, 'handed' | 'red'> & {
    tried?: string[];
    risks?: string[];
    handed?: Partial<HandoffFile['sections']>;
  };
}

/** Maximum number of commits shown, newest first. */
const COMMITS = 5;

/** The data from which a context is built. */
interface Sources {
  picture: Picture;
  goal: ChosenGoal | null;
  rules: string[];
}

/** Builds the complete context. */
export function buildContext({ picture, goal, rules }: Sources): ContextDocument {
  const { intent, decisions, verification, changes, notes, runs, waiting, requests, said, warnings } = picture;
  const { elsewhere, handoff, handed } = picture;
  return {
    current_goal: goal && { id: goal.goal.id, title: goal.goal.title, parent: goal.parent?.title ?? null },
    previous_session: handed && { timestamp: handed.timestamp, status: handed.status },
    task: listTask(picture, goal),
    context_files: listFiles(picture),
    rules,
    extra: {
      ...{ intent, decisions, verification, changes, elsewhere, runs, waiting, requests, said, warnings },
      commits: picture.commits.slice(0, COMMITS),
      tried: notes.filter(({ kind }) => kind === 'tried').map(({ text }) => text),
      risks: notes.filter(({ kind }) => kind === 'risk').map(({ text }) => text),
      counts: picture.counts,
      branch: picture.branch,
      ...(handoff === null ? {} : { handed: withoutKnown(handoff, picture) }),
    },
  };
}

/**
 * Returns the parts of the handoff file that memory does not have itself. In a fresh clone, where memory is empty, that
 * is all of them.
 */
function withoutKnown({ sections }: HandoffFile, { decisions, notes, verification }: Picture) {
  return {
    Done: sections.Done,
    ...(decisions.length === 0 && { 'Key Decisions': sections['Key Decisions'] }),
    ...(notes.every(({ kind }) => kind !== 'tried') && { Tried: sections.Tried }),
    ...(verification.length === 0 && { Verification: sections.Verification }),
    ...(sections.Waiting.length > 0 && { Waiting: sections.Waiting }),
  };
}

function listTask(picture: Picture, goal: ChosenGoal | null): string[] {
  const { next, handed, handoff } = picture;
  const isNewer = next !== null && (handed === null || Date.parse(next.at) >= Date.parse(handed.timestamp));
  const said = [...(isNewer ? [renderNext(next)] : []), ...(handoff?.sections.Next ?? [])];
  if (said.length > 0) return [...new Set(said)];
  if (goal === null) return listHandoffSteps({ ...picture, next: null, handoff: null });
  const begun = picture.runs.find(({ state, goal_id: id }) => state === 'live' && id === goal.goal.id);
  if (begun !== undefined)
    return [`Go on with the run of the goal, unless dev-cli auto is at work on it: dev-cli next ${begun.name}`];
  return [`Work towards the goal: ${goal.goal.title}`];
}

/** Lists files named in memory first, then those named in the handoff. */
function listFiles({ relevant, handoff }: Picture): string[] {
  const named = [...relevant].reverse().map(({ path, why }) => `${path}: ${why}`);
  return [...new Set([...named, ...(handoff?.sections['Context Files'] ?? [])])];
}

/**
 * Steps to shorten a context. Each is applied on top of the previous ones, least important content first. Rules are
 * never cut.
 */
const CUTS: readonly ((whole: ContextDocument) => ContextDocument)[] = [
  ({ extra, ...rest }) => ({
    ...rest,
    extra: {
      ...{ intent: extra.intent ?? null, decisions: (extra.decisions ?? []).slice(-1) },
      verification: (extra.verification ?? []).slice(-1),
      waiting: (extra.waiting ?? []).slice(0, 1),
    },
  }),
  (whole) => ({ ...whole, extra: {} }),
  (whole) => ({ ...whole, previous_session: null }),
  (whole) => ({ ...whole, context_files: whole.context_files.slice(0, 5) }),
  (whole) => ({ ...whole, task: whole.task.slice(0, 3) }),
];

/**
 * Shortens a context until it fits.
 * @param render renders the context as it will be printed, to measure it
 * @throws DevCliError `CONTEXT_TOO_LARGE`, with the sizes of the parts that cannot be left out
 */
export function fitContext(
  whole: ContextDocument,
  bytes: number,
  render: (document: ContextDocument) => string,
): ContextDocument {
  let fitted = whole;
  const isFit = () => Buffer.byteLength(render(fitted)) <= bytes;
  for (const cut of CUTS) {
    if (isFit()) return fitted;
    fitted = cut(fitted);
  }
  if (isFit()) return fitted;
  const { current_goal, task, context_files, rules } = fitted;
  const sizes = Object.entries({ current_goal, task, context_files, rules });
  throw new DevCliError(
    'CONTEXT_TOO_LARGE',
    `The context has more than ${bytes} bytes, even without all that can be left out.`,
    {
      details: sizes.map(([target, part]) => ({ target, problem: `${Buffer.byteLength(JSON.stringify(part))} bytes` })),
      fix: 'Shorten .ai/rules.md, or raise max_context_bytes in .ai/config.yaml.',
    },
  );
}

/** Renders a context as text. */
export function renderContext(document: ContextDocument, format: Exclude<ContextFormat, 'json'>): string {
  const { current_goal: goal, previous_session: session, task, context_files: files, rules, extra } = document;
  const parts: [heading: string, entries: readonly string[]][] = [
    [
      'Current Goal',
      goal === null ? [] : [`${goal.title} (${goal.id})${goal.parent ? `, part of: ${goal.parent}` : ''}`],
    ],
    [
      'Previous Session',
      session === null
        ? []
        : [
            `${session.timestamp}: ${session.status === 'failed' ? 'not complete' : session.status}`,
            ...tellHanded(extra),
          ],
    ],
    ['Your Task', task],
    ['Context Files (read these first)', files],
    ['Rules', rules],
    ['Memory', tellMemory(extra)],
  ];
  return parts
    .filter(([, entries]) => entries.length > 0)
    .map(([heading, entries]) =>
      format === 'markdown'
        ? `# ${heading}\n\n${entries.map((entry) => `- ${escapeMarkup(entry)}`).join('\n')}\n`
        : `${heading.toUpperCase()}\n${entries.map((entry) => `  ${entry}`).join('\n')}\n`,
    )
    .join('\n');
}

function tellHanded({ handed = {} }: ContextDocument['extra']): string[] {
  return Object.entries(handed).flatMap(([heading, entries]) =>
    entries.map((entry) => `${heading}${heading === 'Verification' ? ', at that time' : ''}: ${entry}`),
  );
}

function tellReplaced(by: string | undefined): string {
  return by === undefined ? '' : ` (superseded by ${by})`;
}

/** Renders memory as lines. Facts that hooks captured are labelled, so that nobody mistakes them for decisions. */
function tellMemory(extra: ContextDocument['extra']): string[] {
  const { intent, decisions = [], verification = [], tried = [], risks = [], runs = [], waiting = [] } = extra;
  const { requests = [], changes, branch = null } = extra;
  const older = (extra.counts?.decision.kept ?? 0) - (extra.counts?.decision.shown ?? 0);
  const hidden = (changes?.paths.length ?? 0) - PATHS;
  const replaced = new Map(decisions.map(({ id, supersedes }) => [supersedes, id]));
  return [
    ...(intent
      ? [`${AIMS[intent.source]}${intent.id === undefined ? '' : ` (${intent.id})`}: ${renderIntent(intent)}`]
      : []),
    ...decisions
      .filter(({ id }) => id !== intent?.id)
      .map((one) => `Decided (${one.id}): ${renderMemoryDecision(one)}${tellReplaced(replaced.get(one.id))}`),
    ...(older > 0 ? [`${renderCount(older, 'older decision')}: dev-cli memory show --all`] : []),
    ...waiting.map((one) => `Waits for a person: ${renderWaiting(one)}`),
    ...tried.map((text) => `Tried, a dead end: ${text}`),
    ...risks.map((text) => `Risk: ${text}`),
    ...verification.map((one) => `Verified: ${renderVerificationLine(one)}${HINTS[one.freshness]}`),
    ...(changes ? [`Work tree: ${renderTreeChanges({ changes, branch, head: null })}`] : []),
    ...(changes?.paths.slice(0, PATHS).map((path) => `Changed: ${path}`) ?? []),
    ...(hidden > 0 ? [`Changed: ${hidden} more`] : []),
    ...(extra.commits ?? []).map((one) => `Committed: ${renderCommit(one)}${tellSession(one)}`),
    ...(extra.elsewhere ?? []).map((one) => `Committed ${renderElsewhere(one)}${tellSession(one)}`),
    ...runs.map(
      ({ name, state, where, goal }) =>
        `Run ${name}: ${state}${where === '' ? '' : ` at ${where}`}${goal === null ? '' : `, ${goal}`}`,
    ),
    ...runs.flatMap(({ decisions: made, failed }) => [made, failed].flatMap((text) => text ?? [])),
    ...requests.map((text) => `Asked by the user: ${text}`),
    ...(extra.said ? [`Said last by the agent: ${extra.said}`] : []),
    ...(extra.warnings ?? []).map((text) => `Warning: ${text}`),
  ];
}

const PATHS = 20;

const HINTS = {
  fresh: '',
  told: ': a claim, not proof',
  stale: ': files have changed since; repeat it with dev-cli memory verify --again',
  unknown: ': whether it still holds is unknown',
  failed: '',
};

function tellSession({ session }: Picture['commits'][number]): string {
  return session === undefined ? '' : ` (session ${session})`;
}

const AIMS = {
  decision: 'Aim',
  handoff: 'Aim, from the handoff',
  run: 'Aim, the goal of the live run',
  request: 'Aim, inferred from the last request',
};
