import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DevCliError } from '../../../src/base/errors.js';
import { createDraft, readDraft, readDraftStatus } from '../../../src/documents/draft.js';
import { updateDraft } from '../../../src/documents/draft-edit.js';
import { SECTION_IDS, SECTION_TEXTS, type SectionId } from '../../../src/documents/sections.js';

function thrown(act: () => unknown): DevCliError {
  try {
    act();
  } catch (error) {
    return error as DevCliError;
  }
  throw new Error('nothing was thrown');
}

/**
 * Returns the form in which a section's text should be stored: with LF, without blank lines around it. Written
 * independently of the code under test.
 */
function canonical(text: string): string {
  const lines = text.replace(/\r\n|\r/g, '\n').split('\n');
  while (lines[0]?.trim() === '' && lines.length > 0) lines.shift();
  return lines.join('\n').trimEnd();
}

const structural = fc.constantFrom(
  '## Heading',
  '##',
  '  ## x',
  '\\## x',
  '\\\\## x',
  '<!-- section: intent -->',
  '\\<!-- section: findings -->',
  '<!-- empty: hint -->',
  '```',
  '````',
  '~~~',
  '```js',
  '``` a`b',
  '\\```',
  '   ```',
  '    ```',
  '---',
  '# one',
  '\t## x',
  '<!--section:purpose-->',
  '- item',
  '',
  ' ',
  'plain',
  '\\',
  '~~~~ info',
  '<!--',
  '-->',
);
const sectionText = fc
  .oneof(
    fc
      .array(fc.oneof(structural, fc.string({ unit: 'binary' }), fc.string()), { maxLength: 12 })
      .map((l) => l.join('\n')),
    fc.array(structural, { maxLength: 14 }).map((lines) => lines.join('\r\n')),
    fc.string({ unit: 'grapheme' }),
  )
  .filter((text) => /[^\s\p{Cc}\p{Cf}]/u.test(text));
const sectionId = fc.constantFrom(...SECTION_IDS);

describe('a new draft', () => {
  const draft = createDraft('add-auth');

  it('has eight empty sections in order, each a heading with marker and placeholder', () => {
    expect(Object.keys(readDraft(draft))).toEqual([...SECTION_IDS]);
    expect(Object.values(readDraft(draft)).some((section) => section.filled)).toBe(false);
    expect(draft).toContain('## Boundaries\n<!-- section: boundaries -->\n<!-- empty: what must not change -->\n');
  });

  it('counts all eight and names the required ones that are missing, in order', () => {
    const filled = updateDraft(draft, { intent: 'Feature', direction: 'one step' });
    expect(readDraftStatus(filled, ['criteria', 'intent', 'boundaries'])).toEqual({
      ready: false,
      filled: 2,
      total: 8,
      missing: ['boundaries', 'criteria'],
    });
    expect(readDraftStatus(filled, ['intent']).ready).toBe(true);
  });

  it('tells for every section in one line what to write', () => {
    for (const id of SECTION_IDS) expect(SECTION_TEXTS[id].need).toMatch(/^[^\n]{10,90}$/);
    expect(SECTION_TEXTS.boundaries.need).toBe('what must not change, one bullet each');
  });
});

describe('reading a draft', () => {
  const draft = createDraft('x');

  it('allows renamed headings, other order, text beside the placeholder', () => {
    const moved = draft.replace('## Intent\n', '## What we want (renamed)\n');
    expect(readDraft(moved).intent.filled).toBe(false);
    const typed = draft.replace('<!-- empty: what must not change -->', '$&\n\n- the API\n');
    expect(readDraft(typed).boundaries).toEqual({ filled: true, text: '- the API' });
  });

  it('takes markers and headings in fenced code as text', () => {
    const code = '```md\n## Purpose\n<!-- section: purpose -->\n<!-- empty: x -->\n```';
    const filled = draft.replace('<!-- empty: what kind of change this is -->', code);
    expect(readDraft(filled).intent.text).toBe(code);
    expect(readDraft(filled).purpose.filled).toBe(false);
  });

  it('sees nothing in invisible characters', () => {
    const invisible = draft.replace('<!-- empty: what must not change -->', '\u200b \u2060\n\ufeff');
    expect(readDraft(invisible).boundaries).toEqual({ filled: false, text: '' });
  });

  it.each([
    ['missing', (d: string) => d.replace('<!-- section: criteria -->\n', ''), /"criteria" is missing/],
    ['doubled', (d: string) => `${d}\n## More\n<!-- section: intent -->\n`, /"intent" occurs twice/],
    ['misplaced', (d: string) => d.replace('## Findings\n', '### Findings\n'), /"findings" is not directly below/],
    ['all gone', () => '', /is missing/],
  ])('refuses a draft with a marker %s', (_what, spoil, problem) => {
    const error = thrown(() => readDraft(spoil(draft)));
    expect(error.code).toBe('DOCUMENT_UNREADABLE');
    expect(error.details[0]?.problem).toMatch(problem);
  });

  it('names every marker that is missing', () => {
    expect(thrown(() => readDraft('# nothing')).details).toHaveLength(8);
  });
});

describe('updating a draft', () => {
  const draft = createDraft('x');

  it('gives back every text that was put in, whatever it looks like', () => {
    fc.assert(
      fc.property(sectionId, sectionText, fc.boolean(), (id, text, crlf) => {
        const before = crlf ? draft.replaceAll('\n', '\r\n') : draft;
        const after = updateDraft(before, { [id]: text });
        expect(readDraft(after)[id]).toEqual({ filled: true, text: canonical(text) });
        for (const other of SECTION_IDS) if (other !== id) expect(readDraft(after)[other].filled).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('changes nothing outside the section, byte for byte', () => {
    fc.assert(
      fc.property(
        sectionId,
        sectionText,
        sectionText,
        fc.boolean(),
        fc.boolean(),
        (id, first, second, crlf, append) => {
          const full = updateDraft(draft, Object.fromEntries(SECTION_IDS.map((each) => [each, first])));
          const before = `\ufeff${crlf ? full.replaceAll('\n', '\r\n') : full}`;
          const after = updateDraft(before, { [id]: second }, { append });
          const eol = crlf ? '\r\n' : '\n';
          const marker = `<!-- section: ${id} -->${eol}`;
          const heading = (text: string) => {
            // The text may contain fake markers; the real one is directly below the section's own heading.
            const start = text.indexOf(`## ${SECTION_TEXTS[id].heading}${eol}${marker}`);
            return { head: text.slice(0, start), rest: text.slice(start) };
          };
          const next = SECTION_IDS[SECTION_IDS.indexOf(id) + 1];
          const tailOf = (text: string) =>
            next === undefined
              ? ''
              : text.slice(text.indexOf(`## ${SECTION_TEXTS[next].heading}${eol}<!-- section: ${next} -->${eol}`));
          expect(heading(after).head).toBe(heading(before).head);
          expect(tailOf(after)).toBe(tailOf(before));
          if (crlf) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
          const { text } = readDraft(after)[id];
          if (append) expect(text.startsWith(canonical(first)) && text.endsWith(canonical(second))).toBe(true);
          else expect(text).toBe(canonical(second));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('keeps a chapter that people put between two sections', () => {
    const own = draft.replace('## Criteria\n', '## Open questions\n\nwho pays?\n\n## Criteria\n');
    const after = updateDraft(own, { boundaries: 'none', criteria: 'green' });
    expect(after).toContain('\n## Open questions\n\nwho pays?\n\n## Criteria\n');
    expect(readDraft(after).boundaries.text).toBe('none');
  });

  it('renders objects and lists as bullets, nested ones nested', () => {
    const after = updateDraft(draft, {
      decisions: { header: 'Authorization: Bearer', keys: ['rotate', { every: '90 days', by: 'ops' }], none: [] },
      boundaries: ['the API', 'two\nlines', 3, null],
    });
    expect(readDraft(after).decisions.text).toBe(
      [
        '- **header**: Authorization: Bearer',
        '- **keys**:',
        '  - rotate',
        '  - **every**: 90 days',
        '    - **by**: ops',
        '- **none**: none',
      ].join('\n'),
    );
    expect(readDraft(after).boundaries.text).toBe('- the API\n- two\n  lines\n- 3\n- none');
  });

  it('appends a bullet to bullets without a gap, a paragraph with one', () => {
    const one = updateDraft(draft, { boundaries: ['a'] }, { append: true });
    expect(readDraft(updateDraft(one, { boundaries: ['b'] }, { append: true })).boundaries.text).toBe('- a\n- b');
    expect(readDraft(updateDraft(one, { boundaries: 'text' }, { append: true })).boundaries.text).toBe('- a\n\ntext');
  });

  it('appends nothing twice in a row, so that a call repeated after a crash is harmless', () => {
    for (const value of ['text', ['b'], ['b', 'c'], '# a\n\ntext']) {
      const start = updateDraft(draft, { boundaries: ['a'] });
      const once = updateDraft(start, { boundaries: value }, { append: true });
      expect(once).not.toBe(start);
      expect(updateDraft(once, { boundaries: value }, { append: true })).toBe(once);
    }
    const ending = updateDraft(draft, { boundaries: ['ab'] });
    expect(readDraft(updateDraft(ending, { boundaries: 'b' }, { append: true })).boundaries.text).toBe('- ab\n\nb');
  });

  it('closes a fence that people left open before it appends', () => {
    const open = `${draft.trimEnd()}\n\`\`\`\ncode\n`;
    const after = updateDraft(open, { assumptions: '## mine' }, { append: true });
    expect(readDraft(after).assumptions.text).toBe('```\ncode\n```\n\n## mine');
  });

  it.each<[unknown, string]>([
    ['', 'empty'],
    ['  \n', 'blank'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[], 'list'],
    [{ a: '', b: [null] }, 'hollow'],
    ['\u200b', 'invisible'],
  ])('refuses %j, in which nothing is said (%s)', (value) => {
    const error = thrown(() => updateDraft(draft, { intent: value } as Partial<Record<SectionId, string>>));
    expect(error.code).toBe('DATA_MISSING');
    expect(error.details).toEqual([{ problem: 'the value is empty', target: 'intent' }]);
  });

  it('never writes the word undefined', () => {
    const holes = { a: undefined, b: [undefined, 'x'] } as unknown as string;
    expect(updateDraft(draft, { decisions: holes })).not.toContain('undefined');
    expect(thrown(() => updateDraft(draft, {})).code).toBe('DATA_MISSING');
  });

  it('refuses a section that does not exist and says which one was meant', () => {
    const error = thrown(() => updateDraft(draft, { boundries: 'x' } as Partial<Record<SectionId, string>>));
    expect(error.code).toBe('UNKNOWN_SECTION');
    expect(error.message).toContain('did you mean "boundaries"');
    expect(error.fix).toContain('assumptions');
  });
});
