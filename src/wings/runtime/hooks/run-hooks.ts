import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import { getSystemCode } from '../../../base/errors.js';
import { isRecord, parseOrNull } from '../../../base/json.js';
import { awaitGroup, childProcess } from '../../../work/processes.js';
import type { Mode } from '../core/permissions.js';
import { type Hook, type HookMoment, type HookOutcome, type Hooks, listMatchingHooks, readOutcome } from './outcome.js';

/** Runs hooks before and after a call (runtime.md, Hooks). */

const SECONDS = 60;
/** Maximum bytes kept of a hook's standard output, and of its standard error. */
const COUNTED = 64 * 1024;
/** Maximum bytes of an environment variable; a longer one is omitted. */
const LONGEST = 32 * 1024;

/** A call as hooks see it. */
export interface HookedCall {
  session: string;
  mode: Mode;
  /** The call's id. */
  id: string;
  tool: string;
  /** The input as the model sent it. */
  input: string;
  /** The result of the call; absent before the call. */
  result?: { output: string; isError: boolean };
}

/** What hooks need in order to run. */
export interface HookSite {
  hooks: Hooks;
  /** The directory in which hooks run, as an absolute path. */
  cwd: string;
  /** Environment variables of hooks, without the keys of providers. */
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Masks secrets in text that is shown or stored. */
  clean: (text: string) => string;
}

/**
 * Runs the hooks for this moment one after the other, until one of them denies the call.
 * @throws the signal's reason once the signal aborts; never because a hook fails
 */
export async function runHooks(moment: HookMoment, call: HookedCall, site: HookSite): Promise<HookOutcome> {
  const heard: HookOutcome = { messages: [], warnings: [] };
  for (const hook of listMatchingHooks(site.hooks, moment, call.tool)) {
    const { denied, messages, warnings } = await runHook(hook, moment, call, site);
    heard.messages.push(...messages.map(site.clean));
    heard.warnings.push(...warnings.map(site.clean));
    if (denied !== undefined) return { ...heard, denied: site.clean(denied) };
  }
  return heard;
}

async function runHook(hook: Hook, moment: HookMoment, call: HookedCall, site: HookSite): Promise<HookOutcome> {
  const { cwd, env, signal } = site;
  signal.throwIfAborted();
  let child: ChildProcessWithoutNullStreams;
  try {
    const options = { cwd, env: { ...env, ...buildVariables(moment, call) }, detached: true, stdio: 'pipe' } as const;
    child = childProcess().spawn('sh', ['-lc', hook.command], options);
  } catch (error) {
    // Invalid arguments make `spawn` throw; all other failures to start are reported as events of the child.
    const ended = { end: 'unstarted', code: getSystemCode(error) ?? 'unknown' } as const;
    return readOutcome(moment, call.tool, hook, { ended, stdout: '', stderr: '' });
  }
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  // If the hook ends without reading its input, writing fails; that is no error.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(buildEvent(moment, call, cwd)));
  const ended = await awaitGroup(child, { signal, milliseconds: (hook.timeout ?? SECONDS) * 1000 });
  // A process that the hook left running may hold the streams open; nobody waits for it.
  for (const stream of child.stdio) stream?.destroy();
  signal.throwIfAborted();
  return readOutcome(moment, call.tool, hook, { ended, stdout: stdout(), stderr: stderr() });
}

function buildEvent(moment: HookMoment, { session, mode, id, tool, input, result }: HookedCall, cwd: string) {
  const parsed = parseOrNull(input === '' ? '{}' : input);
  return {
    hook_event_name: moment,
    session_id: session,
    cwd,
    permission_mode: mode,
    tool_use_id: id,
    tool_name: tool,
    tool_input: isRecord(parsed) ? parsed : { raw: input },
    tool_input_json: input,
    tool_output: result?.output ?? null,
    tool_result_is_error: result?.isError ?? false,
  };
}

function buildVariables(moment: HookMoment, { tool, input, result }: HookedCall): Record<string, string | undefined> {
  const variables = {
    HOOK_EVENT: moment,
    HOOK_TOOL_NAME: tool,
    HOOK_TOOL_INPUT: input,
    HOOK_TOOL_OUTPUT: result?.output,
    HOOK_TOOL_IS_ERROR: result?.isError === true ? '1' : '0',
  };
  // A value that is too long or contains a NUL is omitted here; the event on stdin still contains it.
  const fits = (value = '') => Buffer.byteLength(value) <= LONGEST && !value.includes('\0');
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, fits(value) ? value : undefined]));
}

/** Reads a stream to its end, but keeps only its beginning. */
function collect(stream: Readable): () => string {
  const kept: Buffer[] = [];
  let room = COUNTED;
  stream.on('data', (chunk: Buffer) => {
    if (room > 0) kept.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  // With `stream: true`, half a character at the end, where the text was cut, is dropped.
  return () => new TextDecoder().decode(Buffer.concat(kept), { stream: true });
}
