import { standsForInit } from '../declared.js';
import type { LlmLoopBlock, SubagentBlock } from '../resolved.js';
import type { SourcePath } from '../source/report.js';
import { quoteSuggestion, quoteWord } from '../source/yaml.js';
import type { Judged } from './block-form.js';

/** Rules about ways back, for blocks of several types. */

/** Words with a meaning of their own in a choice's `goto`. */
export const GOTO_WORDS = ['next', 'halt'];

/** Checks that a loop can end, and where it leads back to. */
export function lintLoop(
  judged: Judged,
  index: number,
  block: LlmLoopBlock | SubagentBlock,
  raw: { exitCheck?: unknown; exitWhen?: string; maxRounds?: number },
): void {
  if (raw.exitCheck === undefined && raw.exitWhen === undefined) {
    judged.report.error(
      ['blocks', index],
      `The loop ${quoteWord(block.id)} never ends: it has no \`exitWhen\` or \`exitCheck\`.`,
    );
  }
  if (block.revise !== undefined) lintRevise(judged, index, block.revise, raw.maxRounds);
}

/** Checks the block to which rounds lead back, and that the bound leaves a round for it. */
export function lintRevise(judged: Judged, index: number, revise: string, maxRounds: number | undefined): void {
  lintTarget(judged, index, revise, ['blocks', index, 'revise']);
  if (maxRounds !== 1) return;
  judged.report.warning(['blocks', index, 'maxRounds'], '`revise` has no effect: one round is the limit.', {
    fix: 'Allow at least two rounds, or leave `revise` out.',
  });
}

/** Checks where a run may go back to: an earlier block, never the one that stands for `init`. */
export function lintTarget({ recipe, report }: Judged, index: number, target: string, place: SourcePath): void {
  const found = recipe.blocks.findIndex(({ id }) => id === target);
  const block = recipe.blocks[found];
  if (block === undefined) {
    const known = [...GOTO_WORDS, ...recipe.blocks.slice(0, index).map(({ id }) => id)];
    report.error(place, `There is no block ${quoteWord(target)}.${quoteSuggestion(target, known)}`);
  } else if (found === index) {
    report.error(place, `${quoteWord(target)} names its own block; a run can only go back to an earlier one.`);
  } else if (found > index) {
    report.error(place, `${quoteWord(target)} is a later block; a run can only go back to an earlier one.`);
  } else if (standsForInit(block)) {
    report.error(place, `${quoteWord(target)} stands for what init did and is never run again.`);
  }
}
