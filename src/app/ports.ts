import type { Ports, Readings } from '../protocol/ports.js';

/**
 * What wings add to the core besides commands (wings.ts). Nothing else imports a wing, but for the guard that answers by itself
 * (judging.ts). Every call loads this file, so each row loads what it needs; the questions take their sections alone.
 */
export const SECTIONS: Ports['sections'] = [];

/** Handlers of hooks besides those of the wing that has the guard: where there are any, the guard does not answer by itself. */
export const FURTHER_HANDLERS: Ports['hookHandlers'] = [];

/** What goes into the context of a call. */
export const createPorts = (): Ports => ({
  sections: SECTIONS,
  checks: [],
  hookHandlers: [async () => (await import('../wings/harness/hooks/handlers.js')).HANDLERS, ...FURTHER_HANDLERS],
  skills: async () => (await import('../wings/harness/install/find-harnesses.js')).SKILL_DIRECTORIES,
  installs: [async () => (await import('../wings/authoring/new/stale-skills.js')).listAllStaleSkills],
});

/** What warns of hooks that are installed and not heard (harness.md, Sessions). */
export const loadWarner = (): Promise<typeof import('../wings/harness/doctor/unheard.js')> =>
  import('../wings/harness/doctor/unheard.js');

/** What the thread reads: `visible` for the core, the others for wings. */
export const READINGS: Readings = {
  visible: async (given) => (await import('../plan/markdown/visible.js')).showVisible(given),
  plan: async (given) => (await import('../wings/plan-import/import-plan.js')).importPlan(given),
};
