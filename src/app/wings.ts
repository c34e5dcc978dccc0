import type { CommandGroup } from '../protocol/ports.js';
import type { SpecGroup } from '../registry/spec.js';
import { AUTHORING_SPECS } from '../wings/authoring/specs.js';
import { HARNESS_SPECS } from '../wings/harness/specs.js';
import { PLAN_IMPORT_SPECS } from '../wings/plan-import/specs.js';

/** The commands that wings add, read when parser, help and completion are generated: `npm run generate`, then `npm run docs`. */
export const WINGS: readonly SpecGroup[] = [
  { specs: HARNESS_SPECS, words: { guard: 'What tools may write while a run is live.' }, after: 'pull-request open' },
  { specs: AUTHORING_SPECS, words: { recipe: 'Write, look at, check and try recipes.' }, after: 'pull-request open' },
  { specs: PLAN_IMPORT_SPECS, after: 'plan summary' },
];

/** What carries them out: a row for each wing, which loads what it needs. */
export const HANDLERS: readonly CommandGroup['handlers'][] = [
  async () => (await import('../wings/harness/commands.js')).HANDLERS,
  async () => (await import('../wings/authoring/commands.js')).HANDLERS,
  async () => (await import('../wings/plan-import/commands.js')).HANDLERS,
];
