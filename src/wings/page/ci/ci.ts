import { posix } from 'node:path';
import type { Answer } from '../../../base/answer.js';
import { renderCount } from '../../../base/words.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { Ported } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { getRunDirectory, REPORT } from '../../../run/paths.js';
import { renderAnnotations } from './annotations.js';
import type { Finding } from './finding.js';
import { checkJournals } from './journals.js';
import { checkPlans } from './plans.js';
import { checkRecipes, type RecipeTools } from './recipes.js';
import { listChanges } from './since.js';
import { buildSections } from './summary.js';
import { writeSummary } from './write-summary.js';

/**
 * `ci`: checks what a checkout has of plans, recipes and journals, and starts nothing of it (view.md, CI). Exit 3 when anything is
 * wrong.
 * @throws DevCliError `USAGE`, `IO`, `GIT_FAILED`, `PREFERENCES_INVALID`, `INTERRUPTED`
 */
export async function checkProject(
  context: Context & Ported,
  input: { since?: string; summary?: string },
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
  tools: RecipeTools,
): Promise<Answer> {
  const { root } = context;
  const { since, files, warning } = await listChanges(context, input.since, env);
  const { plans, findings: planned } = await checkPlans(context);
  const { recipes, cases, findings: tried } = await checkRecipes(context, tools);
  const { journals, findings: replayed } = await checkJournals(context.store);
  const rank = ({ file, severity }: Finding) => (files.has(file) ? 0 : 2) + (severity === 'error' ? 0 : 1);
  const findings = [...planned, ...tried, ...replayed].sort((a, b) => rank(a) - rank(b));
  const ok = findings.every(({ severity }) => severity !== 'error');
  const counted = [
    renderCount(plans.length, 'plan'),
    renderCount(recipes, 'recipe'),
    renderCount(cases, 'case'),
    renderCount(journals, 'journal'),
  ].join(', ');
  const verdict = `${ok ? '✓' : '✗'} ${countFindings(findings)} in ${counted}`;
  const changed = new Map(
    plans.flatMap(({ name, report }) => {
      const file = `${getRunDirectory(name)}/${REPORT}`;
      return report !== undefined && files.has(file) ? [[file, report.text] as const] : [];
    }),
  );
  const warnings = warning === undefined ? [] : [warning];
  const sections = buildSections([verdict, ...warnings], plans, findings, changed);
  const unwritten = writeSummary(sections, input.summary, { cwd, env, root });
  if (unwritten !== null) warnings.push(unwritten);
  const rows = plans.map(({ name, todos, done, report }) => ({
    ...{ name, todos, done },
    ...(report !== undefined && { proof: report.proof ?? null, open: report.open }),
  }));
  return {
    exit: ok ? 0 : 3,
    json: {
      ok,
      ...{ since, plans: rows, recipes, cases, journals, findings },
      ...(warnings.length > 0 && { warnings }),
    },
    text: () => [...findings.map(renderFinding), ...warnings.map((line) => `! ${line}`), verdict].join('\n'),
    commands: renderAnnotations(findings, findPrefix(context, env)),
  };
}

function countFindings(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warned = findings.length - errors;
  const counts = [
    ...(errors > 0 ? [renderCount(errors, 'error')] : []),
    ...(warned > 0 ? [renderCount(warned, 'warning')] : []),
  ];
  return counts.join(', ') || 'nothing found';
}

function renderFinding({ severity, file, line, column, message, fix }: Finding): string {
  const place = [toBoundedLine(file, 1_000), line, column].filter((part) => part !== undefined).join(':');
  return `${place}: ${severity}: ${message}${fix === undefined ? '' : `\n    = ${fix}`}`;
}

/** The path from the runner's workspace to the root; empty where that is not inside. */
function findPrefix({ root, library }: Pick<Context, 'root' | 'library'>, env: NodeJS.ProcessEnv): string {
  const workspace = env['GITHUB_WORKSPACE'] ?? '';
  const real = workspace === '' ? null : (library.files?.().real(workspace) ?? null);
  const prefix = real === null ? '' : posix.relative(real, root);
  return prefix.startsWith('..') ? '' : prefix;
}
