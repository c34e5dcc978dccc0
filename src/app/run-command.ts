import { Pipes } from '../jobs/pipes.js';
import { runCommandFile } from '../jobs/runner.js';
import { systemClock, systemIds } from './system.js';

/** What a detached runner does: sees external commands through, one after the other (protocol.md §4). */
export interface Runner {
  /** Makes ready what the first command needs. */
  prepare(): void;
  /** Sees to the command of a `command.json`, given its absolute path. */
  run(specFile: string): Promise<void>;
}

/** @param env what the commands inherit */
export function createRunner(env: NodeJS.ProcessEnv): Runner {
  const pipes = new Pipes();
  const surroundings = { env, clock: systemClock, ids: systemIds, pipes };
  return { prepare: () => pipes.prepare(), run: (specFile) => runCommandFile(specFile, surroundings) };
}
