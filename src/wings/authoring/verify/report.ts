import { stringify } from 'yaml';
import { renderCount } from '../../../base/words.js';
import { renderLintReport } from '../../../recipe/lint/report.js';
import type { RecipeProblem } from '../../../recipe/source/problem.js';
import type { FindingKind } from './finding.js';
import type { FindingScript } from './script.js';

/** A fault with its place, and a script that reproduces it. */
export interface ReportedFinding extends RecipeProblem {
  kind: FindingKind;
  script: FindingScript;
}

/** The report of `recipe verify` about one recipe (authoring.md, Verify). */
export interface VerifyReport {
  recipe: string;
  file: string;
  ok: boolean;
  /** The problems that lint finds. If one is an error, nothing was explored. */
  problems: RecipeProblem[];
  findings: ReportedFinding[];
  /** Absent if nothing was explored. */
  explored?: {
    states: number;
    transitions: number;
    /** Actions on the longest path; null if unknown. */
    actions: number | null;
    /** False if the limit of states was reached: the findings are valid, but nothing is proved. */
    whole: boolean;
  };
}

/** Renders a report like a compiler's, each finding with its script. @param texts the files' texts, by file name */
export function renderVerifyReport(report: VerifyReport, texts: Readonly<Record<string, string>>): string {
  const { recipe, problems, findings, explored } = report;
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (explored === undefined) {
    return `${renderLintReport(errors, texts)}\n${recipe}: not explored, because a recipe with errors cannot run.`;
  }
  const { states, transitions, actions, whole } = explored;
  const most = actions === null ? '' : `, at most ${renderCount(actions, 'action')}`;
  const counted = `${renderCount(states, 'state')}, ${renderCount(transitions, 'transition')}${most}`;
  const found = findings.map((finding) => renderFinding(finding, texts));
  const verdict =
    findings.length > 0 ? renderCount(findings.length, 'finding') : whole ? 'proved' : 'not proved, nothing found yet';
  const limit = whole ? [] : [`${recipe}: too many states; only ${states} were explored. ${HINT}`];
  return [...found, ...limit, `${recipe}: ${verdict}. ${counted}.`].join('\n');
}

const HINT = 'Lower `maxRounds` where choices lead back, or test fewer values in conditions.';

function renderFinding({ kind, script, ...problem }: ReportedFinding, texts: Readonly<Record<string, string>>): string {
  const told = renderLintReport([{ ...problem, message: `[${kind}] ${problem.message}` }], texts);
  // Removes the last line, which counts the single error.
  const shown = told.slice(0, told.lastIndexOf('\n')).trimEnd();
  const yaml = stringify(script, { lineWidth: 0 }).trimEnd();
  const lines = yaml.split('\n').map((line) => `      ${line}`);
  return `${shown}\n     = the shortest way there, as a script for \`dev-cli recipe simulate ${script.recipe} --script FILE\`:\n${lines.join('\n')}\n`;
}
