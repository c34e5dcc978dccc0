import { extname, isAbsolute, resolve } from 'node:path';
import type { Answer } from '../../../base/answer.js';
import { DevCliError } from '../../../base/errors.js';
import { writeTestFile } from '../../../project/test-files.js';
import { readRun } from '../../../protocol/find/find-run.js';
import type { CapturedRecipe } from '../../../recipe/captured.js';
import type { Library } from '../../../recipe/load/library.js';
import { requireRecipe } from '../../../recipe/load/load.js';
import type { InputIn } from '../../../registry/spec.js';
import { readCapturedRecipe } from '../../../run/captured-recipe.js';
import type { ReadContext } from '../../../run/context.js';
import type { AUTHORING_SPECS } from '../specs.js';
import { renderAscii } from './ascii.js';
import { buildBlockGraph } from './blocks.js';
import type { RecipeGraph } from './graph.js';
import { markGraph } from './marks.js';
import { renderMermaid } from './mermaid.js';
import { buildPhaseGraph } from './phases.js';
import { buildStageGraph } from './stages.js';
import { renderSvg } from './svg.js';
import { renderXState } from './xstate.js';

type Input = Omit<InputIn<typeof AUTHORING_SPECS, 'recipe graph'>, 'recipe'>;
type Format = NonNullable<Input['format']>;

/** Where the picture is shown or written. */
interface Site {
  /** Absolute base directory of `out`. */
  cwd: string;
  /** Width of the terminal that shows it. */
  columns?: number;
}

/**
 * `recipe graph`: draws a recipe, and the position of a run in it (graph.md, Runs).
 * @param name the recipe; with `run`, the run must use it
 * @throws DevCliError `UNKNOWN_RECIPE`, `RECIPE_INVALID`; `NO_SUCH_RUN`; `USAGE` for a run of another recipe, a run in
 * the format xstate, or a file name of unknown format; `IO`
 */
export async function graphRecipe(
  context: ReadContext,
  name: string,
  input: Input,
  { cwd, columns }: Site,
): Promise<Answer> {
  const format = chooseFormat(input);
  const picture = await draw(context, name, input.run, {
    format,
    columns: input.out === undefined ? columns : undefined,
  });
  if (input.out === undefined) {
    return { exit: 0, json: { ok: true, recipe: name, format, picture }, text: () => picture.trimEnd() };
  }
  const path = isAbsolute(input.out) ? input.out : resolve(cwd, input.out);
  writeTestFile(path, picture, context.root);
  return { exit: 0, json: { ok: true, recipe: name, format, out: input.out }, text: () => `Written: ${input.out}` };
}

const FORMATS: Readonly<Record<string, Format>> = {
  '.svg': 'svg',
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
  '.json': 'xstate',
  '.txt': 'ascii',
};

function chooseFormat({ format, out }: Input): Format {
  if (format !== undefined || out === undefined) return format ?? 'ascii';
  const byName = FORMATS[extname(out).toLowerCase()];
  if (byName !== undefined) return byName;
  throw new DevCliError('USAGE', `The file name ${JSON.stringify(out)} does not show the format of the picture.`, {
    fix: `Use one of the extensions ${Object.keys(FORMATS).join(', ')}, or add --format.`,
  });
}

async function draw(context: ReadContext, name: string, run: string | undefined, form: Form): Promise<string> {
  const { format } = form;
  if (run === undefined) return render(requireRecipe(context.library, name), null, form);
  const head = await readRun(context, run);
  const captured = readCapturedRecipe(head);
  const { recipe } = head.snapshot;
  if (recipe !== name) {
    throw new DevCliError('USAGE', `The run "${run}" uses the recipe ${recipe}, not ${name}.`, {
      fix: { command: 'recipe graph', input: { recipe, run } },
    });
  }
  if (format === 'xstate') {
    throw new DevCliError('USAGE', 'The format xstate cannot show a run.', {
      fix: { command: 'recipe graph', input: { recipe, format } },
    });
  }
  return render(captured, head.snapshot, form);
}

interface Form {
  format: Format;
  columns: number | undefined;
}

function render(
  captured: CapturedRecipe,
  state: Parameters<typeof markGraph>[1] | null,
  { format, columns }: Form,
): string {
  const graph = buildRecipeGraph(captured);
  const marked = state === null ? graph : markGraph(graph, state);
  switch (format) {
    case 'svg':
      return renderSvg(marked);
    case 'mermaid':
      return renderMermaid(marked);
    case 'ascii':
      return renderAscii(marked, columns);
    case 'xstate':
      return renderXState(captured);
  }
}

/**
 * Draws the recipe of a run and the run's position in it (graph.md, Runs).
 * @throws DevCliError `NO_SUCH_RUN`, or any error of the store
 */
export async function drawRun(context: ReadContext, name: string): Promise<string> {
  const head = await readRun(context, name);
  return render(readCapturedRecipe(head), head.snapshot, { format: 'svg', columns: undefined });
}

/** Returns the pictures of recipes for the documentation, by path below docs/. */
export function drawPages(shipped: Library, recipes: readonly string[]): Record<string, () => string> {
  const draw = (recipe: string) => () => renderSvg(buildRecipeGraph(requireRecipe(shipped, recipe)));
  return Object.fromEntries(recipes.map((recipe) => [`images/${recipe}.svg`, draw(recipe)]));
}

/** Builds the picture of a recipe of any type. */
export function buildRecipeGraph({ recipe, workflow }: CapturedRecipe): RecipeGraph {
  if (workflow !== undefined) return buildPhaseGraph(workflow);
  return recipe.engine === undefined ? buildBlockGraph(recipe) : buildStageGraph(recipe, recipe.engine);
}
