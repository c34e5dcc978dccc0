import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { renderRunSummary } from '../../../src/documents/run-summary.js';
import { renderAnnotations } from '../../../src/wings/page/ci/annotations.js';
import { buildErrorFinding, buildFinding, type CiFinding } from '../../../src/wings/page/ci/finding.js';
import { readReport } from '../../../src/wings/page/ci/report.js';
import { buildSections, joinSections } from '../../../src/wings/page/ci/summary.js';
import { expectLinear } from '../../support/growth.js';

const HOSTILE = [
  '::error::x',
  ' ::add-mask::e',
  'x##[debug]y',
  'a\u202eb\u2066c',
  '</details><script>x</script>',
  '[x](javascript:y) ![z](//w)',
  '| a | b',
  'a\r\n::warning::b',
  '`` ` ```',
  'x'.repeat(1_000_000),
];

const aFinding = (message: string, more: Partial<CiFinding> = {}): CiFinding =>
  buildFinding('plan', { file: 'a.json', line: 2, column: 3, message, ...more });

describe('annotations', () => {
  it.each(HOSTILE)('are one command each, whatever the text: %.40j', (text) => {
    const lines = renderAnnotations([aFinding(text, { fix: text, file: `a,b:${text.slice(0, 50)}` })], '').split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^::error file=[^:,]+,line=2,col=3,title=dev-cli%3A plan::[^\r]*$/);
    expect(lines[0]?.length).toBeLessThan(2_500);
    expect(lines[0]).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  it('say what the runner takes back: percent, colon, comma, line feed', () => {
    const [line] = renderAnnotations([aFinding('50% a:b,c', { file: 'a%,:.json', fix: 'x' })], 'sub/dir').split('\n');
    expect(line).toBe('::error file=sub/dir/a%25%2C%3A.json,line=2,col=3,title=dev-cli%3A plan::50%25 a:b,c%0Ax');
  });

  it('are ten of a kind, and the tenth says how many more there are', () => {
    const many = (count: number, severity: CiFinding['severity']) =>
      Array.from({ length: count }, (_, at) => aFinding(`no ${at}`, { severity }));
    const lines = renderAnnotations([...many(12, 'error'), ...many(10, 'warning')], '')
      .trimEnd()
      .split('\n');
    expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(10);
    expect(lines[9]).toContain('::no 9%0Aand 2 more errors: the log lists all of them.');
    expect(lines.filter((line) => line.startsWith('::warning '))).toHaveLength(10);
    expect(lines.join('\n').match(/and \d+ more/g)).toHaveLength(1);
  });

  it('leave out a place that is not known', () => {
    const finding = buildErrorFinding('journal', 'x.jsonl', new DevCliError('IO', 'It is gone.'));
    expect(renderAnnotations([finding], '')).toBe('::error file=x.jsonl,title=dev-cli%3A journal::It is gone.\n');
    const at = { details: [{ at: 'x.jsonl:7:1', problem: 'torn' }] };
    expect(buildErrorFinding('journal', 'x', new DevCliError('IO', 'It is gone.', at))).toMatchObject({
      line: 7,
      column: 1,
      message: 'It is gone. torn',
    });
  });
});

describe('the report of an execution', () => {
  const summary = {
    goal: 'Delete to-dos',
    at: '2026-01-01T00:00:00Z',
    done: [],
    decisions: [],
    changedFiles: [],
    verification: ['a line'],
    next: [],
    requirements: [
      { id: 'r-1', text: 'a | b', proof: 'todo-1 ac-1: npm test', result: 'met' },
      { id: 'r-2', text: 'b', proof: '–', result: 'not met: red' },
    ],
  };

  it('is read as it is written', () => {
    const text = renderRunSummary({ ...summary, outcome: 'halted', failed: ['todo-2: red'], openIssues: ['x', 'y'] });
    expect(readReport(text)).toEqual({
      text,
      proof: '1 of 2 requirements met',
      open: ['halted', 'Failed: 1', 'Open issues: 2'],
    });
    const good = renderRunSummary({ ...summary, outcome: 'completed', openIssues: [], requirements: [] });
    expect(readReport(good)).toEqual({ text: good, open: [] });
  });

  it.each(['', '\n', 'not one', '## Requirements', '## Requirements\n\n| a', ...HOSTILE])(
    'may be anything: %.40j',
    (text) => {
      expect(readReport(text).open).toEqual([]);
    },
  );
});

describe('the summary', () => {
  const plan = {
    name: 'one',
    todos: 3,
    done: 2,
    report: { text: '', proof: '1 of 1 requirements met', open: ['Failed: 1'] },
  };

  it('shows verdict, plans, findings and changed reports, in this order', () => {
    const sections = buildSections(
      ['✓ nothing found', 'a warning'],
      [plan, { name: 'two', todos: 1, done: 0 }],
      [aFinding('It is wrong.', { fix: 'Mend it.' })],
      new Map([['one/report.md', '# Report\n\n| a |\n| --- |\n<details>\n<summary>1 line</summary>\n\n- x\n']]),
    );
    expect(joinSections(sections, 0)).toBe(
      [
        '## ✓ nothing found\n\na warning\n',
        '| plan | todos | proof | left open |',
        '| --- | --- | --- | --- |',
        '| one | 2/3 | 1 of 1 requirements met | Failed&#58; 1 |',
        '| two | 0/1 | – | – |\n',
        '- **error** a.json&#58;2&#58;3: It is wrong. Mend it.\n',
        '<details>',
        '<summary>one/report.md</summary>\n',
        '> # Report\n>\n> | a |\n> | --- |\n>\n> 1 line\n>\n> - x\n>\n\n</details>\n\n',
      ].join('\n'),
    );
  });

  it.each(HOSTILE)('shows foreign text, and does nothing else with it: %.40j', (text) => {
    const report = `# Report\n${text}\n[a]: https://x\n\`\`\`\n${text}`;
    const sections = buildSections(
      [text],
      [{ ...plan, name: text }],
      [aFinding(text, { file: text })],
      new Map([[text, report]]),
    );
    const made = joinSections(sections, 0);
    const own = made.replace(/^<\/?details>$|^<summary>|<\/summary>$/gm, '');
    expect(own).not.toMatch(/</);
    expect(own).not.toMatch(/\][(:[]/);
    expect(made).not.toMatch(/[\u202a-\u202e\u2066-\u2069\r]/);
    // The report cannot break out of its quotation, because every line is marked as quoted.
    const folded = made.slice(made.indexOf('<summary>')).split('\n').slice(1, -4);
    expect(folded.every((line) => line === '' || line.startsWith('>'))).toBe(true);
    for (const line of made.split('\n').filter((one) => one.startsWith('| '))) expect(line.split('|')).toHaveLength(6);
  });

  it.each(['```mermaid', '~~~geojson', '````  mermaid x', '> - ~~~stl `a`', '1) ```mermaid'])(
    'draws nothing of a report: %s',
    (line) => {
      const made = joinSections(buildSections(['x'], [], [], new Map([['r', `${line}\ngraph LR\n`]])), 0);
      expect(made).not.toMatch(/mermaid|geojson|stl/);
      expect(made).toMatch(/^> .*(?:```|~~~)$/m);
    },
  );

  it('leaves code and lines of a report as they are', () => {
    const text = 'Run ```a``` now.\n```x``` and more\n```\ncode\n```\n\n1. - ~~old~~\n';
    expect(joinSections(buildSections(['x'], [], [], new Map([['r', text]])), 0)).toContain(
      text.replace(/^(?=.)/gm, '> ').replace('\n\n', '\n>\n'),
    );
  });

  it.each(['\n', '- ', '`', '~', '``` '])('is made in linear time of a report of nothing but %j', (sign) => {
    const report = (size: number) => new Map([['r', sign.repeat(size)]]);
    expectLinear(report, (reports) => buildSections(['x'], [], [], reports), 300_000);
  });

  it('masks secrets in reports', () => {
    const sections = buildSections(['x'], [], [], new Map([['r', `token=ghp_${'a1'.repeat(20)}`]]));
    expect(joinSections(sections, 0)).not.toContain('ghp_');
  });

  const section = (name: string, bytes: number) => ({ name, text: 'ä'.repeat(bytes / 2) });
  it('leaves whole sections out before a million bytes, and names them', () => {
    const made = joinSections([section('a', 600_000), section('b', 600_000), section('c', 300_000)], 0);
    expect(Buffer.byteLength(made)).toBeLessThan(1_000_000);
    expect(made).toBe(`${'ä'.repeat(450_000)}Left out for lack of room: b.\n\n`);
    expect(joinSections([section('a', 600_000)], 450_000)).toBe('');
    const names = Array.from({ length: 500 }, (_, at) => section(`.dev/specs/run-${at}/report.md`, 900_000));
    expect(Buffer.byteLength(joinSections(names, 0))).toBeLessThan(1_000_000);
  });
});
