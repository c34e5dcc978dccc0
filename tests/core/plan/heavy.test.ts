import { describe, expect, it } from 'vitest';
import { renderPlan } from '../../../src/plan/page/render.js';
import { readPlanEdits } from '../../../src/plan/read-back/read-edits.js';
import { readTodoSection } from '../../../src/plan/read-back/read-todo-section.js';
import { carryBoxes } from '../../../src/plan/read-back/unchanged-todos.js';
import { expectWithin } from '../../support/growth.js';
import { numberFrom } from '../../support/seeded.js';
import { aPlan, aTodo } from './fixture.js';

// A PLAN.md that would keep the parser busy for minutes is refused, with the lines that cause it (documents.md, Living
// plan).

const PLAN = aPlan({
  requirements: [{ id: 'r-1', quote: 'Add JWT auth', from: 'request', text: 'Requests without a token get 401' }],
  todos: [aTodo('todo-1'), aTodo('todo-2')],
});
const TEXT = renderPlan(PLAN, { 'todo-1': true });
const times = (text: string, size: number) => text.repeat(Math.ceil(size / text.length));

/** The size of each text in characters, at which parsing it would take many seconds; with 900,000, minutes. */
const SIZE = numberFrom('DEV_CLI_TEST_HEAVY_PLAN', 300_000);
const HEAVY: Record<string, string> = {
  'underlined headings': times('a\n=\n', SIZE),
  'underlined with dashes': times('a\n---\n', SIZE),
  'lines of one text': times('b\n', SIZE),
  'lazy lines of a quotation': `> a\n${times('b\n', SIZE)}`,
  'lazy lines of an entry': `- a\n${times('b\n', SIZE)}`,
  quotations: times('> a\n\n', SIZE),
  'quotations in entries': times('- > a\n\n', SIZE),
  'quotations with lazy lines': times('> a\nb\n', SIZE),
  brackets: times('[', SIZE),
  references: times('[a][b]', SIZE),
  'brackets that close': `${times('[a', SIZE / 2)}${times(']', SIZE / 4)}`,
  stars: times('**a*', SIZE),
  'stars in many texts': times(`${times('**a*', 9_000)}\n\n`, SIZE),
  'rows of no table': `x\n| a |\n|---|\n${times('|*a**b***c\n', SIZE)}`,
  'rows behind a table': `| a |\n|---|\n2. x\n${times('|*a**b***c\n', SIZE)}`,
  'code that begins no entry': `a\n${times('    - **a*\n', SIZE)}`,
  entries: times('- a\n', SIZE),
};

/** Prose of that size: to split it into words is not much less than to look at each line. */
const PROSE = times('word and word\n', SIZE);

describe.each(Object.entries(HEAVY))('%s', (_, heavy) => {
  it('are refused at once, by their line', () => {
    const read = (text: string) => {
      const edited = TEXT.replace('**Steps**', () => `**Steps**\n\n${text}`);
      const edits = readPlanEdits(PLAN, edited, TEXT);
      return { edits, boxes: carryBoxes(edited, PLAN), section: readTodoSection(`### New\n\n${text}`, []) };
    };
    const { edits, boxes, section } = read(heavy);
    expect([edits.kind, section.kind]).toEqual(['refused', 'refused']);
    expect(edits.kind === 'refused' && edits.faults.length).toBeLessThanOrEqual(201);
    expect(boxes).toEqual({});
    expectWithin(
      64,
      () => PROSE.split(/\s/),
      () => read(heavy),
    );
  });
});

describe('what a plan may hold', () => {
  it('is read: long tables, lists, texts, and what a formatter makes of them', () => {
    const ids = Array.from({ length: 200 }, (_, at) => `todo-${at + 1}`);
    const wide = aPlan({
      todos: ids.map((id) =>
        aTodo(id, {
          title: `Make **${id}** and _that_ of [a](b)`,
          files: [`src/${id}/**/*.ts`, `tests/${id}/**`],
          steps: ['Write `a_b_c` in **bold**', 'Make it pass', 'x'.repeat(1_000)],
        }),
      ),
      context: { interviewSummary: ids.map((id) => `- said of ${id}`), researchFindings: '*a* '.repeat(2_000) },
    });
    const text = renderPlan(wide);
    const formatted = text.replace(/^(.*)$/gm, (line) => (/^(?:#|- \w|\*\*)/.test(line) ? `\n${line}\n` : line));
    expect(readPlanEdits(wide, formatted.replace('x'.repeat(1_000), 'y'), text)).toMatchObject({ kind: 'changed' });
  });
});
