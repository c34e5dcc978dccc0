import { omitUndefined } from '../base/defined.js';
import type { ErrorDetail } from '../base/errors.js';
import outline from '../generated/size-outline.js';
import { type CheckedSchema, findFaults } from './schema-faults.js';
import { describeFaults } from './schema-findings.js';
import type { Size, SizeFacts } from './size-rules.js';

/** Judges a block's claim about the size of the work (recipes.md, Size). */

/** The claim that a classifying block hands in: the size, and the reasons for it. */
export interface SizeClaim {
  size: Size;
  because?: {
    /** The files that will change. */
    files?: readonly string[];
    /** Whether an interface that others use changes. */
    interfaces?: boolean;
    /** Whether stored data changes. */
    data?: boolean;
    /** Questions that are still open. */
    unknowns?: readonly string[];
  };
}

/** Maximum number of files that a small change may touch. */
const FEW = 2;

/**
 * Accepts a claim, but changes `small` to `middle` unless the reasons support it: a small change touches one or two
 * named files, no interface and no data, and leaves nothing unknown.
 * @returns the accepted size; `why`: the reasons against `small`
 */
export function judgeSize({ size, because }: SizeClaim): { size: Size; why?: string } {
  if (size !== 'small') return { size };
  const against = listAgainstSmall(because ?? {});
  return against.length === 0 ? { size } : { size: 'middle', why: against.join(', ') };
}

function listAgainstSmall({
  files = [],
  interfaces,
  data,
  unknowns = [],
}: NonNullable<SizeClaim['because']>): string[] {
  const named = listNamed(files.flatMap((file) => file.split(/[,;\n]/)));
  const open = listNamed(unknowns).length;
  const whole = named.find((file) => /[*?{]|\/$|(?:^|\/)\.{1,2}$/.test(file));
  return [
    ...(named.length === 0 ? ['no file is named'] : []),
    ...(named.length > FEW ? [`${named.length} files`] : []),
    ...(whole === undefined ? [] : ['more than single files']),
    ...(interfaces === true ? ['an interface changes'] : []),
    ...(data === true ? ['data change'] : []),
    ...(open === 0 ? [] : [`${open} unknown`]),
  ];
}

function listNamed(words: readonly string[]): string[] {
  return [...new Set(words.map((word) => word.trim()))].filter((word) => word !== '');
}

/** Records a block's claim, as `judgeSize` accepts it, in place of the size that an earlier claim determined. */
export function addSizeClaim({ said, most }: SizeFacts, claim: SizeClaim): SizeFacts {
  const { size: found, why } = judgeSize(claim);
  return { ...omitUndefined({ said, most }), found, ...omitUndefined({ why }) };
}

// A plain `require`, as in recipe/conditions/language.ts: the validator is loaded only for a claim that does not fit
// its schema, and few do not.
const SCHEMA: CheckedSchema = { outline, validator: () => require('../generated/size.js').default };

/** Lists the faults of a size claim (size.ts); empty when there are none. */
export function findSizeFaults(value: unknown): ErrorDetail[] {
  return describeFaults(findFaults(SCHEMA, value)).map((found) =>
    found.pointer === '' ? { ...found, pointer: '/' } : found,
  );
}
