import { describe, expect, it } from 'vitest';
import { splitFrontMatter } from '../../../src/documents/front-matter.js';
import { checkReport } from '../../../src/documents/report.js';

const good = '---\nagent: gap-analyzer\ntimestamp: 2026-11-21T21:38:00Z\nsummary: Three gaps\n---\n# Gaps\n\n- one\n';

describe('front matter', () => {
  it('is real YAML between fences that are lines of their own', () => {
    const text =
      '\ufeff---\r\nsummary: >-\r\n  folded --- over\r\n  lines\r\n  ---\r\nlist: [a, "b: c"]\r\n--- \r\nbody\r\n---\r\nmore\r\n';
    expect(splitFrontMatter(text)).toEqual({
      kind: 'found',
      data: { summary: 'folded --- over lines ---', list: ['a', 'b: c'] },
      body: 'body\r\n---\r\nmore\r\n',
    });
  });

  it.each([
    ['# no fence', 'none'],
    ['', 'none'],
    [' ---\na: 1\n---\n', 'none'],
    ['----\na: 1\n---\n', 'none'],
    ['---\n---\n', 'found'],
    ['---\na: 1\n---', 'found'],
    ['---', 'invalid'],
    ['---\na: 1\n ---\n', 'invalid'],
    ['---\n- a\n---\n', 'invalid'],
    ['---\njust text\n---\n', 'invalid'],
    ['---\na: 1\na: 2\n---\n', 'invalid'],
    ['---\na: b: c\n---\n', 'invalid'],
  ])('%j is %s', (text, kind) => {
    expect(splitFrontMatter(text).kind).toBe(kind);
  });

  it('names the line of a fault in the file', () => {
    expect(splitFrontMatter('---\nagent: x\nsummary: a: b\n---\n')).toMatchObject({
      kind: 'invalid',
      at: expect.stringMatching(/^3:/),
    });
  });

  it('refuses aliases, depth and length instead of expanding them', () => {
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((key, index) => `${key}: &${key} [${`*${'abcdefgh'[index]},`.repeat(9)}]`)
      .join('\n')}\n---\n`;
    for (const text of [bomb, `---\na: ${'['.repeat(20_000)}\n---\n`, `---\na: ${'x'.repeat(40_000)}\n---\n`]) {
      expect(splitFrontMatter(text).kind).toBe('invalid');
    }
  });

  it('gives keys that every object has as data', () => {
    const result = splitFrontMatter('---\n__proto__: {polluted: 1}\nconstructor: x\n---\n');
    expect(result.kind === 'found' && Object.hasOwn(result.data, 'constructor')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a report', () => {
  it('holds up, further keys kept', () => {
    const result = checkReport(good.replace('---\n# Gaps', 'confidence: 0.8\nquestions: 2\nspecName: x\n---\n# Gaps'), {
      agent: 'gap-analyzer',
    });
    expect(result).toEqual({
      ok: true,
      report: {
        agent: 'gap-analyzer',
        timestamp: '2026-11-21T21:38:00Z',
        summary: 'Three gaps',
        confidence: 0.8,
        questions: 2,
        extra: { specName: 'x' },
      },
      body: '# Gaps\n\n- one\n',
      warnings: [],
    });
  });

  it('lists every problem at once', () => {
    const result = checkReport('---\nagent: [x]\ntimestamp: yesterday\nverdict: OK\n---\nx', {
      agent: 'a',
      verdict: true,
    });
    expect(result.ok ? [] : result.problems.map((problem) => problem.pointer)).toEqual([
      '/agent',
      '/timestamp',
      '/summary',
      '/verdict',
    ]);
  });

  it.each([
    ['', /the file is empty/],
    ['# Findings\n', /no front matter/],
    ['```yaml\n---\nagent: x\n---\n', /no front matter/],
    [good.replace('gap-analyzer', 'other'), /agent is "other"/],
    [good.replace('Three gaps', '"  "'), /summary is empty/],
    [good.replace('Three gaps', '3'), /summary is 3, not text/],
    [good.replace('2026-11-21T21:38:00Z', '2026-13-41'), /timestamp is "2026-13-41"/],
    [good.replace('Three gaps', 'a: b'), /not valid YAML/],
    [good.replace('---\n# Gaps', 'questions: two\n---\n# Gaps'), /questions is "two"/],
    [good.replace('---\n# Gaps', 'questions: -1\n---\n# Gaps'), /questions is -1/],
  ])('%j does not', (text, problem) => {
    const result = checkReport(text, { agent: 'gap-analyzer' });
    expect(result.ok ? 'accepted' : result.problems.map((each) => each.problem).join()).toMatch(problem);
  });

  it.each([
    ['OKAY', 'OKAY'],
    ['reject', 'REJECT'],
    ['" Okay "', 'OKAY'],
  ])('verdict %s is %s', (written, verdict) => {
    const result = checkReport(good.replace('summary:', `verdict: ${written}\nsummary:`), { verdict: true });
    expect(result.ok && result.report.verdict).toBe(verdict);
  });

  it.each(['not OKAY', 'OKAY REJECT', 'true', '""'])('verdict %s is none', (written) => {
    const text = good.replace('summary:', `verdict: ${written}\nsummary:`);
    expect(checkReport(text, { verdict: true }).ok).toBe(false);
    expect(checkReport(text).ok).toBe(true);
  });

  it('cuts a long summary and says so; warns of an empty body', () => {
    const result = checkReport(good.replace('Three gaps', 'word '.repeat(100)).replace('# Gaps\n\n- one\n', ''));
    expect(result.ok && result.report.summary).toHaveLength(300);
    expect(result.ok && result.warnings).toEqual([
      'summary: cut from 499 to 300 characters',
      'there is no text below the front matter',
    ]);
  });

  it('shows a summary without what terminals and readers cannot see', () => {
    const result = checkReport(good.replace('Three gaps', '"a\\e[31mb\\u202ec\\nd"'));
    expect(result.ok && result.report.summary).toBe('abc d');
  });
});
