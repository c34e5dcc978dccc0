import { describe, expect, it } from 'vitest';
import { readDecisions } from '../../../src/documents/draft-decisions.js';

// documents.md, summary.md and report.md: the draft shows who made each decision.

describe('whose a decision is', () => {
  it.each([
    ['- Plain files (user)', 'user', false],
    ['- Plain files (user).', 'user', false],
    ['- Plain files (assumed)', 'assumed', false],
    ['- Plain files (agent)', 'agent', false],
    ['- Plain files', 'agent', false],
    ['- Flag, then environment (user). Turned down: the environment first', 'agent', true],
    ['- Flag, then environment (user)\n  - turned down: the environment first', 'user', false],
    ['- Flag, then\n  environment (user)', 'user', false],
    ['- Flag, then environment\n\nas agreed (user)', 'agent', true],
    ['- Help says `name (user)` of a name', 'agent', false],
  ])('%j', (text, by, isMisplaced) => {
    expect(readDecisions(text)).toMatchObject([{ by, isMisplaced }]);
  });

  it('is read with the whole sentence, however it is wrapped', () => {
    expect(readDecisions('- Flag, then\n  environment (user)\n  - not the file')[0]?.text).toBe(
      'Flag, then environment',
    );
  });

  it('is read bullet by bullet', () => {
    expect(readDecisions('before\n- One (user)\n- Two (assumed) of these\n\nafter')).toEqual([
      { text: 'One', by: 'user', isMisplaced: false },
      { text: 'Two (assumed) of these', by: 'agent', isMisplaced: true },
    ]);
  });
});
