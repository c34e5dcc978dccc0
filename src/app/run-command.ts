import { Pipes } from '../jobs/pipes.js';
import { runCommandFile } from '../jobs/runner.js';
import { systemClock, systemIds } from './system.js';

/** The work of a detached runner: it runs external commands to their end, one after the other (protocol.md §4). */
export interface Runner {
  /** Makes pipes ready before the first command is known, so that the command starts without waiting for them. */
  prepare(): void;
  /** Runs the command of a `command.json`, given its absolute path. */
  run(specFile: string): Promise<void>;
}

/** Creates a runner. @param env the environment that the commands inherit */
export function createRunner(env: NodeJS.ProcessEnv): Runner {
  const pipes = new Pipes();
  const surroundings = { env, clock: systemClock, ids: systemIds, pipes };
  return { prepare: () => pipes.prepare(), run: (specFile) => runCommandFile(specFile, surroundings) };
}
