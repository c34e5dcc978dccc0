import { omitUndefined } from '../../base/defined.js';
import { isRecord } from '../../base/json.js';
import { findSuggestion } from '../../base/suggest.js';
import type { LibraryFile } from '../load/recipe-files.js';
import type { ProblemLog } from './report.js';
import type { BlockSource, MetaSource, SequentialSource } from './schema.js';
import type { EngineSource } from './schema-engine.js';
import { checkSchema, type SchemaFaults } from './validate.js';
import type { YamlSource } from './yaml.js';

/**
 * A recipe file that fits the schema. Faulty parts were reported, and removed or replaced by neutral ones, so that lint
 * can still judge the rest.
 */
export type CheckedSource =
  | {
      type: 'sequential';
      source: SequentialSource;
      /** Indexes of faulty blocks; a neutral block replaces each. */
      broken: ReadonlySet<number>;
    }
  | {
      type: 'engine';
      source: EngineSource;
      /** Keys of faulty own handlers, which are removed. */
      broken: ReadonlySet<string>;
    }
  | {
      type: 'meta';
      source: MetaSource;
      /** Indexes of faulty phases. They stay in the list, so that the other phases keep their indexes in reports. */
      broken: ReadonlySet<number>;
    };

type Document = Record<string, unknown>;

/** Checks a document against the schema and reports its faults; returns null if nothing in it is usable. */
export function checkSource(yaml: YamlSource, file: LibraryFile, report: ProblemLog): CheckedSource | null {
  if (yaml.value === undefined) return null;
  const stated = checkSchema(yaml.value, report);
  const type = guessType(yaml.value);
  // The type decides how the rest is judged. A wrong type is reported, and the one probably meant is assumed.
  const value: Document = { ...structuredClone(yaml.value), ...omitUndefined({ type }) };
  const misfits = type === undefined ? stated : checkSchema(value, report);
  for (const place of misfits.unknown) removeUnknown(value, place);
  const faults = misfits.broken.filter((place) => place.length > 0);
  // The file name can replace a missing name. Any other fault of the document as a whole makes it unusable.
  const nameless = misfits.broken.length === faults.length + 1 && value['name'] === undefined;
  if (misfits.broken.length > faults.length && !nameless) return null;
  const nameIt = () => ({ ...value, name: value['name'] ?? file.name });
  switch (value['type']) {
    case 'sequential': {
      const broken = removeFaults(value, 'blocks', faults);
      if (broken === null) return null;
      const blocks = (value['blocks'] as unknown[]).map((block, index) =>
        broken.has(index) ? buildNeutralBlock(block, index) : block,
      );
      return { type: 'sequential', source: { ...nameIt(), blocks } as SequentialSource, broken };
    }
    case 'engine': {
      const broken = removeEngineFaults(value, faults);
      return { type: 'engine', source: nameIt() as EngineSource, broken };
    }
    case 'meta': {
      const broken = removeFaults(value, 'phases', faults);
      return broken === null ? null : { type: 'meta', source: nameIt() as MetaSource, broken };
    }
    default:
      return null;
  }
}

const TYPES = ['sequential', 'engine', 'meta'];

/** Guesses the type of a document that states no valid type; undefined if it states one, or no field suggests one. */
function guessType({ type, ...fields }: Document): string | undefined {
  if (typeof type === 'string' && TYPES.includes(type)) return undefined;
  const meant = typeof type === 'string' ? findSuggestion(type, TYPES) : undefined;
  if (meant !== undefined || 'blocks' in fields) return meant ?? 'sequential';
  if ('phases' in fields) return 'meta';
  return 'handlers' in fields || 'config' in fields ? 'engine' : undefined;
}

/**
 * Removes every faulty field except the list `steps`.
 * @returns the indexes of faulty entries of that list; null when the list itself is unusable
 */
function removeFaults(
  value: Document,
  steps: 'blocks' | 'phases',
  faults: SchemaFaults['broken'],
): ReadonlySet<number> | null {
  if (!Array.isArray(value[steps]) || faults.some((place) => place.length === 1 && place[0] === steps)) return null;
  for (const [field = ''] of faults) if (field !== steps) delete value[field];
  return new Set(faults.flatMap(([field, index]) => (field === steps && index !== undefined ? Number(index) : [])));
}

/** Removes faulty handlers, faulty settings in `config` and other faulty fields. Returns the faulty handlers' keys. */
function removeEngineFaults(value: Document, faults: SchemaFaults['broken']): ReadonlySet<string> {
  const broken = new Set<string>();
  for (const place of faults) {
    const [field = '', key] = place;
    if (field === 'handlers' && key !== undefined) broken.add(key);
    removeAt(value, field === 'handlers' ? place.slice(0, 2) : field === 'config' ? place.slice(0, 3) : [field]);
  }
  return broken;
}

/** Removes an unknown key. A misspelt `instruction` is renamed, so that lint does not also report it as missing. */
function removeUnknown(value: unknown, [key = '', ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Document;
  if (rest.length > 0) {
    removeUnknown(holder[key], rest);
    return;
  }
  const text = holder[key];
  delete holder[key];
  const isMeant = findSuggestion(key, ['instruction', 'instructionFile']) === 'instruction';
  if (isMeant && typeof text === 'string' && !('instruction' in holder || 'instructionFile' in holder)) {
    holder['instruction'] = text;
  }
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
