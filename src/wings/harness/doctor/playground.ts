import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import { withIoErrors } from '../../../store/io.js';
import { HARNESSES } from '../harness.js';
import { locateHookFile } from '../install/hook-line.js';
import type { HookTrial } from './guard.js';
import { describeProbeFailure, type EnvironmentVariables, hasSucceeded, type Probes } from './probes.js';

/**
 * Creates two temporary directories in which the guard is tried: one with a planning run, one without dev-cli
 * (harness.md, Doctor).
 */

/** Tries a hook line in both directories. */
export type TryHookLine = (line: string, harness: HarnessId) => Promise<HookTrial>;

/** Everything that setting up the directories needs. */
interface Tools {
  probes: Probes;
  env: EnvironmentVariables;
  /** The command that starts this dev-cli. */
  program: readonly [string, string];
  /** The content of the script that hook lines run. */
  hook: string;
}

/**
 * Creates the two directories, lets `use` try lines in them, and removes them.
 * @throws DevCliError `IO` if no temporary directory can be created; `COMMAND_FAILED` if no run can be started there
 */
export function withPlayground<T>(tools: Tools, use: (tryLine: TryHookLine) => Promise<T>): Promise<T> {
  return withTemporaryDirectory(async (base) => {
    const [guarded, unguarded] = [join(base, 'guarded'), join(base, 'unguarded')];
    // An empty `.git` stops the search for a root, but is not a repository.
    for (const directory of [guarded, unguarded]) {
      withIoErrors(directory, null, () => mkdirSync(join(directory, '.git'), { recursive: true }));
      putHooks(directory, tools.hook);
    }
    await beginPlanning(tools, guarded, base);
    return await use(async (line, harness) => {
      const tryIn = (directory: string) =>
        tools.probes.run('sh', ['-c', line], {
          cwd: directory,
          env: { ...buildEnvironment(tools.env, directory, base), [HARNESSES[harness].projectVariable]: directory },
          input: renderPayload(harness, directory),
        });
      const [inGuarded, inUnguarded] = await Promise.all([tryIn(guarded), tryIn(unguarded)]);
      return { guarded: inGuarded, unguarded: inUnguarded };
    });
  });
}

/**
 * Creates a temporary directory for `use`, and removes it afterwards.
 * @throws DevCliError `IO` if it cannot be created
 */
export async function withTemporaryDirectory<T>(use: (base: string) => Promise<T>): Promise<T> {
  const base = withIoErrors(tmpdir(), null, () => realpathSync(mkdtempSync(join(tmpdir(), 'dev-cli-doctor-'))));
  try {
    return await use(base);
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The file that the recorded payload writes: a source file, which nobody may write while a run plans. */
const SOURCE = 'src/doctor.txt';

/** The session of the recorded payload. It is bound to no run, so that the active run judges. */
export const SESSION = 'dev-cli-doctor';

/** Renders the payload that a harness sends before a tool writes a source file. @param directory absolute */
export function renderPayload(harness: HarnessId, directory: string): string {
  const trial = HARNESSES[harness].buildTrial({ session: SESSION, directory, path: SOURCE, content: 'written\n' });
  return JSON.stringify(trial);
}

/**
 * Writes the hook script where a project's hook lines expect it, and the settings files by which some lines find the
 * project.
 */
function putHooks(directory: string, hook: string): void {
  for (const path of Object.values(HARNESSES).flatMap((one) => [
    locateHookFile(one),
    ...(one.seeksProject ? [one.settings.path] : []),
  ])) {
    const at = join(directory, path);
    withIoErrors(at, null, () => {
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, hook);
    });
  }
}

async function beginPlanning({ probes, env, program: [node, entry] }: Tools, directory: string, base: string) {
  const goal = 'Show that the guard fires';
  const begun = await probes.run(node, [entry, 'init', 'doctor', '--size', 'large', '--goal', goal, '--json'], {
    cwd: directory,
    env: buildEnvironment(env, directory, base),
  });
  if (hasSucceeded(begun) && probes.exists(join(directory, '.dev', 'guard'))) return;
  throw new DevCliError(
    'COMMAND_FAILED',
    `No run could be begun in a temporary directory: it ${describeProbeFailure(begun)}.`,
    {
      details: [{ target: 'dev-cli init', problem: toBoundedLine(`${begun.stdout} ${begun.stderr}`, 500) }],
      fix: 'Read its output; `dev-cli init` would fail elsewhere, too.',
    },
  );
}

/**
 * Returns the call's environment without variables that lead to another root, another session, or a repository above.
 */
export function buildEnvironment(env: EnvironmentVariables, directory: string, base: string): EnvironmentVariables {
  const kept = Object.entries(env).filter(
    ([name]) => !name.startsWith('DEV_CLI_') && !name.endsWith('_SESSION_ID') && !name.startsWith('GIT_'),
  );
  return { ...Object.fromEntries(kept), PWD: directory, GIT_CEILING_DIRECTORIES: base };
}
