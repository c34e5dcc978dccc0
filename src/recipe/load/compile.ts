import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { resolveEngineRecipe } from '../resolve/engine.js';
import { resolveWorkflow } from '../resolve/meta.js';
import { resolveRecipe } from '../resolve/resolve.js';
import type { ReadSibling, SourceText } from '../resolve/text.js';
import type { ResolvedRecipe } from '../resolved.js';
import { type CheckedSource, checkSource } from '../source/checked.js';
import { createProblemLog } from '../source/report.js';
import type { MetaSource } from '../source/schema.js';
import { parseYaml, type YamlSource } from '../source/yaml.js';
import { findAgentDefinition, findVariant, listAgentTypes } from './agent-definitions.js';
import { getVariantKey } from './captured.js';
import type { AgentDraft, CompiledPhase, CompiledRecipe } from './compiled.js';
import type { Library, LibraryHome } from './library.js';
import {
  describeFile,
  findRecipe,
  type LibraryFile,
  listUsedHomes,
  readOrExplain,
  resolveSibling,
} from './recipe-files.js';

/** Parses a recipe, checks it against the schema and resolves it. Faults in the files are reported, never thrown. */
export function compileRecipe(library: Library, file: LibraryFile, text: string): CompiledRecipe {
  const alone = compileAlone(library, file, text);
  const compiled = 'draft' in alone ? alone : addPhases(library, alone);
  const sources = compiled.sources.map((source) => source.file);
  return { ...compiled, homes: listUsedHomes(library, sources) };
}

/** A compiled recipe without the shared homes that it uses. */
type PlainRecipe = Omit<CompiledRecipe, 'homes'>;
/** A meta recipe whose phases are not compiled yet. */
type SingleRecipe = Omit<PlainRecipe, 'draft'> & { meta: Extract<CheckedSource, { type: 'meta' }> };

function addPhases(library: Library, { meta, sources, ...rest }: SingleRecipe): PlainRecipe {
  const phases = compilePhases(library, meta.source, (child, text) => {
    const compiled = compileAlone(library, child, text);
    // A phase that is itself a workflow is an error, so its own phases are not compiled.
    return { draft: null, ...compiled, homes: [] };
  });
  const files = [...sources, ...phases.flatMap(({ compiled }) => compiled?.sources ?? [])];
  const known = new Map(files.map((source) => [source.file, source]));
  return {
    ...rest,
    draft: { ...meta, phases, workflow: resolveWorkflow(meta.source, phases) },
    sources: [...known.values()],
  };
}

function compileAlone(library: Library, file: LibraryFile, text: string): PlainRecipe | SingleRecipe {
  const yaml = parseYaml(text, file.file);
  const report = createProblemLog(yaml);
  const sources: SourceText[] = [{ file: file.file, shipped: file.shipped, text }];
  const header = { type: readWord(yaml, 'type'), description: readWord(yaml, 'description').trim() };
  const checked = checkSource(yaml, file, report);
  if (checked === null) return { file: file.file, report, header, draft: null, sources };
  if (checked.type === 'meta') return { file: file.file, report, header, meta: checked, sources };
  const prompts = new Map<string, SourceText>();
  const shipped = new Map<string, SourceText>();
  const beside = createReader(library, file.origin, prompts, (reference) =>
    resolveSibling(library, file.path, reference),
  );
  const recipe =
    checked.type === 'sequential'
      ? resolveRecipe(checked.source, report, beside)
      : resolveEngineRecipe(checked.source, report, {
          beside,
          shipped: createReader(library, 'shipped', shipped, (path) => `${library.shipped}/${path}`),
        });
  const agents: Record<string, AgentDraft> = {};
  for (const { type, variant } of listRoles(recipe)) {
    const key = variant === undefined ? type : getVariantKey(type, variant);
    if (agents[key] !== undefined) continue;
    const found = variant === undefined ? findAgentDefinition(library, type) : findVariant(library, type, variant);
    if (found === null) continue;
    agents[key] = {
      ...found.captured,
      maySave: found.maySave,
      ...omitUndefined({ unread: found.unread, flaw: found.flaw }),
    };
    sources.push({ file: found.captured.source, shipped: found.shipped, text: found.text });
  }
  sources.push(...prompts.values(), ...shipped.values());
  const knownAgents = listAgentTypes(library);
  return {
    file: file.file,
    report,
    header,
    draft: { ...checked, recipe, prompts: new Map([...prompts, ...shipped]), agents, knownAgents },
    sources,
  };
}

/**
 * Creates a function that reads the files a recipe names, each once.
 * @param known the files read so far; new ones are added
 * @param pathOf returns the absolute path of a reference, or null if the reference is not allowed
 */
function createReader(
  library: Library,
  origin: LibraryHome['origin'],
  known: Map<string, SourceText>,
  pathOf: (reference: string) => string | null,
): ReadSibling {
  return (reference) => {
    const before = known.get(reference);
    if (before !== undefined) return before;
    const path = pathOf(reference);
    const text = path === null ? null : readOrExplain(library, path);
    if (path === null || text === null) return null;
    if (typeof text !== 'string') return text;
    const { file, shipped } = describeFile(library, path, origin);
    const found = { file, shipped, text };
    known.set(reference, found);
    return found;
  };
}

/** Lists the roles a recipe needs, then the role variants it asks for. */
function listRoles(recipe: ResolvedRecipe): { type: string; variant?: string }[] {
  const started = recipe.blocks.flatMap((block) => ('agents' in block ? block.agents : []));
  const handlers = Object.values(recipe.engine?.handlers ?? {}).flatMap(({ agent }) => agent ?? []);
  const roles = [...started.map(({ type }) => type), ...handlers].map((type) => ({ type }));
  const variants = started.flatMap(({ type, promptVariant: variant }) =>
    variant === undefined ? [] : { type, variant },
  );
  return [...roles, ...variants];
}

function readWord(yaml: YamlSource, key: string): string {
  const value = yaml.value?.[key];
  return typeof value === 'string' ? value : '';
}

/** Finds and compiles the recipe of every phase, each file once. */
function compilePhases(
  library: Library,
  { phases }: MetaSource,
  compile: (file: LibraryFile, text: string) => CompiledRecipe,
): CompiledPhase[] {
  const known = new Map<string, CompiledRecipe>();
  return phases.map((phase) => {
    const stated = isPhase(phase) ? phase : null;
    const { file, problem } = stated === null ? { file: null, problem: null } : findPhaseFile(library, stated.recipe);
    if (file === null) return { stated, file, problem, compiled: null };
    const text = readOrExplain(library, file.path);
    if (typeof text !== 'string') {
      const why = text === null ? 'the link leads nowhere' : text.problem;
      return { stated, file: null, problem: `${file.file} cannot be read: ${why}.`, compiled: null };
    }
    const compiled = known.get(file.path) ?? compile(file, text);
    known.set(file.path, compiled);
    return { stated, file, problem, compiled };
  });
}

/** Whether a phase can be compiled; if not, the schema check has already reported why. */
function isPhase(phase: unknown): phase is MetaSource['phases'][number] {
  const { name, recipe } = (phase ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof recipe === 'string';
}

function findPhaseFile(library: Library, name: string): { file: LibraryFile | null; problem: string | null } {
  try {
    return { file: findRecipe(library, name), problem: null };
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'UNKNOWN_RECIPE') throw error;
    return { file: null, problem: error.message };
  }
}
