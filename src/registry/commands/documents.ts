import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../base/errors.js';
import type { CommandSpec } from '../spec.js';
import { ACTION, DOCUMENT_COMMAND, data, flag, OPTIONAL_NAME, optional, SECTION, wait, word } from '../values.js';

/** What reading DRAFT.md may end with. */
const DRAFT_ERRORS = ['DRAFT_MISSING', 'DOCUMENT_UNREADABLE'] as const satisfies readonly ErrorCode[];

/** Commands on DRAFT.md, analyses and promised outputs (documents.md, DRAFT.md). */
export const DOCUMENT_COMMANDS = [
  {
    name: 'draft update',
    ...DOCUMENT_COMMAND,
    summary: 'Write one or more sections of DRAFT.md.',
    description:
      'Text replaces the section; an array becomes bullets, an object bullets with bold keys. If all keys of the data are section ids, --section is not needed.',
    input: Type.Object({
      name: OPTIONAL_NAME,
      section: optional(SECTION),
      data: optional(data({ absent: 'refused' })),
      append: flag('Add to the section instead of replacing it; text that it already ends with is not added twice.'),
    }),
    errors: ['UNKNOWN_SECTION', 'DATA_MISSING', ...DRAFT_ERRORS, 'RUN_ENDED'],
    examples: [
      {
        command: 'dev-cli draft update add-auth --section boundaries --data \'["The public routes stay open"]\'',
        note: 'One section, as a list.',
      },
      { command: 'dev-cli draft update add-auth --data @answers.md', note: 'Every section in the file.' },
    ],
  },
  {
    name: 'draft show',
    ...DOCUMENT_COMMAND,
    summary: 'Print DRAFT.md or one section of it.',
    readOnly: true,
    input: Type.Object({
      name: OPTIONAL_NAME,
      section: optional(SECTION),
    }),
    errors: ['UNKNOWN_SECTION', ...DRAFT_ERRORS],
    examples: [{ command: 'dev-cli draft show add-auth --section decisions', note: 'What was decided?' }],
  },
  {
    name: 'draft import',
    ...DOCUMENT_COMMAND,
    summary: 'Import findings and analyses into the draft, one line each.',
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: [...DRAFT_ERRORS, 'RUN_ENDED'],
    examples: [{ command: 'dev-cli draft import add-auth', note: 'Safe to repeat.' }],
  },
  {
    name: 'draft validate',
    ...DOCUMENT_COMMAND,
    summary: 'Check that all required sections are filled.',
    readOnly: true,
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: DRAFT_ERRORS,
    exitOfNo: 3,
    examples: [{ command: 'dev-cli draft validate add-auth', note: 'Exit 3 names the missing sections.' }],
  },
  {
    name: 'draft auto-assume',
    ...DOCUMENT_COMMAND,
    summary: 'Fill the missing required sections with marked assumptions.',
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: [...DRAFT_ERRORS, 'RUN_ENDED'],
    examples: [{ command: 'dev-cli draft auto-assume add-auth', note: 'What autopilot does instead of asking.' }],
  },
  {
    name: 'analysis save',
    ...DOCUMENT_COMMAND,
    summary: 'Store the analysis of an agent that could not write a file.',
    description: 'The text comes through standard input, or with --data.',
    input: Type.Object({
      name: OPTIONAL_NAME,
      agent: word('The agent whose analysis it is.', { placeholder: 'AGENT' }),
      data: optional(
        data({ placeholder: '@FILE|-', absent: 'stdin' }, 'Markdown with front matter. Default: standard input.'),
      ),
    }),
    errors: ['UNKNOWN_AGENT', 'DATA_MISSING', 'RUN_ENDED'],
    examples: [{ command: 'dev-cli analysis save add-auth --agent gap-analyzer --data @gap.md', note: 'From a file.' }],
  },
  {
    name: 'check',
    summary: 'Check a promised output, or what a task has done so far, and say what is wrong.',
    description:
      'Given a file, judges it as the acknowledgement will. Given a run and --action with the id of an execution task, runs the acceptance commands of its todo exactly as the verification will. A command that passed is not run again on the same tree. If --wait ends before a command does, `status` is `running` and the exit code 0: repeat the call.',
    actor: 'agent',
    output: 'document',
    positionals: ['subject'],
    input: Type.Object({
      subject: optional(word('The output to check; with --action, the run.', { format: 'file' })),
      action: optional(ACTION),
      wait: optional(wait({ needs: ['action'] })),
    }),
    errors: ['COMMAND_FAILED', 'RUN_UNTRUSTED', 'STALE_ACTION'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli check .dev/specs/add-auth/analysis/gap.md', note: 'Before the agent replies.' },
      { command: 'dev-cli check add-auth --action a18', note: 'For a worker, before it reports its todo as done.' },
    ],
    inRecipe: true,
  },
] as const satisfies readonly CommandSpec[];
