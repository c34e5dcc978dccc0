import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REQUEST_BODY, renderRequestBody } from '../../../src/documents/request-text.js';
import type { RunSummary } from '../../../src/documents/run-summary.js';

const summaryOf = (change: Partial<RunSummary>): RunSummary => ({
  goal: 'Add JWT auth',
  outcome: 'completed',
  at: '2026-11-22T12:00:00.000Z',
  done: [],
  decisions: [],
  changedFiles: [],
  verification: [],
  openIssues: [],
  next: [],
  ...change,
});

describe('the body of a pull request', () => {
  it('has the parts of the report that hold something', () => {
    const body = renderRequestBody(summaryOf({ done: ['todo-1: Write one'], commits: ['todo-1: 0123abc'] }));
    expect(body).toBe('Add JWT auth\n\n## Done\n\n- todo-1: Write one\n\n## Commits\n\n- todo-1: 0123abc\n');
  });

  it.each([
    ['@octocat', '@<!-- -->octocat'],
    ['fixes #12', 'fixes #<!-- -->12'],
    ['closes GH-7', 'closes GH-<!-- -->7'],
    ['https://evil.invalid', 'https:<!-- -->//evil.invalid'],
    ['# a title', '\\# a title'],
    ['1. one', '1\\. one'],
    ['- [x] done', '\\- \\[x\\] done'],
    ['`a` *b* _c_ ~d~ $e$ <f> &lt;', '\\`a\\` \\*b\\* \\_c\\_ \\~d\\~ \\$e\\$ &lt;f\\> &amp;lt;'],
    ['two\nlines\u202e\u001b[8m', 'two lines'],
  ])('shows %j as nothing but text', (text, shown) => {
    expect(renderRequestBody(summaryOf({ done: [text] }))).toContain(`\n- ${shown}\n`);
  });

  it('is never longer than a forge takes, and says what was left out', () => {
    const many = Array.from({ length: 4000 }, (_, n) => `${n} ${'@'.repeat(400)}`);
    const body = renderRequestBody(summaryOf({ done: many }));
    expect(body.length).toBeLessThanOrEqual(REQUEST_BODY);
    expect(body).toMatch(/\n_\d+ more lines do not fit; report\.md of the run has them\._\n$/);
  });

  it('calls nobody and holds no tag, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 20 }), (done) => {
        const body = renderRequestBody(summaryOf({ goal: done[0] ?? '', done, openIssues: done }));
        expect(body.length).toBeLessThanOrEqual(REQUEST_BODY);
        expect(body).not.toMatch(/@[A-Za-z0-9]|#[0-9]|<(?!!-- -->)/);
      }),
      { numRuns: 40 },
    );
  });
});
