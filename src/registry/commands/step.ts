import { Type } from '@sinclair/typebox';
import { CARRYING_ERRORS } from '../endings.js';
import type { CommandSpec } from '../spec.js';
import {
  ACTION,
  commaList,
  data,
  flag,
  freeText,
  NOTE,
  OPTIONAL_NAME,
  optional,
  reason,
  wait,
  word,
} from '../values.js';

/** Commands that acknowledge actions or have work redone (protocol.md §3). */
export const STEP_COMMANDS = [
  {
    name: 'step complete',
    summary: 'Acknowledge an action: check its evidence, record, advance, get the next action.',
    description:
      'Run it exactly as the action prints it. Each acknowledgement names its action, so a late or repeated one never skips a step. A refusal (exit 3) keeps what was good and says what is missing.',
    actor: 'agent',
    output: 'document',
    hot: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      action: optional(ACTION),
      step: optional(
        word('Instead of --action: the pending block, by id or unique prefix.', {
          format: 'block',
          placeholder: 'BLOCK',
        }),
      ),
      data: optional(data()),
      choice: optional(word('One of the choices that the action offers.', { format: 'choice', placeholder: 'ID' })),
      note: optional(NOTE),
      without: optional(
        commaList('AGENT,…', 'Agents that cannot deliver; the recipe decides what happens then.', {
          needs: ['reason'],
        }),
      ),
      result: optional(freeText('The result in words, where no file was promised; "fail" is the same as `step fail`.')),
      reason: optional(reason({ needs: ['without', 'result'] })),
      collect: flag('Accept every result written so far; the other tasks stay open.'),
      wait: optional(
        wait({}, 'Wait at most this long for a running external command; with --collect, for the results.'),
      ),
    }),
    exclusive: [
      ['data', 'without', 'collect'],
      ['choice', 'without', 'collect'],
    ],
    oneOf: ['action', 'step'],
    errors: [
      ...CARRYING_ERRORS,
      'UNKNOWN_BLOCK',
      'UNKNOWN_SECTION',
      'UNKNOWN_CHOICE',
      'UNKNOWN_AGENT',
      'DATA_MISSING',
      'DATA_UNEXPECTED',
      'EVIDENCE_MISSING',
      'SCHEMA_INVALID',
      'HUMAN_REQUIRED',
      'INPUT_CHANGED',
      'SOURCES_CHANGED',
      'PLAN_EDITED',
      'STALE_ACTION',
      'NOT_REACHED',
      'RUN_SAME_GOAL',
      'RUN_HELD',
    ],
    examples: [
      { command: 'dev-cli step complete add-auth --action a6', note: 'The promised files are written.' },
      {
        command: 'dev-cli step complete add-auth --action a5 --data @.dev/specs/add-auth/actions/a5/data.md',
        note: 'The data is in the file that the action named.',
      },
      { command: 'dev-cli step complete add-auth --action a4 --choice confirm', note: 'A choice.' },
      {
        command: 'dev-cli step complete add-auth --action a6 --without gap-analyzer --reason "crashed twice"',
        note: 'Go on without one agent.',
      },
      {
        command: 'dev-cli step complete add-auth --action a17 --collect',
        note: 'Tasks of an execution have returned.',
      },
    ],
  },
  {
    name: 'step fail',
    summary: 'Report that an action cannot be done; the recipe decides what follows.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      action: ACTION,
      reason: reason(),
    }),
    errors: [...CARRYING_ERRORS, 'DATA_MISSING', 'DATA_UNEXPECTED', 'STALE_ACTION'],
    examples: [
      { command: 'dev-cli step fail add-auth --action a7 --reason "No agent can be started here"', note: 'Be honest.' },
    ],
  },
  {
    name: 'step invalidate',
    summary: 'Redo a block or a todo: it gets a new action at once, and what was built on it becomes stale.',
    description:
      'Documents and commits stay, and a halted run is reopened. The note is a ruling: it is shown to whoever does the block or todo next, and to whoever judges it.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      step: word('A block, by id or unique prefix; or todos of the running plan, separated by commas.', {
        format: 'work',
        placeholder: 'BLOCK|TODO,…',
      }),
      note: optional(freeText('A ruling for the next attempt to follow.')),
    }),
    errors: [
      ...CARRYING_ERRORS,
      'UNKNOWN_BLOCK',
      'DATA_MISSING',
      'NOT_REACHED',
      'PHASE_ENDED',
      'FILES_OVERLAP',
      'RUN_ENDED',
    ],
    examples: [
      { command: 'dev-cli step invalidate add-auth --step write-plan', note: 'Write the plan again.' },
      { command: 'dev-cli step invalidate add-auth --step todo-3', note: 'One todo, and what depends on it.' },
      {
        command: 'dev-cli step invalidate add-auth --step todo-3 --note "The changelog may be changed"',
        note: 'The same, with a ruling for the next attempts.',
      },
    ],
  },
] as const satisfies readonly CommandSpec[];
