import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import { withIoErrors } from '../../../store/io.js';
import { HARNESSES } from '../harness.js';
import { locateHookFile } from '../install/hook-line.js';
import type { Trial } from './guard.js';
import { describeEnd, type Environment, type Probes, succeeded } from './probes.js';

/** Two temporary directories in which the guard is tried: one where a run plans, one without dev-cli (harness.md, Doctor). */

/** Tries lines in them. */
export type Try = (line: string, harness: HarnessId) => Promise<Trial>;

/** What a playground is made with. */
interface Tools {
  probes: Probes;
  env: Environment;
  /** The command that starts this dev-cli. */
  program: readonly [string, string];
  /** What the lines of a project run. */
  hook: string;
}

/**
 * Makes the two, lets `use` try lines in them, and removes them.
 * @throws DevCliError `IO` where no temporary directory can be made; `COMMAND_FAILED` where no run begins there
 */
export function inPlayground<T>(tools: Tools, use: (tryLine: Try) => Promise<T>): Promise<T> {
  return inTemporary(async (base) => {
    const [guarded, unguarded] = [join(base, 'guarded'), join(base, 'unguarded')];
    // An empty `.git` is where the search for a root ends, and no repository.
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

/** Makes a temporary directory for `use`, and removes it. @throws DevCliError `IO` where none can be made */
export async function inTemporary<T>(use: (base: string) => Promise<T>): Promise<T> {
  const base = withIoErrors(tmpdir(), null, () => realpathSync(mkdtempSync(join(tmpdir(), 'dev-cli-doctor-'))));
  try {
    return await use(base);
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The file that the recorded payload writes: a source, which nobody may write while a run plans. */
const SOURCE = 'src/doctor.txt';

/** The session of the recorded payload. No run is bound to it, so that the active one judges. */
export const SESSION = 'dev-cli-doctor';

/** Renders what a harness sends before a tool writes a source. @param directory absolute */
export function renderPayload(harness: HarnessId, directory: string): string {
  const shared = { session_id: SESSION, transcript_path: `${directory}/session.jsonl`, cwd: directory };
  const trial = HARNESSES[harness].buildTrial({ directory, path: SOURCE, content: 'written\n' });
  return JSON.stringify({ ...shared, ...trial });
}

/** What the lines run, where a project has it, and the settings that some seek it by. */
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
  if (succeeded(begun) && probes.exists(join(directory, '.dev', 'guard'))) return;
  throw new DevCliError('COMMAND_FAILED', `No run could be begun in a temporary directory: it ${describeEnd(begun)}.`, {
    details: [{ target: 'dev-cli init', problem: toBoundedLine(`${begun.stdout} ${begun.stderr}`, 500) }],
    fix: 'Look at what it says; `dev-cli init` fails elsewhere, too.',
  });
}

/** That of the call without what would lead out of the directory: another root, another session, a repository further up. */
export function buildEnvironment(env: Environment, directory: string, base: string): Environment {
  const kept = Object.entries(env).filter(
    ([name]) => !name.startsWith('DEV_CLI_') && !name.endsWith('_SESSION_ID') && !name.startsWith('GIT_'),
  );
  return { ...Object.fromEntries(kept), PWD: directory, GIT_CEILING_DIRECTORIES: base };
}
