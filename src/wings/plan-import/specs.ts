import { Type } from '@sinclair/typebox';
import { IMPORT_FORMATS } from '../../base/import-formats.js';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, flag, optional, REQUIRED_NAME, word } from '../../registry/values.js';

/** The command that imports plans written for another tool (plans-from-elsewhere.md, plan import). */
export const PLAN_IMPORT_SPECS = [
  {
    name: 'plan import',
    summary: 'Import a plan that was written for another tool.',
    description:
      'Reads an OpenSpec change, a spec-kit feature, a superpowers plan, the tasks of the neutral contract (.nexus) or a plain Markdown list from inside the project. The answer lists what the source left open and dev-cli filled in, what is already done, and what has no place in a plan. An existing plan is never replaced, and nothing is approved: a person is asked about the commands of the plan before it is carried out. If the plan has no commands, nobody is asked, and a warning says so.',
    actor: 'agent',
    output: 'document',
    positionals: ['name', 'source'],
    input: Type.Object({
      name: REQUIRED_NAME,
      source: word('The file of the plan, or the directory of the change or feature.', { format: 'file' }),
      format: optional(choice(IMPORT_FORMATS, 'The format of the source. Default: detected.')),
      dryRun: flag('Only show the resulting plan; write nothing.'),
    }),
    errors: ['DATA_MISSING', 'SCHEMA_INVALID', 'DOCUMENT_UNREADABLE', 'RUN_EXISTS', 'PLAN_CONFLICT'],
    examples: [
      { command: 'dev-cli plan import add-auth openspec/changes/add-auth', note: 'An OpenSpec change.' },
      { command: 'dev-cli plan import cache docs/plans/cache.md --dry-run', note: 'What the plan would be.' },
      { command: 'dev-cli plan import chores TODO.md --format markdown', note: 'Read it as a plain list.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
