import { describe, expect, it } from 'vitest';
import { OWN, PUBLISHED, perform } from './stage.js';

// neutral.md, Conformance: tries our tools in this process, with the runner's own cases and assertions.

describe.each([
  ['published', PUBLISHED, 48],
  ['own', OWN, 118],
] as const)('the %s suite', (_, cases, count) => {
  it('passes against our tools, each case of it', async () => {
    const verdicts = await Promise.all(cases.map(async (one) => ({ id: one.id, ...(await perform(one)) })));
    expect(verdicts.filter(({ kind }) => kind !== 'pass')).toEqual([]);
    expect(verdicts).toHaveLength(count);
  });
});
