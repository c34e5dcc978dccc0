import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitStatements } from '../../../src/documents/sentences.js';
import { createOccurrenceTest, isSameText, listUncovered } from '../../../src/plan/check/coverage.js';

const REQUEST = `Please add a health endpoint to the API, and remove
the old status page from the web server as well. It must answer in "200 ms".

- [ ] no auth on it
- logs stay as they are
  even when it fails
1. First this. Then that!

## Out of scope
> Quoted words. More of them.

\`\`\`js
call(it)
\`\`\``;

const textsOf = (text: string) => splitStatements(text).map((statement) => statement.text);

describe('the statements of a request', () => {
  it('are its sentences, list items, headings and blocks of code, with their places', () => {
    const found = splitStatements(REQUEST);
    expect(found.map(({ text }) => text)).toEqual([
      'Please add a health endpoint to the API, and remove the old status page from the web server as well.',
      'It must answer in "200 ms".',
      'no auth on it',
      'logs stay as they are even when it fails',
      'First this.',
      'Then that!',
      'Out of scope',
      'Quoted words.',
      'More of them.',
      'call(it)',
    ]);
    expect(found.at(-1)?.kind).toBe('code');
    for (const { kind, text, start, end } of found.filter((one) => one.kind === 'sentence')) {
      expect(REQUEST.slice(start, end).replace(/\s+/g, ' '), kind).toBe(text);
    }
  });

  it.each([
    ['one word', 'Refactor', ['Refactor']],
    ['nothing', ' \n---\n…', []],
    ['Chinese', '添加一个健康检查端点。它必须返回版本号。', ['添加一个健康检查端点。', '它必须返回版本号。']],
    [
      'German',
      'Füge einen Endpunkt hinzu, z. B. /health. Er antwortet schnell.',
      ['Füge einen Endpunkt hinzu, z. B. /health.', 'Er antwortet schnell.'],
    ],
    ['CRLF', 'One\r\ntwo.\r\n\r\nThree.', ['One two.', 'Three.']],
    ['numbers with points', 'Use 1.2.3 of it, v. 2. Then stop.', ['Use 1.2.3 of it, v. 2.', 'Then stop.']],
    ['small letters', 'add a page. no new deps. `x` stays', ['add a page.', 'no new deps.', '`x` stays']],
    [
      'single capitals',
      "Don't do X. Do Y. Keep plan B. Z stays.",
      ["Don't do X.", 'Do Y.', 'Keep plan B.', 'Z stays.'],
    ],
    ['initials', 'J. Doe asks for J. R. R. Tolkien, e.g. his U.S. editions.', undefined],
    [
      'abbreviations',
      'Rows, columns etc. are sorted, bzw. left, as Dr. Doe said in src/x.ts, at 3. of May.',
      undefined,
    ],
    ['a fence that nothing closes', 'Do.\n```\nrm -rf x\n', ['Do.', 'rm -rf x']],
  ])('of %s', (_what, text, expected = [text]) => {
    expect(textsOf(text)).toEqual(expected);
  });

  it('lie in order and apart, and leave out no word, whatever the text', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\n\n', '- ', '# ', '> ', '```\n', '. ', 'Word ', '字。', '\r\n', '1. ', '\ud800'),
      fc.string({ unit: 'grapheme' }),
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (request) => {
        let last = 0;
        const between: string[] = [];
        for (const { start, end } of splitStatements(request)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          between.push(request.slice(last, start));
          last = end;
        }
        if (!request.includes('```')) expect([...between, request.slice(last)].join('')).not.toMatch(/\p{L}/u);
      }),
    );
  });

  it('of a request of 200 lines are all of them', () => {
    const lines = Array.from({ length: 200 }, (_, index) => `- Thing ${index} has to be done.`);
    expect(textsOf(lines.join('\n'))).toHaveLength(200);
  });
});

describe('a quote', () => {
  const occurs = createOccurrenceTest(REQUEST);

  it.each([
    'add a health endpoint',
    'remove the   old\nstatus page',
    'IT MUST ANSWER IN “200 ms”',
    'no auth on it',
    '**No auth** on it',
  ])('%j occurs', (quote) => {
    expect(occurs(quote)).toBe(true);
  });

  it.each(['add a wealth endpoint', 'health endpoint add', '—', '   ', 'no auth on it at all'])(
    '%j does not',
    (quote) => {
      expect(occurs(quote)).toBe(false);
    },
  );

  it('is compared by its words, however they are written', () => {
    expect(isSameText('Cafe\u0301 «x» a–b', 'café "x" A-b')).toBe(true);
    expect(isSameText('ＡＰＩ，v1', 'api,v1')).toBe(true);
    expect(isSameText('do', 'do not')).toBe(false);
  });
});

describe('what no quote covers', () => {
  it('is each statement of which nothing is quoted, and five words in a row of the others', () => {
    expect(
      listUncovered(REQUEST, [
        'add a health endpoint to the API',
        'It must answer in “200 ms”',
        'logs stay as they are even when it fails',
        'this',
        'More',
      ]),
    ).toEqual([
      '… and remove the old status page from the web server as well',
      'no auth on it',
      'Then that!',
      'Out of scope',
      'Quoted words.',
    ]);
  });

  it('is what a short sentence forbids beside a quoted one, however it is written', () => {
    expect(listUncovered("Don't do X. Do Y.", ['Do Y'])).toEqual(["Don't do X."]);
    expect(listUncovered('add a page. no new deps', ['add a page'])).toEqual(['no new deps']);
  });

  it('is nothing once the whole request is quoted, and everything without a quote', () => {
    expect(listUncovered(REQUEST, [REQUEST])).toEqual([]);
    expect(listUncovered(REQUEST, [])).toHaveLength(9);
    expect(listUncovered('添加端点。返回版本号。', ['添加端点'])).toEqual(['返回版本号。']);
  });

  it('is neither a title above a text nor the code that a sentence introduces, what stands between its blocks included', () => {
    const block = (code: string) => `\`\`\`\n${code}\n\`\`\`\n`;
    const request = `# Dotted keys\n\nThe first is a prefix too many:\n${block('a.b = 1')}prints\n${block('a = 2')}where I expect\n${block('b = 3')}\nKeep it.\n`;
    expect(listUncovered(request, [])).toEqual(['The first is a prefix too many:', 'Keep it.']);
    expect(listUncovered(request, ['where I expect'])).toEqual(['Keep it.']);
    expect(listUncovered(request, ['a prefix too many'])).toEqual(['Keep it.']);
    expect(listUncovered('# Dotted keys', [])).toEqual(['Dotted keys']);
    expect(listUncovered('How it should behave:\n\n- It stops.', [])).toEqual(['It stops.']);
    expect(listUncovered('Drop it (`!!omap` and `!!set`) now! Stop.', ['Stop.'])).toEqual([
      'Drop it (`!!omap` and `!!set`) now!',
    ]);
    expect(listUncovered('How it should behave:', [])).toEqual(['How it should behave:']);
    expect(listUncovered(`${block('call(it)')}Then stop.`, ['stop'])).toEqual(['call(it) (code)']);
    expect(listUncovered(`${block('call(it)')}Make it print:\n${block('x')}`, ['call'])).toEqual([]);
  });

  it('is no heading of the form that the request is written in', () => {
    const form = [
      '# Slow',
      '### Environment',
      'Node 22',
      '## User Scenarios & Testing *(mandatory)*',
      'One reads.',
      '## Logs',
    ];
    expect(listUncovered(form.join('\n\n'), [])).toEqual(['Node 22', 'One reads.']);
    expect(listUncovered('Logs\n\n## Logs of the server\n\n- Environment\n', [])).toEqual([
      'Logs',
      'Logs of the server',
      'Environment',
    ]);
  });

  it('is nothing once every statement is quoted, and never a word that is', () => {
    const words = fc.array(fc.constantFrom('add', 'the', 'route', 'now.', 'Then', 'stop.', '- x', '\n'), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(words, fc.nat(9), (list, chosen) => {
        const request = list.join(' ');
        const statements = splitStatements(request).map(({ text }) => text);
        expect(listUncovered(request, statements)).toEqual([]);
        const quote = statements[chosen];
        if (quote !== undefined) expect(listUncovered(request, [quote])).not.toContain(quote);
      }),
    );
  });

  it.each([
    ['its contrary', 'Answer 404. Never answer 404.', 'Answer 404.', ['Never answer 404.']],
    ['its contrary, said first', 'Never answer 404 twice. Answer 404!', 'answer 404', ['Never answer 404 twice.']],
    ['a word of each', 'Log the time. Hide the token.', 'the', ['Hide the token.']],
    ['the same sentence again', 'Be quick. Then stop. Be quick.', 'be quick', ['Then stop.']],
    ['a title', '# Add JWT\n\nPlease add JWT now.', 'add JWT', []],
    ['nothing but a title', '# Add JWT\n\nAdd JWT.', 'Add JWT', []],
    ['five words and more, wherever they stand', 'No a b c d e. Yes a b c d e.', 'a b c d e', []],
  ])('where a quote of few words occurs in %s', (_what, request, quote, expected) => {
    expect(listUncovered(request, [quote])).toEqual(expected);
  });
});
