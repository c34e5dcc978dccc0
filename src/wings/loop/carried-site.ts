import { resolve } from 'node:path';
import { DevCliError } from '../../base/errors.js';
import type { FileReader } from '../../base/files.js';
import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import type { Context } from '../../run/context.js';
import { findRepository, type GitOptions } from '../../work/git-command.js';
import type { LoopConfig } from './config.js';
import { readLoopTexts } from './files.js';
import { type LoopGoal, listGoals } from './goals.js';
import { openLeases } from './leases.js';
import type { Refs } from './refs.js';
import { type AttemptSite, buildSessionEnvironment, type Carrier, type LoopCall, type Role } from './site.js';
import { findTool, findTrees, gitNeededError } from './start.js';
import { nameContext } from './state.js';
import type { Attempt } from './state-schema.js';
import type { Streams } from './streams.js';
import { listConfigCommands } from './trust.js';

/** The site of a fleet's worker: its own clone, and the goal as defined at the attempt's base (fleet.md, Trust). */

/** A goal at a commit, and the commands that would run for it. */
export interface CarriedGoal {
  goal: LoopGoal;
  recipe: string | null;
  config: LoopConfig;
  tool: (named: string | undefined) => string;
  /** The commands, in the form in which people see them before they trust them. */
  commands: string[];
  /** Digest of the commands; the same on every machine. */
  digest: string;
}

/**
 * Reads a goal from the files of a commit.
 * @param root the directory with which the paths that `reader` gets begin
 * @returns null if the files define no such goal
 * @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`
 */
export function readCarriedGoal(root: string, reader: Pick<FileReader, 'read'>, id: string): CarriedGoal | null {
  const files = readLoopTexts(root, reader);
  const goal = listGoals(files.goals).find((one) => one.id === id);
  if (goal === undefined) return null;
  const { config } = files;
  const commands = listConfigCommands({ config, goals: [{ ...goal, children: [] }] });
  const tool = (named: string | undefined) => findTool(files, named, goal);
  return { goal, recipe: goal.recipe, config, tool, commands, digest: sha256(canonicalJson(commands)) };
}

/** The site of a worker. */
export type WorkerSite = AttemptSite & { role: Extract<Role, { kind: 'worker' }> };

/** The fleet's input for a site. */
interface Given {
  streams: Streams;
  openRefs: (top: string, git: GitOptions) => Refs;
  worker: string;
  carrier: Carrier;
  attempt: Pick<Attempt, 'goal' | 'n' | 'named'>;
  carried: CarriedGoal;
}

/** Opens a worker's clone for an attempt. Writes nothing. @throws DevCliError `NEEDS_MISSING`, `GIT_FAILED`, `IO` */
export async function openCarriedSite(
  context: Context,
  call: Pick<LoopCall, 'env'>,
  given: Given,
): Promise<WorkerSite> {
  const { streams, worker, carrier, attempt, carried } = given;
  const git: GitOptions = { env: call.env, apart: true, timeoutSeconds: GIT_TIMEOUT };
  const found = await findRepository(context.root, git);
  if (found.kind !== 'repository')
    throw gitNeededError('the clone is missing', 'Start the worker again: it makes a new clone.');
  const top = resolve(context.root, found.top || '.');
  return {
    ...{ context, streams, leases: openLeases(streams, context.ids), config: carried.config },
    ...{ env: buildSessionEnvironment(call.env), top, refs: given.openRefs(top, git), git, signal: context.signal },
    ...{ role: { kind: 'worker', worker, carrier }, prefix: found.prefix.toString('utf8') },
    trees: findTrees(context, call.env),
    findTool: () => carried.tool(attempt.named),
    tellContext: async () => readContext(context, attempt),
  };
}

/** Seconds after which git is stopped while it handles the files of an attempt. */
const GIT_TIMEOUT = 1_800;

/** Reads the context that the desk wrote for the session; it arrived here as a document of the stream. */
function readContext({ root, reader }: Context, attempt: Pick<Attempt, 'goal' | 'n'>): string {
  const text = reader.read(`${root}/.dev/loop/${nameContext(attempt)}`);
  if (text !== null) return text;
  throw new DevCliError('IO', `The desk’s context for ${attempt.goal}#${attempt.n} is missing here.`);
}
