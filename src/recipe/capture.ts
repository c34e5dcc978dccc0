import { DevCliError } from '../base/errors.js';
import { canonicalJson } from '../base/json.js';
import { sha256 } from '../base/sha256.js';
import { COMPILER, notCaptured } from './captured.js';
import { type Compiled, compileRecipe } from './compile.js';
import { fileAt, type Library } from './library.js';
import { hasErrors } from './problem.js';
import type { CapturedAgent, CapturedRecipe } from './resolved.js';

const SHIPPED = 'dev-cli:';

/** All that a run needs of its recipe, as plain JSON (recipes.md §5); null when it has errors. */
export function capture(compiled: Compiled): CapturedRecipe | null {
  if (compiled.draft === null || hasErrors(compiled.report.problems)) return null;
  const sources = compiled.sources.map(({ file, shipped, text }) => ({
    path: file,
    shipped,
    sha256: sha256(text),
    text,
  }));
  const agents: Record<string, CapturedAgent> = {};
  for (const [type, { maySave: _, ...agent }] of Object.entries(compiled.draft.agents)) agents[type] = agent;
  return { compiler: COMPILER, digest: captureDigest(sources), sources, recipe: compiled.draft.recipe, agents };
}

/** One digest over all sources: what `trust` is given for, and what state.json records as the recipe's. */
function captureDigest(sources: readonly { path: string; sha256: string }[]): string {
  return sha256(canonicalJson(sources.map(({ path, sha256 }) => [path, sha256])));
}

/**
 * Compiles the captured sources as if they lay on a disk of their own; lint has had its say at capture.
 * @throws DevCliError `STATE_NEWER` when this version cannot compile them any more
 */
export function recompile(captured: CapturedRecipe): CapturedRecipe {
  const texts = new Map(captured.sources.map(({ path, text }) => [placeOf(path), text]));
  const library: Library = {
    reader: { read: (path) => texts.get(path) ?? null, list: () => [] },
    shipped: '/shipped',
    project: '/project',
  };
  const [main] = captured.sources;
  if (main === undefined) throw notCaptured();
  const again = capture(compileRecipe(library, fileAt(library, placeOf(main.path), main.shipped), main.text));
  if (again !== null) return { ...again, digest: captured.digest };
  throw new DevCliError(
    'STATE_NEWER',
    "The run's recipe was captured by a version whose language this one does not know.",
    {
      fix: 'Use the version of dev-cli that began the run, or begin a new run.',
    },
  );
}

function placeOf(path: string): string {
  return path.startsWith(SHIPPED) ? `/shipped/${path.slice(SHIPPED.length)}` : `/project/${path.replace(/^\//, '')}`;
}
