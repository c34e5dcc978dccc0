import type { HookEvent, OwnGroup, Ports, Readings } from '../protocol/ports.js';
import type { Context } from '../run/context.js';

/**
 * What wings add to the core besides commands. Only this file, wings.ts and the programs that answer hooks (judging.ts,
 * hearing.ts) import wings. Every call loads this file, so each row imports its module only when used. The constants
 * outside `createPorts` serve programs that load less code than the whole dev-cli: `SECTIONS` the program for questions
 * (questions.ts), `ALSO_HEARD` those for hooks, `READINGS` the worker thread (importer.ts).
 */
export const SECTIONS: Ports['sections'] = [];

/** Events for which a wing has a handler that hearing.ts lacks: only the whole program answers these. */
export const ALSO_HEARD: readonly HookEvent['on'][] = [];

/** Groups of tools that have no command behind them, by the name that `mcp --tools` uses. */
export const OWN_GROUPS: Readonly<Record<string, () => Promise<OwnGroup>>> = {
  neutral: async () => (await import('../wings/neutral/group.js')).GROUP,
};

/** Creates the ports that go into the context of a call. */
export const createPorts = (): Ports => ({
  sections: SECTIONS,
  checks: [async () => (await import('../wings/neutral/checks.js')).CHECKS],
  hookHandlers: [
    // First, because a later handler may refuse to let an agent stop, which skips all handlers after it.
    async () => (await import('../wings/neutral/hooks.js')).HANDLERS,
    async () => (await import('../wings/harness/hooks/handlers.js')).HANDLERS,
    async () => (await import('../wings/memory/hooks.js')).HANDLERS,
  ],
  skills: async () => (await import('../wings/harness/install/find-harnesses.js')).SKILL_DIRECTORIES,
  installs: [async () => (await import('../wings/authoring/new/stale-skills.js')).listAllStaleSkills],
  audits: [async () => (await import('../wings/authoring/audit.js')).auditRecipes],
  extras: [async () => (await import('../wings/memory/extra.js')).MEMORY_EXTRA],
  looks: [async () => (await import('../wings/memory/look.js')).lookAtMemory],
  setUp: async () => (await import('../wings/loop/set-up.js')).setUpLoop,
  tellInbox: async () => {
    const [{ describeOpenItems: tellOpen }, { openLoop }, { listWaiting }] = await Promise.all([
      import('../wings/loop/inbox/items.js'),
      import('../wings/loop/streams.js'),
      import('../wings/memory/runs.js'),
    ]);
    // Counts only what this machine already knows about the loop, so that a starting session waits for no network.
    return (context) => tellOpen({ listWaiting }, { context, streams: openLoop(context) });
  },
  config: async () => (await import('../wings/loop/trust.js')).describeConfig,
});

/** Renders how many goals wait for a person; empty if there are none (view.md, Home). */
export async function describeWaitingGoals(context: Context): Promise<string> {
  const [{ describeOpenItems: tellOpen }, { openLoop }] = await Promise.all([
    import('../wings/loop/inbox/items.js'),
    import('../wings/loop/streams.js'),
  ]);
  // Runs that wait are rows of home.
  return tellOpen({ listWaiting: async () => [] }, { context, streams: openLoop(context) });
}

/** Loads the module that warns of hooks that are installed but do not run (harness.md, Sessions). */
export const loadWarner = (): Promise<typeof import('../wings/harness/doctor/unheard.js')> =>
  import('../wings/harness/doctor/unheard.js');

/**
 * The readers of foreign text that can run in the worker thread (importer.ts). `visible` belongs to the core, the
 * others to wings.
 */
export const READINGS: Readings = {
  visible: async (given) => (await import('../plan/markdown/visible.js')).stripHiddenText(given),
  plan: async (given) => (await import('../wings/plan-import/import-plan.js')).importPlan(given),
};
