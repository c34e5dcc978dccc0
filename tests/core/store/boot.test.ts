import { expect, it } from 'vitest';
import { isOfEarlierBoot } from '../../../src/store/process.js';

const NOW = Date.UTC(2026, 0, 2);
const HOUR = 3_600_000;

/** Whether an entry with this boot id and age in hours counts as written before the machine booted, an hour ago. */
function isOlder(boot: string | undefined, age: number, id: string | null): boolean {
  const at = new Date(NOW - age * HOUR).toISOString();
  const entry = { at, ...(boot === undefined ? {} : { boot }) };
  return isOfEarlierBoot(entry, { id: () => id, uptime: () => 3600 }, NOW);
}

it('an entry is of an earlier boot by its id, whatever the clocks say', () => {
  expect([isOlder('a', 9, 'a'), isOlder('a', 9, 'b'), isOlder('a', -9, 'b')]).toEqual([false, true, true]);
});

it('an entry is of an earlier boot by its instant where either id is not known, a minute included', () => {
  for (const [boot, id] of [
    [undefined, 'b'],
    ['a', null],
    [undefined, null],
  ] as const) {
    expect([isOlder(boot, 2, id), isOlder(boot, 0.999, id), isOlder(boot, 0.5, id)]).toEqual([true, true, false]);
  }
});

it('an entry whose instant cannot be read may be of any boot', () => {
  expect(isOfEarlierBoot({ at: 'then' }, { id: () => null, uptime: () => 1 }, NOW)).toBe(true);
});
