import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HarnessId } from '../../src/generated/harnesses.js';
import { HOOK_EVENTS, type HookEventName } from '../../src/wings/harness/adapter.js';
import { HARNESSES } from '../../src/wings/harness/harness.js';
import { devCli } from './cli.js';
import { callDoor } from './door.js';
import { BINARY, CHECKOUT, type Project } from './project.mjs';

/** The result of a hook, as a harness gets it. */
export interface Reply {
  code: number;
  stdout: string;
  stderr: string;
}

/** The reply of a hook that has nothing to say. */
export const QUIET: Reply = { code: 0, stdout: '', stderr: '' };

/** Calls `dev-cli hook` as a harness does, but through the front door; an object is sent as JSON. */
export function callHook(
  project: Project,
  event: HookEventName,
  harness: HarnessId,
  payload: object | string,
  env: NodeJS.ProcessEnv = {},
): Reply {
  const stdin = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const argv = ['hook', event, '--harness', harness];
  const { exit, stdout, stderr } = callDoor({ argv, stdin, cwd: project.root, env: { ...project.env, ...env } });
  return { code: exit, stdout, stderr };
}

/** Like `callHook`, but with the shipped binary, whose small programs for hooks lack parts of the whole program. */
export function spawnHook(...[project, event, harness, payload, env = {}]: Parameters<typeof callHook>): Reply {
  const stdin = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const words = [BINARY, 'hook', event, '--harness', harness];
  const around = { cwd: project.root, env: { ...project.env, ...env }, encoding: 'utf8' as const, input: stdin };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, around);
  return { code: status ?? -1, stdout, stderr };
}

/** Selects a run in a session and ends the session, so that the next session continues the run. */
export function leaveRun(project: Project, run: string, session = 's-0'): void {
  const { code, stdout } = devCli(project, ['use', run], { env: { DEV_CLI_SESSION: session } });
  if (code !== 0) throw new Error(stdout);
  callHook(project, 'session-end', 'claude', { session_id: session, cwd: project.root });
}

/** A payload of an event, as a harness sends it. */
export interface Recorded {
  event: HookEventName;
  payload: Record<string, unknown>;
}

/**
 * Reads the payloads that were recorded from a harness, as if it had sent them in `root`; of other events than dev-cli
 * listens to, none.
 * @throws Error if a payload names no event
 */
export function readRecorded(harness: HarnessId, root: string): Recorded[] {
  const text = readFileSync(join(CHECKOUT, 'tests/fixtures/harness', `${harness}.jsonl`), 'utf8');
  const lines = text.replaceAll('"/project', `"${root}`).trim().split('\n');
  return lines.flatMap((line) => {
    const payload = JSON.parse(line) as Record<string, unknown>;
    const { hook_event_name: native } = payload;
    if (typeof native !== 'string') throw new Error(`${harness}.jsonl has a payload without hook_event_name: ${line}`);
    const event = HOOK_EVENTS.find((name) => HARNESSES[harness].events[name] === native);
    return event === undefined ? [] : [{ event, payload }];
  });
}
