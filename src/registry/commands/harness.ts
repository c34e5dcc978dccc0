import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../spec.js';
import { choice, data, flag, list, OPTIONAL_NAME, optional } from '../values.js';

const PLACE = {
  harness: optional(list('NAME,…', 'claude, codex or gemini. Left out: those found here.')),
  user: flag('For all projects of this user, in the home directory, instead of this project.'),
  dryRun: flag('Only show what would be written.'),
  yes: flag('Do not ask on a terminal.'),
};

/** What ties dev-cli to the program that runs the agent (harness.md, Install). */
export const HARNESS_COMMANDS = [
  {
    name: 'install',
    summary: 'Put skills, agents, hooks and permissions where your coding agent looks.',
    description:
      'For Claude Code, Codex CLI and Gemini CLI. It merges into settings, overwrites no file that is not its own, and may be repeated: after an upgrade it brings everything up to date and says what changed. `uninstall` takes back exactly what it wrote.',
    actor: 'person',
    output: 'text',
    input: Type.Object(PLACE),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli install', note: 'Into this project, for the harnesses found.' },
      { command: 'dev-cli install --harness claude,codex --dry-run', note: 'What would be written.' },
      { command: 'dev-cli install --user --harness gemini', note: 'For all your projects.' },
    ],
  },
  {
    name: 'demo',
    summary: 'Watch a change from the request to commits, without any model.',
    description:
      'A script plays the agent, its subagents and the person at the gate, on a copy of a small HTTP API in a temporary directory; the commands, the code, its tests and the commits are real. It changes nothing of yours, takes some seconds, and says where the directory is.',
    actor: 'person',
    output: 'text',
    positionals: ['change'],
    input: Type.Object({
      change: optional(choice(['small', 'middle', 'large'], 'Its size. Left out: middle.')),
    }),
    exits: [0, 1, 2, 130],
    examples: [
      { command: 'dev-cli demo', note: 'Two todos: a plan, its approval, tests, two commits.' },
      { command: 'dev-cli demo small', note: 'A bug in one place.' },
    ],
  },
  {
    name: 'uninstall',
    summary: 'Remove what install wrote, to the byte.',
    description: 'Settings become what they were before. What was edited since it was installed stays and is named.',
    actor: 'person',
    output: 'text',
    input: Type.Object({
      ...PLACE,
      harness: optional(list('NAME,…', 'claude, codex or gemini. Left out: all that are installed.')),
    }),
    exits: [0, 1, 2, 4, 130],
    examples: [{ command: 'dev-cli uninstall', note: 'From this project.' }],
  },
  {
    name: 'doctor',
    summary: 'Prove that the hooks guard, and say how to mend what does not work.',
    description:
      'Tries the installed guard in a temporary directory, asks whether hooks have told of this session, and looks at skills, agents, settings, versions, the PATH of your shells, git and the sandbox. A line for each, ok, note or problem, with its fix below it. It changes nothing. Have the agent call it in its chat, too: there it sees what the agent’s shell sees.',
    actor: 'person',
    output: 'text',
    input: Type.Object({
      harness: optional(list('NAME,…', 'claude, codex or gemini. Left out: all that are installed or found.')),
    }),
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli doctor', note: 'Exit 3: there is a problem.' },
      { command: 'dev-cli doctor --harness codex --json', note: 'Findings of one harness, for a program.' },
    ],
  },
  {
    name: 'guard off',
    summary: 'Let tools write anywhere while a run is live.',
    description: 'Only in a terminal of your own. It ends with the run, or with `guard on`.',
    actor: 'person',
    output: 'text',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [{ command: 'dev-cli guard off add-auth', note: 'A change of your own in the middle.' }],
  },
  {
    name: 'guard on',
    summary: 'Have a run judge again what tools write.',
    actor: 'person',
    output: 'text',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [{ command: 'dev-cli guard on add-auth', note: 'As it was before `guard off`.' }],
  },
  {
    name: 'hook',
    summary: 'What a harness calls at its events; `install` puts it there.',
    description:
      'Reads one JSON document from standard input and answers as that harness expects. Before a write it answers whether the live run allows it; a prompt or an answered question is taken as the word of a person; at the start of a session and after a compaction it tells where the run stands.',
    actor: 'harness',
    output: 'text',
    positionals: ['event'],
    input: Type.Object({
      event: choice(
        ['session-start', 'user-prompt-submit', 'pre-tool-use', 'post-tool-use', 'stop', 'session-end'],
        'The event.',
      ),
      harness: choice(['claude', 'codex', 'gemini'], 'Whose event it is.'),
      payload: optional(data({ absent: 'stdin' }, 'The document that the harness sends. Left out: standard input.')),
    }),
    exits: [0, 1, 2, 130],
    examples: [
      { command: 'dev-cli hook pre-tool-use --harness claude', note: 'Exit 2: the write is refused, and why.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
