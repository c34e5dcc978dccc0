import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { ACTION, data, flag, OPTIONAL_NAME, optional, SECTION, wait, word } from '../values.js';

/** DRAFT.md, analyses and what agents promised (documents.md, DRAFT.md). */
export const DOCUMENT_COMMANDS = [
  {
    name: 'draft update',
    summary: 'Write a section of DRAFT.md, or several.',
    description:
      'Text replaces the section; an object becomes bullets with bold keys, an array bullets. Data whose keys are all section ids needs no --section.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      section: optional(SECTION),
      data: optional(
        data({
          absent: 'refused',
        }),
      ),
      append: flag('Add to the section instead of replacing it; what it ends with already is not added again.'),
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      {
        command: 'dev-cli draft update add-auth --section boundaries --data \'["The public routes stay open"]\'',
        note: 'One section, as a list.',
      },
      { command: 'dev-cli draft update add-auth --data @answers.md', note: 'Every section the file holds.' },
    ],
    inRecipe: true,
  },
  {
    name: 'draft show',
    summary: 'Print DRAFT.md or one section of it.',
    actor: 'agent',
    output: 'document',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      section: optional(SECTION),
    }),
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli draft show add-auth --section decisions', note: 'What was decided?' }],
    inRecipe: true,
  },
  {
    name: 'draft import',
    summary: 'Take findings and analyses into the draft, one line each.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [{ command: 'dev-cli draft import add-auth', note: 'Safe to repeat.' }],
    inRecipe: true,
  },
  {
    name: 'draft validate',
    summary: 'Are all required sections filled?',
    actor: 'agent',
    output: 'document',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
    }),
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli draft validate add-auth', note: 'Exit 3 names the missing sections.' }],
    inRecipe: true,
  },
  {
    name: 'draft auto-assume',
    summary: 'Fill the missing required sections with marked assumptions.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [{ command: 'dev-cli draft auto-assume add-auth', note: 'What autopilot does instead of asking.' }],
    inRecipe: true,
  },
  {
    name: 'analysis save',
    summary: "Store an agent's analysis that could not be written as a file.",
    description: 'The text comes through standard input, or with --data.',
    actor: 'agent',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      agent: word('The agent whose analysis it is.', { placeholder: 'AGENT' }),
      data: optional(
        data({ placeholder: '@FILE|-', absent: 'stdin' }, 'Markdown with front matter; left out: standard input.'),
      ),
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [{ command: 'dev-cli analysis save add-auth --agent gap-analyzer --data @gap.md', note: 'From a file.' }],
    inRecipe: true,
  },
  {
    name: 'check',
    summary: 'Does a promised output hold up, or what a task has done so far? Says what is wrong.',
    description:
      'With a file: judges it as the acknowledgement will. With --action, of a task of an execution: runs the acceptance commands of its todo exactly as the verification will; the argument is then the run. What passed is not run again on the same tree; what is still at work at the end of --wait is found by the same call again.',
    actor: 'agent',
    output: 'document',
    positionals: ['subject'],
    input: Type.Object({
      subject: optional(word('The output to check; with --action, the run.', { format: 'file' })),
      action: optional(ACTION),
      wait: optional(wait({ needs: ['action'] })),
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli check .dev/specs/add-auth/analysis/gap.md', note: 'Before the agent replies.' },
      { command: 'dev-cli check add-auth --action a18', note: 'A worker, before it says that it is done.' },
    ],
    inRecipe: true,
  },
] as const satisfies readonly CommandSpec[];
