import shipped from '../generated/commands.js';
import type { DescribedCommand } from './spec.js';

/** All commands, with the texts and wings that belong to their names. */
export interface Registry {
  /** In the order in which help lists them. */
  commands: readonly DescribedCommand[];
  /** Summaries of first words that are not commands themselves, such as `step`. */
  words: Readonly<Record<string, string>>;
  /** The wing that carries out a command, by the command's name; the core carries out commands not listed here. */
  wings: Readonly<Record<string, string>>;
}

/** The commands of the core and of the wings composed in app/; `npm run generate` generates it. */
export const REGISTRY: Registry = shipped;

/** Words reserved for later commands (protocol.md §5). */
export const RESERVED_WORDS: readonly string[] = 'agent goal usage'.split(' ');

/** Finds a command by its full name, such as `step complete`. */
export function findCommand(name: string): DescribedCommand | undefined {
  return REGISTRY.commands.find((command) => command.name === name);
}

/** Lists the words that may follow `path` in a command's name: `complete`, `fail` and others for `['step']`. */
export function listNextWords(path: readonly string[]): string[] {
  const prefix = path.map((word) => `${word} `).join('');
  const names = REGISTRY.commands
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name }) => name.slice(prefix.length));
  return [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
}
