// door: conditions

import { isRecord } from '../../base/json.js';
import { ROOT_NAMES } from './language.js';

/**
 * Matches the conditions that `evaluatePlain` understands: a path, alone or compared with a text or a number. The
 * length of each part is limited, so that a condition that is too long for the language does not match, unless spaces
 * make it long. Words that CEL reserves do not match.
 */
const PLAIN =
  /^\s*([a-z]+)((?:\.(?!(?:in|true|false|null)\b)[A-Za-z_]\w{0,40}|\["[^"\\\r\n]{1,40}"\]){0,6})\s*(?:(?:([!=]=)\s*"([^"\\\r\n]{0,200})"|>\s*(\d{1,9}))\s*)?$/;

/**
 * Evaluates the simplest conditions, such as `size == "large"`, `preferences.pull_request` or `vars.times > 3`, without
 * the library, which takes longer to load than most calls take in all (house.md, Speed).
 * @returns null if the library is needed
 */
export function evaluatePlain(source: string, scope: Readonly<Record<string, unknown>>): boolean | null {
  const [, name = '', keys = '', operator, literal, least] = PLAIN.exec(source) ?? [];
  if (!(ROOT_NAMES as readonly string[]).includes(name)) return null;
  const value = readPath(scope[name], keys);
  const type = value === null ? 'null' : typeof value;
  if (operator !== undefined) {
    return type === 'null' || type === 'string' ? (value === literal) === (operator === '==') : null;
  }
  if (type === 'null') return false;
  if (least === undefined) return type === 'boolean' ? value === true : null;
  return Number.isSafeInteger(value) ? Number(value) > Number(least) : null;
}

/**
 * Reads the value at a path of names.
 * @returns null if the value is missing or null; undefined if a key follows a value that is not an object, in which
 * case the library has to decide
 */
function readPath(value: unknown, keys: string): unknown {
  let found = value;
  for (const [, key = '', quoted = key] of keys.matchAll(/\.(\w+)|\["([^"]*)"\]/g)) {
    if (found === undefined) break;
    if (!isRecord(found)) return undefined;
    found = Object.hasOwn(found, quoted) ? found[quoted] : undefined;
  }
  return found ?? null;
}
