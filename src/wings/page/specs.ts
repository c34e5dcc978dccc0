import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { optional, word } from '../../registry/values.js';

/** What people see apart from a terminal (view.md, CI). */
export const PAGE_SPECS = [
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
