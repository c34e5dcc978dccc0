import { DevCliError } from '../base/errors.js';
import { isJsonObject, isRecord, type Json, type JsonObject } from '../base/json.js';
import { isName } from '../base/name.js';
import { olderRunError } from '../base/older-run.js';
import { findMisfit } from '../documents/outline.js';
import outline from '../generated/state.js';
import { STATE_SCHEMA_VERSION } from '../project/layout.js';
import type { Codec } from '../store/store.js';
import type { WritableDraft } from './draft.js';
import { encodeEngine } from './engine-text.js';
import type { RunDraft, RunState } from './state.js';

/** The codec of state.json. */
export const runCodec: Codec<RunState> = {
  parse(text) {
    const stored = parsed(text);
    const { schemaVersion: version, name } = stored;
    if (typeof version === 'number' && version > STATE_SCHEMA_VERSION) {
      throw new DevCliError(
        'STATE_NEWER',
        `state.json has schema version ${version}; this dev-cli supports ${STATE_SCHEMA_VERSION}.`,
        {
          fix: 'Update dev-cli to the version that wrote this run.',
        },
      );
    }
    if (typeof version === 'number' && version < STATE_SCHEMA_VERSION)
      throw olderRunError(typeof name === 'string' && isName(name) ? `The run "${name}"` : 'This run');
    const found = findMisfit(outline, stored);
    if (found !== null) throw misfitError(found.at, found.problem);
    // Only the outline has been checked, not every member within it: type-checked code of dev-cli itself wrote the
    // file.
    return mapEngines(stored, decodeEngine) as unknown as RunState;
  },
  encode: (state) => mapEngines(state, encodeEngine),
  identity: { name: 'name', id: 'runId' },
};

/** Copies a state so that a transaction can change it. Rows are shared: they are replaced, never changed. */
export function copyState(state: RunState): RunDraft {
  return {
    ...openDraft(state),
    engine: state.engine === null ? null : openDraft(state.engine),
    workflow: state.workflow === null ? null : openDraft(state.workflow),
  };
}

/** Applies `map` to the execution of the current recipe and to those of earlier recipes. */
function mapEngines(state: JsonObject, map: (engine: JsonObject) => JsonObject): JsonObject {
  const { engine, workflow } = state;
  const mapped = isJsonObject(engine) ? { ...state, engine: map(engine) } : state;
  const earlier = isJsonObject(workflow) ? workflow['earlier'] : null;
  if (!Array.isArray(earlier)) return mapped;
  const all = earlier.map((one) => (isJsonObject(one) ? mapEngines(one, map) : one));
  return { ...mapped, workflow: { ...(workflow as JsonObject), earlier: all } };
}

/**
 * Converts a stored execution: its list of todos becomes a map by id, the form that transactions and journal patches
 * use.
 */
function decodeEngine({ todos, outputs, ...engine }: JsonObject): JsonObject {
  if (!Array.isArray(todos) || !todos.every(isJsonObject) || !isJsonObject(outputs))
    throw misfitError('/engine', 'is no execution');
  const rows = todos.map((row): [string, JsonObject] => {
    const id = String(row['id']);
    return [id, Object.hasOwn(outputs, id) ? { ...row, outputs: outputs[id] as Json } : row];
  });
  return { ...engine, order: rows.map(([id]) => id), todos: Object.fromEntries(rows) };
}

function misfitError(at: string, problem: string): DevCliError {
  return new DevCliError('STATE_CORRUPT', `state.json does not fit its schema at ${at || '/'}: ${problem}.`);
}

function parsed(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DevCliError('STATE_CORRUPT', 'state.json is not valid JSON.', { cause });
  }
  if (!isRecord(value)) throw new DevCliError('STATE_CORRUPT', 'state.json does not contain an object.');
  return value as JsonObject;
}

/** Copies an object together with its direct members that are lists or maps; their entries are shared. */
function openDraft<T extends object>(value: T): WritableDraft<T> {
  const copy = { ...value } as Record<string, unknown>;
  for (const [key, member] of Object.entries(copy)) {
    if (Array.isArray(member)) copy[key] = [...member];
    else if (typeof member === 'object' && member !== null) copy[key] = { ...member };
  }
  return copy as WritableDraft<T>;
}
