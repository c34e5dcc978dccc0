import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, flag, optional } from '../../registry/values.js';

const SHELL = optional(
  choice(['bash', 'zsh', 'fish', 'powershell'], 'The shell. Default: the one that $SHELL names.', {
    placeholder: 'SHELL',
  }),
);
const DRY_RUN = flag('Only show what would be written; write nothing.');
const YES = flag("Change the shell's startup file, where that is needed, without a question.");

/** Commands that set up shells to complete dev-cli command lines (view.md, Completion). */
export const COMPLETION_SPECS = [
  {
    name: 'completion install',
    summary: 'Have your shell complete commands, options and values of dev-cli.',
    description:
      'Writes a short script where the shell looks for completions. Where it would not look there, its startup file gets a marked block, which is shown first and written only after a yes. Then the shell is started and asked whether it completes. The script asks dev-cli at each key, so it knows new commands by itself.',
    actor: 'person',
    output: 'text',
    positionals: ['shell'],
    input: Type.Object({ shell: SHELL, dryRun: DRY_RUN, yes: YES }),
    errors: ['TERMINAL_REQUIRED', 'DOCUMENT_UNREADABLE'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli completion install', note: 'For the shell that you use.' },
      { command: 'dev-cli completion install zsh --dry-run', note: 'What would be written, and where?' },
    ],
  },
  {
    name: 'completion uninstall',
    summary: 'Take that back: startup files are what they were before, byte for byte.',
    actor: 'person',
    output: 'text',
    positionals: ['shell'],
    input: Type.Object({ shell: SHELL, dryRun: DRY_RUN, yes: YES }),
    errors: ['TERMINAL_REQUIRED', 'DOCUMENT_UNREADABLE'],
    exitOfNo: 3,
    examples: [{ command: 'dev-cli completion uninstall', note: 'For the shell that you use.' }],
  },
] as const satisfies readonly CommandSpec[];
