import type { Json, JsonObject } from '../base/json.js';
import type { ValueForm } from './spec.js';

/** A value as the input holds it, or why the text is none. */
export type ReadValue = { value: Json } | { problem: string };

/** Like a placeholder's name (recipes.md §1): what cannot be declared cannot be set. */
const PAIR = /^([A-Za-z][A-Za-z0-9_.-]*)=([\s\S]*)$/;
/** From 0 to the most that values.ts allows. */
const SAFE_INTEGER = /^(0|[1-9][0-9]{0,8})$/;

/**
 * Turns the text of one argument into a value of the input. Files and standard input are not read here: `text` and `data`
 * stay as written.
 * @param before what the same option already gave; only a `pair` may be repeated
 */
export function readValue({ form }: ValueForm, text: string, before?: Json): ReadValue {
  switch (form) {
    case 'integer':
      return SAFE_INTEGER.test(text)
        ? { value: Number(text) }
        : { problem: `${quoteArgument(text)} is not a whole number from 0 to 999999999` };
    case 'list': {
      const items = text.split(',').map((item) => item.trim());
      return items.includes('') ? { problem: `${quoteArgument(text)} has an empty item` } : { value: items };
    }
    case 'pair': {
      const [, key, value] = PAIR.exec(text) ?? [];
      if (key === undefined || value === undefined) return { problem: `${quoteArgument(text)} is not KEY=VALUE` };
      const pairs = (before ?? {}) as JsonObject;
      if (Object.hasOwn(pairs, key)) return { problem: `${quoteArgument(key)} is set twice` };
      return { value: { ...pairs, [key]: value } };
    }
    case 'flag':
    case 'text':
    case 'data':
    case 'string':
    case 'name':
    case 'recipe':
    case 'section':
    case 'file':
    case 'action':
    case 'block':
      return { value: text };
  }
}

/** The long flag, without dashes, of the option with this key. */
export function toFlag(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** An argument as an error shows it: in quotes, on one line, not too long. */
export function quoteArgument(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
