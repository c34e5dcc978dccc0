import { dirname } from 'node:path';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { RunnerProcesses } from '../../jobs/runner-process.js';
import { dispatchHook, type Handler, type WithPorts } from '../../protocol/ports.js';
import type { Context } from '../../run/context.js';
import { bindSession } from '../../run/other-executions.js';
import type { EmitEntry } from './answer.js';
import { readLimits, sumRunUsage, type UsageTotal } from './bill.js';
import { type RuntimeConfig, type RuntimeFlags, readRuntimeConfig, runtimeInvalidError } from './config.js';
import type { ActiveSession } from './converse.js';
import { createLedger } from './core/budget.js';
import { findModel } from './core/models.js';
import { renderDynamicPrompt, renderStaticPrompt } from './core/prompt.js';
import { findToolName, parseRules } from './core/rules.js';
import { countTokens } from './core/usage.js';
import { connectServers, type Servers } from './mcp.js';
import { type ChosenModel, listKeyVariables, resolveModel } from './models.js';
import { createApprove } from './permissions/ask.js';
import { type Effort, type Provider, ProviderFault } from './provider.js';
import { type Opening, takeSession } from './sessions/session.js';
import { readSurroundings } from './surroundings.js';
import { createCleaner } from './tools/bounds.js';
import { probeSandbox, type Sandbox } from './tools/sandbox.js';
import { SPECS } from './tools/specs.js';
import type { SessionTool } from './tools/tool.js';
import { createTools } from './tools/tools.js';
import { openWire } from './wires/open-wire.js';

/** The input that `drive` and `prompt` share. */
interface AskInput extends Omit<RuntimeFlags, 'mode'> {
  mode?: RuntimeConfig['mode'];
  maxCost?: string;
  maxTokens?: number;
  maxMinutes?: number;
  ask?: boolean;
  tools?: readonly string[];
}

/** The call that opens the runtime. */
export interface RuntimeCall {
  context: Context & WithPorts;
  input: AskInput;
  call: Pick<Parameters<Handler<never>>[2], 'cwd' | 'env'>;
  emit: EmitEntry;
  kind: 'prompt' | 'drive';
  /** The run that is driven. */
  run?: { name: string; runId: string };
}

/** How to open a session. */
interface TalkOpening extends Omit<Opening, 'model'> {
  /** The role; the session's model depends on it. Null for the main agent. */
  role: string | null;
  promised: readonly string[];
  isReadOnly: boolean;
  /** Tools that only this session has. */
  tools: readonly SessionTool[];
  isOver: () => boolean;
}

/** Everything that the sessions of a call share. */
export interface Runtime {
  config: RuntimeConfig;
  sandbox: Sandbox | null;
  model: ChosenModel;
  /** Returns what a session's requests would contain, apart from the messages. Starts nothing. */
  describe(kind: Opening['kind'], own: readonly SessionTool[]): Promise<ActiveSession['asks']>;
  /** Begins a session, or resumes an existing one. @throws DevCliError `LOCKED`, `RUNTIME_INVALID`, `IO` */
  open(opening: TalkOpening): Promise<ActiveSession>;
  total(): Promise<UsageTotal>;
  /** Returns whether the time limit `--max-minutes` has passed. */
  isLate(): boolean;
  close(): Promise<void>;
}

/** Maximum tokens of an answer. */
const MAX_OUTPUT = 16_000;
/** An answer may take up at most one of this many equal parts of the context window. */
const WINDOW_PARTS = 4;
const TOOL_NAMES = Object.keys(SPECS);

/**
 * Prepares everything that the sessions of a call share; sends nothing.
 * @throws DevCliError `RUNTIME_INVALID` with the faults found; `PREFERENCES_INVALID`, `IO`
 */
export async function openRuntime(scene: RuntimeCall): Promise<Runtime> {
  const { context, input, call, emit, kind, run } = scene;
  const { signal, root, workTree, home } = context;
  const config = readRuntimeConfig(context, input, call);
  const { rules, problems } = parseRules(config.rules, TOOL_NAMES);
  if (problems.length > 0)
    throw runtimeInvalidError(
      'A permission rule is not valid.',
      problems.map(({ rule, problem }) => ({ target: rule, problem })),
      'Fix the rule, then repeat the same call.',
    );
  const place = { env: { ...call.env }, home, cwd: call.cwd };
  const model = await resolveModel(config.model, config, place);
  const chosen = await chooseAll(model, config, place);
  const unpriced = [...chosen.keys()].find((full) => findModel(full, config.models).prices === null);
  const limits = readLimits(input, unpriced ?? null, context.clock.now());
  const hidden = listKeyVariables(config);
  const env = Object.fromEntries(
    Object.entries(call.env).flatMap(([name, value]) =>
      value === undefined || hidden.includes(name) ? [] : [[name, value]],
    ),
  ) as Record<string, string>;
  const keys = [...[...chosen.values()].map(({ key }) => key ?? ''), ...hidden.map((name) => place.env[name] ?? '')];
  // Commands of the run inherit the environment of this process, so the keys are removed from it.
  for (const name of hidden) delete process.env[name];
  const sandbox = await probeSandbox(config.sandbox, { env, network: config.network, signal });
  if (sandbox === 'missing')
    throw runtimeInvalidError(
      'The sandbox cannot be used here.',
      [{ target: 'sandbox', problem: 'bwrap is missing or does not work' }],
      'Install bubblewrap, or set `sandbox: auto`.',
    );
  const before = await sumRunUsage(context, run);
  const spent = { tokens: countTokens(before.usage), cost: before.cost };
  const ledger = createLedger({ limits, spent, clock: context.clock });
  // Started without waiting: git runs while everything else is loaded. `open` waits for it.
  const surroundings = readSurroundings(context, call.cwd);
  surroundings.catch(() => {});
  const runners = new RunnerProcesses();
  const warnings = [...config.warnings];
  const wires = new Map<string, Promise<{ model: ChosenModel; provider: Provider }>>();
  const opened = new Set<string>();
  let servers: Promise<Servers> | null = null;
  const warn = (line: string): void => {
    if (!warnings.includes(line)) warnings.push(line);
  };
  const wire = (full: string | null): Promise<{ model: ChosenModel; provider: Provider }> => {
    const asked = chosen.get(full ?? '') ?? model;
    const made = wires.get(asked.full) ?? openFor(asked);
    wires.set(asked.full, made);
    return made;
  };
  const openFor = async (asked: ChosenModel) => {
    try {
      return { model: asked, provider: await openWire(asked, { timeouts: config.timeouts, clock: context.clock }) };
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      throw runtimeInvalidError(error.message, [{ target: `providers.${asked.provider}`, problem: error.message }]);
    }
  };
  const connect = async (): Promise<readonly SessionTool[]> => {
    if (Object.keys(config.mcpServers).length === 0) return [];
    servers ??= connectServers(config.mcpServers, {
      cwd: workTree,
      env,
      clientInfo: { name: 'dev-cli', version: context.cliVersion },
      signal,
    }).catch((error: unknown) => {
      throw signal.aborted ? new DevCliError('INTERRUPTED', 'Interrupted; nothing was sent.') : error;
    });
    const { tools, warnings: told } = await servers;
    told.forEach(warn);
    return tools;
  };
  const buildAsks = async (
    id: string,
    {
      kind: one,
      tools,
      told,
      effort,
    }: { kind: Opening['kind']; tools: readonly SessionTool[]; told: string | null; effort: Effort | undefined },
  ): Promise<ActiveSession['asks']> => ({
    model: id,
    system: [
      { text: renderStaticPrompt(one), cached: true },
      { text: renderDynamicPrompt({ ...(await surroundings), told }), cached: false },
    ],
    tools: tools.map(({ name, description, schema }) => ({ name, description, schema })),
    ...omitUndefined({ effort }),
  });
  const makeTools = (read: Map<string, string>): SessionTool[] =>
    createTools({
      marks: { digestAtRead: (path) => read.get(path) ?? null, note: (path, digest) => void read.set(path, digest) },
      ...{ sandbox, env, hidden: [], runner: context.runner, runners },
    });
  return {
    config,
    sandbox,
    model,
    async describe(one, own) {
      const tools = [...chooseTools(makeTools(new Map()), input.tools), ...own];
      return buildAsks(model.id, { kind: one, tools, told: null, effort: config.effort });
    },
    async open({ role, promised, isReadOnly, tools: own, isOver, ...opening }) {
      const choice = config.roles[role ?? 'default']?.drive ?? config.roles['default']?.drive;
      const { model: asked, provider } = await wire(choice?.model ?? null);
      const served = await connect();
      // The git status must be read before a session can change files.
      await surroundings;
      const known = findModel(asked.full, config.models);
      if (known.warning !== undefined) warn(known.warning);
      const caller = { kind: 'agent', via: kind, harness: 'dev-cli', session: opening.id } as const;
      const session = await takeSession(context, { ...opening, model: asked.full }, caller, emit);
      try {
        opened.add(session.id);
        const within = {
          ...context,
          caller: { ...caller, ...(opening.work?.agent !== undefined && { agent: opening.work.agent }) },
        };
        if (opening.work !== null) await bindSession(within, session.id, opening.work.run);
        const { tell } = await dispatchHook(within, {
          on: 'session-start',
          cause: session.state.messages > 0 ? 'resume' : 'startup',
          session: session.id,
          cwd: workTree,
        });
        const read = new Map(Object.entries(session.state.read));
        const tools = [...chooseTools([...makeTools(read), ...served], input.tools), ...own];
        return {
          ...{ session, provider, ledger, isOver, warn, isReadOnly, read },
          facts: known,
          asks: await buildAsks(asked.id, {
            ...{ kind: opening.kind, tools, told: kind === 'prompt' ? tell.join('\n\n') : null },
            effort: choice?.effort ?? config.effort,
          }),
          maxOutput: boundOutput(known.window),
          iterations: config.iterations,
          tools: new Map(tools.map((tool) => [tool.name, tool])),
          judging: { mode: config.mode, rules, isDriven: kind === 'drive', isInSandbox: sandbox !== null },
          approve: createApprove(input.ask === true && context.caller.terminal === true ? context.ask : null),
          hooks: { hooks: config.hooks, env },
          context: within,
          agent: opening.work?.agent === undefined ? null : { id: opening.work.agent, type: role },
          site: { workTree, root, promised, own: dirname(dirname(context.runner)), clean: createCleaner(keys), signal },
          async leave() {
            await dispatchHook(within, { on: 'session-end', session: session.id, cwd: workTree });
            session.release();
          },
        };
      } catch (error) {
        session.release();
        throw error;
      }
    },
    isLate: () => !ledger.hasTime(0),
    async total() {
      const sum = await sumRunUsage(context, run, opened);
      sum.warnings?.forEach(warn);
      return { ...sum, ...(warnings.length > 0 && { warnings }) };
    },
    async close() {
      runners.release();
      await servers?.then(
        (begun) => begun.close(),
        () => {},
      );
    },
  };
}

const boundOutput = (window: number | null): number =>
  window === null ? MAX_OUTPUT : Math.min(MAX_OUTPUT, Math.floor(window / WINDOW_PARTS));

/**
 * Resolves the main model and those of all roles now, so that a fault in any of them is reported before a request is
 * sent.
 */
async function chooseAll(
  main: ChosenModel,
  config: RuntimeConfig,
  place: Parameters<typeof resolveModel>[2],
): Promise<ReadonlyMap<string, ChosenModel>> {
  const chosen = new Map([[main.full, main]]);
  for (const { drive } of Object.values(config.roles)) {
    const full = drive?.model;
    if (full !== undefined && !chosen.has(full)) chosen.set(full, await resolveModel(full, config, place));
  }
  return chosen;
}

/** Selects the tools that `--tools` names. @throws DevCliError `USAGE` for an unknown tool */
function chooseTools(all: readonly SessionTool[], named: readonly string[] | undefined): readonly SessionTool[] {
  if (named === undefined) return all;
  const known = all.map(({ name }) => name);
  const chosen = named.map((name) => {
    const found = findToolName(name, known);
    if (found !== null && known.includes(found)) return found;
    throw new DevCliError('USAGE', `There is no tool ${JSON.stringify(name.slice(0, 80))}.`, {
      fix: `The tools are ${known.join(', ')}.`,
    });
  });
  return all.filter(({ name }) => chosen.includes(name));
}
