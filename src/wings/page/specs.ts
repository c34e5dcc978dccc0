import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { flag, integer, list, optional, word } from '../../registry/values.js';

/** Commands that show a project outside the terminal (view.md, CI). */
export const PAGE_SPECS = [
  {
    name: 'view',
    summary: 'Show the runs in the browser: who worked when, what failed and why, every prompt, log and diff.',
    description:
      'Serves a page to this machine alone, in the foreground until q. It follows runs as they go on. An open gate can be answered there: the number that decides stands at the terminal of this call. Without a person at the terminal the page only shows.',
    actor: 'person',
    output: 'text',
    positionals: ['name'],
    exclusive: [
      ['html', 'port'],
      ['html', 'noOpen'],
    ],
    input: Type.Object({
      name: optional(word('The run that is shown first. Default: all of them.', { format: 'name' })),
      port: optional(integer('N', 'Listen at this port. Default: one that follows from the root, else the next.')),
      noOpen: flag('Only print the link.'),
      html: optional(
        word('Write the run into one file, which opens without a server. Default: the run of this call.', {
          format: 'file',
          placeholder: 'FILE',
        }),
      ),
      without: optional(list('PARTS', 'What the file leaves out: prompts, logs, diffs.', { needs: ['html'] })),
    }),
    exits: [0, 1, 2, 130],
    examples: [
      { command: 'dev-cli view', note: 'All runs, in the browser.' },
      { command: 'dev-cli view add-auth --html add-auth.html --without prompts', note: 'One file for a colleague.' },
    ],
  },
  {
    name: 'ci',
    summary: 'Check every plan, recipe and journal of the project, and say what is wrong at its place.',
    description:
      'Plans must be valid and equal to their PLAN.md; recipes are linted, verified and tested; journals, where there are any, are replayed. No command of the repository is started. In a job of GitHub Actions findings become annotations, those of the pull request first, and the summary of the job shows each plan with its proof.',
    actor: 'author',
    output: 'text',
    input: Type.Object({
      since: optional(
        word('What is changed since this commit comes first. Default: the base of the pull request.', {
          placeholder: 'REF',
        }),
      ),
      summary: optional(
        word('Also add a summary in Markdown to this file. Default: $GITHUB_STEP_SUMMARY.', {
          format: 'file',
          placeholder: 'FILE',
        }),
      ),
    }),
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli ci', note: 'In a job, or before a push.' },
      { command: 'dev-cli ci --since main --summary summary.md', note: 'What does this branch change?' },
    ],
  },
] as const satisfies readonly CommandSpec[];
