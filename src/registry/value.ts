import type { Json, JsonObject } from '../base/json.js';
import { didYouMean as meant } from '../base/suggest.js';
import type { ValueSpec } from './spec.js';

/** A value as the input holds it, or why the text is none. */
export type ReadValue = { value: Json } | { problem: string };

/** Like a placeholder's name (recipes.md §1): what cannot be declared cannot be set. */
const PAIR = /^([A-Za-z][A-Za-z0-9_.-]*)=([\s\S]*)$/;
const SAFE_INTEGER = /^(0|[1-9][0-9]{0,8})$/;

/**
 * Turns the text of one argument into a value of the input. Files and standard input are not read here: `text` and `data`
 * stay as written.
 * @param before what the same option already gave; only a `pair` may be repeated
 */
export function readValue(spec: ValueSpec, text: string, before?: Json): ReadValue {
  if (spec.choices && !spec.choices.includes(text)) return { problem: wrongChoice(text, spec.choices) };
  switch (spec.form) {
    case 'integer':
      return SAFE_INTEGER.test(text)
        ? { value: Number(text) }
        : { problem: `${quoted(text)} is not a whole number from 0 to 999999999` };
    case 'list': {
      const items = text.split(',').map((item) => item.trim());
      return items.includes('') ? { problem: `${quoted(text)} has an empty item` } : { value: items };
    }
    case 'pair': {
      const [, key, value] = PAIR.exec(text) ?? [];
      if (key === undefined || value === undefined) return { problem: `${quoted(text)} is not KEY=VALUE` };
      const pairs = (before ?? {}) as JsonObject;
      if (Object.hasOwn(pairs, key)) return { problem: `${quoted(key)} is set twice` };
      return { value: { ...pairs, [key]: value } };
    }
    case 'flag':
    case 'string':
    case 'text':
    case 'data':
    case 'name':
    case 'recipe':
    case 'section':
    case 'file':
    case 'action':
    case 'block':
      return { value: text };
  }
}

/** An argument as an error shows it: in quotes, on one line, not too long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** `Did you mean "x"? `, or nothing when no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  return word.length > 40 ? '' : meant(word, known);
}

function wrongChoice(text: string, choices: readonly string[]): string {
  return `${quoted(text)} is none of ${choices.join(', ')}.${didYouMean(text, choices)}`;
}
