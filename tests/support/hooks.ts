import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../src/base/json.js';
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

/**
 * Calls `dev-cli hook` as a harness does, but through the front door. An object with the common names of members is sent
 * as JSON with the harness's own.
 */
export function callHook(
  project: Project,
  event: HookEventName,
  harness: HarnessId,
  payload: object | string,
  env: NodeJS.ProcessEnv = {},
): Reply {
  const stdin = renderPayload(harness, payload);
  const argv = ['hook', event, '--harness', harness];
  const { exit, stdout, stderr } = callDoor({ argv, stdin, cwd: project.root, env: { ...project.env, ...env } });
  return { code: exit, stdout, stderr };
}

/** Like `callHook`, but with the shipped binary, whose small programs for hooks lack parts of the whole program. */
export function spawnHook(...[project, event, harness, payload, env = {}]: Parameters<typeof callHook>): Reply {
  const words = [BINARY, 'hook', event, '--harness', harness];
  const input = renderPayload(harness, payload);
  const around = { cwd: project.root, env: { ...project.env, ...env }, encoding: 'utf8' as const, input };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, around);
  return { code: status ?? -1, stdout, stderr };
}

/** Selects a run in a session and ends the session, so that the next session continues the run. */
export function leaveRun(project: Project, run: string, session = 's-0'): void {
  const { code, stdout } = devCli(project, ['use', run], { env: { DEV_CLI_SESSION: session } });
  if (code !== 0) throw new Error(stdout);
  callHook(project, 'session-end', 'claude', { session_id: session, cwd: project.root });
}

/** Renders a payload with the names that the harness uses; text is left as it is. */
export function renderPayload(harness: HarnessId, payload: object | string): string {
  if (typeof payload === 'string') return payload;
  return JSON.stringify(renameMembers(harness, payload, 'own'));
}

/** Renames the members of a payload and of its tool input to the harness's own names, or back to the common ones. */
function renameMembers(harness: HarnessId, payload: object, to: 'own' | 'common'): Record<string, unknown> {
  const { members = {}, tools } = HARNESSES[harness];
  const rename = (value: object, names: Readonly<Record<string, string | null>>) => {
    const pairs = Object.entries(names).map(([common, own]) => (to === 'own' ? [common, own] : [own, common]));
    const table = new Map<string | null | undefined, string | null | undefined>(
      pairs.map(([from, into]) => [from, into]),
    );
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [table.get(name) ?? name, one]));
  };
  const renamed = rename(payload, members);
  const at = (to === 'own' && members.tool_input) || 'tool_input';
  const input = renamed[at];
  return isRecord(input) ? { ...renamed, [at]: rename(input, tools.members ?? {}) } : renamed;
}

/** A payload of an event, as a harness sends it, but with the common names of members. */
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
    const payload = renameMembers(harness, JSON.parse(line) as object, 'common');
    const { hook_event_name: native } = payload;
    if (typeof native !== 'string') throw new Error(`${harness}.jsonl has a payload without hook_event_name: ${line}`);
    const event = HOOK_EVENTS.find((name) => HARNESSES[harness].events[name] === native);
    return event === undefined ? [] : [{ event, payload }];
  });
}
