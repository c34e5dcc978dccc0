import { join } from 'node:path';
import type { Caller } from '../base/caller.js';
import { DevCliError } from '../base/errors.js';
import { findHarnessMark, nameMarkedHarness, OWN_MARK } from '../base/harness-mark.js';
import { loadLazily } from '../base/lazy.js';
import { isName } from '../base/name.js';
import { VERSION } from '../base/version.js';
import { ANSWER_WITHIN as HASTY, type HarnessId, SESSION_VARIABLES, WATCHED_SESSIONS } from '../generated/harnesses.js';
import { openFileFinder } from '../project/find-files.js';
import { readSession } from '../project/pointers.js';
import { DISK_READER } from '../project/reader.js';
import { type FoundRoot, findRoot } from '../project/root.js';
import { openProject, openProjectForReading } from '../project/runs.js';
import type { WithPorts } from '../protocol/ports.js';
import { runCodec } from '../run/codec.js';
import type { Context, ReadContext } from '../run/context.js';
import type { CallEnvironment } from './environment.js';
import { packageDirectory } from './package.js';
import { createPorts, loadWarner, SECTIONS } from './ports.js';
import { systemClock, systemIds } from './system.js';

const os = loadLazily<typeof import('node:os')>('node:os');

/** Default for `DEV_CLI_ANSWER_WITHIN`: seconds within which a call must answer (protocol.md §4). */
const ANSWER_WITHIN = 45;

/**
 * Creates everything a use case needs from the outside world, once for each call.
 * @throws DevCliError `USAGE` for a `--root` that is not a root, or an unusable environment variable; `IO`
 */
export function createContext(environment: CallEnvironment, command: string): Context & WithPorts {
  const { env, cwd, ask, decide } = environment;
  const ids = systemIds;
  const options = { codec: runCodec, clock: systemClock, ids, purpose: command };
  const { runs, ...found } = openProject(buildRootQuery(environment), options);
  const around = describeSurroundings(environment, found);
  const { library, root } = around;
  const watched = findWatchedSession(env);
  return {
    ...around,
    store: runs,
    keepsFindings: true,
    ports: createPorts(),
    ids,
    ask,
    decide,
    program: [process.execPath, join(library.shipped, 'bin', 'dev-cli.js')],
    runner: join(library.shipped, 'dist', 'runner.cjs'),
    ...findHome(env),
    searchPath: env['PATH'] ?? '',
    ...(watched
      ? {
          warnOfSilence: async (begun?: string) =>
            (await loadWarner()).warnOfSilence({ store: runs, root }, { ...watched, cwd, begun }),
        }
      : {}),
  };
}

/**
 * Finds the calling session, if dev-cli can tell which one it is and must warn it when its hooks are installed but do
 * not run (harness.md, Sessions); otherwise null.
 */
export function findWatchedSession(env: NodeJS.ProcessEnv): { harness: HarnessId; session: string } | null {
  const mark = findHarnessMark(env, WATCHED_SESSIONS);
  const harness = nameMarkedHarness(mark);
  const session = env[WATCHED_SESSIONS[mark ?? ''] ?? ''];
  return harness !== null && session ? { harness, session } : null;
}

/** Returns the user's home directory, and the directory that records which commands the user trusts. */
function findHome(env: NodeJS.ProcessEnv): Pick<Context, 'home' | 'trustDirectory'> {
  const home = env['HOME'] || os().homedir();
  const states = env['XDG_STATE_HOME'] || join(home, '.local', 'state');
  return { home, trustDirectory: join(states, 'dev-cli', 'trusted') };
}

/** Creates the context for use cases that only read; the code that writes is not even loaded. */
export function createReadContext(environment: CallEnvironment): ReadContext & WithPorts<'sections'> {
  const options = { codec: runCodec, clock: systemClock };
  const { runs, ...found } = openProjectForReading(buildRootQuery(environment), options);
  return { ...describeSurroundings(environment, found), store: runs, ports: { sections: SECTIONS } };
}

/** Creates the context for answering a harness's event without writing anything. */
export function createHookContext(environment: CallEnvironment) {
  const context = createReadContext(environment);
  const sessionMark: Context['store']['sessionMark'] = async (id) => readSession(context.root, id);
  return { ...context, store: { ...context.store, sessionMark }, ...findHome(environment.env) };
}

function describeSurroundings(
  environment: CallEnvironment,
  { root, workTree, boundRun, boundGoal }: FoundRoot,
): Omit<ReadContext, 'store'> {
  const { env, signal } = environment;
  // In the work tree of an attempt at a goal every caller counts as an agent, even without a harness mark, since the
  // session at work there may have unset the mark.
  const mark = findHarnessMark(env) ?? (boundGoal === undefined ? null : OWN_MARK);
  return {
    root,
    workTree: workTree ?? root,
    boundRun,
    ...(boundGoal !== undefined && { boundGoal }),
    clock: systemClock,
    startedAt: systemClock.now(),
    caller: callerOf(environment, mark),
    mark,
    session: findSession(env),
    library: { reader: DISK_READER, shipped: packageDirectory(), project: root, files: () => openFileFinder(env) },
    reader: DISK_READER,
    answerWithin: answerWithin(env),
    signal,
    cliVersion: VERSION,
  };
}

/**
 * Returns the id of the calling session from an environment variable; the harness's hooks report the same id. Null if
 * no variable has it.
 */
function findSession(env: CallEnvironment['env']): string | null {
  return SESSION_VARIABLES.map((name) => env[name]).find(Boolean) ?? null;
}

/**
 * Describes the caller. That standard input and output are a terminal does not prove that a person is calling. It only
 * shows that a person can be asked, and under a harness mark not even that (protocol.md §1).
 */
function callerOf({ env, caller, stdinIsTerminal, stdoutIsTerminal }: CallEnvironment, mark: string | null): Caller {
  const terminal = stdinIsTerminal && stdoutIsTerminal && mark === null;
  const harness = caller?.harness ?? env['DEV_CLI_HARNESS'];
  const session = findSession(env);
  return {
    kind: terminal ? 'cli' : 'agent',
    via: caller?.via ?? 'cli',
    ...(terminal ? { terminal } : {}),
    ...(harness !== undefined && isName(harness) ? { harness } : {}),
    ...(session !== null && isName(session) ? { session } : {}),
  };
}

function answerWithin(env: CallEnvironment['env']): number {
  const text = env['DEV_CLI_ANSWER_WITHIN'];
  if (text === undefined || text === '') return HASTY[findHarnessMark(env, HASTY) ?? ''] ?? ANSWER_WITHIN;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= 3600) return seconds;
  throw new DevCliError('USAGE', 'DEV_CLI_ANSWER_WITHIN is not a number of seconds from 0 to 3600.', {
    fix: 'Unset it, or set it to the seconds within which a call must answer.',
  });
}

type Surroundings = Pick<CallEnvironment, 'cwd' | 'env' | 'root'>;

/**
 * Finds the root of a call (protocol.md, Root).
 * @throws DevCliError `USAGE` for a `--root` that is not a root; `IO`
 */
export function resolveRoot(surroundings: Surroundings): FoundRoot {
  return findRoot(buildRootQuery(surroundings));
}

function buildRootQuery({ cwd, env, root }: Surroundings): Parameters<typeof findRoot>[0] {
  return { cwd, env, explicit: root };
}
