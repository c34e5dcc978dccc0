import { createHash } from 'node:crypto';
import { DevCliError } from '../base/errors.js';
import type { Reader } from '../base/files.js';
import { canonicalJson, isRecord } from '../base/json.js';
import { type Compiled, compileRecipe } from './compile.js';
import { fileAt, type Library } from './library.js';
import { hasErrors } from './problem.js';
import type { CapturedAgent, CapturedRecipe } from './resolved.js';

/** Version of the compiled form. A recipe captured under another one is compiled again from its captured sources. */
const COMPILER = 1;

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
 * Reads recipe.json.
 * @throws DevCliError `STATE_CORRUPT` when it is no captured recipe; `STATE_NEWER` when this version cannot compile its
 * sources any more
 */
export function parseCaptured(text: string): CapturedRecipe {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw corrupt(cause);
  }
  if (!isCaptured(value)) throw corrupt();
  return value.compiler === COMPILER ? value : recompile(value);
}

/** The paths of captured sources of the project that are now different or gone. Texts are compared, not digests. */
export function changedSources(captured: CapturedRecipe, reader: Reader, root: string): string[] {
  return captured.sources
    .filter(({ shipped, path, text }) => !shipped && reader.read(absolute(root, path)) !== text)
    .map(({ path }) => path);
}

function absolute(root: string, path: string): string {
  return path.startsWith('/') ? path : `${root}/${path}`;
}

/** Compiles the captured sources as if they lay on a disk of their own; lint has had its say at capture. */
function recompile(captured: CapturedRecipe): CapturedRecipe {
  const texts = new Map(captured.sources.map(({ path, text }) => [placeOf(path), text]));
  const library: Library = {
    reader: { read: (path) => texts.get(path) ?? null, list: () => [] },
    shipped: '/shipped',
    project: '/project',
  };
  const [main] = captured.sources;
  if (main === undefined) throw corrupt();
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

function isCaptured(value: unknown): value is CapturedRecipe {
  return (
    isRecord(value) &&
    typeof value['compiler'] === 'number' &&
    typeof value['digest'] === 'string' &&
    Array.isArray(value['sources']) &&
    isRecord(value['recipe']) &&
    Array.isArray(value['recipe']['blocks']) &&
    isRecord(value['recipe']['program']) &&
    isRecord(value['agents'])
  );
}

function corrupt(cause?: unknown): DevCliError {
  return new DevCliError('STATE_CORRUPT', 'recipe.json is no captured recipe. Nothing was touched.', {
    fix: 'Restore recipe.json from a copy; the recipe files may have changed since.',
    cause,
  });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
