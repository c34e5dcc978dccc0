import type { CommandSpec } from '../spec.js';

/** The command line itself. */
export const SHELL_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'completion',
    summary: 'Print a completion script for a shell.',
    actor: 'person',
    output: 'text',
    positionals: [
      { key: 'shell', form: 'string', choices: ['bash', 'zsh', 'fish'], description: 'The shell the script is for.' },
    ],
    options: [
      {
        key: 'candidates',
        flag: 'candidates',
        form: 'string',
        choices: ['name', 'recipe', 'section'],
        hidden: true,
        description: 'One value a line, asked for by the scripts.',
      },
    ],
    oneOf: ['shell', 'candidates'],
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli completion bash', note: 'Its output goes where your shell looks for completions.' }],
  },
  {
    name: 'help',
    summary: 'Explain a command.',
    actor: 'person',
    output: 'text',
    positionals: [
      { key: 'command', form: 'string', variadic: true, description: 'The command. Left out: all of them.' },
    ],
    options: [],
    exits: [0, 2],
    examples: [
      { command: 'dev-cli help step complete', note: 'One command.' },
      { command: 'dev-cli help', note: 'All of them.' },
    ],
  },
];
