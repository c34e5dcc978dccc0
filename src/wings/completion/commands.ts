import type { HandlersOf } from '../../protocol/ports.js';
import type { COMPLETION_SPECS } from './specs.js';

/** Handlers of the completion commands. */
export const HANDLERS: HandlersOf<typeof COMPLETION_SPECS> = {
  'completion install': async (context, input, { env }) =>
    (await import('./install.js')).changeCompletion(context, { ...input, command: 'install' }, env),
  'completion uninstall': async (context, input, { env }) =>
    (await import('./install.js')).changeCompletion(context, { ...input, command: 'uninstall' }, env),
};
