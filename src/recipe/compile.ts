import { isRecord } from '../base/json.js';
import { agentTypes, findAgent } from './agent-definitions.js';
import { besidePath, fileAt, type Library, type LibraryFile } from './library.js';
import { type Report, reportOn } from './report.js';
import { resolveRecipe } from './resolve.js';
import type { SourceText } from './resolve-text.js';
import type { CapturedAgent, ResolvedRecipe } from './resolved.js';
import type { BlockSource, SequentialSource } from './schema.js';
import { checkSchema } from './validate.js';
import { parseYaml, type YamlSource } from './yaml-source.js';

/** A recipe on its way from text to data, with all that lint needs to judge it. */
export interface Compiled {
  /** As the user knows it. */
  file: string;
  report: Report;
  /** What the file says it is, as far as it can be read. */
  header: { type: string; description: string };
  /** Null when the document is of no use, or is of a type that this version does not run. */
  draft: {
    source: SequentialSource;
    recipe: ResolvedRecipe;
    /** Blocks that do not fit the schema; something neutral stands in their place. */
    broken: ReadonlySet<number>;
    /** Prompt files by the reference in the recipe. */
    prompts: ReadonlyMap<string, SourceText>;
    agents: Record<string, CapturedAgent & { maySave: boolean }>;
    /** Roles that have a definition, for did-you-mean. */
    knownAgents: readonly string[];
  } | null;
  /** Every file that went into it, the recipe first. */
  sources: SourceText[];
}

/** Parse → schema → resolve. Never throws for what is in the files. */
export function compileRecipe(library: Library, file: LibraryFile, text: string): Compiled {
  const yaml = parseYaml(text, file.file);
  const report = reportOn(yaml);
  const sources: SourceText[] = [{ file: file.file, shipped: file.shipped, text }];
  const header = { type: wordAt(yaml, 'type'), description: wordAt(yaml, 'description').trim() };
  const checked = sequentialSource(yaml, file, report);
  if (checked === null) return { file: file.file, report, header, draft: null, sources };
  const prompts = new Map<string, SourceText>();
  const recipe = resolveRecipe(checked.source, report, (reference) => {
    const known = prompts.get(reference);
    if (known !== undefined) return known;
    const path = besidePath(library, file.path, reference);
    const content = path === null ? null : library.reader.read(path);
    if (path === null || content === null) return null;
    const found = { file: fileAt(library, path, file.shipped).file, shipped: file.shipped, text: content };
    prompts.set(reference, found);
    return found;
  });
  const agents: Record<string, CapturedAgent & { maySave: boolean }> = {};
  for (const { type } of recipe.blocks.flatMap((block) => ('agents' in block ? block.agents : []))) {
    if (agents[type] !== undefined) continue;
    const found = findAgent(library, type);
    if (found === null) continue;
    agents[type] = { ...found.captured, maySave: found.maySave };
    sources.push({ file: found.captured.source, shipped: found.shipped, text: found.text });
  }
  sources.push(...prompts.values());
  const knownAgents = agentTypes(library);
  return { file: file.file, report, header, draft: { ...checked, recipe, prompts, agents, knownAgents }, sources };
}

/**
 * The document as the language has it. Blocks and fields that do not fit are replaced by neutral ones, so that lint can
 * still say what else is wrong.
 */
function sequentialSource(
  yaml: YamlSource,
  file: LibraryFile,
  report: Report,
): { source: SequentialSource; broken: ReadonlySet<number> } | null {
  if (yaml.value === undefined) return null;
  const { broken: faults, unknown } = checkSchema(yaml.value, report);
  const value = structuredClone(yaml.value);
  for (const place of unknown) removeAt(value, place);
  const { type, blocks } = value;
  if (type === 'engine' || type === 'meta') {
    report.error(['type'], `This version of dev-cli runs sequential recipes; ${type} recipes come with \`execute\`.`);
    return null;
  }
  const nameless = faults.length === 1 && faults[0]?.length === 0 && value['name'] === undefined;
  const whole = faults.some((place) => place.length === 0 || (place.length === 1 && place[0] === 'blocks'));
  if (type !== 'sequential' || !Array.isArray(blocks) || (whole && !nameless)) return null;
  for (const [field] of faults) if (field !== undefined && field !== 'blocks') delete value[field];
  const broken = new Set(
    faults.flatMap(([field, index]) => (field === 'blocks' && index !== undefined ? [Number(index)] : [])),
  );
  const fitting = blocks.map((block: unknown, index) => (broken.has(index) ? neutral(block, index) : block));
  const name = value['name'] ?? file.name;
  return { source: { ...value, name, blocks: fitting } as SequentialSource, broken };
}

function removeAt(value: unknown, place: readonly string[]): void {
  const [key = '', ...rest] = place;
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<string, unknown>;
  if (rest.length === 0) delete holder[key];
  else removeAt(holder[key], rest);
}

function neutral(block: unknown, index: number): BlockSource {
  const id = isRecord(block) && typeof block['id'] === 'string' ? block['id'] : `block-${index + 1}`;
  return { id, type: 'llm', instruction: '-' };
}

function wordAt(yaml: YamlSource, key: string): string {
  const value = yaml.value?.[key];
  return typeof value === 'string' ? value : '';
}
