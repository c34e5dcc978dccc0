import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '../app/package.js';
import type { Answer } from '../base/answer.js';

/** Serves pages of the documentation through `help`, so that they are available wherever dev-cli is installed. */

/** The pages, in the order in which a newcomer needs them; each is `NAME.md` in docs/. */
export const GUIDES = [
  'getting-started',
  'changing-a-plan',
  'plans-from-elsewhere',
  'preferences',
  'harnesses',
  'authoring',
  'authoring-tools',
  'recipe-patterns',
  'recipe-language',
  'engine-recipes',
  'own-handlers',
  'workflows',
  'loop',
  'operations',
  'run-protocol',
  'errors',
] as const;

type Guide = (typeof GUIDES)[number];

/** Returns the guide that these words name; null if they name none. */
export function findGuide(words: readonly string[]): Guide | null {
  return words.length === 1 ? (GUIDES.find((name) => name === words[0]) ?? null) : null;
}

/** Returns a guide as an answer, in its shipped Markdown. */
export function answerGuide(guide: Guide): Answer {
  const text = readFileSync(join(packageDirectory(), 'docs', `${guide}.md`), 'utf8');
  const lines = async () => (await import('./help-lines.js')).layOutGuide(text.trimEnd());
  return { json: { ok: true, guide, text }, exit: 0, text: () => text.trimEnd(), lines };
}
