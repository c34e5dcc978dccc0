import { SECTION_IDS } from '../documents/sections.js';
import { BUILTIN_PREFERENCES } from './builtin-preferences.js';
import { usesSugar } from './condition-text.js';
import { conditionChecker, type DeclaredNames } from './conditions.js';
import type { Lintable } from './lintable.js';
import { conditionsOf } from './texts.js';

/** Every condition parses, uses declared names only, and is of a type that can be true. */
export function lintConditions({ recipe, source, broken, report }: Lintable): void {
  const declared: DeclaredNames = {
    mode: [...new Set(['depth', 'interaction', ...Object.keys(recipe.mode)])],
    vars: recipe.vars,
    preferences: { ...BUILTIN_PREFERENCES, ...recipe.preferences },
    sections: SECTION_IDS,
    agents: recipe.blocks.flatMap((block) => ('agents' in block ? block.agents.map(({ id }) => id) : [])),
  };
  if (conditionsOf(recipe).length === 0) return;
  const problemsOf = conditionChecker(declared);
  const check = (condition: string | undefined, place: (string | number)[]) => {
    if (condition === undefined) return;
    for (const problem of problemsOf(condition)) report.error(place, problem);
    if (!usesSugar(condition)) return;
    report.warning(place, '`result contains` looks for a word and cannot tell "OKAY" from "not OKAY".', {
      fix: 'Let the agent write a verdict and ask for agents["ID"].verdict == "OKAY".',
    });
  };
  for (const [index, block] of source.blocks.entries()) {
    if (broken.has(index)) continue;
    check(block.when, ['blocks', index, 'when']);
    if ('exitWhen' in block) check(block.exitWhen, ['blocks', index, 'exitWhen']);
    if (!('agents' in block)) continue;
    for (const [at, agent] of block.agents.entries()) check(agent.when, ['blocks', index, 'agents', at, 'when']);
  }
}
