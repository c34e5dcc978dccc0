import type { Ports } from '../protocol/ports.js';

/**
 * What wings add to the core: each wing is a room of its own, imported here, and for its commands in wings.ts. The questions take their
 * sections alone, so that nothing else of a wing is bundled with them; what a handler needs much code for, it loads itself.
 */
export const SECTIONS: Ports['sections'] = [];

/** All of it. */
export const PORTS: Ports = { sections: SECTIONS, checks: [], hookHandlers: [] };
