import type { HandlersOf } from '../../protocol/ports.js';
import type { PLAN_IMPORT_SPECS } from './specs.js';

/** Handler of the command that imports plans. */
export const HANDLERS: HandlersOf<typeof PLAN_IMPORT_SPECS> = {
  'plan import': async (context, { name, ...input }, { cwd }) =>
    (await import('./import.js')).importPlanCommand(context, name, input, cwd),
};
