import type { HookEvent, OwnGroup, Ports, Readings } from '../protocol/ports.js';

/**
 * What wings add to the core besides commands (wings.ts). Nothing else imports a wing, but for what answers hooks by itself
 * (judging.ts, hearing.ts). Every call loads this file, so each row loads what it needs; programs of their own take what is apart: the
 * questions `SECTIONS`, those of hooks `ALSO_HEARD`, the thread `READINGS`.
 */
export const SECTIONS: Ports['sections'] = [];

/** The events that a wing hears of which hearing.ts does not have: no program of its own answers these. */
export const ALSO_HEARD: readonly HookEvent['on'][] = [];

/** Groups of tools that are no commands, by what `mcp --tools` calls them. */
export const OWN_GROUPS: Readonly<Record<string, () => Promise<OwnGroup>>> = {
  neutral: async () => (await import('../wings/neutral/group.js')).GROUP,
};

/** What goes into the context of a call. */
export const createPorts = (): Ports => ({
  sections: SECTIONS,
  checks: [async () => (await import('../wings/neutral/checks.js')).CHECKS],
  hookHandlers: [
    // First: the next ones may keep an agent from stopping.
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
    const [{ tellOpen }, { openLoop }, { listWaiting }] = await Promise.all([
      import('../wings/loop/inbox/items.js'),
      import('../wings/loop/streams.js'),
      import('../wings/memory/runs.js'),
    ]);
    // What this machine has of the loop is enough here: nothing is asked of elsewhere while a session begins.
    return (context) => tellOpen({ listWaiting }, { context, streams: openLoop(context) });
  },
  config: async () => (await import('../wings/loop/trust.js')).describeConfig,
});

/** What warns of hooks that are installed and not heard (harness.md, Sessions). */
export const loadWarner = (): Promise<typeof import('../wings/harness/doctor/unheard.js')> =>
  import('../wings/harness/doctor/unheard.js');

/** What the thread reads: `visible` for the core, the others for wings. */
export const READINGS: Readings = {
  visible: async (given) => (await import('../plan/markdown/visible.js')).showVisible(given),
  plan: async (given) => (await import('../wings/plan-import/import-plan.js')).importPlan(given),
};
