import { SECTION_IDS } from '../documents/sections.js';
import { listReadableBlocks, type Reader } from './block-values.js';
import { BUILTIN_PREFERENCES } from './builtin-preferences.js';
import { createConditionChecker, type DeclaredNames } from './condition-check.js';
import { usesSugar } from './condition-text.js';
import type { Lintable } from './lintable.js';

/** Checks that every condition parses, uses only declared names, and can be true. */
export function lintConditions(lintable: Lintable): void {
  const { recipe, report } = lintable;
  const declared: DeclaredNames = {
    mode: [...new Set(['depth', 'interaction', ...Object.keys(recipe.mode)])],
    vars: recipe.vars,
    preferences: { ...BUILTIN_PREFERENCES, ...recipe.preferences },
    sections: SECTION_IDS,
    agents: recipe.blocks.flatMap((block) => ('agents' in block ? block.agents.map(({ id }) => id) : [])),
    ...(lintable.type === 'engine' ? { todo: true } : { blocks: listReadableBlocks(recipe.blocks) }),
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
  const found: PlacedCondition[] = [];
  const add = (condition: string | undefined, at: Reader | undefined, ...place: (string | number)[]) => {
    if (condition !== undefined) found.push({ condition, place, at });
  };
  switch (lintable.type) {
    case 'sequential':
      for (const [index, block] of lintable.source.blocks.entries()) {
        if (lintable.broken.has(index)) continue;
        const at = { index };
        add(block.when, at, 'blocks', index, 'when');
        if ('exitWhen' in block) add(block.exitWhen, { index, own: true }, 'blocks', index, 'exitWhen');
        if ('choices' in block) {
          for (const [item, choice] of (block.choices ?? []).entries())
            add(typeof choice === 'string' ? undefined : choice.when, at, 'blocks', index, 'choices', item, 'when');
        }
        if (!('agents' in block)) continue;
        for (const [item, agent] of block.agents.entries())
          add(agent.when, at, 'blocks', index, 'agents', item, 'when');
      }
      return found;
    case 'engine':
      for (const [key, handler] of Object.entries(lintable.source.handlers ?? {}))
        add(handler.when, undefined, 'handlers', key, 'when');
      return found;
  }
}
