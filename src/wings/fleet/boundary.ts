import { DevCliError } from '../../base/errors.js';
import { requireRecipe } from '../../recipe/load/load.js';
import type { Context } from '../../run/context.js';
import type { GitOptions } from '../../work/git-command.js';
import { findCommitOf } from '../../work/trees.js';
import type { Pool } from './database.js';
import { packRun } from './freight.js';
import { loadFreight, storeFreight } from './freight-rows.js';
import { moveTree } from './move-tree.js';
import { placeRun } from './place-run.js';
import { LOOP, type LoopAttempt, type LoopCarrier, type LoopRefs, type LoopStreams, nameHead } from './ports.js';

/** What an attempt stores for other machines, and how another machine restores it (fleet.md, An attempt). */

/** A worker's view of a project. */
export interface BoundarySite {
  context: Context;
  top: string;
  remote: string;
  git: GitOptions;
  pool: Pool;
  project: string;
  streams: LoopStreams;
  refs: LoopRefs;
  /** Digests of recipes that this machine trusts besides those that ship. */
  trusted: ReadonlySet<string>;
  /** The recipe of the goal at the attempt’s base, which its run must use; null if the goal has no recipe. */
  recipe: string | null;
  /** What happens to a local run that has advanced beyond the freight, the run as stored for other machines. */
  ahead: 'refuse' | 'discard';
}

/**
 * Checks that the freight's recipe is the goal's, because the freight comes from a row of the database, which anybody
 * may have changed.
 * @throws DevCliError `FLEET_UNTRUSTED`
 */
function requireRecipeOf({ context, recipe, trusted }: BoundarySite, run: string, digest: string): void {
  const isOfGoal = recipe !== null && requireRecipe(context.library, recipe).digest === digest;
  if (isOfGoal || (recipe !== null && trusted.has(digest))) return;
  throw new DevCliError('FLEET_UNTRUSTED', `The recipe of the run ${run} is not the recipe of its goal.`, {
    details: [
      { target: digest, problem: recipe === null ? 'the goal has no recipe' : `is not the digest of ${recipe} here` },
    ],
    fix: `If that is intended, as between two versions of dev-cli, add ${digest} to \`trust\` of the project in fleet.yaml.`,
  });
}

/** Creates the carrier that stores and restores a worker's attempts. */
export function createCarrier(site: BoundarySite): LoopCarrier {
  const { context, top, git, pool, project, streams, refs } = site;
  return {
    async leave(attempt, end) {
      const after = { ...attempt, ...end.patch };
      const head = await findCommitOf(attempt.tree, 'HEAD', git);
      const requireClaim = () => streams.transact(LOOP, () => ({ answer: null }), { claim: attempt.claim ?? null });
      await requireClaim();
      if (head !== null && head !== attempt.base) {
        const refused = await refs.move(nameHead(attempt), { from: head, to: head });
        if (refused !== null) throw new DevCliError('GIT_FAILED', `${nameHead(attempt)} cannot be pushed: ${refused}`);
      }
      if (after.run !== null) {
        const freight = await packRun(context, after.run);
        while (!(await storeFreight(pool, project, after, freight))) await requireClaim();
      }
      const prompt = context.reader.read(`${context.root}/.dev/loop/attempts/${attempt.goal}/${attempt.n}/prompt.md`);
      const path = `attempts/${attempt.goal}/${attempt.n}/prompt.md`;
      return {
        ...end,
        patch: { ...end.patch, head: head ?? attempt.base },
        documents: [...(end.documents ?? []), ...(prompt === null ? [] : [{ path, content: prompt }])],
      };
    },
    async arrive(attempt: LoopAttempt, furnish) {
      if (attempt.run !== null) {
        const freight = await loadFreight(pool, project, attempt);
        if (freight !== null) requireRecipeOf(site, attempt.run, freight.recipeHash);
        const placing = { workTree: attempt.tree, trusted: site.trusted, ahead: site.ahead };
        if (freight !== null) await placeRun(context, attempt.run, freight, placing);
      }
      const place = { top, remote: site.remote, root: context.root, below: '', git };
      const moved = await moveTree(place, { ...attempt, head: attempt.head ?? attempt.base }, furnish);
      return 'refused' in moved ? moved.refused : moved;
    },
  };
}
