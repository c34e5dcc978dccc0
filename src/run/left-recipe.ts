// door: seldom

import type { RecipeDraft } from './recipe-state.js';
import type { PhaseRow, RunDraft, Workflow } from './state.js';

const RECIPE_MEMBERS = {
  skill: true,
  mode: true,
  vars: true,
  size: true,
  machine: true,
  steps: true,
  agents: true,
  gates: true,
  acknowledged: true,
  data: true,
  inputHashes: true,
  imported: true,
  reviewRounds: true,
  reviews: true,
  result: true,
  commands: true,
  commandResults: true,
  sourcesRefused: true,
  engine: true,
  lastError: true,
} satisfies Record<keyof RecipeDraft, true>;

/**
 * Returns the recipe's part of the state, to be stored in `earlier` when the next phase, or another attempt at this
 * phase, begins.
 */
export function leaveRecipe(state: RunDraft, { name, recipe }: PhaseRow): Workflow['earlier'][number] {
  const members = Object.entries(state).filter(([key]) => key in RECIPE_MEMBERS);
  return { phase: name, recipe, ...(Object.fromEntries(members) as RecipeDraft) };
}
