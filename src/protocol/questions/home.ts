import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DevCliError } from '../../base/errors.js';
import { isName } from '../../base/name.js';
import { readHead } from '../../project/git-head.js';
import { RUNS } from '../../project/layout.js';
import { findRoot } from '../../project/root.js';
import { createReadRuns } from '../../project/runs.js';
import { describeRuns } from '../../project/standing-runs.js';
import { listInOtherWorkTrees } from '../../project/work-trees.js';
import { runCodec } from '../../run/codec.js';
import type { ReadContext } from '../../run/context.js';
import { PLAN_CONTENT } from '../../run/paths.js';
import { buildHome, type FoundRun, type Home, type Located } from '../../views/home.js';

/**
 * Reads every run of every work tree of the repository; takes no lock, starts no process.
 * @param most rows of ended runs; left out, a few
 */
export async function readHome(context: ReadContext, most?: number): Promise<Home> {
  const { root, clock } = context;
  const here = await readRoot(context, context.store, root);
  const others = await Promise.all(listOtherRoots(root).map((other) => readOther(context, other)));
  const found = [here, ...others];
  const project = { project: basename(root), branch: readHead(root).branch };
  return buildHome(
    project,
    found.flatMap(({ runs }) => runs),
    found.flatMap(({ plans }) => plans),
    clock.now(),
    most,
  );
}

/** Milliseconds between two looks at whether anything has changed; nothing is read, nothing written. */
const LOOK = 2000;

/** Milliseconds after which an agent at work may be silent, although nothing has changed. */
const STALE = 60_000;

/**
 * Waits until something that home was read from may have changed, or the signal is aborted.
 * @param sources as `describeSources` had them before home was read
 * @param isBusy whether somebody is at work, of whom nothing may have been heard for too long by then
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

/** Describes what home was read from: another text where something of it may have changed. */
export function describeSources({ root }: ReadContext): string {
  const roots = [root, ...listOtherRoots(root)];
  return [readHead(root).branch, ...roots.map((one) => `${one}\n${describeRuns(one)}`)].join('\n');
}

interface Found {
  runs: FoundRun[];
  plans: Located[];
}

/** The roots in the other work trees, each once; one that was made for a run of this root leads back to it. */
function listOtherRoots(root: string): string[] {
  const roots = listInOtherWorkTrees(root).flatMap((directory) => {
    try {
      return [findRoot({ cwd: directory, env: {} }).root];
    } catch (error) {
      // A pointer that cannot be used is for calls there to say.
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
