import { describe, expect, it } from 'vitest';
import { readBoxes } from '../../../src/plan/page/boxes.js';
import { readChecksum } from '../../../src/plan/page/form.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import { readPlanExtras } from '../../../src/plan/page/setting.js';
import { aPlan, aTodo } from './fixture.js';
import { printAnew } from './rich.js';

// Reading a PLAN.md that a Markdown formatter has rewritten (documents.md, Living plan).

const SETTING = {
  name: 'add-auth',
  request: 'Add JWT auth\n\n- and log out',
  uncovered: ['- Remove the old `login`.'],
};
const CONTEXT = { interviewSummary: '', researchFindings: '' };
const PLAN = aPlan({ context: CONTEXT, todos: [aTodo('todo-1'), aTodo('todo-2')] });
const TEXT = renderPlan(PLAN, { 'todo-1': true }, SETTING);

/** The same document in several formats. */
const FORMATTED: Record<string, string> = {
  'by one formatter': printAnew(TEXT, '*', '_'),
  'by another': printAnew(TEXT, '-', '*'),
  'with an empty line after each heading': TEXT.replace(/^(#.*)$/gm, '$1\n'),
  'below a line of somebody else': `<!-- markdownlint-disable -->\n\n${TEXT.replace('\n', '\n\n')}`,
};

describe.each(Object.entries(FORMATTED))('PLAN.md %s', (_, text) => {
  it('says what it was made from', () => {
    expect(readChecksum(text)).toBe(readChecksum(TEXT));
    expect(readChecksum(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toBe(readChecksum(TEXT));
  });

  it('has its boxes', () => expect(readBoxes(text)).toEqual({ 'todo-1': true, 'todo-2': false }));

  it('shows what was asked, and what of that nothing covers', () => {
    const { request, uncovered = [] } = readPlanExtras(text);
    expect(request).toBe(SETTING.request);
    expect(uncovered.map((line) => line.replace(/^\* /, '- '))).toEqual(SETTING.uncovered);
  });
});
