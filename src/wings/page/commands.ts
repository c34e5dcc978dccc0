import type { HandlersOf } from '../../protocol/ports.js';
import type { PAGE_SPECS } from './specs.js';

/** What carries out the commands that show a project to people. */
export const HANDLERS: HandlersOf<typeof PAGE_SPECS> = {
  ci: async (...given) => (await import('./ci/ci.js')).checkProject(...given),
};
