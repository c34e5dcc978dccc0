import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { commaList, flag, integer, optional, word } from '../../registry/values.js';

/** Commands that show a project outside the terminal (view.md, CI). */
export const PAGE_SPECS = [
  {
    name: 'view',
    summary: 'Show the runs in the browser: who worked when, what failed and why, every prompt, log and diff.',
    description:
      'Serves a page to this machine alone, in the foreground until q. The page follows runs as they progress. An open gate can be answered on it; the number that confirms the answer is shown at the terminal of this call. Without a person at the terminal the page is read-only.',
    actor: 'person',
    output: 'text',
    positionals: ['name'],
    exclusive: [
      ['html', 'port'],
      ['html', 'noOpen'],
    ],
    input: Type.Object({
      name: optional(word('The run to show first. Default: the list of all runs.', { format: 'name' })),
      port: optional(integer('N', 'Listen on this port. Default: one derived from the root, or the next free one.')),
      noOpen: flag('Only print the link.'),
      html: optional(
        word('Write the run into one file that opens without a server. Without a name: the run of this call.', {
          format: 'file',
          placeholder: 'FILE',
        }),
      ),
      without: optional(
        commaList('PARTS', 'Parts to leave out of the file: prompts, logs, diffs.', { needs: ['html'] }),
      ),
    }),
    errors: [],
    examples: [
      { command: 'dev-cli view', note: 'All runs, in the browser.' },
      { command: 'dev-cli view add-auth --html add-auth.html --without prompts', note: 'One file for a colleague.' },
    ],
  },
  {
    name: 'ci',
    summary: 'Check every plan, recipe and journal of the project, and report each fault at its line.',
    description:
      'Plans must be valid and equal to their PLAN.md; recipes are linted, verified and tested; journals, where there are any, are replayed. No command of the repository is started. In GitHub Actions, findings become annotations, those of the pull request first, and the job summary shows each plan with its proof.',
    actor: 'author',
    output: 'text',
    input: Type.Object({
      since: optional(
        word('Put findings in files changed since this commit first. Default: the base of the pull request.', {
          placeholder: 'REF',
        }),
      ),
      summary: optional(
        word('Also append a Markdown summary to this file. Default: $GITHUB_STEP_SUMMARY.', {
          format: 'file',
          placeholder: 'FILE',
        }),
      ),
    }),
    errors: ['PREFERENCES_INVALID'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli ci', note: 'In a job, or before a push.' },
      { command: 'dev-cli ci --since main --summary summary.md', note: 'Findings of this branch first.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
