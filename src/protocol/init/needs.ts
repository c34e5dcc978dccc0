import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import { evaluateCondition } from '../../recipe/conditions.js';
import type { CapturedRecipe, Need } from '../../recipe/resolved.js';
import type { Context } from '../../run/context.js';
import type { Transaction } from '../../run/transaction.js';
import { findSignInProblem } from '../../work/forge.js';
import { checkForgeAccess } from '../../work/forge-access.js';
import type { PreparedRun } from './prepare.js';

/** What recipes need of the world, as `init` finds it (recipes.md, Needs). */

type NewRun = Extract<PreparedRun, { kind: 'new' }>;

/** By need, why it is not met; a need that is met, or that nobody has, is not in it. */
type MissingNeeds = Partial<Record<Need, string>>;

/** A run whose needs were asked about. */
export interface CheckedNeeds {
  prepared: PreparedRun;
  lacks: MissingNeeds;
  /** Nobody has said whether pull requests are opened. */
  auto: boolean;
}

/** What a person can do about it. */
const REMEDY: Readonly<Record<Need, string>> = {
  remote: 'the user adds a remote with git',
  gh: 'the user installs gh, or signs in with it: gh auth login',
};

/**
 * Asks for what the recipes of a new run need, and settles whether pull requests are opened, where nobody has said so: there is
 * a remote and `gh`. Nothing is asked for a run that goes on.
 * @throws DevCliError `NEEDS_MISSING` for what the run as a whole cannot do without; `IO`, `INTERRUPTED`
 */
export async function checkNeeds(context: Context, prepared: PreparedRun): Promise<CheckedNeeds> {
  if (prepared.kind === 'resume') return { prepared, lacks: {}, auto: false };
  const auto = prepared.preferences['pull_request'] === 'auto';
  const needs = new Set(listNeeds(prepared.captured));
  if (needs.size === 0 && !auto) return { prepared, lacks: {}, auto };
  const around = { signal: context.signal };
  const { remote, gh } = await checkForgeAccess(context.workTree, around);
  const preferences = auto
    ? { ...prepared.preferences, pull_request: remote === null && gh === null }
    : prepared.preferences;
  const signedOut = gh === null && needs.has('gh') ? await findSignInProblem(context.workTree, around) : null;
  const found: Record<Need, string | null> = { remote, gh: gh ?? signedOut };
  const lacks: MissingNeeds = Object.fromEntries(
    Object.entries(found).filter(([need, why]) => why !== null && needs.has(need as Need)),
  );
  refuseUnmetNeeds(prepared, lacks);
  return { prepared: { ...prepared, preferences }, lacks, auto };
}

/** Of a workflow those of its phases too. */
function listNeeds({ recipe, workflow }: CapturedRecipe): Need[] {
  if (workflow === undefined) return recipe.needs ?? [];
  return [...(workflow.needs ?? []), ...workflow.phases.flatMap((phase) => phase.recipe.needs ?? [])];
}

function refuseUnmetNeeds({ recipe, captured }: NewRun, lacks: MissingNeeds): void {
  const own = (captured.workflow ?? captured.recipe).needs ?? [];
  const details = own.flatMap((need): ErrorDetail[] => {
    const problem = lacks[need];
    return problem === undefined ? [] : [{ target: need, problem, expected: REMEDY[need] }];
  });
  if (details.length === 0) return;
  const problems = details.map(({ problem }) => problem).join('; ');
  throw new DevCliError('NEEDS_MISSING', `The recipe "${recipe}" cannot be run here: ${problems}. Nothing was begun.`, {
    details,
    fix: 'Tell the user what is missing and what `expected` names; when it is there, run the same init again.',
  });
}

/**
 * Passes over the phases whose recipe lacks what it needs, with a warning. One that its condition passes over anyway is left to
 * that; where nobody has said whether pull requests are opened, it is the lack that decides.
 */
export function skipPhasesLackingNeeds(tx: Transaction, { lacks, auto }: CheckedNeeds): void {
  const { workflow, goal } = tx.state;
  const definition = tx.captured.workflow;
  if (workflow === null || definition === undefined || Object.keys(lacks).length === 0) return;
  const preferences = auto ? { ...tx.state.preferences, pull_request: true } : tx.state.preferences;
  const { mode, vars } = definition;
  for (const [index, { name, recipe, when }] of definition.phases.entries()) {
    const row = workflow.phases[index];
    const why = (recipe.needs ?? []).flatMap((need) => lacks[need] ?? []).join('; ');
    if (row === undefined || why === '') continue;
    if (when !== undefined && !evaluateCondition(when, { mode, vars, goal, preferences })) continue;
    row.lacks = why;
    const line = `the phase ${name} is passed over: ${why}`;
    tx.state.warnings.push(line);
    tx.warnings.push(line);
  }
}
