import type { ProblemLog } from '../source/report.js';
import type { SequentialSource } from '../source/schema.js';
import { quoteWord } from '../source/yaml.js';
import { listPlaceholders } from '../template.js';
import type { Lintable } from './lintable.js';

/** Checks what a recipe declares about its runs as a whole: guard, inherited documents, beginning and end. */
export function lintDeclared(lintable: Lintable): void {
  const { source, report } = lintable;
  lintEnds(source, report);
  lintGuard(lintable);
  if (lintable.type === 'sequential') lintDocuments(lintable.source.inherits ?? [], 'inherits', report);
  const fitting = lintable.type === 'engine' ? 'execution' : 'planning';
  if (source.begins === undefined || source.begins === fitting) return;
  const other = fitting === 'execution' ? 'carries out a plan' : 'carries out no plan';
  report.error(['begins'], `\`begins: ${source.begins}\` on a recipe of type ${source.type}, which ${other}.`, {
    fix: `Write \`begins: ${fitting}\`, or leave it out.`,
  });
}

/** Checks `artifacts` and `closing`, which a workflow can declare too. */
export function lintEnds(
  { artifacts, closing }: Pick<SequentialSource, 'artifacts' | 'closing'>,
  report: ProblemLog,
): void {
  lintDocuments(artifacts ?? [], 'artifacts', report);
  for (const { key } of listPlaceholders(closing ?? '')) {
    report.warning(['closing'], `\`closing\` is shown as written: {${key}} is not filled in.`, { within: `{${key}}` });
  }
}

function lintDocuments(paths: readonly string[], field: 'artifacts' | 'inherits', report: ProblemLog): void {
  for (const [index, path] of paths.entries()) {
    const outside = path.startsWith('/') || path.includes('\\') || path.split('/').includes('..');
    if (!outside && !path.includes('*') && listPlaceholders(path).length === 0) continue;
    report.error([field, index], `${quoteWord(path)} must be a document of the run, without placeholders.`, {
      fix: "Write a path relative to the run's directory, such as `notes.md`.",
    });
  }
}

function lintGuard({ type, source, report }: Lintable): void {
  if (source.guard?.sources !== 'kept') return;
  const place = ['guard', 'sources'];
  if (type === 'engine') {
    report.error(place, 'An execution changes sources, so it cannot keep them.', { fix: 'Leave `sources` out.' });
  } else if ((source.guard.writes ?? []).length > 0) {
    report.error(place, 'Sources cannot be kept while `guard.writes` lets tools change them.', {
      fix: 'Leave out one of the two.',
    });
  }
}
