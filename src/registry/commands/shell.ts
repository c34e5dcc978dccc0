import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { commaList, optional, words } from '../values.js';

/** The MCP server and the built-in help. */
export const SHELL_COMMANDS = [
  {
    name: 'mcp',
    summary: 'Serve commands to an agent as tools of the Model Context Protocol.',
    description:
      'Reads the messages of one client from standard input and answers on standard output, until the input ends. Harnesses start it; it serves what `dev-cli` would do in the same directory. Calls are carried out one at a time, in order.',
    actor: 'harness',
    output: 'server',
    hot: true,
    input: Type.Object({
      tools: optional(commaList('GROUP,…', 'The tools of these groups: memory, neutral. Default: memory.')),
    }),
    errors: [],
    examples: [
      { command: 'dev-cli mcp', note: 'The tools of memory.' },
      { command: 'dev-cli mcp --tools neutral', note: 'One plan for every tool, in .nexus/.' },
    ],
  },
  {
    name: 'help',
    summary: 'Explain a command, or print a guide.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    positionals: ['command'],
    input: Type.Object({
      command: optional(words('A command, or a guide such as authoring. Default: list both.', { format: 'guide' })),
    }),
    errors: ['UNKNOWN_COMMAND'],
    examples: [
      { command: 'dev-cli help step complete', note: 'One command.' },
      { command: 'dev-cli help recipe-language', note: 'A guide: how recipes are written.' },
      { command: 'dev-cli help', note: 'All commands, and the names of the guides.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
