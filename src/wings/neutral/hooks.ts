import { DevCliError } from '../../base/errors.js';
import type { HookHandler } from '../../protocol/ports.js';
import type { Context } from '../../run/context.js';
import { createNeutralHookHandlers } from './hearing.js';

export const HANDLERS: readonly HookHandler[] = createNeutralHookHandlers(async (context: Context, run) => {
  try {
    await (await import('./report.js')).reportRun(context, run);
  } catch (error) {
    // The agent must still be able to stop if this fails; `nexus report` shows the reason.
    if (!(error instanceof DevCliError)) throw error;
  }
});
