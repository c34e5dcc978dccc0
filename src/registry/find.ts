import { AUTHOR_COMMANDS } from './commands/author.js';
import { DOCUMENT_COMMANDS } from './commands/documents.js';
import { PEOPLE_COMMANDS } from './commands/people.js';
import { PLAN_COMMANDS } from './commands/plan.js';
import { PULL_REQUEST_COMMANDS } from './commands/pull-request.js';
import { RUN_COMMANDS } from './commands/run.js';
import { SHELL_COMMANDS } from './commands/shell.js';
import { STEP_COMMANDS } from './commands/step.js';
import type { CommandSpec, OptionSpec } from './spec.js';

/** Every command there is, in the order help shows them. */
export const COMMANDS: readonly CommandSpec[] = [
  ...RUN_COMMANDS,
  ...STEP_COMMANDS,
  ...DOCUMENT_COMMANDS,
  ...PLAN_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...PULL_REQUEST_COMMANDS,
  ...AUTHOR_COMMANDS,
  ...SHELL_COMMANDS,
];

/** First words that are no command by themselves. */
export const GROUPS: Readonly<Record<string, string>> = {
  step: 'Acknowledge actions.',
  draft: 'The draft of a plan, section by section.',
  plan: 'plan-content.json and PLAN.md.',
  analysis: "Agents' analyses.",
  'pull-request': 'A branch of its own, and a draft pull request.',
  recipe: 'Look at recipes and check them.',
};

/** Words kept for later and used for nothing else (protocol.md §5). */
export const RESERVED_WORDS: readonly string[] = [
  'agent',
  'attempt',
  'auto',
  'context',
  'decision',
  'drive',
  'events',
  'explore',
  'goal',
  'handoff',
  'inbox',
  'mcp',
  'memory',
  'nexus',
  'observe',
  'prompt',
  'protocol',
  'queue',
  'retry',
  'session',
  'transfer',
  'usage',
];

/** Options that every command takes. They are no part of a command's input. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  {
    key: 'root',
    flag: 'root',
    form: 'file',
    placeholder: 'DIR',
    description: 'The directory that holds .dev; else DEV_CLI_ROOT, else found from here upward.',
  },
  { key: 'json', flag: 'json', form: 'flag', description: 'Print one JSON document.' },
  { key: 'text', flag: 'text', form: 'flag', description: 'Print text for a person.' },
  { key: 'help', flag: 'help', form: 'flag', description: 'Explain the command.' },
];

const byName = new Map(COMMANDS.map((spec) => [spec.name, spec]));

/** The specification of a command by its full name (`step complete`), or undefined. */
export function findSpec(name: string): CommandSpec | undefined {
  return byName.get(name);
}

/** The words that may follow `path` in a command's name: `['step']` gives complete, fail, invalidate. */
export function followers(path: readonly string[]): string[] {
  const prefix = path.map((word) => `${word} `).join('');
  const names = COMMANDS.filter((spec) => spec.name.startsWith(prefix)).map((spec) => spec.name.slice(prefix.length));
  return [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
}

/** Where a command line's command ends and its arguments begin. */
export interface Location {
  /** The words that name a command or the beginning of one. */
  path: string[];
  /** Present when `path` is a whole command. */
  spec: CommandSpec | undefined;
  /** Global options that stood before the command or between its words. */
  globals: string[];
  /** Everything behind. */
  rest: string[];
}

/** Tells the words that name a command from its arguments. Never throws: an unknown command has no `spec`. */
export function locate(words: readonly string[]): Location {
  const path: string[] = [];
  const globals: string[] = [];
  let at = 0;
  while (at < words.length && !findSpec(path.join(' '))) {
    const word = words[at] ?? '';
    const size = globalSize(word);
    if (size > 0) globals.push(...words.slice(at, at + size));
    else if (followers(path).includes(word)) path.push(word);
    else break;
    at += Math.max(size, 1);
  }
  return { path, spec: findSpec(path.join(' ')), globals, rest: words.slice(at) };
}

/** How many words a global option takes, 0 when `word` is none. */
function globalSize(word: string): number {
  if (word === '-h') return 1;
  const option = GLOBAL_OPTIONS.find(({ flag }) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  if (!option) return 0;
  return option.form === 'flag' || word.includes('=') ? 1 : 2;
}

/** Whether an argument vector is a command of ours that a recipe runs as a process of its own. */
export function runsAsProcess([program, ...words]: readonly string[]): boolean {
  const name = words.slice(0, 2).join(' ');
  return program === 'dev-cli' && COMMANDS.some((spec) => spec.inRecipe === 'process' && spec.name === name);
}
