import { Type } from '@sinclair/typebox';
import { joinAll } from '../../base/words.js';
import { HARNESS_IDS, HARNESS_TITLES } from '../../generated/harnesses.js';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, commaList, data, flag, OPTIONAL_NAME, optional } from '../../registry/values.js';

const NAMES = joinAll(HARNESS_IDS, 'or');
const WITH_GIT = joinAll([...HARNESS_IDS, 'git (the hook that records which session made a commit)'], 'or');
/** The harnesses used in examples. */
const [FIRST, SECOND, THIRD] = HARNESS_IDS;

/** The input that `install` and `uninstall` share. */
const PLACE = {
  harness: optional(commaList('NAME,…', `${WITH_GIT}. Default: those found here, without git.`)),
  project: flag('For this project, the default.'),
  user: flag('For all projects of this user, in the home directory, instead of for this project.'),
  dryRun: flag('Only show what would be written; write nothing.'),
  yes: flag('Do not ask. Needed where there is nobody to ask, as in a script.'),
};

/** Commands that connect dev-cli with the program that runs the agent (harness.md, Install). */
export const HARNESS_SPECS = [
  {
    name: 'install',
    summary: 'Install skills, agents, hooks and permissions where your coding agent looks.',
    description: `For ${joinAll(HARNESS_TITLES, 'and')}. Merges into existing settings and overwrites only its own files. Safe to repeat: after an upgrade it brings everything up to date and says what changed. \`uninstall\` removes exactly what it wrote. Shows every file and asks first; an agent is refused, since it could give itself permissions.`,
    actor: 'person',
    output: 'text',
    input: Type.Object({
      ...PLACE,
      with: optional(
        commaList(
          'NAME,…',
          'Also set up, in this project: memory (what the next session is told, with the tools of `dev-cli mcp`). Later calls keep it.',
        ),
      ),
    }),
    exclusive: [
      ['project', 'user'],
      ['with', 'user'],
    ],
    errors: ['PREFERENCES_INVALID', 'NEEDS_MISSING', 'TERMINAL_REQUIRED', 'DOCUMENT_UNREADABLE'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli install', note: 'Into this project, for the harnesses found.' },
      {
        command: 'dev-cli install --with memory',
        note: 'The same, and each session is told what the one before it did.',
      },
      { command: `dev-cli install --harness ${FIRST},${SECOND} --dry-run`, note: 'What would be written.' },
      { command: `dev-cli install --user --harness ${THIRD}`, note: 'For all your projects.' },
    ],
  },
  {
    name: 'demo',
    summary: 'Watch a change go from request to commits, without any model.',
    description:
      'A script plays the agent, its subagents and the person at the gate, on a copy of a small HTTP API in a temporary directory; the commands, the code, its tests and the commits are real. It changes nothing of yours, takes seconds, `drive` and `view` about a minute, `fleet` two, and tells you where the directory is.',
    actor: 'person',
    output: 'text',
    positionals: ['change'],
    input: Type.Object({
      change: optional(
        choice(
          ['small', 'middle', 'large', 'handoff', 'nexus', 'loop', 'operations', 'drive', 'view', 'fleet'],
          'The demonstration. Default: middle.',
        ),
      ),
    }),
    errors: [],
    exitOfNo: 1,
    examples: [
      { command: 'dev-cli demo', note: 'Two todos: a plan, its approval, tests, two commits.' },
      { command: 'dev-cli demo small', note: 'A bug in one place.' },
      { command: 'dev-cli demo handoff', note: 'A session ends without notice, and the next one continues its work.' },
      {
        command: 'dev-cli demo nexus',
        note: 'Two tools plan on the same files; dev-cli carries it out and reports back.',
      },
      { command: 'dev-cli demo loop', note: 'Eight goals, worked on overnight.' },
      { command: 'dev-cli demo operations', note: 'Workers, an inbox, packets, a decision.' },
      {
        command: 'dev-cli demo drive',
        note: 'A run without a harness, by a scripted model, through each of four services.',
      },
      { command: 'dev-cli demo fleet', note: 'Four machines on two projects, most of which are lost on the way.' },
      { command: 'dev-cli demo view', note: 'Home, the page in a browser, a gate answered there, and the file.' },
    ],
  },
  {
    name: 'uninstall',
    summary: 'Remove what install wrote, byte for byte.',
    description:
      'Settings return to what they were before. Anything edited since the installation is kept and listed. Shows every file and asks first; an agent is refused, and while a run is guarded, a terminal of your own is required.',
    actor: 'person',
    output: 'text',
    input: Type.Object({
      ...PLACE,
      harness: optional(commaList('NAME,…', `${WITH_GIT}. Default: all that are installed.`)),
    }),
    exclusive: [['project', 'user']],
    errors: ['NEEDS_MISSING', 'TERMINAL_REQUIRED', 'DOCUMENT_UNREADABLE'],
    exitOfNo: 3,
    examples: [{ command: 'dev-cli uninstall', note: 'From this project.' }],
  },
  {
    name: 'doctor',
    summary: 'Prove that the hooks guard, and say how to fix what does not work.',
    description:
      'Tries the installed guard in a temporary directory, checks whether hooks have reported this session, and looks at skills, agents, settings, versions, the PATH of your shells, git and the sandbox. Prints one line per finding (ok, note or problem), with the fix below it. Changes nothing. Have the agent run it in its chat too: there it checks the agent’s own shell.',
    actor: 'person',
    output: 'text',
    input: Type.Object({
      harness: optional(commaList('NAME,…', `${NAMES}. Default: all that are installed or found.`)),
    }),
    errors: [],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli doctor', note: 'Exit 3 means there is a problem.' },
      { command: `dev-cli doctor --harness ${SECOND} --json`, note: 'Findings of one harness, for a program.' },
    ],
  },
  {
    name: 'guard off',
    summary: 'Let tools write anywhere while a run is live.',
    description: 'Only on a terminal of your own. Lasts until the run ends, or until `guard on`.',
    actor: 'person',
    output: 'text',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: ['DATA_UNEXPECTED', 'TERMINAL_REQUIRED'],
    examples: [{ command: 'dev-cli guard off add-auth', note: 'Before a change of your own in the middle of a run.' }],
  },
  {
    name: 'guard on',
    summary: 'Turn the guard of a run on again.',
    actor: 'person',
    output: 'text',
    positionals: ['name'],
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: ['DATA_UNEXPECTED', 'TERMINAL_REQUIRED'],
    examples: [{ command: 'dev-cli guard on add-auth', note: 'Undo `guard off`.' }],
  },
  {
    name: 'hook',
    summary: 'Answer an event of a harness; `install` sets this up.',
    description:
      'Reads one JSON document from standard input and answers as that harness expects. Before a write, it says whether the live run allows it; a prompt or an answered question counts as a person’s word; at the start of a session and after a compaction, it says where the run stands.',
    actor: 'harness',
    output: 'text',
    positionals: ['event'],
    input: Type.Object({
      event: choice(
        ['session-start', 'user-prompt-submit', 'pre-tool-use', 'post-tool-use', 'stop', 'session-end'],
        'The event.',
      ),
      harness: choice(HARNESS_IDS, 'The harness that sends the event.'),
      payload: optional(data({ absent: 'stdin' }, 'The event as JSON. Default: standard input.')),
    }),
    errors: ['DATA_MISSING', 'DOCUMENT_UNREADABLE'],
    exitOfNo: 2,
    examples: [
      {
        command: `dev-cli hook pre-tool-use --harness ${FIRST}`,
        note: 'Exit 2 means the write is refused; stderr says why.',
      },
    ],
  },
] as const satisfies readonly CommandSpec[];
