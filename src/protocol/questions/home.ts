import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DevCliError } from '../../base/errors.js';
import { isName } from '../../base/name.js';
import { readGitHead } from '../../project/git-head.js';
import { RUNS } from '../../project/layout.js';
import { findRoot } from '../../project/root.js';
import { createReadRuns } from '../../project/runs.js';
import { describeRuns } from '../../project/standing-runs.js';
import { listInOtherWorkTrees } from '../../project/work-trees.js';
import { runCodec } from '../../run/codec.js';
import type { ReadContext } from '../../run/context.js';
import { PLAN_CONTENT } from '../../run/paths.js';
import { buildHome, type FoundRun, type HomeView, type RunLocation } from '../../views/home.js';

/**
 * Reads every run in every work tree of the repository. Takes no lock and starts no process.
 * @param most how many ended runs to show at most; a few by default
 */
export async function readHome(context: ReadContext, most?: number): Promise<HomeView> {
  const { root, clock } = context;
  const here = await readRoot(context, context.store, root);
  const others = await Promise.all(listOtherRoots(root).map((other) => readOther(context, other)));
  const found = [here, ...others];
  const project = { project: basename(root), branch: readGitHead(root).branch };
  return buildHome(
    project,
    found.flatMap(({ runs }) => runs),
    found.flatMap(({ plans }) => plans),
    clock.now(),
    most,
  );
}

/** Milliseconds between two checks for changes; a check is cheap, since it reads no runs. */
const LOOK = 2000;

/** Milliseconds after which to refresh even without a change, because a working agent may have become silent. */
const STALE = 60_000;

/**
 * Waits until a source of the home page may have changed, or the signal is aborted.
 * @param sources what `describeSources` returned before home was read
 * @param isBusy whether an agent is working; since that agent may become silent, the wait then ends after `STALE` at
 * the latest
 */
export async function waitForChange(
  context: ReadContext,
  sources: string,
  { isBusy, signal }: { isBusy: boolean; signal: AbortSignal },
): Promise<void> {
  const end = isBusy ? context.clock.now() + STALE : Number.POSITIVE_INFINITY;
  while (!signal.aborted && describeSources(context) === sources && context.clock.now() < end)
    await pause(LOOK, undefined, { signal }).catch(() => {});
}

/**
 * Returns a text that identifies the present state of the home page's sources: if it differs, they may have changed.
 */
export function describeSources({ root }: ReadContext): string {
  const roots = [root, ...listOtherRoots(root)];
  return [readGitHead(root).branch, ...roots.map((one) => `${one}\n${describeRuns(one)}`)].join('\n');
}

interface Found {
  runs: FoundRun[];
  plans: RunLocation[];
}

/**
 * Lists the roots in the other work trees, each once. A work tree that was made for a run of this root points back to
 * this root, so it adds none.
 */
function listOtherRoots(root: string): string[] {
  const roots = listInOtherWorkTrees(root).flatMap((directory) => {
    try {
      return [findRoot({ cwd: directory, env: {} }).root];
    } catch (error) {
      // The work tree's pointer to a root is unusable; a call in that work tree will report the error.
      if (error instanceof DevCliError) return [];
      throw error;
    }
  });
  return [...new Set(roots)].filter((other) => other !== root);
}

async function readOther(context: ReadContext, root: string): Promise<Found> {
  try {
    const store = createReadRuns({ root, codec: runCodec, clock: context.clock });
    return await readRoot(context, store, root);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return { runs: [{ name: basename(root), root, code: error.code }], plans: [] };
  }
}

async function readRoot(context: ReadContext, store: ReadContext['store'], root: string): Promise<Found> {
  const where = root === context.root ? {} : { root };
  const runs: FoundRun[] = [];
  for (const name of await store.streams()) {
    try {
      const { snapshot: state } = await store.read(name);
      if (state !== null) runs.push({ name, ...where, state });
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      runs.push({ name, ...where, code: error.code });
    }
  }
  const taken = new Set(runs.map(({ name }) => name));
  const directory = `${root}/${RUNS}`;
  const plans = context.reader
    .list(directory)
    .filter(
      (name) => isName(name) && !taken.has(name) && context.reader.list(`${directory}/${name}`).includes(PLAN_CONTENT),
    );
  return { runs, plans: plans.map((name) => ({ name, ...where })) };
}
