import type { HandlersOf } from '../../protocol/ports.js';
import type { RUNTIME_SPECS } from './specs.js';

/** Handlers of the runtime's commands. */
export const HANDLERS: HandlersOf<typeof RUNTIME_SPECS> = {
  drive: async (...given) => (await import('./drive/drive.js')).drive(...given),
  prompt: async (...given) => (await import('./prompt.js')).prompt(...given),
  'session list': async (context, { run }) => (await import('./sessions/commands.js')).list(context, run),
  'session compact': async (...given) => (await import('./sessions/commands.js')).compact(...given),
  'session export': async (context, { session }) =>
    (await import('./sessions/commands.js')).exportSession(context, session),
  'session import': async (...given) => (await import('./sessions/commands.js')).importSession(...given),
};
