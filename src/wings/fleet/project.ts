import { join } from 'node:path';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { findIdentityProblem } from '../../work/git.js';
import type { GitOptions } from '../../work/git-command.js';
import { fetchReferences } from '../../work/remote.js';
import { findCommitOf } from '../../work/trees.js';
import { openProjectStreams, readFrom } from './backend.js';
import { createCarrier } from './boundary.js';
import { checkOutCommit, findFirstCommit, openClone, readFilesAt, rememberFiles } from './clone.js';
import type { MachineProject } from './config.js';
import type { Pool } from './database.js';
import {
  type FleetCall,
  type FleetPorts,
  LOOP,
  type LoopAttempt,
  type LoopCarriedGoal,
  type LoopSite,
  type LoopStreams,
  nameAttempt,
  nameHead,
} from './ports.js';
import { findUntrusted, openLibraryAt } from './recipes.js';
import { openRemoteRefs } from './refs.js';
import { requireSameRepository } from './schema.js';

/**
 * A project on a worker: its clone, its rows in the database, and which of its attempts this machine may carry on
 * (fleet.md, Trust).
 */
export interface WorkerProject {
  project: string;
  streams: LoopStreams;
  /**
   * Whether a desk has registered the project's repository. @throws DevCliError `USAGE` if it registered another one
   */
  isRegistered(): Promise<boolean>;
  /** Splits attempts into those that this machine may carry on and those that it skips, each with the reason. */
  sift(attempts: readonly LoopAttempt[]): Promise<{ accepted: ReadonlySet<string>; passed: Record<string, string> }>;
  /** Makes `sift` skip an attempt from now on. */
  pass(attempt: LoopAttempt, reason: string): void;
  /**
   * Opens the environment in which the steps of a claimed attempt run. @throws DevCliError `GIT_FAILED`, `IO`,
   * `FLEET_UNTRUSTED`
   */
  open(attempt: LoopAttempt, signal: AbortSignal): Promise<{ site: LoopSite; goal: object }>;
  /** Removes the trees of attempts that are settled or continue elsewhere. */
  tidy(): Promise<void>;
}

/** The name of the remote in a worker's clone. */
const REMOTE = 'origin';
/** How long, in milliseconds, an attempt that could not be judged is skipped before it is judged again. */
const LOOK_AGAIN = 10_000;

/**
 * Opens a project; makes its clone if there is none.
 * @param given.clones absolute directory of the clones
 * @param given.signal cancels the cloning
 * @throws DevCliError `GIT_FAILED`, `USAGE` if the repository is not the project's, `IO`
 */
export async function openWorkerProject(
  { loop, openContext }: FleetPorts,
  {
    pool,
    worker,
    clones,
    call,
    signal,
  }: { pool: Pool; worker: string; clones: string; call: FleetCall; signal: AbortSignal },
  { project, remote_url: url, trust }: MachineProject,
): Promise<WorkerProject> {
  const git: GitOptions = { env: call.env };
  const { top } = await openClone({ directory: join(clones, project), url, remote: REMOTE, git: { ...git, signal } });
  const problem = await findIdentityProblem(top, git);
  if (problem !== null) throw identityError(problem);
  const origin = await findFirstCommit(top, git);
  const isKnown = async () => origin === null || requireSameRepository(pool, project, origin, { registers: false });
  let isRegistered = await isKnown();
  const idle = openContext(call, top, new AbortController().signal);
  const streams = openProjectStreams(loop, idle, { pool, project, bringKept: async () => {} });
  const trusted = new Set(trust);
  const judged = new Map<string, { why: string | null; until: number }>();
  const oneByOne = createTurns();

  /** Returns why this machine must not carry an attempt on; null if it may. */
  const judge = async (attempt: LoopAttempt): Promise<string | null> => {
    if ((await findCommitOf(top, attempt.base, git)) === null) await fetchReferences(top, REMOTE, [attempt.base], git);
    const carried = readCarried(attempt);
    if (carried === null) return 'it is not in .ai/goals.yaml of the commit that the attempt starts from';
    if (!trusted.has(carried.digest))
      return `its commands are not trusted here: ${carried.digest} (${carried.commands.map((one) => toBoundedLine(one, 200)).join('; ')})`;
    if (needsTool(attempt)) loop.requireCarriedTool(idle, carried.tool(attempt.named));
    if (carried.recipe === null) return null;
    const library = openLibraryAt(idle, { commit: attempt.base, git });
    return findUntrusted({ ...idle, library }, carried.recipe, trusted);
  };
  // Cached: asking git for each of many attempts would block this process for seconds.
  const filesAt = rememberFiles((commit) => readFilesAt(top, commit, git));
  const readCarried = ({ base, goal }: LoopAttempt): LoopCarriedGoal | null =>
    readFrom(loop, top, { files: filesAt(base), goal });

  const look = async (attempt: LoopAttempt): Promise<{ why: string | null; until: number }> => {
    try {
      return { why: await judge(attempt), until: Number.POSITIVE_INFINITY };
    } catch (error) {
      // The attempt could not be judged, for example because git failed: it is skipped now and judged again later.
      if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
      return { why: error.message, until: performance.now() + LOOK_AGAIN };
    }
  };

  return {
    project,
    streams,
    isRegistered: async () => (isRegistered ||= await isKnown()),
    async sift(attempts) {
      const accepted = new Set<string>();
      const passed: Record<string, string> = {};
      for (const attempt of attempts) {
        const id = nameAttempt(attempt);
        const key = nameJudged(attempt);
        const known = judged.get(key);
        const found = known !== undefined && known.until > performance.now() ? known : await look(attempt);
        judged.set(key, found);
        const { steps = loop.version } = attempt;
        const why =
          steps === loop.version
            ? found.why
            : `it requires a worker with version ${steps} of the steps; this one has ${loop.version}`;
        if (why === null) accepted.add(id);
        else passed[id] = why;
      }
      const open = new Set(attempts.map(nameJudged));
      for (const key of judged.keys()) if (!open.has(key)) judged.delete(key);
      return { accepted, passed };
    },
    pass: (attempt, why) => void judged.set(nameJudged(attempt), { why, until: Number.POSITIVE_INFINITY }),
    async open(attempt, signal) {
      // The attempt may have changed since it was judged.
      const why = await judge(attempt);
      if (why !== null)
        throw new DevCliError('FLEET_UNTRUSTED', `${nameAttempt(attempt)} is not carried on here: ${why}`);
      const carried = readCarried(attempt);
      if (carried === null) throw new DevCliError('GOAL_REFUSED', `${attempt.goal} is no longer at ${attempt.base}.`);
      await oneByOne(async () => {
        const own = [`refs/dev-cli/attempts/${attempt.goal}/*`, nameHead(attempt)];
        const there = await openRemoteRefs(top, REMOTE, git).list(nameHead(attempt));
        const wanted = there.size === 0 ? own.slice(0, 1) : own;
        await fetchReferences(
          top,
          REMOTE,
          wanted.map((name) => `+${name}:${name}`),
          git,
        );
        await streams.tellNews(() => {});
        await checkOutCommit(top, attempt.base, git);
      });
      const opened = openContext(call, top, signal);
      const context = { ...opened, library: openLibraryAt(opened, { commit: attempt.base, git }) };
      const requireHold = () => streams.transact(LOOP, () => ({ answer: undefined }), { claim: attempt.claim ?? null });
      const refs = openRemoteRefs(top, REMOTE, git, requireHold);
      const place = {
        context,
        top,
        remote: REMOTE,
        git,
        pool,
        project,
        streams,
        refs,
        trusted,
        recipe: carried.recipe,
        ahead: 'discard' as const,
      };
      const openRefs = () => refs;
      const given = { streams, openRefs, worker, carrier: createCarrier(place), attempt, carried };
      return { site: await loop.openSite(context, call, given), goal: carried.goal };
    },
    tidy: () => loop.removeStray({ streams, context: idle, top, git, env: call.env }),
  };
}

/**
 * Whether the attempt's next step, or the one after it, is an agent session, which needs the goal's tool on this
 * machine.
 */
const needsTool = ({ state }: LoopAttempt): boolean => state === 'preparing' || state === 'session';

/**
 * The key under which a judgement is kept; it contains the base, because the goal's commands are read from that commit.
 */
const nameJudged = (attempt: LoopAttempt): string =>
  `${nameAttempt(attempt)}@${attempt.base}${needsTool(attempt) ? ' with its tool' : ''}`;

const identityError = (problem: string): DevCliError =>
  new DevCliError('IDENTITY_MISSING', 'git has no user name and e-mail for the commits of goals.', {
    details: [{ target: 'git', problem: toBoundedLine(problem, 500) }],
    fix: 'Set them on this machine: git config --global user.name "…" and git config --global user.email "…".',
  });

/** Returns a queue that runs one piece of work at a time: the clone has only one set of files. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}
