import type { TSchema } from '@sinclair/typebox';
import type { LoadHandlers } from '../protocol/ports.js';
import type { Library } from '../recipe/load/library.js';
import type { OwnTool, SpecGroup } from '../registry/spec.js';
import { AUTHORING_SCHEMAS } from '../wings/authoring/script-schema.js';
import { AUTHORING_SPECS } from '../wings/authoring/specs.js';
import { COMPLETION_SPECS } from '../wings/completion/specs.js';
import { CONFORMANCE_SPECS } from '../wings/conformance/specs.js';
import { FleetConfigSchema } from '../wings/fleet/config-schema.js';
import type { FleetPorts } from '../wings/fleet/ports.js';
import { FLEET_SPECS } from '../wings/fleet/specs.js';
import { HARNESS_SPECS } from '../wings/harness/specs.js';
import { DecisionSchema } from '../wings/loop/decisions/schemas.js';
import { LoopEventSchema } from '../wings/loop/events/schema.js';
import type { OpenFleet } from '../wings/loop/fleet-port.js';
import { ResultSchema, TaskSchema } from '../wings/loop/packets/schemas.js';
import { LoopConfigSchema, LoopGoalsSchema } from '../wings/loop/schemas.js';
import { LOOP_SPECS } from '../wings/loop/specs.js';
import { LoopSchema } from '../wings/loop/state-schema.js';
import { BookSchema } from '../wings/memory/book-schema.js';
import { MEMORY_SPECS } from '../wings/memory/specs.js';
import { MEMORY_TOOLS } from '../wings/memory/tools.js';
import { NEUTRAL_SPECS } from '../wings/neutral/command-specs.js';
import { CycleSchema, PlanSchema, TasksSchema, TrackerSchema } from '../wings/neutral/schemas.js';
import { NEUTRAL_CALLS } from '../wings/neutral/specs.js';
import type { DrawRun } from '../wings/page/documents.js';
import { PAGE_SPECS } from '../wings/page/specs.js';
import { PLAN_IMPORT_SPECS } from '../wings/plan-import/specs.js';
import { RuntimeConfigSchema } from '../wings/runtime/config-schema.js';
import { PublishedSchema } from '../wings/runtime/core/published-schema.js';
import { SessionStateSchema } from '../wings/runtime/sessions/state-schema.js';
import { RUNTIME_SPECS } from '../wings/runtime/specs.js';

/** What `npm run generate` and `npm run docs` read from a wing. */
interface Described extends SpecGroup {
  /** Schemas of files and documents that others write (scripts/catalogue.ts), by name. */
  schemas?: Readonly<Record<string, TSchema>>;
  /** Tools without a command, by the name of the generated file from which the wing reads them. */
  ownTools?: Readonly<Record<string, readonly OwnTool[]>>;
  /**
   * Pages of docs/ that are generated from the shipped files (scripts/docs.ts), by path; `drawn` names the recipes that
   * have a picture.
   */
  pages?: (shipped: Library, drawn: readonly string[]) => Promise<Readonly<Record<string, () => string>>>;
}

/**
 * The wings with the commands they add. Parser, help, completion and docs are generated from this table, in this order.
 */
export const WINGS: Readonly<Record<string, Described>> = {
  harness: {
    specs: HARNESS_SPECS,
    words: { guard: 'Decides what tools may write while a run is live.' },
    after: 'pull-request open',
  },
  authoring: {
    specs: AUTHORING_SPECS,
    words: { recipe: 'Write, look at, check and try recipes.' },
    after: 'pull-request open',
    schemas: AUTHORING_SCHEMAS,
    pages: async (...given) => (await import('../wings/authoring/graph/command.js')).drawPages(...given),
  },
  'plan-import': { specs: PLAN_IMPORT_SPECS, after: 'plan summary' },
  memory: {
    specs: MEMORY_SPECS,
    tools: MEMORY_TOOLS,
    words: { memory: 'What the next session should know.', handoff: 'What one session leaves to the next.' },
    after: 'pull-request open',
    schemas: { 'memory-book': BookSchema },
  },
  loop: {
    specs: LOOP_SPECS,
    words: {
      attempt: 'What was tried for a goal.',
      queue: 'Goals for workers of any kind.',
      inbox: 'What waits for a person.',
      events: 'The log of everything the loop did.',
      decision: 'Questions settled by measuring.',
      protocol: 'Goals handed out and results handed in, as files.',
    },
    after: 'pull-request open',
    schemas: {
      'loop-config': LoopConfigSchema,
      'loop-goals': LoopGoalsSchema,
      'loop-state': LoopSchema,
      'loop-event': LoopEventSchema,
      'loop-decision': DecisionSchema,
      'protocol-task': TaskSchema,
      'protocol-result': ResultSchema,
    },
  },
  fleet: {
    specs: FLEET_SPECS,
    words: { fleet: 'Goals shared among many machines.' },
    after: 'pull-request open',
    schemas: { fleet: FleetConfigSchema },
  },
  runtime: {
    specs: RUNTIME_SPECS,
    words: { session: 'Conversations of the agent runtime.' },
    after: 'pull-request open',
    schemas: {
      runtime: RuntimeConfigSchema,
      'runtime-session': SessionStateSchema,
      'runtime-published': PublishedSchema,
    },
  },
  page: { specs: PAGE_SPECS, after: 'pull-request open' },
  conformance: {
    specs: CONFORMANCE_SPECS,
    words: { conformance: 'Checks whether a server keeps the neutral contract.' },
    after: 'pull-request open',
  },
  neutral: {
    specs: NEUTRAL_SPECS,
    words: { nexus: 'One plan for every tool, in .nexus/.' },
    after: 'pull-request open',
    schemas: {
      'nexus-plan': PlanSchema,
      'nexus-tasks': TasksSchema,
      'nexus-cycle': CycleSchema,
      'nexus-tracker': TrackerSchema,
    },
    ownTools: { 'neutral-calls': NEUTRAL_CALLS },
  },
  completion: {
    specs: COMPLETION_SPECS,
    words: { completion: 'What your shell offers at the Tab key.' },
    after: 'pull-request open',
  },
};

/** What draws the recipe of a run for the page, by the wing that provides it. */
const DRAWINGS: Readonly<Record<string, DrawRun>> = {
  authoring: async (...given) => (await import('../wings/authoring/graph/command.js')).drawRun(...given),
};

/**
 * The handlers of each wing's commands, by the same names as in `WINGS`. They are not in `WINGS` itself, because the
 * bundler cannot leave out part of an object: every call would then load the specifications in `WINGS` too, which no
 * call needs.
 */
export const HANDLERS: Readonly<Record<string, LoadHandlers>> = {
  completion: async () => (await import('../wings/completion/commands.js')).HANDLERS,
  conformance: async () => (await import('../wings/conformance/commands.js')).HANDLERS,
  fleet: async () => (await import('../wings/fleet/commands.js')).createFleetHandlers(loadFleetPorts),
  harness: async () => (await import('../wings/harness/commands.js')).HANDLERS,
  authoring: async () => (await import('../wings/authoring/commands.js')).HANDLERS,
  loop: async () =>
    (await import('../wings/loop/commands.js')).createLoopHandlers({
      tellContext: async (...given) => (await import('../wings/memory/context-command.js')).tellGoal(...given),
      listWaiting: async (context) => (await import('../wings/memory/runs.js')).listWaiting(context),
      openFleet: async (context, fleet, call) => {
        const { openFleetBackend: openBackend } = await import('../wings/fleet/backend.js');
        const backend: unknown = await openBackend((await loadFleetPorts()).loop, context, fleet, call);
        return backend as Awaited<ReturnType<OpenFleet>>;
      },
      askAtGate: async (context, { name, ...input }, call) => {
        const [{ approve }, { createEditor }] = await Promise.all([
          import('../protocol/approve/approve.js'),
          import('./use-cases.js'),
        ]);
        return approve(context, name, input, createEditor(context, call));
      },
    }),
  memory: async () => (await import('../wings/memory/commands.js')).HANDLERS,
  neutral: async () => (await import('../wings/neutral/commands.js')).HANDLERS,
  page: async () => (await import('../wings/page/commands.js')).createPageHandlers(Object.values(DRAWINGS)[0]),
  'plan-import': async () => (await import('../wings/plan-import/commands.js')).HANDLERS,
  runtime: async () => (await import('../wings/runtime/commands.js')).HANDLERS,
};

/** Loads what the fleet needs from the loop's wing, and a way to create a context for a worker's call. */
async function loadFleetPorts(): Promise<FleetPorts> {
  const [{ FLEET_SIDE }, { createContext }] = await Promise.all([
    import('../wings/loop/fleet-side.js'),
    import('./context.js'),
  ]);
  const nobody = { stdinIsTerminal: false, stdoutIsTerminal: false, ask: refuseToAsk, decide: async () => null };
  const openContext: FleetPorts['openContext'] = (call, root, signal) =>
    createContext({ ...call, ...nobody, root, cwd: root, signal, readInput: refuseToAsk }, 'fleet worker');
  // Each of the two wings declares only what it uses of the other's types, so the types match only through `unknown`.
  const loop: unknown = FLEET_SIDE;
  return { loop: loop as FleetPorts['loop'], openContext };
}

function refuseToAsk(): never {
  throw new Error('a worker has no terminal at which to ask');
}
