import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { flag, integer, optional } from '../../../registry/values.js';

const SHARED = { actor: 'person', output: 'text', exclusive: [['write', 'noWrite']] } as const;

/** Commands that read the log (loop-operations.md, The log). */
export const EVENT_SPECS = [
  {
    name: 'observe baseline',
    summary: 'Count from the log whether the loop can be trusted.',
    description:
      'Figures of the attempts and claims of the last days, held against the guards of `observe` in .ai/config.yaml. The report goes to .ai/reports/observability_baseline.json.',
    ...SHARED,
    exits: [0, 1, 2, 3, 4, 130],
    input: Type.Object({
      window: optional(integer('DAYS', 'How many days are looked at, 1 to 3650. Default: 14.')),
      write: flag('Write the report; so it is without this, too.'),
      noWrite: flag('Write no report.'),
      enforce: flag('Where a guard fails, exit with 3 and put it into the log, and so into the inbox.'),
    }),
    examples: [
      { command: 'dev-cli observe baseline', note: 'How did the last two weeks go?' },
      { command: 'dev-cli observe baseline --window 30 --enforce', note: 'In CI, before a night is begun.' },
    ],
  },
  {
    name: 'events replay',
    summary: 'Fold the log into the views of goals and of the inbox.',
    description:
      'Writes .ai/state/goal_views.yaml and .ai/state/operator_inbox.yaml; the same log gives the same bytes. An event that comes again counts once; what is no event is skipped, and counted.',
    ...SHARED,
    exits: [0, 1, 2, 3, 4, 130],
    input: Type.Object({
      write: flag('Write both files; so it is without this, too.'),
      noWrite: flag('Write nothing, only count.'),
    }),
    examples: [{ command: 'dev-cli events replay --no-write', note: 'Is the log sound?' }],
  },
] as const satisfies readonly CommandSpec[];
