import type { Json, JsonObject } from '../base/json.js';
import type { ValueForm } from './spec.js';

/** The value that a text stands for, or why it stands for none. */
export type ReadValue = { value: Json } | { problem: string };

/** The key is like a placeholder's name (recipes.md §1), since only declared keys can be set. */
const PAIR = /^([A-Za-z][A-Za-z0-9_.-]*)=([\s\S]*)$/;
/** From 0 to the largest number that values.ts allows. */
const SAFE_INTEGER = /^(0|[1-9][0-9]{0,8})$/;

/**
 * Reads the text of one argument as a value of the input. `text` and `data` stay as written: files and standard input
 * are not read here.
 * @param before the value that the same option already gave; only a `pair` may be repeated
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

/** The long flag, without dashes, of an option's key. */
export function toFlag(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Quotes an argument for an error message: on one line, at most 60 characters. */
export function quoteArgument(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
