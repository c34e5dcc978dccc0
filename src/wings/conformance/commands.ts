import type { HandlersOf } from '../../protocol/ports.js';
import type { CONFORMANCE_SPECS } from './specs.js';

/** What carries out the commands of the conformance suite. */
export const HANDLERS: HandlersOf<typeof CONFORMANCE_SPECS> = {
  'conformance run': async (context, input, call) => (await import('./run.js')).run(context, input, call),
  'conformance validate': async (context, { directory }, { cwd }) =>
    (await import('./validate.js')).validate(context, directory, cwd),
};
