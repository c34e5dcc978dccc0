import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { flag, integer, optional } from '../../../registry/values.js';
import { LOOP_ERRORS } from '../spec-errors.js';

const SHARED = { actor: 'person', output: 'text', exclusive: [['write', 'noWrite']] } as const;

/** Commands that read the log (loop-operations.md, The log). */
export const EVENT_SPECS = [
  {
    name: 'observe baseline',
    summary: 'Compute from the log whether the loop can be trusted.',
    description:
      'Compares figures of recent attempts and claims with the guards of `observe` in .ai/config.yaml. The report goes to .ai/reports/observability_baseline.json.',
    ...SHARED,
    errors: LOOP_ERRORS,
    exitOfNo: 3,
    input: Type.Object({
      window: optional(integer('DAYS', 'How many days to look back, 1 to 3650. Default: 14.')),
      write: flag('Write the report. This is the default.'),
      noWrite: flag('Do not write the report.'),
      enforce: flag('If a guard fails, exit with 3 and record it in the log, and thereby in the inbox.'),
    }),
    examples: [
      { command: 'dev-cli observe baseline', note: 'How the last two weeks went.' },
      { command: 'dev-cli observe baseline --window 30 --enforce', note: 'In CI, before a night is begun.' },
    ],
  },
  {
    name: 'events replay',
    summary: 'Fold the log into the views of goals and of the inbox.',
    description:
      'Writes .ai/state/goal_views.yaml and .ai/state/operator_inbox.yaml; the same log gives the same bytes. A repeated event counts once; a line that is not an event is skipped and counted.',
    ...SHARED,
    errors: LOOP_ERRORS,
    input: Type.Object({
      write: flag('Write both files. This is the default.'),
      noWrite: flag('Only count; write nothing.'),
    }),
    examples: [{ command: 'dev-cli events replay --no-write', note: 'Check the log.' }],
  },
] as const satisfies readonly CommandSpec[];
