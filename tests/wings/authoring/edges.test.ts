import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRestingState } from '../../../src/machine/position.js';
import type { Program } from '../../../src/machine/program.js';
import type { CapturedRecipe } from '../../../src/recipe/captured.js';
import { listEdges, listTaken } from '../../../src/wings/authoring/edges.js';
import { programs } from '../../core/machine/arbitrary.js';
import { recordedRun } from '../../core/machine/ledger.js';
import { allowedEvents } from '../../core/machine/oracle.js';
import { findingsOf, NOTES, runCases, runText, TRIED } from './theatre.js';

/** Builds a recipe that has a machine and nothing else. */
const captured = (program: Program) =>
  ({ recipe: { name: 'tried', program, blocks: [] } }) as unknown as CapturedRecipe;

describe('transitions (authoring.md, Coverage)', () => {
  it('are named for whatever a machine does, and every name is listed', () => {
    const situations = fc.record({
      subject: programs(5),
      answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
      picks: fc.array(fc.nat(), { maxLength: 25 }),
    });
    let named = 0;
    fc.assert(
      fc.property(situations, ({ subject, answers, picks }) => {
        const listed = new Set(listEdges(captured(subject)));
        const moments = recordedRun(
          subject,
          answers,
          ({ step }, tx) => {
            const events = allowedEvents(subject, step.position);
            const pick = picks[tx];
            return pick === undefined || events.length === 0 ? null : (events[pick % events.length] ?? null);
          },
          picks.length,
        );
        moments.forEach(({ event, step }, index) => {
          const from = moments[index - 1]?.step.position;
          if (event === undefined || event === null || from === undefined) return;
          const place = findRestingState(from);
          const taken = listTaken(captured(subject), [
            { kind: 'recipe', recipe: 'tried', from, event, effects: step.effects },
          ]);
          const own = taken.filter((edge) => place !== null && edge.startsWith(`${place.block}: `));
          if (event.type === 'INVALIDATE' || event.type === 'ABORT') return;
          expect(own.length).toBeGreaterThan(0);
          // Transitions that no recipe can cause are not listed.
          const block = subject.blocks.find(({ id }) => id === place?.block);
          const unlisted = taken.filter((edge) => !listed.has(edge));
          const excused =
            event.type === 'HALT' ||
            (event.type === 'FAIL' &&
              (place?.state === 'bound' || block?.kind === 'wait-for-user' || block?.revise !== undefined));
          if (!excused) expect(unlisted).toEqual([]);
          named += own.length;
        });
      }),
      { numRuns: 150 },
    );
    // The runs on 150 machines take about 115 transitions; far fewer would mean that hardly anything was tested.
    expect(named).toBeGreaterThan(50);
  });

  it('are counted over all cases, and the rest is named', async () => {
    const { coverage } = await runCases('  - name: a\n    steps: [{ choose: none }]\n');
    expect(coverage).toEqual({
      covered: 1,
      total: 19,
      percent: 5,
      uncovered: [
        'part: chose major → notes',
        'part: chose minor → notes',
        'part: failed → halted',
        'notes: done → build',
        'notes: failed → halted',
        'build: done → look',
        'build: not passed → notes',
        'build: not passed → halted',
        'look: done → tag',
        'look: not passed → again',
        'look: not passed → tag',
        'look: failed → tag',
        'tag: begun',
        'tag: skipped',
        'tag: done → gate',
        'tag: failed → halted',
        'gate: chose go → completed',
        'gate: chose back → notes',
      ],
    });
  });

  it('must be covered as far as the file, or else the command line, says', async () => {
    const files = { '.dev/recipes/notes.json': NOTES };
    const test = (head: string) => `recipe: tried\n${head}cases: [{ name: a, steps: [{ choose: none }] }]\n`;
    expect(findingsOf(await runText(TRIED, test('coverage: 6\n'), { files }))).toEqual([
      expect.stringMatching(/^2: The cases cover 5 % of the transitions, expected 6 %/),
    ]);
    expect(findingsOf(await runText(TRIED, test('coverage: 5\n'), { files, threshold: 100 }))).toEqual([]);
    expect(findingsOf(await runText(TRIED, test(''), { files, threshold: 100 }))).toEqual([
      expect.stringMatching(/^1: .*expected 100 %/),
    ]);
    expect(findingsOf(await runText(TRIED, test(''), { files }))).toEqual([]);
  });
});
