import { COMMANDS, findSpec, followers, GLOBAL_OPTIONS, GROUPS } from '../registry/find.js';
import type { OptionSpec, ValueSpec } from '../registry/spec.js';

/** What a shell may offer for a value. */
export type Source =
  | { kind: 'words'; words: readonly string[] }
  /** Known only when asked for: `dev-cli completion --candidates OF`. */
  | { kind: 'candidates'; of: 'name' | 'recipe' | 'section' }
  | { kind: 'files' }
  /** Nobody but the user knows. */
  | { kind: 'none' };

/** A command or the beginning of one, and what may stand behind it. */
export interface Place {
  /** Words separated by one blank; empty for the beginning of the line. */
  path: string;
  words: { word: string; summary: string }[];
  flags: { flag: string; summary: string; value: Source | undefined }[];
  positional: Source | undefined;
}

/** Every place of the command line where a shell can complete something. */
export function completionPlaces(): Place[] {
  const groups = ['', ...Object.keys(GROUPS)].map((path) => {
    const before = path === '' ? [] : [path];
    const words = followers(before).map((word) => ({ word, summary: summaryOf([...before, word].join(' ')) }));
    return { path, words, flags: flagsOf(GLOBAL_OPTIONS), positional: undefined };
  });
  const commands = COMMANDS.map((spec) => ({
    path: spec.name,
    words: [],
    flags: flagsOf([...spec.options, ...GLOBAL_OPTIONS]),
    positional: spec.positionals[0] && sourceOf(spec.positionals[0]),
  }));
  return [...groups, ...commands];
}

function summaryOf(name: string): string {
  return findSpec(name)?.summary ?? GROUPS[name] ?? '';
}

function flagsOf(options: readonly OptionSpec[]): Place['flags'] {
  return options
    .filter(({ hidden }) => !hidden)
    .map((option) => ({
      flag: option.flag,
      summary: option.description,
      value: option.form === 'flag' ? undefined : sourceOf(option),
    }));
}

function sourceOf(value: ValueSpec): Source {
  if (value.choices) return { kind: 'words', words: value.choices };
  switch (value.form) {
    case 'name':
    case 'recipe':
    case 'section':
      return { kind: 'candidates', of: value.form };
    case 'file':
    case 'text':
    case 'data':
      return { kind: 'files' };
    case 'flag':
    case 'string':
    case 'integer':
    case 'list':
    case 'pair':
    case 'action':
    case 'block':
      return { kind: 'none' };
  }
}
