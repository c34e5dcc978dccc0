// door: language

import { DevCliError } from '../../base/errors.js';
import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import type { CapturedAgent, CapturedRecipe } from '../captured.js';
import { hasErrors } from '../source/problem.js';
import { buildNotCapturedError, COMPILER_VERSION, setPhases } from './captured.js';
import { compileRecipe } from './compile.js';
import type { CompiledRecipe } from './compiled.js';
import type { Library } from './library.js';
import { describeFile } from './recipe-files.js';

const SHIPPED = 'dev-cli:';

/** Captures all that a run needs from its recipe, as plain JSON (recipes.md §5); null if the recipe has errors. */
export function captureRecipe(compiled: CompiledRecipe): CapturedRecipe | null {
  const { draft } = compiled;
  if (draft === null || hasErrors(compiled.report.problems)) return null;
  const sources = compiled.sources.map(({ file, shipped, text }) => ({
    path: file,
    shipped,
    sha256: sha256(text),
    text,
  }));
  const homes = compiled.homes.length === 0 ? {} : { homes: compiled.homes };
  const captured = { compiler: COMPILER_VERSION, digest: computeDigest(sources), sources, ...homes };
  if (draft.type !== 'meta') return { ...captured, recipe: draft.recipe, agents: collectAgents([compiled]) };
  const children = draft.phases.map((phase) => phase.compiled);
  const whole = children.every((child) => child !== null && child.draft !== null && !hasErrors(child.report.problems));
  const [first] = draft.workflow.phases;
  if (!whole || first === undefined) return null;
  return { ...captured, recipe: first.recipe, agents: collectAgents(children), workflow: draft.workflow };
}

/** Collects the definitions of all agents that these recipes use. */
function collectAgents(recipes: readonly (CompiledRecipe | null)[]): Record<string, CapturedAgent> {
  const agents: Record<string, CapturedAgent> = {};
  for (const recipe of recipes) {
    if (recipe === null || recipe.draft === null || recipe.draft.type === 'meta') continue;
    for (const [type, { maySave: _, flaw: __, ...agent }] of Object.entries(recipe.draft.agents)) agents[type] = agent;
  }
  return agents;
}

/** Computes the digest of all sources. Trust is given to this digest, and state.json records it. */
function computeDigest(sources: readonly { path: string; sha256: string }[]): string {
  return sha256(canonicalJson(sources.map(({ path, sha256 }) => [path, sha256])));
}

/**
 * Compiles the captured sources again, as if they were files on disk. Does not lint them, since capturing did.
 * @throws DevCliError `STATE_NEWER` when this version can no longer compile them, `STATE_CORRUPT` when there are none
 */
export function recompile(captured: CapturedRecipe): CapturedRecipe {
  const texts = new Map(captured.sources.map(({ path, text }) => [toLibraryPath(path), text]));
  const library = createLibrary(texts, captured);
  const [main] = captured.sources;
  if (main === undefined) throw buildNotCapturedError();
  const file = describeFile(library, toLibraryPath(main.path), main.shipped ? 'shipped' : 'project');
  const again = captureRecipe(compileRecipe(library, file, main.text));
  if (again !== null) return keepSettings({ ...again, digest: captured.digest }, captured);
  throw new DevCliError('STATE_NEWER', "The run's recipe uses a language version that this dev-cli does not support.", {
    fix: 'Use the version of dev-cli that began the run, or begin a new run.',
  });
}

/** Invented absolute directories in which captured files are looked up; no real path begins with them. */
const PROJECT = '/dev-cli:project';
const SHIPPED_HOME = '/dev-cli:shipped';

/** Presents the captured sources as a library, in which the recipes of phases can be found again. */
function createLibrary(texts: ReadonlyMap<string, string>, { homes = [] }: CapturedRecipe): Library {
  const below = (directory: string) =>
    [...texts.keys()].flatMap((path) => (path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : []));
  const find = (directory: string) => below(directory).flatMap((path) => (/\.ya?ml$/.test(path) ? { path } : []));
  return {
    reader: {
      read: (path) => texts.get(path) ?? null,
      list: (directory) => below(directory).filter((name) => !name.includes('/')),
    },
    shipped: SHIPPED_HOME,
    project: PROJECT,
    files: () => ({ home: null, settings: null, find, real: (path) => path }),
    shared: homes.map(toLibraryPath),
  };
}

/**
 * Takes over the modes and vars that `init` resolved for a workflow. They depend on flags and `--set`, which no
 * captured source contains.
 */
function keepSettings(again: CapturedRecipe, { workflow: before }: CapturedRecipe): CapturedRecipe {
  const { workflow } = again;
  if (workflow === undefined || before === undefined) return again;
  const phases = workflow.phases.map((phase, index) => {
    const settled = before.phases[index]?.recipe;
    if (settled === undefined) return phase;
    return { ...phase, recipe: { ...phase.recipe, mode: settled.mode, vars: settled.vars } };
  });
  return setPhases(again, { ...workflow, mode: before.mode, vars: before.vars, phases });
}

function toLibraryPath(path: string): string {
  if (path.startsWith(SHIPPED)) return `${SHIPPED_HOME}/${path.slice(SHIPPED.length)}`;
  return path.startsWith('/') ? path : `${PROJECT}/${path}`;
}
