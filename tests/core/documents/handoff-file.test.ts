import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBoundedLine } from '../../../src/documents/foreign.js';
import {
  formatLocalInstant,
  HANDOFF_SECTIONS,
  HANDOFF_STATUSES,
  type HandoffFile,
  nameHandoff,
  readHandoffFile,
  renderHandoffFile,
  sortHandoffNames,
} from '../../../src/documents/handoff-file.js';

// memory.md, Handoff: the format of the file.

const EMPTY = Object.fromEntries(HANDOFF_SECTIONS.map((one) => [one, []])) as unknown as HandoffFile['sections'];
const FILE: HandoffFile = {
  timestamp: '2026-11-27T02:03:04+01:00',
  status: 'blocked',
  goalId: 'pay: "1"',
  head: '12345678901234567890e34567890123456789012'.slice(0, 40),
  sections: { ...EMPTY, Done: ['The cart'], Next: ['Pay', '- [ ] twice'] },
};

describe('a handoff', () => {
  it('has its first keys, and the sections that every reader looks for', () => {
    expect(renderHandoffFile(FILE)).toBe(`---
timestamp: 2026-11-27T02:03:04+01:00
status: blocked
goal_id: "pay: \\"1\\""
head: "${FILE.head}"
---

## Done

- The cart

## Key Decisions

## Changed Files

## Next

- Pay
- - [ ] twice

## Context Files
`);
  });

  it('is read as it was written', () => {
    const entry = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => toBoundedLine(`x${text}`, 400));
    const entries = fc.array(entry, { maxLength: 3 });
    const sections = fc.record(Object.fromEntries(HANDOFF_SECTIONS.map((one) => [one, entries])));
    const about = fc.record({
      status: fc.constantFrom(...HANDOFF_STATUSES),
      goalId: entry,
      reason: entry,
      branch: entry,
    });
    fc.assert(
      fc.property(sections, about, (filled, said) => {
        const file = { ...FILE, ...said, sections: filled as unknown as HandoffFile['sections'] };
        expect(readHandoffFile(renderHandoffFile(file))).toEqual(file);
      }),
    );
  });

  it('may number its entries, have others than we know, and line ends of another system', () => {
    const text = `---\ntimestamp: 2026-11-27T02:03:04Z\nstatus: complete\ngoal_id: pay\nmood: good\n---\n# Handoff\n## Next\n1. One\n* Two\n\nThree\n## Thoughts\n- no\n\`\`\`\n## Done\n\`\`\`\n`;
    for (const written of [text, text.replaceAll('\n', '\r\n')]) {
      expect(readHandoffFile(written)).toEqual({
        ...{ timestamp: '2026-11-27T02:03:04Z', status: 'complete', goalId: 'pay' },
        sections: { ...EMPTY, Next: ['One', 'Two', 'Three'] },
      });
    }
  });

  it.each([
    ['no front matter', '## Next\n- a\n'],
    ['no offset', '---\ntimestamp: 2026-11-27T02:03:04\nstatus: complete\ngoal_id: pay\n---\n'],
    ['no such day', '---\ntimestamp: 2026-13-27T02:03:04Z\nstatus: complete\ngoal_id: pay\n---\n'],
    ['another status', '---\ntimestamp: 2026-11-27T02:03:04Z\nstatus: finished\ngoal_id: pay\n---\n'],
    ['no goal', '---\ntimestamp: 2026-11-27T02:03:04Z\nstatus: complete\n---\n'],
    ['broken YAML', '---\ntimestamp: [\n---\n'],
  ])('with %s is none', (_, text) => {
    expect(readHandoffFile(text)).toBeNull();
  });

  it('is shown without secrets', () => {
    const text = `---\ntimestamp: 2026-11-27T02:03:04Z\nstatus: failed\ngoal_id: pay\n---\n## Done\n- ghp_${'a'.repeat(36)}\n`;
    expect(readHandoffFile(text)?.sections.Done).toEqual(['[masked]']);
  });
});

describe('the names of handoffs', () => {
  it('are ordered by time, then by number', () => {
    const names = ['2026-11-27_010203', '2026-11-27_010203_2', '2026-11-27_010203_10', '2026-11-28_000000'];
    const files = names.map((name) => `${name}.md`);
    const others = [
      'README.md',
      '2026-11-27_010203_1.md',
      '2026-11-27_010203_02.md',
      '2026-11-27.md',
      'x2026-11-27_010203.md',
    ];
    expect(sortHandoffNames([...files, ...others].sort().reverse())).toEqual(files);
  });

  it('say the local time', () => {
    const at = formatLocalInstant(Date.parse('2026-11-27T01:02:03.456Z'));
    expect(Date.parse(at)).toBe(Date.parse('2026-11-27T01:02:03Z'));
    expect(at).toMatch(/^2026-11-2\dT\d\d:\d\d:03[+-]\d\d:\d\d$/);
    expect(nameHandoff('2026-11-27T02:03:04+01:00', 1)).toBe('2026-11-27_020304.md');
    expect(nameHandoff('2026-11-27T02:03:04+01:00', 12)).toBe('2026-11-27_020304_12.md');
  });
});
