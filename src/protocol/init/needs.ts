import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import { evaluateCondition } from '../../recipe/conditions/conditions.js';
import type { Need } from '../../recipe/resolved.js';
import type { Context } from '../../run/context.js';
import { recordWarning, type Transaction } from '../../run/transaction.js';
import { setPhaseRow } from '../../run/workflow.js';
import { checkForgeAccess, findSignInProblem } from '../../work/forge.js';
import type { PreparedRun } from './prepare.js';

/** For each unmet need, why it is unmet. */
type UnmetNeeds = Partial<Record<Need, string>>;

/** A run whose needs were checked (recipes.md, Needs). */
export interface CheckedNeeds {
  prepared: PreparedRun;
  lacks: UnmetNeeds;
  /** Whether the preference `pull_request` is `auto`, that is, nobody has decided whether to open pull requests. */
  auto: boolean;
}

/** What a person can do about an unmet need. */
const REMEDY: Readonly<Record<Need, string>> = {
  remote: 'the user adds a remote with git',
  gh: 'the user installs gh, or signs in with it: gh auth login',
};

/**
 * Checks the needs of a new run's recipes, and decides `pull_request: auto`: pull requests are opened if a remote and
 * `gh` are available. A resumed run is not checked again.
 * @throws DevCliError `NEEDS_MISSING` for an unmet need of the whole run, not just of a phase; `IO`, `INTERRUPTED`
 */
export async function checkNeeds(context: Context, prepared: PreparedRun): Promise<CheckedNeeds> {
  if (prepared.kind === 'resume') return { prepared, lacks: {}, auto: false };
  const auto = prepared.preferences['pull_request'] === 'auto';
  const { recipe, workflow } = prepared.captured;
  const phases = workflow?.phases.flatMap((phase) => phase.recipe.needs ?? []) ?? [];
  const own = (workflow ?? recipe).needs ?? [];
  const needs = new Set([...own, ...phases]);
  if (needs.size === 0 && !auto) return { prepared, lacks: {}, auto };
  const around = { signal: context.signal };
  const { simulation } = context;
  const { remote, gh } =
    simulation === undefined
      ? await checkForgeAccess(context.workTree, around)
      : { remote: null, gh: null, ...simulation.lacks };
  const preferences = auto
    ? { ...prepared.preferences, pull_request: remote === null && gh === null }
    : prepared.preferences;
  const asks = gh === null && needs.has('gh') && simulation === undefined;
  const signedOut = asks ? await findSignInProblem(context.workTree, around) : null;
  const found: Record<Need, string | null> = { remote, gh: gh ?? signedOut };
  const lacks: UnmetNeeds = Object.fromEntries(
    Object.entries(found).filter(([need, why]) => why !== null && needs.has(need as Need)),
  );
  refuseUnmetNeeds(prepared.recipe, own, lacks);
  return { prepared: { ...prepared, preferences }, lacks, auto };
}

function refuseUnmetNeeds(recipe: string, needs: readonly Need[], lacks: UnmetNeeds): void {
  const details = needs.flatMap((need): ErrorDetail[] => {
    const problem = lacks[need];
    return problem === undefined ? [] : [{ target: need, problem, expected: REMEDY[need] }];
  });
  if (details.length === 0) return;
  const problems = details.map(({ problem }) => problem).join('; ');
  throw new DevCliError('NEEDS_MISSING', `The recipe "${recipe}" cannot be run here: ${problems}. Nothing was begun.`, {
    details,
    fix: 'Tell the user what is missing, and what `expected` says to do. Then run the same init again.',
  });
}

/**
 * Marks phases whose recipes have unmet needs as skipped, with a warning. Does not warn about a phase whose `when` is
 * false, because it would be skipped anyway. When `when` is evaluated for this, `pull_request: auto` counts as true, so
 * that a phase that makes the pull request is reported.
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
    setPhaseRow(workflow, { ...row, lacks: why });
    recordWarning(tx, `the phase ${name} is skipped: ${why}`);
  }
}
