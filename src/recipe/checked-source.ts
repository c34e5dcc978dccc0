import { isRecord } from '../base/json.js';
import type { LibraryFile } from './library.js';
import type { ProblemLog } from './report.js';
import type { BlockSource, MetaSource, SequentialSource } from './schema.js';
import type { EngineSource } from './schema-engine.js';
import { checkSchema, type SchemaFaults } from './validate.js';
import type { YamlSource } from './yaml-source.js';

/**
 * A recipe file in which everything fits the schema: what does not is reported and replaced by something neutral, or left
 * out, so that lint can still say what else is wrong.
 */
export type CheckedSource =
  | {
      type: 'sequential';
      source: SequentialSource;
      /** Blocks that do not fit; something neutral stands in their place. */
      broken: ReadonlySet<number>;
    }
  | {
      type: 'engine';
      source: EngineSource;
      /** Own handlers that do not fit, by key; they are left out. */
      broken: ReadonlySet<string>;
    }
  | {
      type: 'meta';
      source: MetaSource;
      /** Phases that do not fit, by their place in the file; they are left out. */
      broken: ReadonlySet<number>;
    };

type Document = Record<string, unknown>;

/** The document as the language has it, or null when it is of no use. */
export function checkSource(yaml: YamlSource, file: LibraryFile, report: ProblemLog): CheckedSource | null {
  if (yaml.value === undefined) return null;
  const misfits = checkSchema(yaml.value, report);
  const value = structuredClone(yaml.value);
  for (const place of misfits.unknown) removeAt(value, place);
  const faults = misfits.broken.filter((place) => place.length > 0);
  // Without a name the file's will do; whatever else the document as a whole lacks makes it useless.
  const nameless = misfits.broken.length === faults.length + 1 && value['name'] === undefined;
  if (misfits.broken.length > faults.length && !nameless) return null;
  switch (value['type']) {
    case 'sequential':
      return sequentialSource(value, faults, file);
    case 'engine':
      return engineSource(value, faults, file);
    case 'meta':
      return metaSource(value, faults, file);
    default:
      return null;
  }
}

function sequentialSource(value: Document, faults: SchemaFaults['broken'], file: LibraryFile): CheckedSource | null {
  const { blocks } = value;
  if (!Array.isArray(blocks) || faults.some((place) => place.length === 1 && place[0] === 'blocks')) return null;
  for (const [field = ''] of faults) if (field !== 'blocks') delete value[field];
  const broken = new Set(
    faults.flatMap(([field, index]) => (field === 'blocks' && index !== undefined ? [Number(index)] : [])),
  );
  const fitting = blocks.map((block: unknown, index) => (broken.has(index) ? buildNeutralBlock(block, index) : block));
  return {
    type: 'sequential',
    source: { ...value, name: value['name'] ?? file.name, blocks: fitting } as SequentialSource,
    broken,
  };
}

function engineSource(value: Document, faults: SchemaFaults['broken'], file: LibraryFile): CheckedSource {
  const broken = new Set<string>();
  for (const place of faults) {
    const [field = '', key] = place;
    if (field === 'handlers' && key !== undefined) broken.add(key);
    removeAt(value, field === 'handlers' ? place.slice(0, 2) : field === 'config' ? place.slice(0, 3) : [field]);
  }
  return { type: 'engine', source: { ...value, name: value['name'] ?? file.name } as EngineSource, broken };
}

/** Phases keep their places in the list, so that what is wrong with the others is told where it stands. */
function metaSource(value: Document, faults: SchemaFaults['broken'], file: LibraryFile): CheckedSource | null {
  const { phases } = value;
  if (!Array.isArray(phases) || faults.some((place) => place.length === 1 && place[0] === 'phases')) return null;
  for (const [field = ''] of faults) if (field !== 'phases') delete value[field];
  const broken = new Set(
    faults.flatMap(([field, index]) => (field === 'phases' && index !== undefined ? [Number(index)] : [])),
  );
  return { type: 'meta', source: { ...value, name: value['name'] ?? file.name } as MetaSource, broken };
}

function removeAt(value: unknown, place: readonly string[]): void {
  const [key = '', ...rest] = place;
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Document;
  if (rest.length === 0) delete holder[key];
  else removeAt(holder[key], rest);
}

function buildNeutralBlock(block: unknown, index: number): BlockSource {
  const id = isRecord(block) && typeof block['id'] === 'string' ? block['id'] : `block-${index + 1}`;
  return { id, type: 'llm', instruction: '-' };
}
