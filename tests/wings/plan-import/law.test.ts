import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportFormat } from '../../../src/base/import-formats.js';
import { type ImportedPlan, importPlan } from '../../../src/wings/plan-import/import-plan.js';

// plans-from-elsewhere.md, plan import: no line is lost without being reported

/** A line of a source plan, with a word that occurs nowhere else in it. */
interface Line {
  text: string;
  word: string;
  /** Whether the line has an open checkbox. Such a line is work, which must become a todo or be reported. */
  isOpen?: boolean;
}

const box = fc.constantFrom('[ ] ', '[x] ', '[X] ', '[] ', '[~] ', '[-] ', '[!] ', '[ ]* ', '[D] ', '[x ] ', '');
const lead = fc.constantFrom(
  ...[
    '',
    'Delete and commit ',
    'Commit ',
    'Validate and commit ',
    'Run `npm test` for ',
    'Verify with `npm run a` in src/ ',
  ],
  ...[
    'Files: `src/a.ts` ',
    'Modify: `src/b.ts:3` ',
    'Step 3: ',
    '**Bold** ',
    '[P] ',
    '[US1] [P] ',
    'Expected: ',
    '~~Drop~~ ',
  ],
);
const bullet = fc.constantFrom('- ', '* ', '1. ');

const entry = fc.record({ indent: fc.nat(3), bullet, box, lead }).map((made) => ({ kind: 'entry' as const, ...made }));
const other = fc.oneof(
  fc.record({
    kind: fc.constant('heading' as const),
    depth: fc.integer({ min: 1, max: 4 }),
    lead: fc.constantFrom('', 'Task 4: ', 'Notes ', 'Within ', 'Decisions ', 'Final check '),
  }),
  fc.record({
    kind: fc.constant('prose' as const),
    lead: fc.constantFrom('', '> ', '**Files:** ', '**Goal:** ', 'Run: `npm test` ', '**Step 9: x** '),
  }),
  fc.record({
    kind: fc.constant('code' as const),
    fence: fc.constantFrom('```', '````', '~~~'),
    lang: fc.constantFrom('', 'bash', 'markdown', 'ts'),
    inner: fc.boolean(),
    box,
  }),
);
const block = fc.oneof({ weight: 3, arbitrary: entry }, { weight: 1, arbitrary: other });

/** Renders blocks as lines of a file. Of a code block, only a word after a checkbox is searched for in the plan. */
function write(
  blocks: readonly (typeof block extends fc.Arbitrary<infer T> ? T : never)[],
  head: readonly string[],
): Line[] {
  let depth = -1;
  let number = 0;
  const next = () => `Wort${++number}q`;
  const lines: Line[] = head.map((text) => ({ text, word: '' }));
  for (const each of blocks) {
    const word = next();
    if (each.kind === 'entry') {
      depth = Math.min(each.indent, depth + 1);
      const isOpen = /^\[ ?\]/.test(each.box);
      lines.push({ text: `${'   '.repeat(depth)}${each.bullet}${each.box}${each.lead}${word}`, word, isOpen });
      continue;
    }
    depth = -1;
    lines.push({ text: '', word: '' });
    if (each.kind === 'heading') lines.push({ text: `${'#'.repeat(each.depth)} ${each.lead}${word}`, word });
    else if (each.kind === 'prose') lines.push({ text: `${each.lead}${word}`, word });
    else {
      const inner = each.inner ? ['```sh', 'npm test', '```'] : [];
      const body = [...inner, `- ${each.box}${word}`];
      const found = /^\[.?\] /.test(each.box) ? word : '';
      lines.push(...[`${each.fence}${each.lang}`, ...body.slice(0, -1)].map((text) => ({ text, word: '' })));
      lines.push({ text: body.at(-1) ?? '', word: found }, { text: each.fence, word: '' });
    }
    lines.push({ text: '', word: '' });
  }
  return lines;
}

/** Matches the files that list the work. */
const WORKS = /(?:list|tasks|^plan)\.md$/;

/** Lists the lines whose word is neither in the plan nor in the report. */
function findLost(
  lines: readonly Line[],
  path: string,
  { plan, unplaced, done }: Pick<ImportedPlan, 'plan' | 'unplaced' | 'done'>,
) {
  const whole = JSON.stringify([plan, unplaced, done]);
  // Prose may go anywhere; work must become a todo, or be reported.
  const work = WORKS.test(path) ? JSON.stringify([plan.todos, plan.commits, unplaced, done]) : whole;
  const ranges = [...unplaced, ...done].flatMap(({ at }) => {
    const [, file, from, to = from] = /^(.*):(\d+)(?:-(\d+))?$/.exec(at) ?? [];
    return file === path ? [[Number(from), Number(to)] as const] : [];
  });
  return lines.flatMap(({ text, word, isOpen = false }, index) => {
    if (word === '' || (isOpen ? work : whole).includes(word)) return [];
    return ranges.some(([from, to]) => from <= index + 1 && index + 1 <= to) ? [] : [`${index + 1}: ${text}`];
  });
}

const FORMATS: readonly (readonly [ImportFormat, string, readonly string[]])[] = [
  ['markdown', 'list.md', ['# Plan', '', '- [ ] Begin', '']],
  ['openspec', 'c/tasks.md', ['## 1. Begin', '', '- [ ] 1.1 Begin', '']],
  ['speckit', 'f/tasks.md', ['# Tasks: Plan', '', '- [ ] T001 Begin', '']],
  ['superpowers', 'plan.md', ['# Plan', '', '### Task 1: Begin', '', '**Files:**', '- Modify: `src/x.ts`', '']],
  ['openspec', 'c/proposal.md', ['# Change: Plan', '', '## Why', '']],
  ['openspec', 'c/design.md', ['## Goals', '']],
  ['openspec', 'c/specs/a/spec.md', ['## ADDED Requirements', '', '### Requirement: Begin', '']],
  ['speckit', 'f/spec.md', ['# Feature Specification: Plan', '', '### User Story 1 - Begin', '']],
  ['speckit', 'f/plan.md', ['# Implementation Plan: Plan', '', '## Summary', '']],
];
const BESIDE: Readonly<Record<string, string>> = { openspec: 'c/tasks.md', speckit: 'f/tasks.md' };

function importLines(format: ImportFormat, path: string, lines: readonly Line[]): ImportedPlan {
  const text = `${lines.map((line) => line.text).join('\n')}\n`;
  const beside = BESIDE[format];
  const more = beside === undefined || beside === path ? [] : [{ path: beside, text: '- [ ] T001 Work on it\n' }];
  const ending = importPlan({ source: { format, name: 'x', files: [{ path, text }, ...more] }, goal: null });
  if (ending.kind !== 'plan') throw new Error(ending.at);
  return ending.plan;
}

describe('nothing of a source is lost without a line that names it', () => {
  it.each(FORMATS)('%s, %s', (format, path, head) => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 14 }), (blocks) => {
        const lines = write(blocks, head);
        expect(findLost(lines, path, importLines(format, path, lines))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['a heading that only labels', '## 1. Begin\n\n- [ ] 1.1 Write\n\n## Within phase 3 (US1):\n'],
    ['a word that only two others make', '# List\n\n- [ ] Write a bug: spec\n\n## Bugs\n'],
  ])('%s', (_, text) => {
    const { unplaced } = importLines(
      'markdown',
      'list.md',
      text.split('\n').map((line) => ({ text: line, word: '' })),
    );
    expect(unplaced.map(({ what }) => what)).toHaveLength(1);
  });

  it('a plan that has dropped a step is found out', () => {
    const lines = write([{ kind: 'entry', indent: 0, bullet: '- ', box: '[ ] ', lead: '' }], []);
    const made = importLines('markdown', 'list.md', lines);
    expect(findLost(lines, 'list.md', made)).toEqual([]);
    expect(findLost(lines, 'list.md', { ...made, plan: { ...made.plan, todos: [] } })).toEqual(['1: - [ ] Wort1q']);
  });
});
