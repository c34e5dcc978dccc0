import { describe, expect, it } from 'vitest';
import type { ReviewResult } from '../../../src/documents/results.js';
import { buildReviewFixes } from '../../../src/engine/act/results/fixes.js';
import type { TodoState } from '../../../src/run/engine-rows.js';

// engine.md, Fix rounds: no two fixes get the same id.

const REVIEW: ReviewResult = {
  verdict: 'NEEDS_FIXES',
  summary: 'Two issues.',
  issues: ['a.ts', 'b.ts'].map((file) => ({ file, line: 1, severity: 'major', description: 'It is wrong.' })),
};

const idsBeside = (...known: string[]) => {
  const todos = Object.fromEntries(known.map((id) => [id, {} as TodoState]));
  return buildReviewFixes({ fixRounds: 0, todos }, REVIEW, () => []).map(({ id }) => id);
};

describe('the ids of fixes', () => {
  it.each([
    ['of a first round', [], ['fix-r1-1', 'fix-r1-2']],
    ['of a round that is counted anew', ['fix-r1-1'], ['fix-r1-2', 'fix-r1-3']],
    ['behind one that was withdrawn', ['fix-r1-2', 'fix-r1-10'], ['fix-r1-11', 'fix-r1-12']],
    ['beside todos that only look alike', ['fix-r1-old', 'fix-r10-4'], ['fix-r1-1', 'fix-r1-2']],
  ])('%s', (_, known, given) => {
    expect(idsBeside(...known)).toEqual(given);
  });
});
