import { isRecord } from '../../base/json.js';

/** Evaluates paths of fixtures (neutral.md, Fixtures). */

/** A reference to an earlier reply: the number of the step, from 1, and a path. */
export const REFERENCE = /^(\d+):(\$.*)$/;

/**
 * Returns the value at a path: `$`, `.name`, `[n]`, `[-1]`, `.length`; undefined if there is none. @throws Error for an
 * invalid path
 */
export function getValueAt(value: unknown, path: string): unknown {
  return parsePath(path).reduce<unknown>((at, step) => {
    if (typeof step === 'number') return Array.isArray(at) ? at.at(step) : undefined;
    if (step === 'length' && (Array.isArray(at) || typeof at === 'string')) return at.length;
    return isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }, value);
}

/** Splits a path into its steps. @throws Error */
export function parsePath(path: string): (string | number)[] {
  const steps = [...path.slice(1).matchAll(/\.([A-Za-z_][\w-]*)|\[(-?\d+)\]/g)];
  const read = steps.map(([whole]) => whole).join('');
  if (!path.startsWith('$') || read !== path.slice(1)) throw new Error(`${path} is no path`);
  return steps.map(([, name, index]) => name ?? Number(index));
}
