import { DevCliError } from '../../base/errors.js';
import { PREFERENCES_FILE } from '../../recipe/preferences.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { readRestored, restorePlan } from '../restore-run.js';
import { type InitInput, type PreparedRun, prepareRun } from './prepare.js';

/** The run that is there. Of an unfinished one nothing is missing; what has ended makes room, as it is. */
export async function readExistingRun(context: Context, name: string): Promise<RunState | null> {
  const { snapshot } = await context.store.read(name);
  const goesOn = snapshot?.status === 'live' || snapshot?.status === 'halted';
  return goesOn ? (await readRestored(context, name)).snapshot : snapshot;
}

/** What is said of a plan that is missing or cut short. */
const NO_PLAN = ['PLAN_MISSING', 'PLAN_EDITED'];

/** What the run is to be made of. A plan that is to be executed, and has vanished, is put back first. */
export async function prepareOrRestore(
  context: Context,
  name: string,
  input: InitInput,
): Promise<{ settled: PreparedRun; notices: string[] }> {
  try {
    return { settled: prepareRun(context, name, input, await context.store.read(name)), notices: [] };
  } catch (error) {
    if (!(error instanceof DevCliError) || !NO_PLAN.includes(error.code)) throw error;
    const notices = await restorePlan(context, name);
    if (notices.length === 0) throw error;
    return { settled: prepareRun(context, name, input, await context.store.read(name)), notices };
  }
}

/**
 * `approve_commands: auto` counts when it was given with --set, or by preferences that somebody stands for: whoever writes
 * the plan could have written the file as well (engine.md, Approvals).
 */
export async function resolveCommandApproval(
  context: Context,
  prepared: PreparedRun,
  { set }: InitInput,
): Promise<{ prepared: PreparedRun; unheard: string[] }> {
  const settled = { prepared, unheard: [] };
  if (prepared.kind === 'resume' || prepared.preferences['approve_commands'] !== 'auto') return settled;
  if (set?.['approve_commands'] === 'auto') return settled;
  const { arePreferencesTrusted } = await import('../trust/preferences.js');
  const text = context.reader.read(`${context.root}/${PREFERENCES_FILE}`);
  if (text !== null && (await arePreferencesTrusted(context, text))) return settled;
  return {
    prepared: { ...prepared, preferences: { ...prepared.preferences, approve_commands: 'ask' } },
    unheard: [
      `approve_commands: auto does not count: ${PREFERENCES_FILE} is not committed as it is, and the user has not trusted it (\`dev-cli trust preferences\`, in a terminal)`,
    ],
  };
}
