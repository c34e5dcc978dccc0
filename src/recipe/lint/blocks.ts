import { stripInvisible } from '../../base/visible.js';
import { GOTO_WORDS, lintTarget } from '../blocks/block-form.js';
import { lintType } from '../blocks/block-forms.js';
import type { ResolvedBlock } from '../resolved.js';
import { quoteWord } from '../source/yaml.js';
import type { LintableSequence } from './lintable.js';

/** Checks the ids, order, loops, choices and gates of the blocks. */
export function lintBlocks(lintable: LintableSequence): void {
  lintIds(lintable);
  for (const [index, block] of lintable.recipe.blocks.entries()) {
    if (lintable.broken.has(index)) continue;
    lintTitle(lintable, index, block);
    lintType(lintable, index, block);
    lintChoices(lintable, index, block);
    lintMode(lintable, index, block);
  }
}

/** The longest title of a block, in characters. */
const MAX_TITLE = 60;

/** Checks that a title is one line and short enough to be shown. */
function lintTitle({ report }: LintableSequence, index: number, { title }: ResolvedBlock): void {
  if (title === undefined) return;
  const place = ['blocks', index, 'title'];
  const length = [...title].length;
  if (/[\p{Cc}\u2028\u2029]/u.test(title)) {
    report.error(place, 'A title is one line, without control characters.');
  } else if (stripInvisible(title) !== title) {
    report.error(place, 'There are invisible characters in the title.', { fix: 'Type the title again by hand.' });
  } else if (length > MAX_TITLE) {
    report.error(place, `The title has ${length} characters; at most ${MAX_TITLE} are allowed.`, {
      fix: 'Say in a few words what happens here.',
    });
  }
}

function lintIds({ recipe, report }: LintableSequence): void {
  const seen = new Set<string>();
  for (const [index, { id }] of recipe.blocks.entries()) {
    const place = ['blocks', index, 'id'];
    if (id in Object.prototype) {
      report.error(place, `A block cannot be called ${quoteWord(id)}: the name is a property of every object.`);
    } else if (GOTO_WORDS.includes(id)) {
      report.error(place, `A block cannot be called ${quoteWord(id)}: the word has its own meaning in \`goto\`.`);
    }
    if (seen.has(id))
      report.error(place, `The id ${quoteWord(id)} is used twice.`, { fix: 'Ids must be unique in a recipe.' });
    seen.add(id);
  }
}

function lintChoices(lintable: LintableSequence, index: number, block: ResolvedBlock): void {
  if (!('choices' in block)) return;
  const { report } = lintable;
  const seen = new Set<string>();
  for (const [at, choice] of block.choices.entries()) {
    const place = ['blocks', index, 'choices', at];
    if (seen.has(choice.id)) report.error([...place, 'id'], `The choice ${quoteWord(choice.id)} is offered twice.`);
    seen.add(choice.id);
    const leadsBack = !GOTO_WORDS.includes(choice.goto);
    if (leadsBack) lintTarget(lintable, index, choice.goto, [...place, 'goto']);
    if (choice.grows === true && !leadsBack) {
      report.error(
        [...place, 'grows'],
        `${quoteWord(choice.id)} makes the work larger but does not lead to an earlier block.`,
        { fix: 'Give it a `goto` to the block where the larger work is planned.' },
      );
    }
  }
  const onward = block.choices.filter(({ goto }) => goto === 'next');
  // A block with a `when` may offer only ways back and `halt`: the run goes past it whenever the `when` is false, and
  // once `maxRounds` is used up, `halt` can still be chosen.
  const mayStop = block.choices.some(({ goto, when }) => goto === 'halt' && when === undefined);
  if (block.when !== undefined && onward.length === 0 && mayStop) return;
  if (block.choices.length > 0 && !onward.some(({ when }) => when === undefined)) {
    const always = onward.length === 0 ? '' : ' if every condition is false';
    report.error(
      ['blocks', index, 'choices'],
      `No choice of ${quoteWord(block.id)} continues to the next block${always}.`,
      {
        at: 'key',
        fix: `Give one choice \`goto: next\`${onward.length === 0 ? '' : ' and no `when`'}.`,
      },
    );
  }
}

function lintMode({ recipe, report }: LintableSequence, index: number, block: ResolvedBlock): void {
  if (recipe.mode['interaction'] !== 'autopilot' || !('asks' in block) || block.asks !== 'user') return;
  report.warning(
    ['blocks', index],
    `${quoteWord(block.id)} needs the user, but the recipe runs on autopilot: the run will wait there.`,
  );
}
