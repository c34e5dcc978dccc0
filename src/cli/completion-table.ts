import { findCommand, listNextWords, REGISTRY } from '../registry/find.js';
import { GLOBAL_OPTIONS, listGlobalOptions } from '../registry/input.js';
import type { Candidate, CommandOption, CompletionKind, ValueForm } from '../registry/spec.js';
import { GUIDES } from './guides.js';

/** The words that may complete a command line, according to the registry (view.md, Completion). */
interface Wanted {
  /** The part of the last word that completion leaves unchanged, such as `--recipe=` or `todo-1,`. */
  before: string;
  /** The part of the value that is typed so far. */
  typed: string;
  /** The values already listed before the last comma. */
  listed?: readonly string[];
  /** The candidates that the registry knows. */
  candidates: Candidate[];
  /** The kind of candidates that only the project knows, such as names of runs. */
  offer?: CompletionKind;
}

/** A `Wanted` with the run and the root that the line names. */
export interface WantedHere extends Wanted {
  name: string | undefined;
  root: string | undefined;
}

/** Values that may be a comma-separated list, although their form is a single word. */
const SEVERAL: readonly (CompletionKind | undefined)[] = ['todo', 'work'];

/**
 * Reads an unfinished command line. @param words without `dev-cli`; the last one is to be completed, and may be empty
 */
export function findWanted(words: readonly string[]): WantedHere {
  const path: string[] = [];
  const given: string[] = [];
  const values: Record<string, string> = {};
  let option: CommandOption | undefined;
  for (const word of words.slice(0, -1)) {
    if (option !== undefined) {
      values[option.key] = word;
      option = undefined;
    } else if (word.startsWith('--')) {
      const [flag = '', ...inline] = word.split('=');
      const found = findOption(path, flag);
      if (inline.length > 0 && found !== undefined) values[found.key] = inline.join('=');
      else if (found?.form !== 'flag') option = found;
    } else if (given.length === 0 && listNextWords(path).includes(word)) path.push(word);
    else given.push(word);
  }
  const { positionals = [], options = [] } = findCommand(path.join(' ')) ?? {};
  const named = positionals.findIndex(({ offers }) => offers === 'name');
  const run = options.find(({ offers }) => offers === 'name');
  const here = { name: given[named] ?? values[run?.key ?? ''], root: values['root'] };
  return { ...here, ...findLast(words.at(-1) ?? '', { path, given, option }) };
}

interface Before {
  path: readonly string[];
  given: readonly string[];
  /** The option whose value comes next. */
  option: CommandOption | undefined;
}

function findLast(typed: string, { path, given, option }: Before): Wanted {
  if (option !== undefined) return describeValue(option, typed, '');
  const [inline, flag = ''] = /^(--[a-z-]+)=/.exec(typed) ?? [];
  if (inline !== undefined) {
    const found = findOption(path, flag);
    const value = typed.slice(inline.length);
    return found === undefined ? { before: inline, typed: value, candidates: [] } : describeValue(found, value, inline);
  }
  if (typed.startsWith('-')) return { before: '', typed, candidates: listOptions(path).flatMap(describeOption) };
  const { positionals = [] } = findCommand(path.join(' ')) ?? {};
  const value = positionals[given.length] ?? positionals.findLast(({ variadic }) => variadic);
  const wanted = value ? describeValue(value, typed, '') : { before: '', typed, candidates: [] };
  const words = value?.offers === 'guide' ? listGuides(given) : given.length === 0 ? listWords(path) : [];
  return { ...wanted, candidates: [...words, ...wanted.candidates] };
}

function describeValue({ form, choices = [], offers }: ValueForm, typed: string, inline: string): Wanted {
  const cut = form === 'list' || SEVERAL.includes(offers) ? typed.lastIndexOf(',') + 1 : 0;
  const candidates = choices.map((word) => ({ word, text: '' }));
  // In a text option, @ is followed by a file name.
  const other = /^(?:text|texts|data)$/.test(form) && typed.startsWith('@') ? 'file' : offers;
  // `work` offers a single block or several todos, so after a comma only todos fit.
  const offer = other === 'work' && cut > 0 ? 'todo' : other;
  const listed = typed.slice(0, cut).split(',').slice(0, -1);
  const value = { before: inline + typed.slice(0, cut), typed: typed.slice(cut), candidates, listed };
  return offer === undefined ? value : { ...value, offer };
}

const listWords = (path: readonly string[]): Candidate[] =>
  listNextWords(path).map((word) => {
    const name = [...path, word].join(' ');
    return { word, text: findCommand(name)?.summary ?? REGISTRY.words[name] ?? '' };
  });

function listGuides(given: readonly string[]): Candidate[] {
  const guides = given.length === 0 ? GUIDES.map((word) => ({ word, text: 'a guide' })) : [];
  return [...listWords(given), ...guides];
}

function listOptions(path: readonly string[]): readonly CommandOption[] {
  const command = findCommand(path.join(' '));
  return command === undefined ? GLOBAL_OPTIONS : [...command.options, ...listGlobalOptions(command)];
}

const findOption = (path: readonly string[], flag: string): CommandOption | undefined =>
  listOptions(path).find((option) => `--${option.flag}` === flag);

const describeOption = ({ flag, hidden, description }: CommandOption): Candidate[] =>
  hidden ? [] : [{ word: `--${flag}`, text: description }];
