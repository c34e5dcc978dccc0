import { omitUndefined } from '../../base/defined.js';
import {
  type Disposition,
  type EnginePolicies,
  type EngineProgram,
  FINAL_STAGES,
  type TodoStage,
} from '../../machine/engine-program.js';
import { ENGINE_BLOCK, HANDLERS, type HandlerSpec, isEnabled, toStageId } from '../../registry/handlers.js';
import { listConditions } from '../conditions/text.js';
import type { ResolvedEngine, ResolvedHandler, ResolvedRecipe } from '../resolved.js';
import type { ProblemLog } from '../source/report.js';
import type { EngineSource, OwnHandlerSource } from '../source/schema-engine.js';
import { quoteWord } from '../source/yaml.js';
import { listTemplates, namesGoal } from '../texts.js';
import { resolveCommand } from './command.js';
import { resolveCleanup, resolveHeader, resolveMode } from './header.js';
import { buildProgram } from './program.js';
import { type ReadSibling, readSiblingText } from './text.js';

/** Functions that read the texts an engine recipe uses. */
export interface EngineReaders {
  /** Reads a file beside the recipe. */
  beside: ReadSibling;
  /** Reads a file of the dev-cli package by its path in the package. */
  shipped: ReadSibling;
}

/**
 * The order in which triage tries its decisions if the recipe states no `triage_precedence`; the first that applies
 * wins.
 */
export const DEFAULT_PRECEDENCE: readonly Disposition[] = ['halt', 'adapt', 'retry'];

/** Preferences that the engine reads in every recipe. */
const PREFERENCES = ['approve_commands', 'pull_request'];

/**
 * Fills in every default of an engine recipe (engine.md, Shape; recipes.md, Defaults). Problems are reported; the
 * result is usable only if none of them is an error.
 */
export function resolveEngineRecipe(source: EngineSource, report: ProblemLog, readers: EngineReaders): ResolvedRecipe {
  const blocks = [
    { id: ENGINE_BLOCK, kind: 'engine', onError: { kind: 'halt' }, stale: 'warn' } as const,
  ] satisfies ResolvedRecipe['blocks'];
  const engine = resolveEngine(source, report, readers);
  const templates = listTemplates({ blocks, engine, cleanup: resolveCleanup(source) });
  const conditions = listConditions({ blocks, engine });
  return {
    ...resolveHeader(source, templates, conditions, PREFERENCES),
    type: 'engine',
    mode: resolveEngineMode(source),
    draft: { required: [], stated: false },
    usesGoal: namesGoal(templates, conditions),
    usesDraft: false,
    blocks,
    program: buildProgram(blocks),
    engine,
  };
}

/** Resolves the mode of an engine recipe, in which `config.depth` means the same as `mode.depth`. */
export function resolveEngineMode(source: EngineSource): Record<string, string> {
  const depth = source.config?.depth;
  return resolveMode({ ...source, ...(depth === undefined ? {} : { mode: { ...source.mode, depth } }) }, []);
}

function resolveEngine(source: EngineSource, report: ProblemLog, readers: EngineReaders): ResolvedEngine {
  const policies = source.config?.policies ?? {};
  const enabled = HANDLERS.filter((handler) => isEnabled(handler, source.config));
  const shipped = (place: HandlerSpec['place'], ...stages: string[]) =>
    enabled
      .filter((handler) => handler.place === place && (stages.length === 0 || stages.includes(handler.stage)))
      .map((handler) => [handler.stage, resolveShippedHandler(handler, report, readers)] as const);
  const own = source.handlers ?? {};
  const resolved = (names: readonly string[]) =>
    names.map(
      (name) => [toStageId(name), resolveOwnHandler(name, own[name] as OwnHandlerSource, report, readers)] as const,
    );
  const early = sortHandlers(own, 'worker');
  const late = sortHandlers(own, 'verify');
  // A handler whose `after` names no stage is an error. It is resolved anyway, so that its other faults are reported.
  const lost = Object.keys(own).filter((key) => !early.includes(key) && !late.includes(key));
  const todo = [
    ...shipped('todo', 'worker'),
    ...resolved(early),
    ...shipped('todo', 'verify'),
    ...resolved([...late, ...lost]),
    ...shipped('todo', 'wrapUp', 'commit'),
  ];
  const finalize = shipped('finalize');
  const program: EngineProgram = {
    stages: todo.map(([id, { actor, when }]): TodoStage => ({ id, actor, ...omitUndefined({ when }) })),
    finalize: FINAL_STAGES.filter((stage) => finalize.some(([id]) => id === stage)),
    policies: resolvePolicies(policies),
  };
  return { program, handlers: Object.fromEntries([...shipped('start'), ...todo, ...finalize]) };
}

function resolvePolicies(stated: NonNullable<NonNullable<EngineSource['config']>['policies']>): EnginePolicies {
  return {
    maxRetries: stated.max_retries ?? 3,
    adaptDepthLimit: stated.adapt_depth_limit ?? 1,
    maxDynamicTodos: stated.max_dynamic_todos ?? 3,
    parallelLimit: stated.parallel_limit ?? 4,
    triagePrecedence: stated.triage_precedence ?? DEFAULT_PRECEDENCE,
    mustNot: stated.must_not ?? 'retry',
    ...omitUndefined({ assertionsAt: stated.assertions_at }),
    maxFixRounds: stated.max_fix_rounds ?? 2,
  };
}

function resolveShippedHandler(handler: HandlerSpec, report: ProblemLog, { shipped }: EngineReaders): ResolvedHandler {
  const { id, key, actor, agent, prompt: promptFile } = handler;
  const found = promptFile === undefined ? null : shipped(promptFile);
  const prompt = found !== null && 'text' in found ? found.text : undefined;
  if (promptFile !== undefined && prompt === undefined) {
    report.error(['name'], `${quoteWord(promptFile)} is missing from this installation of dev-cli.`, {
      fix: 'Install dev-cli again.',
    });
  }
  return {
    key,
    shipped: id,
    actor,
    ...omitUndefined({ agent, prompt }),
    ...(promptFile === undefined ? {} : { promptFile: `dev-cli:${promptFile}` }),
  };
}

function resolveOwnHandler(
  key: string,
  stated: OwnHandlerSource,
  report: ProblemLog,
  { beside }: EngineReaders,
): ResolvedHandler {
  const when = stated.when === undefined ? {} : { when: stated.when };
  const place = ['handlers', key];
  switch (stated.actor) {
    case 'subagent': {
      const prompt = readSiblingText(stated.promptFile, [...place, 'promptFile'], report, beside);
      return {
        key,
        shipped: null,
        actor: 'subagent',
        agent: stated.agent,
        ...(prompt === null ? {} : { prompt }),
        ...omitUndefined({ promptFile: stated.promptFile }),
        ...when,
      };
    }
    case 'cli': {
      const resolved = resolveCommand(stated.command, stated, [...place, 'command'], report);
      if (resolved?.kind === 'own' || resolved?.command.argv[0] === 'dev-cli') {
        report.error([...place, 'command'], 'A handler runs an external command, not a `dev-cli` command.', {
          fix: 'Name a program of the project, such as `npm run audit`.',
        });
      }
      const command = resolved?.kind === 'external' ? { command: resolved.command } : {};
      return { key, shipped: null, actor: 'cli', ...command, ...when };
    }
    case 'human':
      return { key, shipped: null, actor: 'human', message: stated.message.trim(), ...when };
  }
}

type OwnHandlers = Readonly<Record<string, OwnHandlerSource>>;

/** The stage that a handler without `after` follows. */
const DEFAULT_AFTER = 'verify';

/** The shipped stages that an own handler can follow. */
export const SHIPPED_ANCHORS: readonly string[] = ['worker', DEFAULT_AFTER];

/** Returns the key of the stage or handler that a handler follows. */
function getAnchor(handler: OwnHandlerSource | undefined): string {
  return handler?.after ?? DEFAULT_AFTER;
}

/**
 * Lists the own handlers that follow `anchor`, directly or through other handlers, in the order in which they run: file
 * order, except that each handler is followed at once by those whose `after` names it (engine.md, Own handlers). A
 * handler whose `after` names no stage, or leads into a cycle, is in no list.
 */
function sortHandlers(handlers: OwnHandlers, anchor: string): string[] {
  return Object.keys(handlers)
    .filter((key) => getAnchor(handlers[key]) === anchor && !SHIPPED_ANCHORS.includes(key))
    .flatMap((key) => [key, ...sortHandlers(handlers, key)]);
}

/** Finds cycles of `after`: `[a, b]` if a and b follow each other. Each begins with its first handler in the file. */
export function findHandlerCycles(handlers: OwnHandlers): string[][] {
  const known = new Set<string>();
  return Object.keys(handlers).flatMap((start) => {
    const path: string[] = [];
    for (let key = start; Object.hasOwn(handlers, key) && !known.has(key); key = getAnchor(handlers[key])) {
      if (path.includes(key)) {
        for (const met of path) known.add(met);
        return [path.slice(path.indexOf(key))];
      }
      path.push(key);
    }
    for (const met of path) known.add(met);
    return [];
  });
}
