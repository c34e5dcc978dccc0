import { DevCliError } from '../../base/errors.js';
import type { Context } from '../../run/context.js';
import { findRepository, type GitOptions } from '../../work/git-command.js';
import { fetchReferences } from '../../work/remote.js';
import { listWorkers } from './beat.js';
import { findFirstCommit, readFilesAt } from './clone.js';
import { nameMachine, resolveDatabaseUrl } from './config.js';
import { openDatabase, type Pool } from './database.js';
import { holdDesk, isDesk, isDeskHeld, requireDesk } from './desk.js';
import { forgetFreight } from './freight-rows.js';
import { openNews } from './news.js';
import { type FleetCall, type Loop, type LoopCarriedGoal, type LoopRefs, type LoopStreams, nameHead } from './ports.js';
import { openRemoteRefs } from './refs.js';
import { requireSameRepository, requireSchema } from './schema.js';
import { openStreams, retryWhileAway } from './streams.js';

/** Seconds of silence after which a worker counts as absent. */
const SILENT = 60;

/** The loop's backend for a root whose configuration names a fleet (fleet.md, Three truths). */

/** A project of the fleet. */
export interface FleetProject {
  project: string;
  remote: string;
}

/** The stream and the references of a project, for the loop. */
interface Backend {
  streams: LoopStreams;
  openRefs(top: string, git: GitOptions): LoopRefs;
  desk: {
    hold(): Promise<() => Promise<void>>;
    requireHold(): Promise<void>;
    isHeld(): Promise<boolean>;
    isHere(): Promise<boolean>;
    listWorkers(): Promise<{ worker: string; passed: Record<string, string> }[]>;
    forget(attempt: { goal: string; n: number }): Promise<void>;
    findFault(goal: string, branch: string): Promise<string | null>;
  };
}

/**
 * Opens the database for a call and removes its address from the environment that the call's child processes inherit.
 * @throws DevCliError `FLEET_UNAVAILABLE`, `FLEET_VERSION`, `SCHEMA_INVALID`, `IO`
 */
export async function openShared(context: Context, call: Pick<FleetCall, 'env'>): Promise<{ pool: Pool; url: string }> {
  const url = await resolveDatabaseUrl(context, call);
  const pool = await openDatabase(url);
  await requireSchema(pool);
  return { pool, url };
}

/** Opens the stream of a project in the database. */
export function openProjectStreams(
  loop: Loop,
  context: Context,
  { pool, project, bringKept }: { pool: Pool; project: string; bringKept: () => Promise<void> },
): LoopStreams {
  const { codec, empty, refuseOver } = loop;
  const { caller, signal } = context;
  const streams = openStreams({ pool, project, codec, empty, caller, refuseOver, signal });
  return { ...streams, tellNews: openNews(context, { pool, project, codec, bringKept }) };
}

/**
 * Opens the backend of a root's loop. @throws DevCliError as `openShared`; `USAGE` if the project belongs to another
 * repository
 */
export async function openFleetBackend(
  loop: Loop,
  context: Context,
  { project, remote }: FleetProject,
  call: Pick<FleetCall, 'env'>,
): Promise<Backend> {
  const { pool } = await openShared(context, call);
  const git: GitOptions = { env: call.env };
  const found = await findRepository(context.root, git);
  const origin = found.kind === 'repository' ? await findFirstCommit(context.root, git) : null;
  const openRefs = (top: string, options: GitOptions): LoopRefs => openRemoteRefs(top, remote, options);
  const compare = async (registers: boolean): Promise<void> => {
    if (origin !== null) await requireSameRepository(pool, project, origin, { registers });
  };
  await compare(false);
  const own = () => ({ project, desk: `${nameMachine(context)}:${context.root}` });
  return {
    streams: openProjectStreams(loop, context, { pool, project, bringKept: () => bringKept(context, remote, git) }),
    openRefs,
    desk: {
      async hold() {
        await compare(true);
        return holdDesk(pool, own());
      },
      requireHold: () => requireDesk(pool, own(), context.signal),
      isHeld: () => isDeskHeld(pool, project),
      isHere: () => isDesk(pool, own()),
      async listWorkers() {
        const all = await retryWhileAway(() => listWorkers(pool), context.signal);
        const there = all.filter(
          ({ silent, projects }) => silent < SILENT && projects.some((one) => one.project === project),
        );
        return there.map(({ worker, passed }) => ({ worker, passed: passed[project] ?? {} }));
      },
      async forget(attempt) {
        await forgetFreight(pool, project, attempt);
        const [name, refs] = [nameHead(attempt), openRefs(context.root, git)];
        const from = (await refs.list(name)).get(name);
        if (from !== undefined) await refs.move(name, { from, to: null });
      },
      async findFault(goal, branch) {
        const tip = await openRefs(context.root, git).findTip(branch);
        if (tip === null) return `${remote} has no branch ${branch}`;
        const there = readAt(loop, context.root, { commit: tip, goal, git });
        const here = loop.readGoal(context.root, context.reader, goal);
        if (there === null) return `it is not in .ai/goals.yaml of ${branch}`;
        return there.digest === here?.digest ? null : `its commands on ${branch} differ from those here`;
      },
    },
  };
}

/** Fetches the kept commits of all attempts; an unreachable remote is ignored. */
async function bringKept({ root }: Context, remote: string, git: GitOptions): Promise<void> {
  const all = `refs/dev-cli/attempts/*`;
  await fetchReferences(root, remote, [`+${all}:${all}`], git).catch((error: unknown) => {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
  });
}

/** Reads a goal at a commit; null if the commit lacks it, or has no files of the loop. */
export function readAt(
  loop: Loop,
  top: string,
  { commit, goal, git }: { commit: string; goal: string; git: GitOptions },
): LoopCarriedGoal | null {
  return readFrom(loop, top, { files: readFilesAt(top, commit, git), goal });
}

/** Reads a goal as `readAt` does, but from a given reader of the commit's files. */
export function readFrom(
  loop: Loop,
  top: string,
  { files, goal }: { files: Parameters<Loop['readGoal']>[1]; goal: string },
): LoopCarriedGoal | null {
  try {
    return loop.readGoal(top, files, goal);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'NO_PROJECT') return null;
    throw error;
  }
}
