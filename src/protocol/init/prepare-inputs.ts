import { DevCliError } from '../../base/errors.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { PREFERENCES_FILE } from '../../recipe/settings/project-settings.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { readRestored, restorePlan } from '../restore-run.js';
import { mayStartUnasked, requirePersonForCommands } from '../trust/autopilot.js';
import { arePreferencesTrusted } from '../trust/preferences.js';
import { type InitInput, type PreparedRun, prepareRun } from './prepare.js';

/**
 * Reads the newest run of the name. Restores the lost documents of an unfinished run, because the run may be resumed.
 * After a reboot or an interrupted commit, does so for any run, because once the new run has made its first commit,
 * nothing shows any more that documents may be lost.
 * @throws any error of the store
 */
export async function readExistingRun(context: Context, name: string): Promise<RunState | null> {
  const { snapshot, rebooted, stale } = await context.store.read(name);
  const goesOn = snapshot?.status === 'live' || snapshot?.status === 'halted';
  return goesOn || rebooted || stale.length > 0 ? (await readRestored(context, name)).snapshot : snapshot;
}

/** The codes with which `prepareRun` refuses a plan that is missing or whose two files differ, as after a crash. */
const NO_PLAN = ['PLAN_MISSING', 'PLAN_EDITED'];

/**
 * Prepares a run. If the plan to execute is missing or its two files differ, restores what a crash may have lost of it,
 * and tries again.
 * @returns `notices`: what was restored
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
 * Decides who is asked about the commands of the run's plan (engine.md, Approvals). `approve_commands: auto` becomes
 * `ask`, with a warning, unless a person has trusted its source: the agent that writes the plan could also have written
 * the preferences file or the option. `ask` becomes `person` if an agent begins the run and no person has allowed it to
 * start commands unasked.
 */
export async function resolveApproval(
  context: Context,
  prepared: PreparedRun,
  { set }: InitInput,
): Promise<{ prepared: PreparedRun; warnings: string[] }> {
  if (prepared.kind === 'resume' || prepared.preferences['approve_commands'] === undefined)
    return { prepared, warnings: [] };
  const { captured, preferences, widens } = prepared;
  const isLet = widens || (await mayStartUnasked(context));
  const why = preferences['approve_commands'] === 'auto' ? findDoubt(context, captured, { isLet, set }) : null;
  const stated = why === null ? preferences : { ...preferences, approve_commands: 'ask' };
  return {
    prepared: { ...prepared, preferences: isLet ? stated : requirePersonForCommands(stated) },
    warnings: why === null ? [] : [`approve_commands: auto is ignored: ${why}`],
  };
}

/** Returns why `approve_commands: auto` does not count; null if it does. */
function findDoubt(
  context: Context,
  { recipe, workflow }: CapturedRecipe,
  { isLet, set }: { isLet: boolean; set: InitInput['set'] },
): string | null {
  // A person who trusted the recipe has also trusted its default.
  if ((workflow ?? recipe).preferences['approve_commands']?.default === 'auto') return null;
  if (set?.['approve_commands'] === 'auto')
    return isLet
      ? null
      : 'an agent set it, and no person has trusted autopilot (`dev-cli trust autopilot`, in a terminal)';
  const text = context.reader.read(`${context.root}/${PREFERENCES_FILE}`);
  return text !== null && arePreferencesTrusted(context, text)
    ? null
    : `no person of this clone trusts this version of ${PREFERENCES_FILE} (\`dev-cli trust preferences\`, in a terminal)`;
}
