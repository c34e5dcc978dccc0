import { SECTION_IDS } from '../documents/sections.js';
import { listReadableBlocks, type Reader } from './block-values.js';
import { BUILTIN_PREFERENCES } from './builtin-preferences.js';
import { createConditionChecker, type DeclaredNames } from './condition-check.js';
import { usesSugar } from './condition-text.js';
import type { Lintable } from './lintable.js';
import type { BlockSource } from './schema.js';

/** Checks that every condition parses, uses only declared names, and can be true. */
export function lintConditions(lintable: Lintable): void {
  const { recipe, report } = lintable;
  const declared: DeclaredNames = {
    mode: [...new Set(['depth', 'interaction', ...Object.keys(recipe.mode)])],
    vars: recipe.vars,
    preferences: { ...BUILTIN_PREFERENCES, ...recipe.preferences },
    sections: SECTION_IDS,
    agents: recipe.blocks.flatMap((block) => ('agents' in block ? block.agents.map(({ id }) => id) : [])),
    ...(lintable.type === 'engine' ? { todo: true } : { blocks: listReadableBlocks(recipe.blocks, lintable.broken) }),
  };
  const conditions = listPlacedConditions(lintable);
  if (conditions.length === 0) return;
  const problemsOf = createConditionChecker(declared);
  for (const { condition, place, at } of conditions) {
    for (const problem of problemsOf(condition, at)) report.error(place, problem);
    if (!usesSugar(condition)) continue;
    report.warning(place, '`result contains` looks for a word and cannot tell "OKAY" from "not OKAY".', {
      fix: 'Let the agent write a verdict and ask for agents["ID"].verdict == "OKAY".',
    });
  }
}

interface PlacedCondition {
  condition: string;
  place: (string | number)[];
  /** The block whose condition it is; none for that of a handler. */
  at: Reader | undefined;
}

/** Lists every condition with its place in the file. */
function listPlacedConditions(lintable: Lintable): PlacedCondition[] {
  return listPlaces(lintable).flatMap(({ condition, ...at }) => (condition === undefined ? [] : { condition, ...at }));
}

type Place = Omit<PlacedCondition, 'condition'> & { condition: string | undefined };

function listPlaces(lintable: Lintable): Place[] {
  switch (lintable.type) {
    case 'sequential':
      return lintable.source.blocks.flatMap((block, index) =>
        lintable.broken.has(index) ? [] : listBlockPlaces(block, index),
      );
    case 'engine':
      return Object.entries(lintable.source.handlers ?? {}).map(([key, { when }]) => ({
        condition: when,
        place: ['handlers', key, 'when'],
        at: undefined,
      }));
  }
}

function listBlockPlaces(block: BlockSource, index: number): Place[] {
  const [at, here] = [{ index }, ['blocks', index]];
  const agents = 'agents' in block ? block.agents : [];
  const choices = 'choices' in block ? (block.choices ?? []) : [];
  return [
    { condition: block.when, place: [...here, 'when'], at },
    ...('exitWhen' in block
      ? [{ condition: block.exitWhen, place: [...here, 'exitWhen'], at: { index, own: true } }]
      : []),
    ...agents.map(({ when }, item) => ({ condition: when, place: [...here, 'agents', item, 'when'], at })),
    ...choices.map((choice, item) => ({
      condition: typeof choice === 'string' ? undefined : choice.when,
      place: [...here, 'choices', item, 'when'],
      at,
    })),
  ];
}
