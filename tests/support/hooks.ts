import { spawnSync } from 'node:child_process';
import type { HarnessId, HookEventName } from '../../src/harness/harness.js';
import { BINARY, type Project } from './project.mjs';

/** What a harness gets back from a hook. */
export interface Reply {
  code: number;
  stdout: string;
  stderr: string;
}

/** Nothing to say. */
export const QUIET: Reply = { code: 0, stdout: '', stderr: '' };

/** Calls `dev-cli hook` in a project as a harness does; a payload that is no text is sent as JSON. */
export function callHook(
  project: Project,
  event: HookEventName,
  harness: HarnessId,
  payload: object | string,
  env: NodeJS.ProcessEnv = {},
): Reply {
  const stdin = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const words = [BINARY, 'hook', event, '--harness', harness];
  const around = { cwd: project.root, env: { ...project.env, ...env }, encoding: 'utf8' as const, input: stdin };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, around);
  return { code: status ?? -1, stdout, stderr };
}
