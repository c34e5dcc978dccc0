import type { ResolvedBlock, ResolvedRecipe } from '../resolved.js';

/** Answers questions about a condition from its text alone, without loading the library that evaluates it. */

/** Matches `result contains …` or a string literal. Literals are matched so that text inside them is left alone. */
const SUGAR_OR_LITERAL =
  /\bresult\s+contains\s+(?:"([^"\\]*)"|'([^'\\]*)'|([\p{L}\p{N}_-]+))|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gu;

/** Replaces each `result contains WORD` (recipes.md §2) with `call(word)`. */
export function desugar(source: string, call: (word: string) => string): string {
  return source.replace(SUGAR_OR_LITERAL, (whole: string, ...groups: (string | undefined)[]) => {
    const word = groups[0] ?? groups[1] ?? groups[2];
    return word === undefined ? whole : call(word);
  });
}

/** Whether a condition uses `result contains WORD`. */
export function usesSugar(source: string): boolean {
  return desugar(source, () => '') !== source;
}

/** Lists the names with which expressions begin, such as `agents` and `goal`. Ignores text in string literals. */
export function listRootNames(source: string): Set<string> {
  const bare = source.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  return new Set([...bare.matchAll(/(?<![\w.])[A-Za-z_]\w*/g)].map(([name]) => name));
}

/** Lists the preferences a condition reads. */
export function listPreferences(source: string): string[] {
  const read = /\bpreferences(?:\.([A-Za-z_]\w*)|\[\s*["']([^"']*)["']\s*\])/g;
  return [...source.matchAll(read)].flatMap((match) => match[1] ?? match[2] ?? []);
}

/** Lists every condition of a resolved recipe, in order. */
export function listConditions(recipe: Pick<ResolvedRecipe, 'blocks' | 'engine'>): string[] {
  return [
    ...recipe.blocks.flatMap(listBlockConditions),
    ...Object.values(recipe.engine?.handlers ?? {}).flatMap(({ when }) => when ?? []),
  ];
}

/** Lists every condition of a block, in order. */
export function listBlockConditions(block: ResolvedBlock): string[] {
  return listOwnConditions(block).map(({ condition }) => condition);
}

/** Lists a block's conditions with their positions in it. `own`: the condition may read the block's own results. */
export function listOwnConditions(
  block: ResolvedBlock,
): { condition: string; place: (string | number)[]; own?: boolean }[] {
  const of = (key: 'agents' | 'choices', rows: readonly { when?: string }[]) =>
    rows.map(({ when }, at) => ({ condition: when, place: [key, at, 'when'] }));
  const found = [
    { condition: block.when, place: ['when'] },
    ...('exitWhen' in block ? [{ condition: block.exitWhen, place: ['exitWhen'], own: true }] : []),
    ...('agents' in block ? of('agents', block.agents) : []),
    ...('choices' in block ? of('choices', block.choices) : []),
  ];
  return found.flatMap(({ condition, ...where }) => (condition === undefined ? [] : [{ condition, ...where }]));
}
