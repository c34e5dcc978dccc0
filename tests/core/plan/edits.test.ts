import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import type { PlanExtras } from '../../../src/plan/page/setting.js';
import { readPlanEdits } from '../../../src/plan/read-back/read-edits.js';
import { goldenRuns } from '../../support/golden.mjs';
import { chosenSeed, numberFrom } from '../../support/seeded.js';
import { anyPlan, printAnew } from './rich.js';

// Reading an edited PLAN.md back (documents.md, Living plan).

const SETTING: PlanExtras = { name: 'add-auth', request: 'Add JWT auth', uncovered: ['- Remove the old `login`.'] };

/** By default each plan is rewritten in every third way, from one that the seed chooses; DEV_CLI_TEST_PLAN_EDITS tries all. */
const isFull = numberFrom('DEV_CLI_TEST_PLAN_EDITS', 0) > 0;
const first = chosenSeed() % 3;
const isTried = (_: unknown, at: number) => isFull || at % 3 === first;

/** Ways to rewrite a document without changing its meaning. */
const REWRITTEN: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'with CRLF': (text) => text.replaceAll('\n', '\r\n'),
  'with trailing blanks and a byte order mark': (text) => `\uFEFF${text.replaceAll('\n', ' \t \n')}\n\n`,
  'with other bullets': (text) => outsideOfCode(text, (line) => line.replace(/^( *)- /, '$1* ')),
  'with tabs': (text) =>
    outsideOfCode(text, (line) =>
      line
        .replace(/^- /, '+\t')
        .replace(/^ {2}- /, '\t+\t')
        .replace(/^\d+\. /, '1)\t')
        .replace(/(\w) (\w)(?=[^`]*$)/, '$1\t$2'),
    ),
  'with blank lines': (text) => outsideOfCode(text, (line) => (/^(?:[#*-]|\d+\.)/.test(line) ? `\n${line}\n` : line)),
  'with wide tables': (text) =>
    outsideOfCode(text, (line) => (line.startsWith('|') ? line.replaceAll(/(?<!\\)\|/g, ' |  ').trim() : line)),
  'with all boxes ticked': (text) => text.replaceAll('### [ ]', '### [x]'),
  'without boxes': (text) => text.replaceAll('### [ ] ', '### '),
  'printed anew': (text) => printAnew(text, '-', '*'),
  'printed anew otherwise': (text) => printAnew(text, '*', '_'),
  'printed anew with +': (text) => printAnew(text, '+', '_').replaceAll('\n', '\r\n'),
};

function outsideOfCode(text: string, edit: (line: string) => string): string {
  let fence: string | null = null;
  const lines = text.split('\n').map((line) => {
    const [mark] = /^`{3,}/.exec(line) ?? [];
    if (mark !== undefined && fence === null) fence = mark;
    else if (line === fence) fence = null;
    else if (fence === null) return edit(line);
    return line;
  });
  return lines.join('\n');
}

describe('PLAN.md without an edit', () => {
  const golden = goldenRuns().flatMap(({ title, load }) => {
    const { files } = load();
    const path = Object.keys(files).find((name) => name.endsWith('/plan-content.json'));
    return path === undefined
      ? []
      : [
          {
            title,
            plan: JSON.parse(files[path] ?? '') as PlanContent,
            text: files[path.replace('plan-content.json', 'PLAN.md')],
          },
        ];
  });

  it('is there in golden runs', () => expect(golden.length).toBeGreaterThan(20));

  it.each(golden)('is the same plan, however it is written: $title', ({ plan, text }) => {
    const rendered = renderPlan(plan, {}, SETTING);
    for (const [how, rewrite] of Object.entries(REWRITTEN).filter(isTried)) {
      expect(readPlanEdits(plan, rewrite(rendered), rendered), how).toEqual({ kind: 'same' });
    }
    if (text !== undefined) expect(readPlanEdits(plan, text, text)).toEqual({ kind: 'same' });
  });

  it.each(Object.keys(REWRITTEN))('is the same plan, whatever it holds: %s', (how) => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        const rendered = renderPlan(plan, {}, SETTING);
        expect(readPlanEdits(plan, REWRITTEN[how]?.(rendered) ?? '', rendered)).toEqual({ kind: 'same' });
      }),
      { numRuns: isFull ? 40 : 10 },
    );
  });
});
