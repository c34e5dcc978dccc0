import { SECTION_IDS } from '../documents/sections.js';
import { BUILTIN_PREFERENCES } from './builtin-preferences.js';
import { usesSugar } from './condition-text.js';
import { createConditionChecker, type DeclaredNames } from './conditions.js';
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
    todo: lintable.type === 'engine',
  };
  const conditions = listPlacedConditions(lintable);
  if (conditions.length === 0) return;
  const problemsOf = createConditionChecker(declared);
  for (const { condition, place } of conditions) {
    for (const problem of problemsOf(condition)) report.error(place, problem);
    if (!usesSugar(condition)) continue;
    report.warning(place, '`result contains` looks for a word and cannot tell "OKAY" from "not OKAY".', {
      fix: 'Let the agent write a verdict and ask for agents["ID"].verdict == "OKAY".',
    });
  }
}

/** Lists every condition with its place in the file. */
function listPlacedConditions(lintable: Lintable): { condition: string; place: (string | number)[] }[] {
  const found: { condition: string; place: (string | number)[] }[] = [];
  const add = (condition: string | undefined, ...place: (string | number)[]) => {
    if (condition !== undefined) found.push({ condition, place });
  };
  switch (lintable.type) {
    case 'sequential':
      for (const [index, block] of lintable.source.blocks.entries()) {
        if (lintable.broken.has(index)) continue;
        add(block.when, 'blocks', index, 'when');
        if ('exitWhen' in block) add(block.exitWhen, 'blocks', index, 'exitWhen');
        if (!('agents' in block)) continue;
        for (const [at, agent] of block.agents.entries()) add(agent.when, 'blocks', index, 'agents', at, 'when');
      }
      return found;
    case 'engine':
      for (const [key, handler] of Object.entries(lintable.source.handlers ?? {}))
        add(handler.when, 'handlers', key, 'when');
      return found;
  }
}
