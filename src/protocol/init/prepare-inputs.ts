import { DevCliError } from '../../base/errors.js';
import { PREFERENCES_FILE } from '../../recipe/project-settings.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { readRestored, restorePlan } from '../restore-run.js';
import { type InitInput, type PreparedRun, prepareRun } from './prepare.js';

/**
 * Reads the newest run of the name. An unfinished one, which may be resumed, gets its lost documents back; after a reboot, or
 * a commit that was cut off, any does: the new run's first commit ends every trace of it.
 * @throws what the store throws
 */
export async function readExistingRun(context: Context, name: string): Promise<RunState | null> {
  const { snapshot, rebooted, stale } = await context.store.read(name);
  const goesOn = snapshot?.status === 'live' || snapshot?.status === 'halted';
  return goesOn || rebooted || stale.length > 0 ? (await readRestored(context, name)).snapshot : snapshot;
}

/** How `prepareRun` refuses a plan that is missing or torn. */
const NO_PLAN = ['PLAN_MISSING', 'PLAN_EDITED'];

/**
 * Prepares a run; where the plan to execute is missing or torn, puts it back and tries again.
 * @returns `notices`: what was put back
 * @throws DevCliError as `prepareRun`
 */
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
 * Turns `approve_commands: auto` into `ask`, with a warning, unless it came with `--set` or the preferences are
 * committed or trusted: whoever writes the plan could have written the file as well (engine.md, Approvals).
 */
export async function resolveCommandApproval(
  context: Context,
  prepared: PreparedRun,
  { set }: InitInput,
): Promise<{ prepared: PreparedRun; warnings: string[] }> {
  const settled = { prepared, warnings: [] };
  if (prepared.kind === 'resume' || prepared.preferences['approve_commands'] !== 'auto') return settled;
  if (set?.['approve_commands'] === 'auto') return settled;
  const { arePreferencesTrusted } = await import('../trust/preferences.js');
  const text = context.reader.read(`${context.root}/${PREFERENCES_FILE}`);
  if (text !== null && (await arePreferencesTrusted(context, text))) return settled;
  return {
    prepared: { ...prepared, preferences: { ...prepared.preferences, approve_commands: 'ask' } },
    warnings: [
      `approve_commands: auto is ignored: this version of ${PREFERENCES_FILE} is neither committed nor trusted by the user (\`dev-cli trust preferences\`, in a terminal)`,
    ],
  };
}
