import { posix } from 'node:path';
import type { Answer } from '../../../base/answer.js';
import { renderCount } from '../../../base/words.js';
import type { WithPorts } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { getRunDirectory, REPORT } from '../../../run/paths.js';
import { renderAnnotations } from './annotations.js';
import { buildFinding, type CiFinding } from './finding.js';
import { checkJournals } from './journals.js';
import { checkPlans } from './plans.js';
import { checkPreferences, findPreferenceFaults } from './preferences.js';
import { listFilesChangedSince } from './since.js';
import { buildSections } from './summary.js';
import { writeSummary } from './write-summary.js';

/**
 * `ci`: checks the plans, recipes and journals of a checkout without running anything from it (view.md, CI). Exits with
 * 3 if there is an error.
 * @throws DevCliError `USAGE`, `IO`, `GIT_FAILED`, `PREFERENCES_INVALID`, `INTERRUPTED`
 */
export async function checkProject(
  context: Context & WithPorts,
  input: { since?: string; summary?: string },
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Answer> {
  const { since, files, warning } = await listFilesChangedSince(context, input.since, env);
  const { checked, plans, findings: found } = await judge(context);
  const rank = ({ file, severity }: CiFinding) => (files.has(file) ? 0 : 2) + (severity === 'error' ? 0 : 1);
  const findings = found.sort((a, b) => rank(a) - rank(b));
  const counts = (['error', 'warning'] as const).flatMap((kind) => {
    const { length } = findings.filter(({ severity }) => severity === kind);
    return length === 0 ? [] : [renderCount(length, kind)];
  });
  const ok = findings.every(({ severity }) => severity !== 'error');
  const looked = Object.entries(checked).map(([what, count]) => renderCount(count, what));
  const verdict = `${ok ? '✓' : '✗'} ${counts.join(', ') || 'nothing found'} in ${looked.join(', ')}`;
  const changed = new Map(
    plans.flatMap(({ name, report }) => {
      const file = `${getRunDirectory(name)}/${REPORT}`;
      return report !== undefined && files.has(file) ? [[file, report.text] as const] : [];
    }),
  );
  const warnings = warning === undefined ? [] : [warning];
  const sections = buildSections([verdict, ...warnings], plans, findings, changed);
  const unwritten = writeSummary(sections, input.summary, { cwd, env, root: context.root });
  if (unwritten !== null) warnings.push(unwritten);
  const rows = plans.map(({ name, todos, done, report }) => ({
    ...{ name, todos, done },
    ...(report !== undefined && { proof: report.proof ?? null, open: report.open }),
  }));
  return {
    exit: ok ? 0 : 3,
    json: {
      ok,
      ...{ since, checked, plans: rows, findings },
      ...(warnings.length > 0 && { warnings }),
    },
    text: () => [...findings.map(renderFinding), ...warnings.map((line) => `! ${line}`), verdict].join('\n'),
    commands: renderAnnotations(findings, findPrefix(context, env)),
  };
}

/** Checks the whole project, changed or not. A fault in a file that two recipes share is returned only once. */
async function judge(context: Context & WithPorts) {
  const { plans, findings: planned } = await checkPlans(context);
  const { journals, findings: replayed } = await checkJournals(context.store);
  const checked: Record<string, number> = { plan: plans.length, journal: journals };
  const found = [...planned, ...replayed, ...checkPreferences(context)];
  for (const load of context.ports.audits) {
    const audit = await load();
    try {
      const { counts, problems } = await audit(context);
      Object.assign(checked, counts);
      found.push(...problems.map(({ check, ...problem }) => buildFinding(check, problem)));
    } catch (error) {
      found.push(...findPreferenceFaults(error));
    }
  }
  const findings = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  return { checked, plans, findings };
}

function renderFinding({ severity, file, line, column, message, fix }: CiFinding): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `${place}: ${severity}: ${message}${fix === undefined ? '' : `\n    = ${fix}`}`;
}

/** Returns the path from the runner's workspace to the root; empty if the root is not inside. */
function findPrefix({ root, library }: Pick<Context, 'root' | 'library'>, env: NodeJS.ProcessEnv): string {
  const workspace = env['GITHUB_WORKSPACE'] ?? '';
  const real = workspace === '' ? null : (library.files?.().real(workspace) ?? null);
  const prefix = real === null ? '' : posix.relative(real, root);
  return prefix.startsWith('..') ? '' : prefix;
}
