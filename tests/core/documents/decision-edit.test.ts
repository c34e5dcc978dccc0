import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { acceptDecision } from '../../../src/documents/decision-edit.js';

// loop-operations.md, Decisions: accepting a decision changes three fields of its file in place, and nothing else.

const chosen = { selected: 'small', ref: 'refs/x/1' };

function accept(text: string, ref: string | null = chosen.ref): string {
  const done = acceptDecision(text, { ...chosen, ref });
  if ('problem' in done) throw new Error(done.problem);
  return done.text;
}

describe('a ticket', () => {
  it.each([
    [
      '# why\nstatus: proposed # now\nalternatives: [{id: "small"}]\n',
      '# why\nstatus: accepted # now\nselected: "small"\nevidence_refs: ["refs/x/1"]\nalternatives: [{id: "small"}]\n',
    ],
    [
      "status: 'proposed'\r\nselected: ''\r\nevidence_refs:\r\n- a # first\r\n-   'b'\r\nx: 1",
      'status: \'accepted\'\r\nselected: "small"\r\nevidence_refs:\r\n- a # first\r\n-   \'b\'\r\n-   "refs/x/1"\r\nx: 1',
    ],
    [
      '\ufeffevidence_refs: [a, "b" ] # two\nselected:\nstatus: "proposed"',
      '\ufeffevidence_refs: [a, "b", "refs/x/1" ] # two\nselected: "small"\nstatus: "accepted"',
    ],
    ['evidence_refs: []\nstatus: proposed\n', 'evidence_refs: ["refs/x/1"]\nstatus: accepted\nselected: "small"\n'],
    [
      '{"status": "proposed", "evidence_refs": null, "selected": null}\n',
      '{"status": "accepted", "evidence_refs": ["refs/x/1"], "selected": "small"}\n',
    ],
    ['{"status": "proposed"}', '{"status": "accepted", "selected": "small", "evidence_refs": ["refs/x/1"]}'],
    [
      'status: proposed\nevidence_refs:\n  - >-\n    long\n    text\n\n  # end\n',
      'status: accepted\nselected: "small"\nevidence_refs:\n  - >-\n    long\n    text\n  - "refs/x/1"\n\n  # end\n',
    ],
    ['status: proposed\nevidence_refs:\n- a', 'status: accepted\nselected: "small"\nevidence_refs:\n- a\n- "refs/x/1"'],
  ])('is accepted in place: %j', (text, after) => {
    expect(accept(text)).toBe(after);
  });

  it('names no reference where nothing was kept', () => {
    expect(accept('status: proposed\nevidence_refs: [a]\n', null)).toBe(
      'status: accepted\nselected: "small"\nevidence_refs: [a]\n',
    );
  });

  it.each([
    ['status: >-\n  proposed\n'],
    ['status: &s proposed\nx: *s\n'],
    ['x: &s proposed\nstatus: *s\n'],
    ['status: [proposed]\n'],
    ['status: proposed\nevidence_refs: a\nstatus: b\n'],
    ['status: proposed\nevidence_refs: [a,]\nselected: {b: c\n'],
    ['- a\n'],
    ['question: x\n'],
    [''],
    ['['.repeat(9000)],
  ])('is left alone where that cannot be (%#)', (text) => {
    expect(acceptDecision(text, chosen)).toEqual({ problem: expect.any(String) });
  });

  it('says just what was meant, or is left alone, whatever stands there', () => {
    const refs = [
      '',
      ' []',
      ' null',
      ' [a, b]',
      ' [a, b,]',
      '\n- a\n- b',
      '\n  - a\n\n  - b # c',
      ' [\n a, # x\n b # y\n ]',
      '\n- {a: 1}',
      '\n- - a',
    ];
    const outcomes = refs.map((form) => {
      const text = `status: proposed\nevidence_refs:${form}\nquestion: x\n`;
      const done = acceptDecision(text, chosen);
      if ('problem' in done) return false;
      const before = parse(text);
      const meant = { ...before, status: 'accepted', selected: 'small' };
      expect(parse(done.text)).toEqual({ ...meant, evidence_refs: [...(before.evidence_refs ?? []), chosen.ref] });
      return true;
    });
    expect(outcomes.filter(Boolean).length).toBeGreaterThan(7);
  });
});
