import { canonicalJson } from '../../../base/json.js';
import { LIMITS } from '../../../base/limits.js';
import { toBoundedLine, toWholeLine } from '../../../documents/foreign.js';
import { formatCommandLine } from '../../../documents/plan-text.js';
import type { ReviewResult } from '../../../documents/results.js';
import { isCommand } from '../../../plan/model/commands.js';
import { findPathProblem } from '../../../plan/model/paths.js';
import type { PlanTodo } from '../../../plan/model/schema.js';
import type { RunEngine } from '../../../run/engine.js';
import type { CommandEvidence } from '../../../run/engine-rows.js';

/** Builds fix todos, such as `fix-r1-1`, for the findings of the final stages (engine.md, Fix rounds). */

/** Maximum number of fix todos in a round. The last one takes all remaining files. */
const AT_MOST = 8;

type Known = Pick<RunEngine, 'fixRounds' | 'todos'>;

/** The todo that owns a file in which the review found something. */
export interface Owner {
  /** The globs that the todo may touch, including those it was granted; empty if it may touch everything. */
  files: readonly string[];
  acceptance: PlanTodo['acceptance'];
}

type Issue = ReviewResult['issues'][number];

/**
 * Builds a fix todo for each file in which the code review found issues. The fix may touch the same paths as the todos
 * that own the file, and their commands have to pass again.
 * @param findOwners returns the todos that own a file
 */
export function buildReviewFixes(
  engine: Known,
  { issues }: ReviewResult,
  findOwners: (file: string) => readonly Owner[],
): PlanTodo[] {
  const byFile = new Map<string, Issue[]>();
  for (const issue of issues) {
    const key = byFile.has(issue.file) || byFile.size < AT_MOST ? issue.file : [...byFile.keys()][AT_MOST - 1];
    byFile.set(key ?? issue.file, [...(byFile.get(key ?? issue.file) ?? []), issue]);
  }
  return [...byFile.values()].map((found, index) => {
    const files = [...new Set(found.map(({ file }) => file))];
    const owners = files.flatMap(findOwners);
    const named = toGlobs(files);
    const isOpen = named.length === 0 || owners.some((owner) => owner.files.length === 0);
    return buildFix(engine, index, {
      title: renderTitle(found),
      files: isOpen ? [] : [...new Set([...named, ...owners.flatMap((owner) => owner.files)])],
      steps: [...found.map(renderPlace), OUTRANKS],
      acceptance: [...listAssertions(found.map(renderMended)), ...listOwnersCommands(owners)],
    });
  });
}

function renderTitle(found: readonly Issue[]): string {
  const [first] = found;
  const title = first?.title ?? `Fix what the review found: ${first === undefined ? '' : renderIssue(first)}`;
  const more = found.length > 1 ? `, and ${found.length - 1} more of the review` : '';
  return `${toBoundedLine(title, LIMITS.title - more.length)}${more}`;
}

function listAssertions(lines: readonly string[]): PlanTodo['acceptance'] {
  return lines.map((text, at) => ({ id: `as-${at + 1}`, kind: 'assertion', text }));
}

/** Lists the owners' commands, each once. They need no new approval. */
function listOwnersCommands(owners: readonly Owner[]): PlanTodo['acceptance'] {
  const commands = owners.flatMap(({ acceptance }) => acceptance.filter(isCommand));
  const known = new Map(commands.map(({ id: _, ...command }) => [canonicalJson(command), command]));
  return [...known.values()].map((command, at) => ({ ...command, id: `ac-${at + 1}` }));
}

/**
 * Builds one fix todo for all commands that fail on the final tree. It is judged by the same commands, which are
 * already approved.
 * @param commands the acceptances of the failed commands, as in the plan
 */
export function buildCommandFixes(
  engine: Known,
  red: readonly CommandEvidence[],
  commands: readonly PlanTodo['acceptance'][number][],
): PlanTodo[] {
  if (red.length === 0) return [];
  const lines = red.map(({ argv, outcome }) => toWholeLine(`${formatCommandLine(argv)}: ${outcome}`));
  return [
    buildFix(engine, 0, {
      title: toBoundedLine(`Make this pass again: ${lines[0]}`, LIMITS.title),
      files: [],
      steps: ['Each of these passed for its todo but fails on the final tree; find out why, and fix it.', ...lines],
      acceptance: commands.map((item, index) => ({ ...item, id: `ac-${index + 1}` })),
    }),
  ];
}

/**
 * Builds the todo that fixes the findings of a verification todo; triage sets its id and dependencies. It is judged by
 * the failed commands, which are already approved, or, if none failed, by an assertion for each finding.
 * @param failed the findings, one line each
 */
export function buildVerificationFix(
  failed: readonly string[],
  { title, acceptance }: Pick<PlanTodo, 'title' | 'acceptance'>,
  evidence: readonly CommandEvidence[],
): PlanTodo {
  const red = new Set(evidence.filter(({ ok }) => !ok).map(({ id }) => id));
  const commands = acceptance.filter((item) => isCommand(item) && red.has(item.id));
  return {
    ...EMPTY_TODO,
    id: '',
    title: toBoundedLine(`Fix what "${title}" found: ${failed[0] ?? ''}`, LIMITS.title),
    files: [],
    steps: ['Find out why each of these fails, and fix it in the sources.', ...failed, OUTRANKS],
    acceptance: commands.length > 0 ? commands : listAssertions(failed.map((line) => `No longer so: ${line}`)),
  };
}

/** Returns whether a todo was made by a fix round. */
export function isFix({ id }: Pick<PlanTodo, 'id'>): boolean {
  return /^fix-r\d+-\d+$/.test(id);
}

/** Returns whether an issue of a code review justifies a fix round. */
export function isGrave({ severity }: Pick<Issue, 'severity'>): boolean {
  return severity !== 'minor';
}

/** Renders an issue of a code review as one line. */
export function renderIssue(issue: Issue): string {
  return `${issue.severity}: ${renderPlace(issue)}`;
}

function renderPlace({ file, line, description }: Issue): string {
  return toWholeLine(`${file}${line == null ? '' : `:${line}`}: ${description}`);
}

/**
 * Renders the assertion that an issue is fixed. Uses the issue's title if it has one, because the title names the fix.
 */
function renderMended(issue: Issue): string {
  const { title } = issue;
  return title == null
    ? `No longer so: ${renderPlace(issue)}`
    : `Done: ${renderPlace({ ...issue, description: title })}`;
}

/**
 * The last step of a fix todo, because its issues may contradict a decision that the plan and the prompt still contain.
 */
const OUTRANKS = 'The issues listed here take precedence over a decision that an agent made.';

function buildFix(
  { fixRounds, todos }: Known,
  index: number,
  body: Pick<PlanTodo, 'title' | 'files' | 'steps' | 'acceptance'>,
): PlanTodo {
  const round = `fix-r${fixRounds + 1}`;
  // Numbers the fix above all known fixes of this round's name, because applying a new plan restarts the count of
  // rounds, and an id must not be used twice.
  const known = Object.keys(todos).filter((id) => isFix({ id }) && id.startsWith(`${round}-`));
  const last = Math.max(0, ...known.map((id) => Number(id.slice(round.length + 1))));
  return { ...EMPTY_TODO, ...body, id: `${round}-${last + index + 1}` };
}

/** The fields of a fix that have the same value in all fixes. */
const EMPTY_TODO: Omit<PlanTodo, 'id' | 'title' | 'files' | 'steps' | 'acceptance'> = {
  type: 'work',
  risk: 'medium',
  dependsOn: [],
  inputs: [],
  outputs: [],
  mustNotDo: [],
  references: [],
};

/**
 * Returns globs that match these files. Returns none if a plan may not name one of the files; the fix may then touch
 * any file.
 */
function toGlobs(files: readonly string[]): string[] {
  const globs = [...new Set(files.map((file) => file.replace(/^\.\//, '').replace(/[*?[\]{}()!+@\\]/g, '?')))];
  return globs.every((glob) => findPathProblem(glob) === null) ? globs : [];
}
