import shipped from '../generated/commands.js';
import { describeCommand } from './describe.js';
import type { DescribedCommand, SpecGroup } from './spec.js';

/** Every command there is, in the order help shows them, and what first words stand for that are none by themselves. */
export interface Registry {
  commands: readonly DescribedCommand[];
  words: Readonly<Record<string, string>>;
}

/** What `npm run generate` made of all groups: the core's and those of the rooms that app/ composes. */
export const REGISTRY: Registry = shipped;

/** The same with further groups. */
export function withGroups(groups: readonly SpecGroup[], { commands, words }: Registry = REGISTRY): Registry {
  return {
    commands: [...commands, ...groups.flatMap(({ specs }) => specs.map(describeCommand))],
    words: Object.assign({}, words, ...groups.map((group) => group.words)) as Registry['words'],
  };
}

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

/** The specification of a command by its full name (`step complete`), or undefined. */
export function findCommand(name: string, { commands } = REGISTRY): DescribedCommand | undefined {
  return commands.find((command) => command.name === name);
}

/** The words that may follow `path` in a command's name: `['step']` gives complete, fail, invalidate. */
export function listNextWords(path: readonly string[], { commands } = REGISTRY): string[] {
  const prefix = path.map((word) => `${word} `).join('');
  const names = commands.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name.slice(prefix.length));
  return [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
}
