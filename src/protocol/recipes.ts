import { isAbsolute, resolve } from 'node:path';
import type { Answer } from '../base/answer.js';
import { listRecipeFiles } from '../recipe/library.js';
import { renderLintReport } from '../recipe/lint-report.js';
import { type LoadedRecipe, listRecipes, loadRecipeFile, requireRecipe } from '../recipe/load.js';
import { showRecipe, showWorkflow } from '../recipe/show.js';
import type { ReadContext } from '../run/context.js';

/** `recipe list`: every recipe with the file that it is read from, and the file that it replaces (recipes.md §6). */
export async function listRecipesCommand(context: ReadContext): Promise<Answer> {
  const recipes = listRecipes(context.library);
  const width = Math.max(...recipes.map(({ name }) => name.length));
  return {
    exit: 0,
    json: { recipes },
    text: () =>
      recipes
        .map(({ name, description, file, shadows, problem }) => {
          const notes = [
            ...(shadows === undefined ? [] : [`replaces ${shadows}`]),
            ...(problem === undefined ? [] : [`! ${problem}`]),
          ];
          return `${name.padEnd(width)}  ${description}\n${' '.repeat(width)}  ${[file, ...notes].join('  ')}`;
        })
        .join('\n'),
  };
}

/**
 * `recipe show`: one recipe with all defaults filled in (recipes.md §6).
 * @throws DevCliError `UNKNOWN_RECIPE`, `RECIPE_INVALID`
 */
export async function showRecipeCommand(context: ReadContext, name: string): Promise<Answer> {
  const { digest, recipe, workflow } = requireRecipe(context.library, name);
  return {
    exit: 0,
    json: { ok: true, digest, recipe: workflow ?? recipe },
    text: () => (workflow === undefined ? showRecipe(recipe) : showWorkflow(workflow)),
  };
}

/**
 * `recipe lint`: reports the problems of recipe files, by default of all the project's own (recipes.md §6). Exit 3 when
 * there are any.
 * @param files paths or recipe names from the command line
 * @param cwd absolute directory that relative paths start from
 */
export async function lintRecipesCommand(context: ReadContext, files: readonly string[], cwd: string): Promise<Answer> {
  const { library } = context;
  const paths =
    files.length > 0
      ? files.map((file) => findRecipePath(context, file, cwd))
      : listRecipeFiles(library)
          .filter(({ shipped }) => !shipped)
          .map(({ path }) => path);
  const loaded = paths.map((path) => loadRecipeFile(library, path));
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

function renderLint({ file, problems, texts }: LoadedRecipe): string {
  return problems.length === 0 ? `${file}: no problems` : renderLintReport(problems, texts);
}

/** The file of that path if it exists, else the file of the recipe of that name. */
function findRecipePath({ library }: ReadContext, file: string, cwd: string): string {
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  if (library.reader.read(path) !== null) return path;
  const named = listRecipeFiles(library).find(({ name, file: shown }) => name === file || shown === file);
  return named?.path ?? path;
}
