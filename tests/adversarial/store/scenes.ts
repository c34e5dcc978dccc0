import type { Decide } from '../../../src/store/store.js';
import { type Sample, step } from '../../core/store/sample.js';

interface Scene {
  /** The commits made before the one that is cut short. */
  before: Decide<Sample, number>[];
  /** The commit that is cut short. */
  crashing: Decide<Sample, number>;
  /** The documents without and with this commit; null for a missing document. */
  documents: [Record<string, string | null>, Record<string, string | null>];
  /**
   * The active run without and with this commit. `guard` below is the first line of the guard file, in the same order.
   */
  active: [string | null, string | null];
  guard: ['ask' | 'open', 'ask' | 'open'];
}

const live = { guarded: true, pointer: 'set' } as const;

/** The commits that are cut: the first, a middle and the last one of a run. */
export const SCENES: Record<string, Scene> = {
  first: {
    before: [],
    crashing: step({
      entries: ['init', 'issued'],
      files: [
        { path: 'DRAFT.md', content: 'draft' },
        { path: 'actions/a1/prompt.md', content: 'prompt' },
      ],
      marks: live,
    }),
    documents: [
      { 'DRAFT.md': null, 'actions/a1/prompt.md': null },
      { 'DRAFT.md': 'draft', 'actions/a1/prompt.md': 'prompt' },
    ],
    active: [null, 'run'],
    guard: ['open', 'ask'],
  },
  middle: {
    before: [
      step({
        files: [
          { path: 'DRAFT.md', content: 'old' },
          { path: 'gone.md', content: 'x' },
        ],
        marks: live,
      }),
    ],
    crashing: step({
      entries: ['acknowledged', 'issued', 'issued'],
      files: [
        { path: 'DRAFT.md', content: 'new' },
        { path: 'gone.md', content: null },
        { path: 'analysis/gap.md', content: 'gap' },
      ],
      body: { steps: ['a', 'b'] },
      marks: live,
    }),
    documents: [
      { 'DRAFT.md': 'old', 'gone.md': 'x', 'analysis/gap.md': null },
      { 'DRAFT.md': 'new', 'gone.md': null, 'analysis/gap.md': 'gap' },
    ],
    active: ['run', 'run'],
    guard: ['ask', 'ask'],
  },
  last: {
    before: [step({ files: [{ path: 'DRAFT.md', content: 'old' }], marks: live })],
    crashing: step({
      entries: ['done'],
      files: [
        { path: 'DRAFT.md', content: null },
        { path: 'summary.md', content: 'sum' },
      ],
      marks: { guarded: false, pointer: 'clear' },
    }),
    documents: [
      { 'DRAFT.md': 'old', 'summary.md': null },
      { 'DRAFT.md': null, 'summary.md': 'sum' },
    ],
    active: ['run', null],
    guard: ['ask', 'open'],
  },
};
