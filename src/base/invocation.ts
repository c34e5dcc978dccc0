import type { JsonObject } from './json.js';

/**
 * A command and its input, by the registry's names. Acknowledgements are kept in this form and written out
 * by the front door, so that a later front door can offer them as tool calls (protocol.md §2).
 */
export interface Invocation {
  command: string;
  input: JsonObject;
}
