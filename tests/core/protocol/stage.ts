import { resolve } from 'node:path';
import { DevCliError } from '../../../src/base/errors.js';
import type { FileReader } from '../../../src/base/files.js';
import type { AckInput } from '../../../src/blocks/acknowledgement.js';
import type { MemoryRuns, ProjectMemory } from '../../../src/project/memory.js';
import { DISK_READER } from '../../../src/project/reader.js';
import { stepComplete } from '../../../src/protocol/acknowledge/complete.js';
import { abortNamedRun } from '../../../src/protocol/control/abort.js';
import { stepInvalidate } from '../../../src/protocol/control/invalidate.js';
import { runDocumentCommand } from '../../../src/protocol/documents.js';
import { initRun } from '../../../src/protocol/init/init.js';
import type { InitInput } from '../../../src/protocol/init/prepare.js';
import { createInMemoryContext } from '../../../src/protocol/memory-context.js';
import type { WithPorts } from '../../../src/protocol/ports.js';
import { showManifest } from '../../../src/protocol/questions/manifest.js';
import { showNextAction } from '../../../src/protocol/questions/next.js';
import { showStatus } from '../../../src/protocol/questions/status.js';
import { renderInvocation } from '../../../src/registry/render.js';
import type { Action } from '../../../src/run/action.js';
import { toAction } from '../../../src/run/bare-action.js';
import { runCodec } from '../../../src/run/codec.js';
import type { Context } from '../../../src/run/context.js';
import type { RunState } from '../../../src/run/state.js';
import { scratchDirectory } from '../../support/scratch.js';

const PACKAGE = resolve(import.meta.dirname, '../../..');
/** A directory that stays empty, because there is no repository and everything else is in memory. */
const ROOT = scratchDirectory('stage-');

/** A codec that freezes snapshots. Their copies share parts with them; code that changes a shared part throws. */
const FROZEN: typeof runCodec = { ...runCodec, parse: (text) => frozen(runCodec.parse(text)) };

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(Object.freeze(value))) frozen(member);
  return value;
}

/** The answer of a use case: the document of a success, or the error of a refusal. */
export type Outcome =
  | { ok: true; json: Record<string, unknown> & { next?: Action; warnings?: string[]; duplicate?: boolean } }
  | { ok: false; error: DevCliError };

/**
 * The use cases on a store in memory, for one run. Recipes are given as texts; tests write documents as agents would.
 */
export interface Stage {
  readonly name: string;
  readonly memory: ProjectMemory;
  readonly store: MemoryRuns<RunState>;
  readonly context: Context & WithPorts;
  init(recipe: string, input?: InitInput): Promise<Outcome>;
  complete(input: AckInput): Promise<Outcome>;
  invalidate(step: string): Promise<Outcome>;
  abort(reason: string): Promise<Outcome>;
  document(command: string, input?: Parameters<typeof runDocumentCommand>[2]): Promise<Outcome>;
  /** Returns the output of `next`, byte for byte. */
  next(): Promise<string>;
  /** Returns the text output of `manifest`. */
  manifest(): Promise<string>;
  statusText(): Promise<string>;
  /** Returns the pending action, or `done`. */
  action(): Promise<Action>;
  state(): Promise<RunState>;
  /** Writes a document of the run, outside any commit. */
  put(path: string, text: string): void;
  text(path: string): string | null;
  /** Serializes everything in the store, to check that a call changed nothing. */
  image(): string;
}

interface Options {
  /** Recipes by name, as YAML. */
  recipes: Record<string, string>;
  terminal?: boolean;
}

/** Creates a stage with an empty store. */
export function stage({ recipes, terminal = false }: Options): Stage {
  const name = 'run-1';
  const reader = readerOver(recipes);
  const library = { reader, shipped: PACKAGE, project: ROOT };
  const { signal } = new AbortController();
  const { context: plain, memory, store } = createInMemoryContext({ root: ROOT, library, signal, codec: FROZEN });
  const context: Context & WithPorts = {
    ...plain,
    reader,
    caller: { kind: terminal ? 'human' : 'agent', via: 'test', ...(terminal ? { terminal } : {}) },
    program: ['/nonexistent/node', '/nonexistent/dev-cli.js'],
    runner: '/nonexistent/runner.cjs',
    trustDirectory: '/nonexistent/trusted',
    home: '/home',
    cliVersion: 'test',
  };
  const read = async () => {
    const { snapshot } = await store.read(name);
    if (snapshot === null) throw new Error('no run');
    return snapshot;
  };
  return {
    name,
    memory,
    store,
    context,
    init: (recipe, input = {}) => outcome(initRun(context, name, { recipe, ...input })),
    complete: (input) => outcome(stepComplete(context, name, input)),
    invalidate: (step) => outcome(stepInvalidate(context, name, { step })),
    abort: (reason) => outcome(abortNamedRun(context, name, reason)),
    document: (command, input = {}) => outcome(runDocumentCommand(context, command, { name, ...input })),
    next: async () => JSON.stringify((await showNextAction(context, name, {})).json),
    manifest: async () => (await showManifest(context, name)).text?.(renderInvocation) ?? '',
    statusText: async () => (await showStatus(context, name)).text?.(renderInvocation) ?? '',
    action: async () => {
      const pending = (await read()).pendingAction;
      if (pending === null) throw new Error('nothing pending');
      return toAction(pending);
    },
    state: read,
    put: (path, text) => store.put(name, path, text),
    text: (path) => memory.documents.get(`.dev/specs/${name}/${path}`)?.content.toString('utf8') ?? null,
    image: () =>
      JSON.stringify([
        [...memory.snapshots],
        [...memory.journals].map(([stream, journal]) => [stream, journal.toString('utf8')]),
        [...memory.documents].map(([path, { content }]) => [path, content.toString('utf8')]),
        [...memory.objects.keys()],
      ]),
  };
}

/** Returns the error code of a refusal; `ok` for a success. */
export function codeOf(result: Outcome): string {
  return result.ok ? 'ok' : result.error.code;
}

/** Returns the id of an action that is not `done`. */
export function idOf(action: Action): string {
  if (action.action === 'done') throw new Error('the run has ended');
  return action.actionId;
}

/** Builds a report in the form that the prompt asks for. */
export function report(agent: string, more = ''): string {
  return `---\nagent: ${agent}\ntimestamp: 2026-01-01T00:00:00Z\nsummary: Found it.\n${more}---\n\nThe body.\n`;
}

/** Builds a sequential recipe of these blocks (YAML list items). */
export function recipeOf(name: string, blocks: string, head = ''): string {
  return `name: ${name}\ntype: sequential\nskill: specify\nmode: { depth: quick, interaction: interactive }\n${head}blocks:\n${blocks}`;
}

/** Returns a use case's answer or refusal; throws internal errors, so that no test takes them for refusals. */
export async function outcome(call: Promise<{ json: object }>): Promise<Outcome> {
  try {
    return { ok: true, json: (await call).json as Extract<Outcome, { ok: true }>['json'] };
  } catch (error) {
    if (error instanceof DevCliError && error.code !== 'INTERNAL') return { ok: false, error };
    throw error;
  }
}

function readerOver(recipes: Record<string, string>): FileReader {
  const directory = `${ROOT}/.dev/recipes`;
  const texts = new Map(Object.entries(recipes).map(([name, text]) => [`${directory}/${name}.yaml`, text]));
  return {
    read: (path) => texts.get(path) ?? (path.startsWith(PACKAGE) ? DISK_READER.read(path) : null),
    list: (path) => {
      if (path === directory) return Object.keys(recipes).map((name) => `${name}.yaml`);
      return path.startsWith(PACKAGE) ? DISK_READER.list(path) : [];
    },
  };
}
