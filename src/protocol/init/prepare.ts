import { DevCliError } from '../../base/errors.js';
import type { DocumentReader } from '../../base/files.js';
import type { JsonObject } from '../../base/json.js';
import { describeDecider } from '../../blocks/approvals.js';
import { findPlanMismatch } from '../../blocks/commands/plan.js';
import type { SizeFacts } from '../../documents/size-rules.js';
import { listAddedTodos } from '../../engine/act/plan/plan.js';
import type { PlanContent } from '../../plan/model/schema.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { setPhases } from '../../recipe/load/captured.js';
import { requireRecipe } from '../../recipe/load/load.js';
import { listShadows, renderShadow } from '../../recipe/load/recipe-files.js';
import { makesPlan } from '../../recipe/own-commands.js';
import { listUnknownPreferences, resolveSettings, resolveWorkflowSettings } from '../../recipe/settings/preferences.js';
import { PREFERENCES_FILE, readProjectSettings } from '../../recipe/settings/project-settings.js';
import { namesGoal } from '../../recipe/texts.js';
import { listWidening, narrowRecipe } from '../../recipe/widening.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { Context } from '../../run/context.js';
import { createDocumentOverlay } from '../../run/documents/pending.js';
import { refuseHeld, renderHold } from '../../run/hold.js';
import { PLAN } from '../../run/paths.js';
import { readPlan } from '../../run/plan/content.js';
import type { RunState } from '../../run/state.js';
import type { StreamState } from '../../store/store.js';
import { isWideningTrusted, requireTrust } from '../trust/trust.js';
import { readModeFlags, resolveRecipeName } from './choose-recipe.js';
import { givesWayToReplanning, readSizeFlags, selectSizeFacts } from './size.js';

/** The request that a person's hold forbids, worded for the refusal. */
export const BEGIN_ANEW = 'to start it again';

/** The input of `init` without the name. */
export interface InitInput extends Omit<InputOf<'init'>, 'name'> {
  /** The goal for which dev-cli itself begins the run; absent for `init` on a command line (storage.md, Work tree). */
  origin?: NonNullable<RunState['origin']>;
}

/** The parts of a run, decided before anything is written. */
export type PreparedRun =
  /** A live or halted run of this recipe exists; resuming it needs no recipe file. */
  | { kind: 'resume'; recipe: string }
  | {
      kind: 'new';
      recipe: string;
      captured: CapturedRecipe;
      mode: Record<string, string>;
      /** The user's statements about the size; empty if the size makes no difference to the recipe. */
      size: SizeFacts;
      /** Id of the unfinished run that is aborted to plan its work again at a given size; null for none. */
      replaces: string | null;
      /** Whether the work of the previous run is planned again, so that its DRAFT.md stays. */
      continues: boolean;
      goal: string | null;
      /** Whether the first action asks for the goal: the recipe uses one, and none was given. */
      asksGoal: boolean;
      vars: JsonObject;
      preferences: RunState['preferences'];
      /** The notes from the project's preferences, which apply to all work. */
      notes: string[] | undefined;
      /** Whether the recipe lets dev-cli start more commands without asking, and a person has trusted it to do so. */
      widens: boolean;
      /** Warnings: ignored permissions, project files that replace shipped ones, preferences that nothing reads. */
      warnings: string[];
    };

/**
 * Decides recipe, mode, goal and preferences of an `init` (protocol.md §5; recipes.md §1). Writes nothing.
 * @param present.snapshot the newest run of that name, if any
 * @throws DevCliError `UNKNOWN_RECIPE`, `RECIPE_INVALID`, `RECIPE_UNTRUSTED`, `MODE_CONTRADICTION`, `SIZE_REFUSED`,
 * `RUN_EXISTS`, `RUN_HELD`, `PREFERENCES_INVALID`, `UNKNOWN_PREFERENCE`, `PLAN_MISSING`, `PLAN_EDITED`
 */
export function prepareRun(
  context: Context,
  name: string,
  input: InitInput,
  { snapshot: present, files }: Pick<StreamState<RunState>, 'snapshot' | 'files'>,
): PreparedRun {
  const said = readSizeFlags(input);
  const { unfinished, replaces, grown } = judgePresent(context, present, files, input);
  const recipe = resolveRecipeName(context.library, input, unfinished, grown);
  if (unfinished !== null && replaces === null && input.force !== true) {
    if (unfinished.recipe !== recipe) {
      refuseHeld(context, unfinished, BEGIN_ANEW);
      throw runExistsError(unfinished);
    }
    checkRunMode(input, unfinished);
    return { kind: 'resume', recipe };
  }
  const { captured, widens, notices } = settleWidening(context, requireFittingRecipe(context, recipe, input));
  const size = selectSizeFacts(said, input, captured);
  const plan = executesAtOnce(captured) ? requirePlan(name, files, present) : null;
  const earlier = plan === null ? grown?.goal : (present?.goal ?? plan.context.originalRequest);
  const goal = input.goal?.trim() || (earlier ?? '');
  const text = context.reader.read(`${context.root}/${PREFERENCES_FILE}`);
  const settings = resolveRunSettings(captured, input, text);
  const { preferences } = captured.workflow ?? captured.recipe;
  const unknown = text === null ? [] : listUnknownPreferences(context.library, text, preferences);
  return {
    kind: 'new',
    recipe,
    goal: goal === '' ? null : goal,
    asksGoal: goal === '' && usesGoal(captured),
    ...settings,
    notes: readProjectSettings(text, ['notes']).notes,
    size,
    replaces,
    continues: grown !== null && grown.goal === (goal === '' ? null : goal),
    widens,
    warnings: [...notices, ...unknown],
  };
}

/**
 * Examines the present run of the name.
 * @returns `unfinished`: the run, if it is live or halted; `replaces`: its id, if the new run aborts it to plan its
 * work again; `grown`: the run, unfinished or ended, whose work is planned again because of `--size`
 * @throws DevCliError `RUN_HELD`, and as `givesWayToReplanning`
 */
function judgePresent(context: Context, present: RunState | null, files: DocumentReader, input: InitInput) {
  const unfinished = present !== null && (present.status === 'live' || present.status === 'halted') ? present : null;
  const endsIt = input.force === true || (input.size !== undefined && unfinished !== null && isExecution(unfinished));
  if (unfinished !== null && endsIt) refuseHeld(context, unfinished, BEGIN_ANEW);
  const replaces = unfinished !== null && givesWayToReplanning(unfinished, files, input) ? unfinished.runId : null;
  const anew = unfinished === null || replaces !== null || input.force === true;
  return { unfinished, replaces, grown: input.size !== undefined && anew ? present : null };
}

const isExecution = (state: RunState): boolean => state.engine !== null;

/**
 * Returns the recipe, after checking that the flags fit it and, if it runs external commands, that a person trusts it.
 * @throws DevCliError `UNKNOWN_RECIPE`, `RECIPE_INVALID`, `USAGE`, `RECIPE_UNTRUSTED`, `MODE_CONTRADICTION`
 */
function requireFittingRecipe(context: Context, recipe: string, input: InitInput): CapturedRecipe {
  const captured = requireRecipe(context.library, recipe);
  if (input.workflow !== undefined && captured.workflow === undefined) throw noWorkflowError(recipe);
  requireTrust(context, captured);
  checkModes(input, captured);
  return captured;
}

/**
 * Removes from the recipe the permissions that nobody has trusted in this clone, and lists notices about the removed
 * ones and about shipped files that the recipe replaces (protocol.md, Trust).
 */
function settleWidening(context: Context, found: CapturedRecipe) {
  if (context.simulation !== undefined) return { captured: found, widens: false, notices: [] };
  const said = listWidening(found);
  const shadows = listShadows(context.library, found).map(renderShadow);
  if (said.length === 0 || isWideningTrusted(context, found))
    return { captured: found, widens: said.length > 0, notices: shadows };
  const { name } = found.workflow ?? found.recipe;
  const ignored = said.map(
    (line) => `${line} is ignored: no person of this clone trusts it (\`dev-cli trust ${name}\`, in a terminal)`,
  );
  return { captured: narrowRecipe(found), widens: false, notices: [...shadows, ...ignored] };
}

/** Resolves mode, vars and preferences of the run. In a workflow, each phase gets its own, in the captured recipe. */
function resolveRunSettings(captured: CapturedRecipe, input: InitInput, text: string | null) {
  const [flags, set] = [readModeFlags(input), input.set ?? {}];
  if (captured.workflow === undefined) {
    const mode = { depth: 'standard', interaction: 'interactive', ...flags, ...captured.recipe.mode };
    return { captured, mode, ...resolveSettings(captured.recipe, text, set) };
  }
  const { workflow, preferences } = resolveWorkflowSettings(captured.workflow, { flags, text, set });
  const whole = setPhases(captured, workflow);
  return { captured: whole, mode: whole.recipe.mode, vars: whole.recipe.vars, preferences };
}

/** Whether the run executes a plan that must already exist, because no earlier phase writes one. */
export function executesAtOnce({ recipe, workflow }: CapturedRecipe): boolean {
  const recipes = workflow?.phases.map((phase) => phase.recipe) ?? [recipe];
  const execution = recipes.findIndex(({ type }) => type === 'engine');
  return execution >= 0 && !recipes.slice(0, execution).some(makesPlan);
}

function usesGoal({ recipe, workflow }: CapturedRecipe): boolean {
  if (workflow === undefined) return recipe.usesGoal;
  const conditions = workflow.phases.flatMap(({ when }) => when ?? []);
  return workflow.phases.some((phase) => phase.recipe.usesGoal) || namesGoal([], conditions);
}

/** Builds the error for a name with an unfinished run of another recipe; halted counts, since it can be reopened. */
export function runExistsError(unfinished: RunState): DevCliError {
  const { name, status, held, pendingAction: pending } = unfinished;
  const waits = held === undefined && pending?.action === 'wait-for-user';
  const reopen = pending?.action === 'done' ? pending.resume : undefined;
  const goOn =
    held === undefined ? (reopen ?? { command: 'next', input: { name } }) : { command: 'release', input: { name } };
  const hold = held === undefined ? '' : `, held by ${describeDecider(held.by)},`;
  return new DevCliError('RUN_EXISTS', `"${name}" is ${status}${hold} with the recipe ${unfinished.recipe}.`, {
    run: name,
    fix: waits
      ? [
          'It waits for an answer from the user, in the chat or by `answer` in a terminal of their own; after that it continues, and this call can be repeated. What it asks: ',
          goOn,
        ]
      : [
          'To continue it: ',
          goOn,
          '. If the user wants it gone: ',
          { command: 'abort', input: { name, reason: 'WHY' } },
        ],
    ...(waits && { answer: { command: 'approve', input: { name } } }),
  });
}

function noWorkflowError(recipe: string): DevCliError {
  return new DevCliError('USAGE', `"${recipe}" is not a workflow but a single recipe.`, {
    fix: `Name it with --recipe ${recipe}. Workflows are the recipes of type meta: dev-cli recipe list --json`,
  });
}

/**
 * Reads the plan to execute. PLAN.md may also contain todos that an earlier run added.
 * @throws DevCliError `PLAN_MISSING`, `PLAN_EDITED`
 */
function requirePlan(name: string, files: DocumentReader, present: RunState | null): PlanContent {
  const workspace = createDocumentOverlay(files);
  const plan = readPlan(workspace);
  const rendered = workspace.text(PLAN);
  if (plan === null || rendered === null) {
    const what = plan === null ? 'plan-content.json' : PLAN;
    throw new DevCliError('PLAN_MISSING', `There is no plan to execute: ${what} is missing or not valid.`, {
      run: name,
      fix:
        plan === null
          ? `Do not write a plan yourself; with the user's yes, plan first: dev-cli init ${name} --goal "what they want"`
          : { command: 'plan generate', input: { name } },
      details: [{ target: what, problem: 'missing, or not valid; `dev-cli plan validate` says what is wrong' }],
    });
  }
  const engine = present === null ? null : present.engine;
  const added = engine === null ? [] : listAddedTodos(engine);
  if (findPlanMismatch(workspace, added, plan) === null) return plan;
  throw new DevCliError('PLAN_EDITED', `${PLAN} differs from plan-content.json; it is not executed.`, {
    details: [{ target: PLAN, problem: 'it or plan-content.json was edited after it was generated' }],
    fix: { command: 'plan apply', input: { name } },
  });
}

/**
 * Checks the mode flags.
 * @throws DevCliError `MODE_CONTRADICTION` for a flag that contradicts the mode of the recipe, the workflow or one of
 * its phases
 */
function checkModes(input: InitInput, { recipe, workflow }: CapturedRecipe): void {
  const stating = workflow === undefined ? [recipe] : [workflow, ...workflow.phases.map((phase) => phase.recipe)];
  for (const { name, mode } of stating) {
    const contradiction = findContradiction(input, mode);
    if (contradiction === null) continue;
    const { flag, is } = contradiction;
    throw new DevCliError('MODE_CONTRADICTION', `--${flag} contradicts the recipe "${name}", which is ${is}.`, {
      fix: ['Leave the flag out, or choose another recipe: ', { command: 'recipe list', input: {} }],
    });
  }
}

/**
 * @throws DevCliError `MODE_CONTRADICTION` for a flag that contradicts the mode with which the run began
 */
function checkRunMode(input: InitInput, state: RunState): void {
  const { name } = state;
  const contradiction = findContradiction(input, state.mode);
  if (contradiction === null) return;
  const { flag, is } = contradiction;
  throw new DevCliError(
    'MODE_CONTRADICTION',
    `The run "${name}" began as ${is} and keeps that mode: --${flag} cannot change it.${renderHold(state)}`,
    { run: name, fix: { command: 'init', input: { name, ...input, [flag]: false } } },
  );
}

/** Finds the first flag that contradicts `mode`, and the value that `mode` has instead. */
function findContradiction(input: InitInput, mode: Record<string, string>): { flag: string; is: string } | null {
  for (const [key, flag] of Object.entries(readModeFlags(input))) {
    const is = mode[key];
    if (is !== undefined && is !== flag) return { flag, is };
  }
  return null;
}
