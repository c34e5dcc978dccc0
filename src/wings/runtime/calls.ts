import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { defined } from '../../base/defined.js';
import { getSystemCode } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { misfit } from '../../documents/outline.js';
import { dispatchHook, type HookEvent, type Ported } from '../../protocol/ports.js';
import type { Context } from '../../run/context.js';
import { readInput } from './core/calls.js';
import type { CallBlock, ResultBlock } from './core/messages.js';
import { findDenial, type JudgedCall, judge, readTarget } from './core/permissions.js';
import { inTurns } from './drive/in-turns.js';
import { appendFeedback, type HookOutcome } from './hooks/outcome.js';
import { type HookSite, runHooks } from './hooks/run-hooks.js';
import type { Approve } from './permissions/ask.js';
import type { Session } from './sessions/session.js';
import type { BegunCall } from './sessions/state-schema.js';
import { boundResult } from './tools/bounds.js';
import { isSecretFile, locate, type Place } from './tools/place.js';
import { type Plan, type Tool, ToolRefusal, type ToolResult, type ToolSite } from './tools/tool.js';

/** How the calls of an answer are carried out (runtime.md, A turn). */

/** Where calls are made, and by whom. */
export interface CallSite {
  session: Session;
  tools: ReadonlyMap<string, Tool>;
  judging: Pick<JudgedCall, 'mode' | 'rules' | 'isDriven' | 'isInSandbox'>;
  /** Asks a person, or nobody. */
  approve: Approve;
  hooks: Pick<HookSite, 'hooks' | 'env'>;
  /** Tells the wings what is called. */
  context: Context & Ported;
  /** The agent that calls; null for the main one. */
  agent: { id: string; type: string | null } | null;
  site: Omit<ToolSite, 'directory'>;
  /** It writes nothing but what is promised. */
  isReadOnly: boolean;
  /** Whether nothing more is wanted of the model. */
  isOver: () => boolean;
  /** Told of what is not as it should be, and does not matter enough to stop. */
  warn: (line: string) => void;
  /** Digests of files as the session last read or wrote them, by absolute path. */
  read: ReadonlyMap<string, string>;
}

/** Calls that only read, at work at once. */
const AT_ONCE = 4;
const CUT_OFF = 'interrupted; it may have run in part';
const OVER = 'not run: the work was finished before this call';

/**
 * Carries out calls, in order; those that only read run beside each other. One that an earlier process had begun is found done, done
 * now, or collected, and never done twice.
 * @param calls that have no result yet
 * @throws DevCliError `IO`, `LOCKED`, `INTERRUPTED`; what the tool `finish` throws
 */
export async function carryOutCalls(talk: CallSite, calls: readonly CallBlock[]): Promise<void> {
  const isBeside = (call: CallBlock | undefined) => talk.tools.get(call?.name ?? '')?.isParallel === true;
  for (let at = 0; at < calls.length; ) {
    let end = at + 1;
    if (isBeside(calls[at])) while (isBeside(calls[end])) end += 1;
    await inTurns(calls.slice(at, end), AT_ONCE, (call) => carryOut(talk, call));
    at = end;
  }
}

async function carryOut(talk: CallSite, call: CallBlock): Promise<void> {
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
  await session.commit([{ type: 'ended', result, ...defined({ data }) }], (state) => {
    const { [call.id]: _, ...others } = state.begun;
    return { begun: others, read: Object.fromEntries(talk.read) };
  });
}

/** Servers judge the input of their own tools. */
const findFault = ({ name }: Tool) => (name.startsWith('mcp__') ? () => null : misfit);

const refuse = (output: string): ToolResult => ({ output, isError: true });

/** Makes a call that nobody has begun. */
async function make(talk: CallSite, { id, name, input: text }: CallBlock): Promise<ToolResult> {
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
  let plan: Plan;
  try {
    plan = await tool.prepare(input, site);
  } catch (error) {
    if (error instanceof ToolRefusal) return refuse(error.message);
    throw error;
  }
  const about = { id, tool, input, text };
  const before = await runHook(talk, 'PreToolUse', about);
  const refused = before.denied ?? (await talk.approve(judge(judged), { tool: name, input }));
  if (refused !== null) {
    const { messages, warnings } = before;
    return appendFeedback(refuse(refused), { messages, warnings });
  }
  await begin(talk, { id, n, tool, plan });
  return tellAfter(talk, about, boundForeign(tool, await carryOutPlan(plan), site), before);
}

/** Servers say as much as they like. */
const boundForeign = ({ name }: Tool, result: ToolResult, site: ToolSite): ToolResult =>
  name.startsWith('mcp__') ? { ...result, output: boundResult(site.clean(result.output), site) } : result;

const carryOutPlan = (plan: Plan): Promise<ToolResult> => (plan.kind === 'file' ? plan.write() : plan.run());

/** Records that a call has an effect from now on; one that only reads may be made again. */
async function begin(
  { session }: CallSite,
  { id, n, tool, plan }: { id: string; n: number; tool: Tool; plan: Plan },
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

/** Finds out what became of a call that an earlier process had begun. */
async function recover(talk: CallSite, call: CallBlock, begun: BegunCall): Promise<ToolResult> {
  try {
    return await collect(talk, call, begun);
  } catch (error) {
    // What is in its place now is no reason to end the session.
    if (!(error instanceof ToolRefusal) && getSystemCode(error) === undefined) throw error;
    return refuse(`${CUT_OFF}: ${talk.site.clean((error as Error).message)}`);
  }
}

async function collect(talk: CallSite, { id, name, input: text }: CallBlock, begun: BegunCall): Promise<ToolResult> {
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
  if (now !== before) return refuse(`${CUT_OFF}: ${path} is neither as it was nor as it was to be`);
  return tellAfter(talk, about, await carryOutPlan(await tool.prepare(read.input, site)));
}

/** A writer that was killed leaves what it had not yet put in its place: beside it, the name with a number, and the same content. */
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
  tool: Tool;
  input: JsonObject;
  text: string;
}

/** What hooks and wings say of a call behind its result. */
async function tellAfter(
  talk: CallSite,
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
  { session, judging, hooks, site, warn }: CallSite,
  moment: 'PreToolUse' | 'PostToolUse',
  { id, tool, text }: CallAbout,
  result?: ToolResult,
): Promise<HookOutcome> {
  const call = { session: session.id, mode: judging.mode, id, tool: tool.name, input: text, ...defined({ result }) };
  const outcome = await runHooks(moment, call, {
    ...hooks,
    cwd: site.workTree,
    signal: site.signal,
    clean: site.clean,
  });
  outcome.warnings.forEach(warn);
  return outcome;
}

/** Tells the wings of a call, as any harness does. @returns before it: why not; after it: what the model is to read */
async function hear(
  talk: CallSite,
  on: 'pre-tool-use' | 'post-tool-use',
  tool: Tool,
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

/** Why a call of something that writes nothing but what is promised may not be made. */
function findForeignWrite({ isReadOnly, site }: CallSite, tool: Tool, input: JsonObject): string | null {
  const target = tool.target(input);
  if (!isReadOnly || tool.needs === 'read-only' || target === null || 'command' in target) return null;
  return site.promised.includes(resolve(site.workTree, target.path))
    ? null
    : `this task writes nothing but ${site.promised.join(', ')}`;
}

function describe({ judging, site, isReadOnly }: CallSite, tool: Tool, input: JsonObject): JudgedCall {
  const named = tool.target(input);
  // Rules hold for where a path leads, however it is written.
  const place = named === null || 'command' in named ? null : findPlace(named.path, site);
  const isInTree = place !== null && !isAbsolute(place.name);
  const target = readTarget(tool, input, {
    workTree: site.workTree,
    ...(isInTree && { real: join(site.workTree, place.name) }),
  });
  const isSecret = 'paths' in target && [...target.paths, place?.name ?? ''].some(isSecretFile);
  const about = { name: tool.name, needs: tool.needs, target, isSecret };
  // What such a task may write, `findForeignWrite` says; no rule widens it.
  if (!isReadOnly) return { ...judging, ...about };
  return {
    ...judging,
    ...about,
    rules: { ...judging.rules, allow: [] },
    mode: 'paths' in target ? judging.mode : 'read-only',
  };
}

function findPlace(path: string, site: CallSite['site']): Place | null {
  try {
    return locate(path, site);
  } catch (error) {
    // The tool itself says why.
    if (error instanceof ToolRefusal) return null;
    throw error;
  }
}

const siteOf = ({ site, session }: CallSite, n: number): ToolSite => ({
  ...site,
  directory: join(session.directory, 'calls', String(n)),
});
