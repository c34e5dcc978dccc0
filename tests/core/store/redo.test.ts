import { expect, it } from 'vitest';
import type { DocumentReader } from '../../../src/base/files.js';
import { sha256 } from '../../../src/base/sha256.js';
import { RUN_LAYOUT } from '../../../src/project/layout.js';
import { planRedo } from '../../../src/store/redo.js';
import type { Entry } from '../../../src/store/store.js';

/** A journal from elsewhere may name hostile paths; a recovery must place nothing there (storage.md, Recovery). */

const CONTENT = Buffer.from('#!/bin/sh\n');
const NOTHING_THERE = { facts: () => ({ kind: 'missing' }) } as unknown as DocumentReader;

function placed(path: string): string[] {
  const entry = { seq: 2, files: [{ path, before: null, after: sha256(CONTENT) }] } as unknown as Entry;
  return planRedo({ layout: RUN_LAYOUT, stream: 'run' }, [entry], NOTHING_THERE, () => CONTENT, 'aside').placements.map(
    (placement) => placement.path,
  );
}

it.each([
  '/.git/hooks/post-commit',
  '/.GIT/config',
  '/vendor/lib/.git/config',
  '../../../.git/HEAD',
  '/../x',
  'state.json',
])('a commit that was cut short is not finished at %s', (path) => {
  expect(placed(path)).toEqual([]);
});

it.each([
  ['PLAN.md', '.dev/specs/run/PLAN.md'],
  ['/docs/a.md', 'docs/a.md'],
  ['/.github/a.yml', '.github/a.yml'],
])('but at %s', (path, place) => {
  expect(placed(path)).toEqual([place]);
});
