import { DevCliError } from '../../base/errors.js';
import type { HookHandler } from '../../protocol/ports.js';
import type { Context } from '../../run/context.js';
import { listHandlers } from './hearing.js';

export const HANDLERS: readonly HookHandler[] = listHandlers(async (context: Context, run) => {
  try {
    await (await import('./report.js')).report(context, run);
  } catch (error) {
    // The stop must not fail because of this; `nexus report` shows the reason.
    if (!(error instanceof DevCliError)) throw error;
  }
});
