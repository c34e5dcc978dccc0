import type { HandlersOf } from '../../protocol/ports.js';
import type { RUNTIME_SPECS } from './specs.js';

/** Handlers of the runtime's commands. */
export const HANDLERS: HandlersOf<typeof RUNTIME_SPECS> = {
  drive: async (...given) => (await import('./drive/drive.js')).driveRun(...given),
  prompt: async (...given) => (await import('./prompt.js')).runPrompt(...given),
  'session list': async (context, { run }) =>
    (await import('./sessions/commands.js')).listSessionsCommand(context, run),
  'session compact': async (...given) => (await import('./sessions/commands.js')).compactSessionCommand(...given),
  'session export': async (context, { session }) =>
    (await import('./sessions/commands.js')).exportSession(context, session),
  'session import': async (...given) => (await import('./sessions/commands.js')).importSession(...given),
};
