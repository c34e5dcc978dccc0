import { isAbsolute, resolve } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { renderLintReport } from '../../recipe/lint/report.js';
import { type LoadedRecipe, lintProject, listRecipes, loadRecipeFile, requireRecipe } from '../../recipe/load/load.js';
import {
  listLibrary,
  listRecipeFiles,
  listShadows,
  readOrExplain,
  renderShadow,
} from '../../recipe/load/recipe-files.js';
import { showRecipe, showWorkflow } from '../../recipe/show.js';
import type { RecipeProblem } from '../../recipe/source/problem.js';
import type { ReadContext } from '../../run/context.js';
import { listStaleSkills } from './new/stale-skills.js';

/**
 * `recipe list`: lists every recipe with its file, the files that it replaces, and files that cannot be read as recipes
 * (authoring.md, Where recipes are found).
 * @throws DevCliError `PREFERENCES_INVALID`, `IO`
 */
export async function listRecipesCommand(context: ReadContext): Promise<Answer> {
  const { files, closed } = listLibrary(context.library);
  const recipes = listRecipes(context.library, files);
  const width = Math.max(...recipes.map(({ name }) => name.length));
  const places = closed.map(({ file, problem }) => ({ file, problem }));
  return {
    exit: 0,
    json: { recipes, ...(places.length === 0 ? {} : { closed: places }) },
    text: () =>
      [
        ...recipes.map(({ name, description, file, shadows = [], problem }) => {
          const notes = [
            ...(shadows.length === 0 ? [] : [`replaces ${shadows.join(', ')}`]),
            ...(problem === undefined ? [] : [`! ${problem}`]),
          ];
          const first = `${name.padEnd(width)}  ${description}`.trimEnd();
          return `${first}\n${' '.repeat(width)}  ${[file, ...notes].join('  ')}`;
        }),
        ...places.map(({ file, problem }) => `! ${file}: ${problem}`),
      ].join('\n'),
  };
}

/** Maximum characters of a line that says what a recipe replaces. */
const LINE = 1000;

/**
 * `recipe show`: shows a recipe with all defaults filled in (recipes.md §6).
 * @throws DevCliError `UNKNOWN_RECIPE`, `RECIPE_INVALID`
 */
export async function showRecipeCommand(context: ReadContext, name: string): Promise<Answer> {
  const captured = requireRecipe(context.library, name);
  const { digest, recipe, workflow } = captured;
  const shadows = listShadows(context.library, captured);
  return {
    exit: 0,
    json: { ok: true, digest, ...(shadows.length === 0 ? {} : { shadows }), recipe: workflow ?? recipe },
    text: () => {
      const head = shadows.map((one) => `# ${toBoundedLine(renderShadow(one), LINE)}\n`).join('');
      return head + (workflow === undefined ? showRecipe(recipe) : showWorkflow(workflow));
    },
  };
}

/**
 * `recipe lint`: reports the problems of recipe files, by default of all in the project (recipes.md §6). Exits with 3
 * if a recipe is invalid.
 * @param files paths or recipe names from the command line
 * @param cwd absolute base directory of relative paths
 * @param directories the directories where harnesses look for a project's skills, relative to the root
 * @throws DevCliError `UNKNOWN_RECIPE` for a file that does not exist, `PREFERENCES_INVALID`, `IO`
 */
export async function lintRecipesCommand(
  context: ReadContext,
  files: readonly string[],
  cwd: string,
  directories: readonly string[],
): Promise<Answer> {
  const loaded = lintRecipes(context, files, cwd, directories);
  const ok = loaded.every(({ captured }) => captured !== null);
  return {
    exit: ok ? 0 : 3,
    json: {
      ok,
      files: loaded.map(({ file, captured, problems }) => ({
        file,
        ok: captured !== null,
        problems: problems.map((problem) => ({ ...problem, at: `${problem.file}:${problem.line}:${problem.column}` })),
      })),
    },
    text: () => (loaded.length === 0 ? 'This project has no recipes of its own.' : loaded.map(renderLint).join('\n')),
  };
}

/** Lints recipe files. Parameters and errors are those of `lintRecipesCommand`. */
export function lintRecipes(
  context: ReadContext,
  files: readonly string[],
  cwd: string,
  directories: readonly string[],
): LoadedRecipe[] {
  const read = files.length > 0 ? files.map((file) => loadNamed(context, file, cwd)) : lintProject(context.library);
  return read.map((one) => ({ ...one, problems: [...one.problems, ...tellStaleSkills(context, one, directories)] }));
}

function tellStaleSkills(
  context: ReadContext,
  { captured, file }: LoadedRecipe,
  directories: readonly string[],
): RecipeProblem[] {
  const stale = captured === null ? [] : listStaleSkills(context, captured, directories).map(({ path }) => path);
  if (captured === null || stale.length === 0) return [];
  const { name } = captured.workflow ?? captured.recipe;
  return [
    {
      severity: 'warning',
      message: `These skills no longer match the recipe: ${stale.join(', ')}.`,
      ...{ file, line: 1, column: 1, length: 1 },
      fix: `Renew them: dev-cli recipe new ${name} --skill`,
    },
  ];
}

function renderLint({ file, problems, texts }: LoadedRecipe): string {
  return problems.length === 0 ? `${file}: no problems` : renderLintReport(problems, texts);
}

function loadNamed({ library }: ReadContext, file: string, cwd: string): LoadedRecipe {
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  const named = listRecipeFiles(library).find(({ name, file: shown }) => name === file || shown === file);
  return loadRecipeFile(library, named === undefined || readOrExplain(library, path) !== null ? path : named.path);
}
