import { DevCliError } from '../base/errors.js';
import { isRecord, type JsonObject } from '../base/json.js';
import { misfit } from '../documents/outline.js';
import outline from '../generated/state.js';
import type { Codec } from '../store/store.js';
import { getCurrent } from './current.js';
import { openDraft } from './draft.js';
import { migrate } from './migrate.js';
import type { RunDraft, RunState } from './state.js';
import { SCHEMA_VERSION } from './version.js';

/** Reads state.json. */
export const runCodec: Codec<RunState> = {
  parse(text) {
    const stored = parsed(text);
    const version = stored['schemaVersion'];
    if (typeof version === 'number' && version > SCHEMA_VERSION) {
      throw new DevCliError(
        'STATE_NEWER',
        `state.json has schema version ${version}; this dev-cli knows ${SCHEMA_VERSION}.`,
        {
          fix: 'Update dev-cli to the version that wrote this run.',
        },
      );
    }
    const value = version === SCHEMA_VERSION ? stored : migrate(stored);
    const found = misfit(outline, value);
    if (found !== null) {
      throw new DevCliError(
        'STATE_CORRUPT',
        `state.json does not fit its schema at ${found.at || '/'}: ${found.problem}.`,
      );
    }
    // The outline fits; the rest was written by type-checked code of ours.
    return value as unknown as RunState;
  },
  // A member of the state itself, as the store writes it: what lies deeper is indented further.
  migrates: (text) => !text.includes(`\n "schemaVersion": ${SCHEMA_VERSION},\n`),
  identity: { name: 'name', id: 'runId' },
};

/** Copies a state for a transaction to change. Rows are shared: they are replaced, never changed. */
export function copyState(state: RunState): RunDraft {
  const current = getCurrent(state);
  return {
    ...openDraft(state),
    recipes: [
      ...state.recipes.slice(0, -1),
      { ...openDraft(current), engine: current.engine === null ? null : openDraft(current.engine) },
    ],
    workflow: state.workflow === null ? null : openDraft(state.workflow),
  };
}

function parsed(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DevCliError('STATE_CORRUPT', 'state.json is not valid JSON.', { cause });
  }
  if (!isRecord(value)) throw new DevCliError('STATE_CORRUPT', 'state.json does not hold an object.');
  return value as JsonObject;
}
