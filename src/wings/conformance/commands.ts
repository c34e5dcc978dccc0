import type { HandlersOf } from '../../protocol/ports.js';
import type { CONFORMANCE_SPECS } from './specs.js';

/** Handlers of the conformance commands. */
export const HANDLERS: HandlersOf<typeof CONFORMANCE_SPECS> = {
  'conformance run': async (context, input, call) => (await import('./run.js')).runConformance(context, input, call),
  'conformance validate': async (context, { directory }, { cwd }) =>
    (await import('./validate.js')).validateConformance(context, directory, cwd),
};
