import type { Ports, Readings } from '../protocol/ports.js';

/**
 * What wings add to the core: each wing is a room of its own, imported here, and for its commands in wings.ts. The questions take their
 * sections alone, so that nothing else of a wing is bundled with them; what a handler needs much code for, it loads itself.
 */
export const SECTIONS: Ports['sections'] = [];

/** All of it. */
export const PORTS: Ports = { sections: SECTIONS, checks: [], hookHandlers: [] };

/** What the thread reads: `visible` for the core, the others for wings. */
export const READINGS: Readings = {
  visible: async (given) => (await import('../plan/markdown/visible.js')).showVisible(given),
  plan: async (given) => (await import('../wings/plan-import/import-plan.js')).importPlan(given),
};
