import { runCommandFile } from '../jobs/runner.js';
import { systemClock, systemIds } from './system.js';

/**
 * What the detached runner does: sees one external command through (protocol.md §4).
 * @param specFile absolute path of its `command.json`
 */
export function runCommand(specFile: string, env: NodeJS.ProcessEnv): Promise<void> {
  return runCommandFile(specFile, { env, clock: systemClock, ids: systemIds });
}
