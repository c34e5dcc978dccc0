import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { setGoalStatus } from '../../../src/documents/goals-edit.js';

// loop-core.md, Files: an edit changes a goal's status in place, and nothing else.

function set(text: string, id: string, status: string, reason: string | null = null): string {
  const done = setGoalStatus(text, id, status, reason);
  if ('problem' in done) throw new Error(done.problem);
  return done.text;
}

describe('a status', () => {
  it.each([
    ['goals:\n  - id: a\n    title: A # why\n    status: active   # now\n', 'active   # now', 'done   # now'],
    ['goals: [{id: a, status: "active", title: A}]', '"active"', '"done"'],
    ["\ufeffgoals:\r\n- {id: 'a', title: x, status: 'active'}\r\n", "'active'", "'done'"],
    ['{"goals": [{"id": "a", "title": "A", "status": "active"}]}\n', '"active"', '"done"'],
  ])('is changed where it stands: %j', (text, from, to) => {
    expect(set(text, 'a', 'done')).toBe(text.replace(from, to));
  });

  it('brings its reason right behind it, in the same style, which goes with it', () => {
    const block = 'goals:\n  - status: active # x\n    id: a\n    title: A\n  # end\n';
    const blocked =
      'goals:\n  - status: blocked # x\n    blocked_reason: "no \\"key\\""\n    id: a\n    title: A\n  # end\n';
    expect(set(block, 'a', 'blocked', 'no "key"')).toBe(blocked);
    expect(set(blocked, 'a', 'blocked', 'other')).toBe(blocked.replace('no \\"key\\"', 'other'));
    expect(set(blocked, 'a', 'active')).toBe(block);
    const flow = '{goals: [{id: a, status: active, title: A}]}';
    const there = '{goals: [{id: a, status: blocked, blocked_reason: "x", title: A}]}';
    expect([set(flow, 'a', 'blocked', 'x'), set(there, 'a', 'active')]).toEqual([there, flow]);
    expect(set('goals:\r\n- id: a\r\n  status: active', 'a', 'blocked', 'x')).toBe(
      'goals:\r\n- id: a\r\n  status: blocked\r\n  blocked_reason: "x"',
    );
  });

  it.each([
    ['goals:\n- id: a\n  status: blocked\n  blocked_reason: |\n    two\n    lines\n  title: A\n'],
    ['goals:\n- id: a\n  status: blocked\n  blocked_reason: >-\n    two\n\n    lines\n'],
    ['goals:\n- blocked_reason: x\n  id: a\n  status: blocked\n'],
    ['goals:\n- id: a\n  status: blocked\n  blocked_reason:\n  title: A\n'],
    ['goals:\n- {blocked_reason: x, id: a, status: blocked}\n'],
  ])('replaces and removes a reason that somebody wrote: %j', (text) => {
    const said = (changed: string) => parse(changed).goals[0];
    expect(said(set(text, 'a', 'blocked', 'new'))).toMatchObject({ blocked_reason: 'new', id: 'a' });
    expect(said(set(text, 'a', 'active')).blocked_reason ?? null).toBeNull();
  });

  it.each([
    ['goals: [', 'is not valid YAML'],
    ['goals:\n- {id: b, status: active}\n', 'has no goal "a"'],
    ['goals:\n- &g {id: b, status: &s active}\n- {id: a, status: *s}\n', 'it is an alias'],
    ['goals:\n- {id: a, status: &s active}\n', 'it has an anchor'],
    ['goals:\n- id: a\n  status: >-\n    active\n', 'more than one line'],
    ['goals:\n- id: a\n  status:\n    [active]\n', 'it is not a text'],
    ['goals:\n- {id: b, status: active, other: &x y, more: *x}\n- {id: a, status: active}\n', 'cannot be changed'],
    ['- active\n', 'has no goal'],
  ])('is left alone in %j', (text, problem) => {
    expect(setGoalStatus(text, 'a', 'done', null)).toEqual({ problem: expect.stringContaining(problem) });
  });

  const key = fc.constantFrom('title', 'status', 'note', 'role');
  const goal = fc.record({
    order: fc.uniqueArray(key, { minLength: 4, maxLength: 4 }),
    flow: fc.boolean(),
    quote: fc.constantFrom('', '"', "'"),
    comment: fc.constantFrom('', ' # c', '   #  status: done'),
    between: fc.constantFrom('', '    # a line\n', '\n'),
    nested: fc.boolean(),
  });
  const file = fc.record({
    goals: fc.array(goal, { minLength: 1, maxLength: 4 }),
    crlf: fc.boolean(),
    bom: fc.boolean(),
    end: fc.boolean(),
  });

  function write({ goals, crlf, bom, end }: typeof file extends fc.Arbitrary<infer T> ? T : never): string {
    const entries = goals.map(({ order, flow, quote, comment, between, nested }, n) => {
      const status = `${quote}active${quote}`;
      const said: Record<string, string> = { title: `"T: ${n}"`, status, note: '[1, {a: b}]', role: 'x y' };
      if (flow) return `  - {id: g${n}, ${order.map((one) => `${one}: ${said[one]}`).join(' , ')}}${comment}\n`;
      const lines = order.map((one) => `    ${one}: ${said[one]}${one === 'status' ? comment : ''}\n`);
      const child = nested ? `    children:\n    - id: c${n}\n      status: ${status}${comment}\n` : '';
      return `  - id: g${n}\n${lines.join(between)}${child}`;
    });
    const text = `# goals\ngoals:\n${entries.join('')}`;
    const whole = end ? text : text.replace(/\n$/, '');
    return `${bom ? '\ufeff' : ''}${crlf ? whole.replaceAll('\n', '\r\n') : whole}`;
  }

  it('whatever stands around it: the same but for the two fields, and back to the old bytes', () => {
    fc.assert(
      fc.property(
        file,
        fc.nat(),
        fc.string({ unit: 'binary', maxLength: 30 }),
        fc.boolean(),
        (given, pick, reason, deep) => {
          const text = write(given);
          const at = pick % given.goals.length;
          const id = deep && given.goals[at]?.nested && !given.goals[at]?.flow ? `c${at}` : `g${at}`;
          const blocked = set(text, id, 'blocked', reason);
          const expected = parse(text, { logLevel: 'silent' });
          const meant = id.startsWith('c') ? expected.goals[at].children[0] : expected.goals[at];
          Object.assign(meant, { status: 'blocked', blocked_reason: reason });
          expect(parse(blocked)).toEqual(expected);
          expect(set(blocked, id, 'active')).toBe(text);
        },
      ),
      { numRuns: 150 },
    );
  });
});
