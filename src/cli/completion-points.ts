import { findCommand, listNextWords, REGISTRY } from '../registry/find.js';
import { GLOBAL_OPTIONS, listGlobalOptions } from '../registry/input.js';
import type { CommandOption, ValueForm } from '../registry/spec.js';

/** What a shell may offer for a value. */
export type CandidateSource =
  | { kind: 'words'; words: readonly string[] }
  /** To be asked for at completion, with `dev-cli completion --candidates OF`. */
  | { kind: 'candidates'; of: 'name' | 'recipe' | 'section' }
  | { kind: 'files' }
  /** Only the user knows. */
  | { kind: 'none' };

/** A command, or the beginning of one, and what may follow it. */
export interface CompletionPoint {
  /** Words separated by one blank; empty for the beginning of the line. */
  path: string;
  words: { word: string; summary: string }[];
  flags: { flag: string; summary: string; value: CandidateSource | undefined }[];
  positional: CandidateSource | undefined;
}

/** Lists every place of the command line where a shell can complete something. */
export function listCompletionPoints(): CompletionPoint[] {
  const { commands, words } = REGISTRY;
  const groups = ['', ...Object.keys(words)].map((path) => ({
    ...{ path, words: listWords(path === '' ? [] : [path]) },
    ...{ flags: listFlags(GLOBAL_OPTIONS), positional: undefined },
  }));
  const whole = commands.map((spec) => ({
    path: spec.name,
    words: listWords(spec.name.split(' ')),
    flags: listFlags([...spec.options, ...listGlobalOptions(spec)]),
    positional: spec.positionals[0] && getCandidateSource(spec.positionals[0]),
  }));
  return [...groups, ...whole];
}

function listWords(before: readonly string[]): CompletionPoint['words'] {
  return listNextWords(before).map((word) => ({ word, summary: getSummary([...before, word].join(' ')) }));
}

function getSummary(name: string): string {
  return findCommand(name)?.summary ?? REGISTRY.words[name] ?? '';
}

function listFlags(options: readonly CommandOption[]): CompletionPoint['flags'] {
  return options
    .filter(({ hidden }) => !hidden)
    .map((option) => ({
      flag: option.flag,
      summary: option.description,
      value: option.form === 'flag' ? undefined : getCandidateSource(option),
    }));
}

function getCandidateSource(value: ValueForm): CandidateSource {
  if (value.choices) return { kind: 'words', words: value.choices };
  switch (value.form) {
    case 'name':
    case 'recipe':
    case 'section':
      return { kind: 'candidates', of: value.form };
    case 'file':
    case 'text':
    case 'texts':
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
