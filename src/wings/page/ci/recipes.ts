import type { Ported } from '../../../protocol/ports.js';
import type { LoadedRecipe } from '../../../recipe/load/load.js';
import type { RecipeProblem } from '../../../recipe/source/problem.js';
import type { Context } from '../../../run/context.js';
import { buildFinding, type Finding } from './finding.js';

/** What another wing knows of recipes. */
export interface RecipeTools {
  /** @throws DevCliError `PREFERENCES_INVALID`, `IO` */
  lint: (context: Context & Ported) => Promise<readonly Pick<LoadedRecipe, 'captured' | 'file' | 'problems'>[]>;
  /** @throws DevCliError `UNKNOWN_RECIPE`, `IO`, `INTERRUPTED` */
  verify: (context: Context, name: string) => Promise<{ report: Verified }>;
  /** @throws DevCliError `INTERRUPTED` */
  test: (context: Context) => Promise<readonly { cases: readonly unknown[]; problems: readonly RecipeProblem[] }[]>;
}

interface Verified {
  file: string;
  findings: readonly RecipeProblem[];
  /** `whole` is false where there are too many states. */
  explored?: { whole: boolean };
}

/** Lints, verifies and tests what the project has of recipes. @throws as the tools */
export async function checkRecipes(
  context: Context & Ported,
  tools: RecipeTools,
): Promise<{ recipes: number; cases: number; findings: Finding[] }> {
  const linted = await tools.lint(context);
  const findings = linted.flatMap(({ problems }) => problems.map((problem) => buildFinding('recipe', problem)));
  const names = linted.flatMap(({ captured }) =>
    captured === null ? [] : (captured.workflow ?? captured.recipe).name,
  );
  for (const name of new Set(names)) {
    const { file, findings: found, explored } = (await tools.verify(context, name)).report;
    findings.push(...found.map((problem) => buildFinding('recipe', problem)));
    if (found.length === 0 && explored?.whole === false)
      findings.push(buildFinding('recipe', { file, message: `${name} is not proved: it has too many states.` }));
  }
  const tested = await tools.test(context);
  findings.push(...tested.flatMap(({ problems }) => problems.map((problem) => buildFinding('test', problem))));
  const cases = tested.reduce((sum, one) => sum + one.cases.length, 0);
  return { recipes: linted.length, cases, findings };
}
