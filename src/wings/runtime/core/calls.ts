import { isJsonObject, type JsonObject } from '../../../base/json.js';
import { findJsonFault } from '../../../documents/json-fault.js';
import { findMisfit, type OutlineFault, type OutlineSchema } from '../../../documents/outline.js';

/** Checks the input of a call, which a model wrote (runtime.md, A turn). */

/** Maximum characters of an input. */
const LONGEST = 1024 * 1024;

/**
 * Parses the input of a call; an empty input means `{}`.
 * @param text the input as the model sent it
 * @param schema the tool's schema
 * @param find validates the input; the default knows the keywords of documents/outline.ts and ignores others
 * @returns the input, or a problem that tells the model what to correct
 */
export function readInput(
  text: string,
  schema: JsonObject,
  find: (schema: OutlineSchema, value: unknown) => OutlineFault | null = findMisfit,
): { input: JsonObject } | { problem: string } {
  if (text.length > LONGEST) return refuse(`it has ${text.length} characters; at most ${LONGEST}`, schema);
  let input: unknown;
  try {
    input = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    const fault = findJsonFault(text);
    const where = fault === null ? '' : `: expected ${fault.expected} at character ${fault.offset}`;
    return refuse(`it is not valid JSON${where}`, schema);
  }
  if (!isJsonObject(input)) return refuse('it is JSON, but not an object', schema);
  const fault = find(schema as OutlineSchema, input);
  return fault === null ? { input } : refuse(`${fault.at === '' ? 'it' : fault.at} ${fault.problem}`, schema);
}

function refuse(why: string, { properties, required }: JsonObject): { problem: string } {
  const needed = Array.isArray(required) ? required : [];
  const keys = Object.keys(isJsonObject(properties ?? null) ? (properties as JsonObject) : {}).slice(0, 30);
  const takes = keys.map((key) => (needed.includes(key) ? `${key} (required)` : key)).join(', ');
  return { problem: `not run: the input does not fit: ${why}. Its keys: ${takes || 'none'}.` };
}
