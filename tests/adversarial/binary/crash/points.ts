import type { Mutation } from './calls.js';
import { isLeftover } from './normal.js';
import type { Point } from './trial.js';

/**
 * How many cuts are tried, and how each is followed up:
 * - `all`: before, inside and after each call. Each cut is followed by `next`, the repeated command and the rest of the
 *   story.
 * - `states`: one cut for each state that can remain on the disk. The state after a call is reached by a cut after this
 *   call or before the next; the two alternate. A temporary file is left in one form only (empty, torn or whole). All
 *   cuts are followed by the repeated command, some by `next`, few by the rest of the story.
 * - `sample`: some of the cuts of `states`, chosen by the seed, in at most a minute.
 */
export type Extent = 'sample' | 'states' | 'all';

type Cut = Omit<Point, 'step'>;

/** Whether a call changes what other processes see on the disk. (What survives a power cut is judged in order.ts.) */
export function changesDisk({ op, failed, path }: Mutation): boolean {
  return !failed && !/sync|chown|chmod/.test(op) && path !== 'stdout';
}

/** Returns the points at which one command is cut. */
export function pointsOf(mutations: readonly Mutation[], extent: Extent): Cut[] {
  return extent === 'all' ? mutations.flatMap(everywhere) : onePerState(mutations);
}

function everywhere({ inside }: Mutation, i: number): Cut[] {
  const call = i + 1;
  const torn: Cut[] = inside ? [{ call, position: 'inside' }] : [];
  return [{ call, position: 'before' }, ...torn, { call, position: 'after' }];
}

function onePerState(mutations: readonly Mutation[]): Cut[] {
  let temporaries = 0;
  const points = mutations.flatMap((mutation, i): Cut[] => {
    const call = i + 1;
    if (isLeftover(mutation.path) && mutation.op === 'open') temporaries += 1;
    const torn: Cut = { call, position: 'inside' };
    // The state after a call can be left by a cut after it or before the next call. The two alternate; after the last
    // call there is no next one.
    const behind = call % 2 === 0 || call === mutations.length;
    const whole: Cut = behind ? { call, position: 'after' } : { call: call + 1, position: 'before' };
    const [tornCounts, wholeCounts] = formsOf(mutation, temporaries);
    return [...(tornCounts && mutation.inside ? [torn] : []), ...(wholeCounts ? [whole] : [])];
  });
  return [{ call: 1, position: 'before' }, ...points];
}

/** Returns which states of a call to try: half done (torn), completely done (whole). */
function formsOf(mutation: Mutation, temporaries: number): [torn: boolean, whole: boolean] {
  if (mutation.path === 'stdout') return [true, true];
  if (!changesDisk(mutation)) return [false, false];
  const form = temporaries % 3;
  if (isLeftover(mutation.path) && mutation.op === 'open') return [false, form === 0];
  if (isLeftover(mutation.path) && mutation.op === 'write') return [form === 1, form === 2];
  return [true, true];
}
