import { DevCliError } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import type { CapturedRecipe } from '../recipe/captured.js';
import { recompile } from '../recipe/load/capture.js';
import { buildNotCapturedError, COMPILER_VERSION, selectPhase } from '../recipe/load/captured.js';
import type { StreamState } from '../store/store.js';
import type { RunState } from './state.js';

const NO_RECIPE: CapturedRecipe = {
  compiler: 0,
  digest: '',
  sources: [],
  agents: {},
  recipe: {
    name: '',
    type: 'sequential',
    language: 1,
    description: '',
    skill: '',
    mode: {},
    vars: {},
    preferences: {},
    draft: { required: [], stated: false },
    guardWrites: null,
    cleanup: [],
    usesGoal: false,
    usesDraft: false,
    blocks: [],
    program: { blocks: [] },
  },
};

/**
 * Reads the captured recipe of a run; in a workflow, selects the recipe of the current phase.
 * @throws DevCliError `STATE_CORRUPT` when recipe.json is missing, damaged or not the one the run began with;
 * `STATE_NEWER`
 */
export function readCapturedRecipe(head: StreamState<RunState>): CapturedRecipe {
  const text = head.files.read('recipe.json')?.toString('utf8');
  if (text === undefined) throw noRecipe(head, 'is missing');
  const captured = parseCapturedJson(head, text);
  if (captured.digest !== head.snapshot?.recipeHash) throw noRecipe(head, 'is not the one that this run began with');
  return selectPhase(captured, head.snapshot.workflow?.phaseIndex ?? 0);
}

function parseCapturedJson(head: StreamState<RunState>, text: string): CapturedRecipe {
  try {
    return parseCaptured(text);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'STATE_CORRUPT') throw noRecipe(head, 'is damaged');
    throw error;
  }
}

function noRecipe({ snapshot }: StreamState<RunState>, problem: string): DevCliError {
  const name = snapshot?.name ?? '<name>';
  const directory = `.dev/specs/${name}`;
  return new DevCliError('STATE_CORRUPT', `recipe.json of this run ${problem}. Nothing was touched.`, {
    details: [{ target: `${directory}/recipe.json`, problem }],
    fix: `Move ${directory}/recipe.json away, then repeat the same call: it is put back as it was.`,
  });
}

/** Reads the captured recipe. Returns an empty one if it is unreadable, so that the run can still be ended. */
export function readCapturedOrEmpty(head: StreamState<RunState>): CapturedRecipe {
  try {
    return readCapturedRecipe(head);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return NO_RECIPE;
  }
}

/**
 * Parses recipe.json.
 * @throws DevCliError `STATE_CORRUPT` when the text is no captured recipe; `STATE_NEWER` when this version can no
 * longer compile the recipe's sources
 */
export function parseCaptured(text: string): CapturedRecipe {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw buildNotCapturedError(cause);
  }
  if (!isCaptured(value)) throw buildNotCapturedError();
  return value.compiler === COMPILER_VERSION ? value : recompile(value);
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
