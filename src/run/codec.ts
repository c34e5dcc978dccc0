import { DevCliError } from '../base/errors.js';
import { isRecord, normalizeJson } from '../base/json.js';
import { isName } from '../base/name.js';
import outline from '../generated/state.js';
import type { Codec } from '../store/store.js';
import type { RunEngine } from './engine.js';
import { misfit } from './outline-check.js';
import type { RunState } from './state.js';
import { SCHEMA_VERSION } from './version.js';

/** Reads and writes state.json. Keys are sorted, so that a snapshot rebuilt from the journal is equal byte for byte. */
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
  serialize(snapshot) {
    return `${JSON.stringify(normalizeJson(snapshot), null, 1)}\n`;
  },
  copy(state) {
    const { engine, acknowledged, commandResults, ...rest } = state;
    return {
      ...cloned(rest),
      engine: engine === null ? null : copyOfEngine(engine),
      acknowledged: { ...acknowledged },
      commandResults: { ...commandResults },
    };
  },
  checkBelongs(stream, { name, runId }, last) {
    if (name !== stream) {
      const problem = `this directory holds ${isName(name) ? `the run "${name}"` : 'another run'}, not "${stream}"`;
      throw new DevCliError('STATE_CORRUPT', `In .dev/specs/${stream}, ${problem}. Nothing was changed.`, {
        details: [{ target: `.dev/specs/${stream}`, problem }],
        fix: `Ask the user where .dev/specs/${stream} comes from: a copied or renamed directory is no run. It goes on under its own name.`,
      });
    }
    if (last.data['runId'] === runId) return;
    const file = `.dev/specs/${stream}/events.jsonl`;
    throw new DevCliError(
      'JOURNAL_CORRUPT',
      `${file} is the journal of another run than state.json. Nothing was changed.`,
      {
        details: [{ target: file, problem: 'its last entry belongs to another run' }],
        fix: `Ask the user which of the two is right: ${file} or state.json beside it has to be restored from a copy.`,
      },
    );
  },
};

/** What grows with the plan is shared, row by row: rows are replaced, never changed (machine/engine/step.ts). */
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
