import { omitUndefined } from '../../base/defined.js';
import { VERDICTS } from '../../documents/report.js';
import { SECTION_IDS } from '../../documents/sections.js';
import { listBackTargets } from '../../machine/defects.js';
import type { Program } from '../../machine/program.js';
import { listReadableBlocks, type ReadPosition } from '../conditions/block-values.js';
import { createConditionChecker, type DeclaredNames } from '../conditions/check.js';
import { evaluateCondition, prepareCondition } from '../conditions/conditions.js';
import { expandSugar } from '../conditions/language.js';
import { listComparisons, listConjuncts } from '../conditions/paths.js';
import { canReport } from '../conditions/result-reader.js';
import { findImpossible } from '../conditions/satisfiable.js';
import { listOwnConditions, listRootNames, usesSugar } from '../conditions/text.js';
import { needsVerdict } from '../declared.js';
import type { ResolvedBlock } from '../resolved.js';
import { BUILTIN_PREFERENCES } from '../settings/builtin-preferences.js';
import { quoteSuggestion, quoteWord } from '../source/yaml.js';
import type { Lintable } from './lintable.js';

/** Checks that every condition parses, uses only declared names, and can hold. */
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
    const problems = problemsOf(condition, at);
    for (const problem of problems) report.error(place, problem);
    if (problems.length > 0) continue;
    const impossible = findImpossible(condition);
    // Only a warning: a constant may be intended, to switch something off.
    if (impossible === 'constant') report.warning(place, 'This condition is always false.');
    if (impossible === 'contradiction')
      report.error(place, 'This condition can never be true: its parts contradict each other.');
    if (impossible !== null) continue;
    if (at !== undefined) lintUnset(lintable, condition, place, at);
    lintVerdicts(lintable, condition, place);
    if (!usesSugar(condition)) continue;
    report.warning(place, '`result contains` looks for a word and cannot tell "OKAY" from "not OKAY".', {
      fix: 'Let the agent write a verdict and test agents["ID"].verdict == "OKAY".',
    });
  }
}

/** Reports a verdict that no review can give, since a condition that waits for it would never hold. */
function lintVerdicts({ recipe, report }: Lintable, condition: string, place: (string | number)[]): void {
  if (!condition.includes('verdict')) return;
  for (const { path, words } of listComparisons(prepareCondition(condition).ast)) {
    const [root, id = '', member] = path;
    if (root !== 'agents' || member !== 'verdict' || !isReviewer(recipe.blocks, id)) continue;
    for (const word of words.filter((one) => !VERDICTS.some((verdict) => verdict === one))) {
      const meant = quoteSuggestion(word, VERDICTS);
      report.error(place, `A verdict is ${VERDICTS.join(' or ')}, never ${quoteWord(word)}.${meant}`, {
        within: word,
      });
    }
  }
}

function isReviewer(blocks: readonly ResolvedBlock[], id: string): boolean {
  return blocks.some(
    (block) =>
      'agents' in block &&
      block.agents.some((agent) => agent.id === id && agent.output !== undefined && needsVerdict(block, agent.output)),
  );
}

/** Reports a condition that reads `result` or an agent's values before they can have been set. */
function lintUnset(
  { recipe, report }: Lintable,
  condition: string,
  place: (string | number)[],
  at: ReadPosition,
): void {
  const { blocks, program } = recipe;
  const names = listRootNames(condition);
  if (names.has('result') && !blocks.some((block, index) => canReport(block) && isReached(program, index, at))) {
    const choosing = blocks.slice(0, at.index).findLast((block) => 'choices' in block && block.choices.length > 0);
    const fix = choosing && `To test the choice instead: \`blocks["${choosing.id}"].choice == "…"\`.`;
    const message = 'Nothing has set `result` yet: no agent has reported.';
    if (!mayHoldUnreported(condition))
      report.error(place, `${message} The condition is always false.`, { within: 'result', ...omitUndefined({ fix }) });
    else report.warning(place, message, { within: 'result', ...omitUndefined({ fix }) });
  }
  if (!names.has('agents')) return;
  for (const [, quoted, plain] of condition.matchAll(/\bagents(?:\[\s*["']([^"']*)["']\s*\]|\.([A-Za-z_]\w*))/g)) {
    const id = quoted ?? plain ?? '';
    const starter = blocks.findIndex((block) => 'agents' in block && block.agents.some((agent) => agent.id === id));
    if (starter < 0 || isReached(program, starter, at)) continue;
    report.warning(place, `The agent ${quoteWord(id)} starts later, so its values are not set here.`, { within: id });
  }
}

/**
 * Whether a condition can hold while `result` is unset, that is, null: each part joined by `&&` that reads only
 * `result` must then be true.
 */
function mayHoldUnreported(condition: string): boolean {
  const source = expandSugar(condition);
  return listConjuncts(prepareCondition(condition).ast).every(({ start, end }) => {
    const part = source.slice(start, end);
    const isOfResult = [...listRootNames(part)].every((name) => name === 'result' || name === 'containsWord');
    return !isOfResult || evaluateCondition(part, { result: null });
  });
}

/**
 * Whether a block may have run before the condition at `at` is evaluated: the block comes earlier in the recipe, or the
 * run can go back, from it or from a later block, to the block with the condition or one before it.
 */
function isReached({ blocks }: Program, index: number, at: ReadPosition): boolean {
  if (index < at.index || (at.own === true && index === at.index)) return true;
  const before = blocks.slice(0, at.index + 1).map(({ id }) => id);
  return blocks.slice(index).some((block) => listBackTargets(block).some((target) => before.includes(target)));
}

/** Lists every condition with its position in the file and, except for handlers, the position of the reading block. */
function listPlacedConditions(
  lintable: Lintable,
): { condition: string; place: (string | number)[]; at?: ReadPosition }[] {
  switch (lintable.type) {
    case 'sequential':
      return lintable.recipe.blocks.flatMap((block, index) =>
        lintable.broken.has(index)
          ? []
          : listOwnConditions(block).map(({ condition, place, own = false }) => ({
              condition,
              place: ['blocks', index, ...place],
              at: { index, own },
            })),
      );
    case 'engine':
      return Object.entries(lintable.source.handlers ?? {}).flatMap(([key, { when }]) =>
        when === undefined ? [] : [{ condition: when, place: ['handlers', key, 'when'] }],
      );
  }
}
