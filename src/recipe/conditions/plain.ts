// door: conditions

import { isRecord } from '../../base/json.js';
import { NAMES } from './language.js';

/** Short enough for the limits of the language; words that CEL reserves are not among its names. */
const PLAIN =
  /^\s*([a-z]+)((?:\.(?!(?:in|true|false|null)\b)[A-Za-z_]\w{0,40}|\["[^"\\\r\n]{1,40}"\]){0,6})\s*(?:(?:([!=]=)\s*"([^"\\\r\n]{0,200})"|>\s*(\d{1,9}))\s*)?$/;

/**
 * Evaluates the plainest conditions, such as `size == "large"`, `preferences.pull_request` or `vars.times > 3`, without the library, which takes longer to
 * load than most calls have to do (house.md, Speed).
 * @returns null where the library has to
 */
export function evaluatePlain(source: string, scope: Readonly<Record<string, unknown>>): boolean | null {
  const [, name = '', keys = '', operator, literal, least] = PLAIN.exec(source) ?? [];
  if (!(NAMES as readonly string[]).includes(name)) return null;
  const value = readPath(scope[name], keys);
  const type = value === null ? 'null' : typeof value;
  if (operator !== undefined) {
    return type === 'null' || type === 'string' ? (value === literal) === (operator === '==') : null;
  }
  if (type === 'null') return false;
  if (least === undefined) return type === 'boolean' ? value === true : null;
  return Number.isSafeInteger(value) ? Number(value) > Number(least) : null;
}

/** @returns null for what is missing or null; undefined where the library decides, below something that has no members */
function readPath(value: unknown, keys: string): unknown {
  let found = value;
  for (const [, key = '', quoted = key] of keys.matchAll(/\.(\w+)|\["([^"]*)"\]/g)) {
    if (found === undefined) break;
    if (!isRecord(found)) return undefined;
    found = Object.hasOwn(found, quoted) ? found[quoted] : undefined;
  }
  return found ?? null;
}
