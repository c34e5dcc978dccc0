import { toBoundedLine, toWholeLine } from '../../documents/foreign.js';
import { findPathProblem } from '../../documents/plan-paths.js';
import type { PlanTodo } from '../../documents/plan-schema.js';
import { formatCommandLine } from '../../documents/plan-text.js';
import type { ReviewResult } from '../../documents/results.js';
import type { CommandEvidence, RunEngine } from '../../run/engine.js';

/** Todos that findings of the end become: `fix-r1-1` (engine.md, Triage). */

/** Fixes of a round; more findings share the last one. */
const AT_MOST = 8;

type Known = Pick<RunEngine, 'fixRounds' | 'todos'>;

/** One todo for each file that the code review found something in. */
export function buildReviewFixes(engine: Known, { issues }: ReviewResult): PlanTodo[] {
  const byFile = new Map<string, ReviewResult['issues']>();
  for (const issue of issues) {
    const key = byFile.has(issue.file) || byFile.size < AT_MOST ? issue.file : [...byFile.keys()][AT_MOST - 1];
    byFile.set(key ?? issue.file, [...(byFile.get(key ?? issue.file) ?? []), issue]);
  }
  return [...byFile.values()].map((found, index) => {
    const told = found.map(({ file, line, severity, description }) =>
      toWholeLine(`${severity}: ${file}${line == null ? '' : `:${line}`}: ${description}`),
    );
    const [first = ''] = told;
    return buildFix(engine, index, {
      title: toBoundedLine(`Put right what the review found: ${first}`, 150),
      files: toGlobs(found.map(({ file }) => file)),
      steps: told,
      acceptance: told.map((text, at) => ({ id: `as-${at + 1}`, kind: 'assertion', text: `No longer so: ${text}` })),
    });
  });
}

/**
 * One todo for the commands that are red on the final tree. They are the ones that were approved, and judge it again.
 * @param commands the acceptances as the plan has them
 */
export function buildCommandFixes(
  engine: Known,
  red: readonly CommandEvidence[],
  commands: readonly PlanTodo['acceptance'][number][],
): PlanTodo[] {
  if (red.length === 0) return [];
  const told = red.map(({ argv, outcome }) => toWholeLine(`${formatCommandLine(argv)}: ${outcome}`));
  return [
    buildFix(engine, 0, {
      title: toBoundedLine(`Make green again: ${told[0]}`, 150),
      files: [],
      steps: [
        'Each of these passed for its todo and is red on the final tree; find out why, and put it right.',
        ...told,
      ],
      acceptance: commands.map((item, index) => ({ ...item, id: `ac-${index + 1}` })),
    }),
  ];
}

function buildFix(
  { fixRounds, todos }: Known,
  index: number,
  body: Pick<PlanTodo, 'title' | 'files' | 'steps' | 'acceptance'>,
): PlanTodo {
  const round = `fix-r${fixRounds + 1}`;
  const taken = Object.keys(todos).filter((id) => id.startsWith(`${round}-`)).length;
  return {
    ...body,
    id: `${round}-${taken + index + 1}`,
    type: 'work',
    risk: 'medium',
    dependsOn: [],
    inputs: [],
    outputs: [],
    mustNotDo: [],
    references: [],
  };
}

/** Files as globs that match only them; with one that no plan could name, none: then the todo works alone. */
function toGlobs(files: readonly string[]): string[] {
  const globs = [...new Set(files.map((file) => file.replace(/^\.\//, '').replace(/[*?[\]{}()!+@\\]/g, '?')))];
  return globs.every((glob) => findPathProblem(glob) === null) ? globs : [];
}
