import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { choice, flag, integer, optional, texts, word } from '../../../registry/values.js';
import { LOOP_ERRORS } from '../spec-errors.js';

/** Commands for questions that are decided by trying the alternatives (loop-operations.md, Decisions). */
export const DECISION_SPECS = [
  {
    name: 'decision spike',
    summary: 'Try the alternatives of a decision, each in a work tree of its own, and compare them.',
    description:
      'The ticket, .ai/decisions/ID.yaml, has a question and its alternatives. Each is tried from HEAD: by a session of --tool, by the line of --command, or by both; what is not committed is not seen, and nothing is put on a branch. The line exits with 0 where the alternative passes; {alternative_id}, {decision_id} and {goal_id} are filled in. Those that pass are ranked by changed lines, then files. Every one is kept: `attempt show`.',
    actor: 'person',
    output: 'text',
    windsDown: true,
    errors: [
      ...LOOP_ERRORS,
      'COMMAND_FAILED',
      'DATA_MISSING',
      'NEEDS_MISSING',
      'DOCUMENT_UNREADABLE',
      'CONTEXT_TOO_LARGE',
      'DECISION_REFUSED',
      'TOOL_MISSING',
      'CONFIG_UNTRUSTED',
    ],
    exitOfNo: 3,
    positionals: ['file'],
    input: Type.Object({
      file: word('The ticket: its id, or the path of its file.', { format: 'file', placeholder: 'FILE' }),
      command: optional(
        word('A command line for sh that makes or judges an alternative. Default, with --tool: test_command.', {
          placeholder: 'LINE',
        }),
      ),
      tool: optional(
        word('The tool, by its name in ai_tools, whose sessions make the alternatives.', { placeholder: 'NAME' }),
      ),
      parallel: optional(integer('N', 'How many alternatives to try at once, 1 to 32. Default: 2.')),
      backend: optional(
        choice(['auto', 'thread', 'ray'], 'Where to try them. Only this machine is available: auto or thread.'),
      ),
      accept: flag('Accept the winner in the ticket if there is one and all guards pass.'),
      acceptIfReason: optional(
        texts('Accept only if it won by this: passed, diff_lines, changed_files or alternative_id; repeatable.', {
          placeholder: 'CODE',
        }),
      ),
      acceptMaxDiffLines: optional(integer('N', 'Accept only if it changed at most N lines.')),
      acceptMaxChangedFiles: optional(integer('N', 'Accept only if it changed at most N files.')),
      acceptRequireEligible: flag('Accept only if test_command passes on it, too.'),
      explain: flag('Print each result with the facts behind it to standard error.'),
      trust: optional(
        word('Trust the commands of this digest for this call, as `auto --dry-run` prints it: for cron and CI.', {
          placeholder: 'DIGEST',
        }),
      ),
    }),
    examples: [
      {
        command: 'dev-cli decision spike cache --command "./try.sh {alternative_id}"',
        note: 'A script makes each alternative.',
      },
      { command: 'dev-cli decision spike cache --tool claude --accept', note: 'Sessions make them, the tests judge.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
