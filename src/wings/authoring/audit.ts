import type { AuditProject, AuditResult } from '../../protocol/ports.js';
import { lintRecipes } from './recipes.js';
import { testProject } from './tests/run.js';
import { verifyRecipe } from './verify/verify.js';

/** Lints, verifies and tests the recipes of a project (view.md, CI). */
export const auditRecipes: AuditProject = async (context) => {
  const { library, root, signal } = context;
  const linted = lintRecipes(context, [], root, (await context.ports.skills()).listAll());
  const problems: AuditResult['problems'][number][] = linted.flatMap(({ problems: found }) => named('recipe', found));
  const names = linted.flatMap(({ captured }) =>
    captured === null ? [] : (captured.workflow ?? captured.recipe).name,
  );
  for (const name of new Set(names)) {
    const { file, findings, explored } = (await verifyRecipe(library, name, { signal })).report;
    problems.push(...named('recipe', findings));
    if (findings.length > 0 || explored?.whole !== false) continue;
    const message = `"${name}" is not proved, because it has too many states.`;
    problems.push({ check: 'recipe', severity: 'error', file, message, fix: `dev-cli recipe verify ${name}` });
  }
  const tested = await testProject(context);
  problems.push(...tested.flatMap(({ problems: found }) => named('test', found)));
  const cases = tested.reduce((sum, one) => sum + one.cases.length, 0);
  return { counts: { recipe: linted.length, case: cases }, problems };
};

function named(
  check: string,
  found: readonly Omit<AuditResult['problems'][number], 'check'>[],
): AuditResult['problems'] {
  return found.map((problem) => ({ ...problem, check }));
}
