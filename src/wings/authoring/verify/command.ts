import type { Answer } from '../../../base/answer.js';
import type { ReadContext } from '../../../run/context.js';
import { renderVerifyReport } from './report.js';
import { verifyRecipe } from './verify.js';

/**
 * `recipe verify`: explores recipes exhaustively (authoring.md, Verify). Exit 3 when anything is wrong, or not everything could
 * be explored.
 * @throws DevCliError `UNKNOWN_RECIPE`, `INTERRUPTED`
 */
export async function verifyRecipesCommand(context: ReadContext, names: readonly string[]): Promise<Answer> {
  const verified: Awaited<ReturnType<typeof verifyRecipe>>[] = [];
  for (const name of new Set(names)) {
    verified.push(await verifyRecipe(context.library, name, { signal: context.signal }));
  }
  const ok = verified.every(({ report }) => report.ok);
  return {
    exit: ok ? 0 : 3,
    json: {
      ok,
      recipes: verified.map(({ report: { problems, findings, ...report } }) => ({
        ...report,
        problems: problems.map((problem) => ({ ...problem, at: `${problem.file}:${problem.line}:${problem.column}` })),
        findings: findings.map((finding) => ({ ...finding, at: `${finding.file}:${finding.line}:${finding.column}` })),
      })),
    },
    text: () => verified.map(({ report, checked }) => renderVerifyReport(report, checked.texts)).join('\n'),
  };
}
