import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { omitUndefined } from '../../base/defined.js';
import { getSystemCode } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { findMisfit } from '../../documents/outline.js';
import { dispatchHook, type HookEvent, type WithPorts } from '../../protocol/ports.js';
import type { Context } from '../../run/context.js';
import { readInput } from './core/calls.js';
import type { CallBlock, ResultBlock } from './core/messages.js';
import { findDenial, type JudgedCall, judgeToolCall, readTarget } from './core/permissions.js';
import { mapConcurrently } from './drive/in-turns.js';
import { appendFeedback, type HookOutcome } from './hooks/outcome.js';
import { type HookSite, runHooks } from './hooks/run-hooks.js';
import type { Approve } from './permissions/ask.js';
import type { Session } from './sessions/session.js';
import type { BegunCall } from './sessions/state-schema.js';
import { boundResult } from './tools/bounds.js';
import { isSecretFile, resolveToolPath, type ToolPath } from './tools/place.js';
import { type CallPlan, type SessionTool, ToolRefusal, type ToolResult, type ToolScope } from './tools/tool.js';

/** Carries out the tool calls of an answer (runtime.md, A turn). */

/** The session that makes calls, with everything that the calls need. */
export interface ToolCallContext {
  session: Session;
  tools: ReadonlyMap<string, SessionTool>;
  judging: Pick<JudgedCall, 'mode' | 'rules' | 'isDriven' | 'isInSandbox'>;
  /** Decides about calls that need approval: asks a person, or refuses if nobody can be asked. */
  approve: Approve;
  hooks: Pick<HookSite, 'hooks' | 'env'>;
  /** The call's context; the wings, which hear of each tool call, are reached through it. */
  context: Context & WithPorts;
  /** The agent that makes the calls; null for the main one. */
  agent: { id: string; type: string | null } | null;
  site: Omit<ToolScope, 'directory'>;
  /** Whether the task may write nothing but its promised files. */
  isReadOnly: boolean;
  /** Returns true once the work is finished, so that no more calls run. */
  isOver: () => boolean;
  /** Reports a fault that is too small to stop the work. */
  warn: (line: string) => void;
  /** Digests of files as the session last read or wrote them, by absolute path. */
  read: ReadonlyMap<string, string>;
}

/** How many read-only calls run at once. */
const AT_ONCE = 4;
const CUT_OFF = 'interrupted; it may have run in part';
const OVER = 'not run: the work was finished before this call';

/**
 * Carries out calls in order; adjacent calls of parallel tools run at the same time. If an earlier process had already
 * begun a call and then died, the call is completed: a file is written unless that was done, and the output of a
 * command is collected. No call takes effect twice.
 * @param calls the calls that have no result yet
 * @throws DevCliError `IO`, `LOCKED`, `INTERRUPTED`, or an error of the tool `finish`
 */
export async function carryOutCalls(talk: ToolCallContext, calls: readonly CallBlock[]): Promise<void> {
  const isBeside = (call: CallBlock | undefined) => talk.tools.get(call?.name ?? '')?.isParallel === true;
  for (let at = 0; at < calls.length; ) {
    let end = at + 1;
    if (isBeside(calls[at])) while (isBeside(calls[end])) end += 1;
    await mapConcurrently(calls.slice(at, end), AT_ONCE, (call) => carryOut(talk, call));
    at = end;
  }
}

async function carryOut(talk: ToolCallContext, call: CallBlock): Promise<void> {
  const { session } = talk;
  const begun = session.state.begun[call.id];
  const { output, isError, data } = talk.isOver()
    ? refuse(OVER)
    : begun === undefined
      ? await make(talk, call)
      : await recover(talk, call, begun);
  const result: ResultBlock = {
    ...{ type: 'tool_result', tool_use_id: call.id, tool_name: call.name },
    ...{ output, is_error: isError },
  };
  await session.commit([{ type: 'ended', result, ...omitUndefined({ data }) }], (state) => {
    const { [call.id]: _, ...others } = state.begun;
    return { begun: others, read: Object.fromEntries(talk.read) };
  });
}

/** The input of an MCP tool is not validated here, because its server does that. */
const findFault = ({ name }: SessionTool) => (name.startsWith('mcp__') ? () => null : findMisfit);

const refuse = (output: string): ToolResult => ({ output, isError: true });

/** Makes a call that no process has begun yet. */
async function make(talk: ToolCallContext, { id, name, input: text }: CallBlock): Promise<ToolResult> {
  const tool = talk.tools.get(name);
  if (tool === undefined) return refuse(`there is no tool ${JSON.stringify(name.slice(0, 100))}`);
  const read = readInput(text, tool.schema, findFault(tool));
  if ('problem' in read) return refuse(read.problem);
  const { input } = read;
  const judged = describe(talk, tool, input);
  const denied =
    findDenial(judged) ?? findForeignWrite(talk, tool, input) ?? (await hear(talk, 'pre-tool-use', tool, input));
  if (denied !== null) return refuse(denied);
  const n = talk.session.takeNumber();
  const site = siteOf(talk, n);
  let plan: CallPlan;
  try {
    plan = await tool.prepare(input, site);
  } catch (error) {
    if (error instanceof ToolRefusal) return refuse(error.message);
    throw error;
  }
  const about = { id, tool, input, text };
  const before = await runHook(talk, 'PreToolUse', about);
  const refused = before.denied ?? (await talk.approve(judgeToolCall(judged), { tool: name, input }));
  if (refused !== null) {
    const { messages, warnings } = before;
    return appendFeedback(refuse(refused), { messages, warnings });
  }
  await begin(talk, { id, n, tool, plan });
  return tellAfter(talk, about, boundForeign(tool, await carryOutPlan(plan), site), before);
}

/** Bounds the result of an MCP tool, which may be of any length. */
const boundForeign = ({ name }: SessionTool, result: ToolResult, site: ToolScope): ToolResult =>
  name.startsWith('mcp__') ? { ...result, output: boundResult(site.clean(result.output), site) } : result;

const carryOutPlan = (plan: CallPlan): Promise<ToolResult> => (plan.kind === 'file' ? plan.write() : plan.run());

/** Records that a call is about to take effect. Read-only calls are not recorded: they can be repeated. */
async function begin(
  { session }: ToolCallContext,
  { id, n, tool, plan }: { id: string; n: number; tool: SessionTool; plan: CallPlan },
): Promise<void> {
  if (plan.kind === 'read' && tool.needs === 'read-only') return;
  const begun: BegunCall = {
    ...{ n, tool: tool.name },
    ...(plan.kind === 'file' && { file: { path: plan.path, before: plan.before, after: plan.after } }),
    ...(plan.kind === 'command' && { command: true }),
  };
  await session.commit([{ type: 'begun', call: id, data: begun as unknown as JsonObject }], (state) => ({
    begun: { ...state.begun, [id]: begun },
  }));
}

/** Completes a call that an earlier process began. If it cannot, the result says that the call may have run in part. */
async function recover(talk: ToolCallContext, call: CallBlock, begun: BegunCall): Promise<ToolResult> {
  try {
    return await collect(talk, call, begun);
  } catch (error) {
    // A file or directory that nobody expected at the path must not end the session: only this call fails.
    if (!(error instanceof ToolRefusal) && getSystemCode(error) === undefined) throw error;
    return refuse(`${CUT_OFF}: ${talk.site.clean((error as Error).message)}`);
  }
}

async function collect(
  talk: ToolCallContext,
  { id, name, input: text }: CallBlock,
  begun: BegunCall,
): Promise<ToolResult> {
  const tool = talk.tools.get(name);
  const read = tool === undefined ? null : readInput(text, tool.schema, findFault(tool));
  if (tool === undefined || read === null || 'problem' in read) return refuse(CUT_OFF);
  const about = { id, tool, input: read.input, text };
  const site = siteOf(talk, begun.n);
  if (begun.command)
    return tellAfter(talk, about, boundForeign(tool, await carryOutPlan(await tool.prepare(read.input, site)), site));
  if (begun.file === undefined) return refuse(CUT_OFF);
  const { path, before, after } = begun.file;
  removeRest(begun.file);
  const now = existsSync(path) ? sha256(readFileSync(path)) : null;
  if (now === after) return tellAfter(talk, about, { output: `${path} was written.`, isError: false });
  if (now !== before) return refuse(`${CUT_OFF}: ${path} has neither its old nor its new content`);
  return tellAfter(talk, about, await carryOutPlan(await tool.prepare(read.input, site)));
}

/** Removes temporary files of a killed writer beside the target: `NAME.NUMBER` with the content to be written. */
function removeRest({ path, after }: NonNullable<BegunCall['file']>): void {
  const [directory, name] = [dirname(path), basename(path)];
  if (!existsSync(directory)) return;
  for (const one of readdirSync(directory, { withFileTypes: true })) {
    const isNamedSo = one.name.startsWith(`${name}.`) && /^\d+$/.test(one.name.slice(name.length + 1));
    const rest = join(directory, one.name);
    if (isNamedSo && one.isFile() && sha256(readFileSync(rest)) === after) rmSync(rest);
  }
}

interface CallAbout {
  id: string;
  tool: SessionTool;
  input: JsonObject;
  text: string;
}

/** Appends the messages of hooks and wings about a call to the call's result. */
async function tellAfter(
  talk: ToolCallContext,
  about: CallAbout,
  result: ToolResult,
  before: HookOutcome = SILENCE,
): Promise<ToolResult> {
  const after = await runHook(talk, 'PostToolUse', about, result);
  const told = await hear(talk, 'post-tool-use', about.tool, about.input, result.isError);
  return appendFeedback(result, before, after, told === null ? SILENCE : { messages: [told], warnings: [] });
}

const SILENCE: HookOutcome = { messages: [], warnings: [] };

async function runHook(
  { session, judging, hooks, site, warn }: ToolCallContext,
  moment: 'PreToolUse' | 'PostToolUse',
  { id, tool, text }: CallAbout,
  result?: ToolResult,
): Promise<HookOutcome> {
  const call = {
    session: session.id,
    mode: judging.mode,
    id,
    tool: tool.name,
    input: text,
    ...omitUndefined({ result }),
  };
  const outcome = await runHooks(moment, call, {
    ...hooks,
    cwd: site.workTree,
    signal: site.signal,
    clean: site.clean,
  });
  outcome.warnings.forEach(warn);
  return outcome;
}

/**
 * Tells the wings about a call, as they are told about calls in any harness.
 * @returns before the call, the reason to refuse it; after the call, a text for the model; null if the wings say
 * nothing
 */
async function hear(
  talk: ToolCallContext,
  on: 'pre-tool-use' | 'post-tool-use',
  tool: SessionTool,
  input: JsonObject,
  failed = false,
): Promise<string | null> {
  const { context, session, agent, site } = talk;
  const called = tool.toHook(input);
  const common = {
    session: session.id,
    cwd: site.workTree,
    agent: agent?.id ?? null,
    agentType: agent?.type ?? null,
    ...called,
  };
  const files = 'file_path' in called.input && !failed ? [String(called.input['file_path'])] : [];
  const event: HookEvent =
    on === 'pre-tool-use' ? { on, ...common } : { on, ...common, spent: null, files, failed, attended: false };
  const { refuse: why, tell } = await dispatchHook(context, event);
  return on === 'pre-tool-use' ? why : tell.join('\n\n') || null;
}

/** Returns why a call may not write, if its task may write only promised files; null if it may. */
function findForeignWrite({ isReadOnly, site }: ToolCallContext, tool: SessionTool, input: JsonObject): string | null {
  const target = tool.target(input);
  if (!isReadOnly || tool.needs === 'read-only' || target === null || 'command' in target) return null;
  return site.promised.includes(resolve(site.workTree, target.path))
    ? null
    : `this task may write only ${site.promised.join(', ')}`;
}

function describe({ judging, site, isReadOnly }: ToolCallContext, tool: SessionTool, input: JsonObject): JudgedCall {
  const named = tool.target(input);
  // Rules apply to the file that a path finally leads to: `a/../b` and a symbolic link to `b` both count as `b`.
  const place = named === null || 'command' in named ? null : findPlace(named.path, site);
  const isInTree = place !== null && !isAbsolute(place.name);
  const target = readTarget(tool, input, {
    workTree: site.workTree,
    ...(isInTree && { real: join(site.workTree, place.name) }),
  });
  const isSecret = 'paths' in target && [...target.paths, place?.name ?? ''].some(isSecretFile);
  const about = { name: tool.name, needs: tool.needs, target, isSecret };
  // A task that only reads may write its promised files, which `findForeignWrite` checks; no allow rule may add others.
  if (!isReadOnly) return { ...judging, ...about };
  return {
    ...judging,
    ...about,
    rules: { ...judging.rules, allow: [] },
    mode: 'paths' in target ? judging.mode : 'read-only',
  };
}

function findPlace(path: string, site: ToolCallContext['site']): ToolPath | null {
  try {
    return resolveToolPath(path, site);
  } catch (error) {
    // The tool itself will refuse this path and say why.
    if (error instanceof ToolRefusal) return null;
    throw error;
  }
}

const siteOf = ({ site, session }: ToolCallContext, n: number): ToolScope => ({
  ...site,
  directory: join(session.directory, 'calls', String(n)),
});
