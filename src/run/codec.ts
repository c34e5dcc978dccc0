import { DevCliError } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import outline from '../generated/state.js';
import type { Codec } from '../store/store.js';
import type { RunEngine } from './engine.js';
import { misfit } from './outline-check.js';
import type { RunState } from './state.js';
import { SCHEMA_VERSION } from './version.js';

/** Reads state.json. */
export const runCodec: Codec<RunState> = {
  parse(text) {
    const value = parsed(text);
    const version = value['schemaVersion'];
    if (typeof version === 'number' && version > SCHEMA_VERSION) {
      throw new DevCliError(
        'STATE_NEWER',
        `state.json has schema version ${version}; this dev-cli knows ${SCHEMA_VERSION}.`,
        {
          fix: 'Update dev-cli to the version that wrote this run.',
        },
      );
    }
    const found = misfit(outline, value);
    if (found !== null) {
      throw new DevCliError(
        'STATE_CORRUPT',
        `state.json does not fit its schema at ${found.at || '/'}: ${found.problem}.`,
      );
    }
    // It has the outline of one; the rest is our own, written by code that is type-checked.
    return value as unknown as RunState;
  },
  migrates: false,
  identity: { name: 'name', id: 'runId' },
};

/** A copy that a transaction may change; the rows that grow with the plan are shared, since they are replaced, never changed. */
export function copyState(state: RunState): RunState {
  const { engine, acknowledged, commandResults, ...rest } = state;
  return {
    ...cloned(rest),
    engine: engine === null ? null : copyOfEngine(engine),
    acknowledged: { ...acknowledged },
    commandResults: { ...commandResults },
  };
}

function copyOfEngine(engine: RunEngine): RunEngine {
  const { todos, evidence, outputs, bodies, summaries, order, ...rest } = engine;
  return {
    ...cloned(rest),
    todos: { ...todos },
    evidence: { ...evidence },
    outputs: { ...outputs },
    bodies: { ...bodies },
    summaries: { ...summaries },
    order: [...order],
  };
}

function cloned<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DevCliError('STATE_CORRUPT', 'state.json is not valid JSON.', { cause });
  }
  if (!isRecord(value)) throw new DevCliError('STATE_CORRUPT', 'state.json does not hold an object.');
  return value;
}
