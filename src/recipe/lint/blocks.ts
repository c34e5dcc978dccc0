import { stripInvisible } from '../../base/visible.js';
import type { ResolvedBlock } from '../resolved.js';
import type { SourcePath } from '../source/report.js';
import type { BlockSource, BlockSourceOf } from '../source/schema.js';
import { quoteSuggestion, quoteWord } from '../source/yaml.js';
import type { LintableSequence } from './lintable.js';

/** Checks the ids, order, loops, choices and gates of the blocks. */
export function lintBlocks(lintable: LintableSequence): void {
  lintIds(lintable);
  for (const [index, block] of lintable.recipe.blocks.entries()) {
    if (lintable.broken.has(index)) continue;
    lintTitle(lintable, index, block);
    lintInit(lintable, index, block);
    lintLoop(lintable, index, block);
    lintChoices(lintable, index, block);
    lintMode(lintable, index, block);
    lintApproval(lintable, index, block);
  }
}

/** Checks a gate that approves the plan: an execution needs a person's answer, and about PLAN.md. */
function lintApproval({ report }: LintableSequence, index: number, block: ResolvedBlock): void {
  if (block.kind !== 'wait-for-user' || block.approves === undefined) return;
  if (block.human && block.artifact === 'PLAN.md') return;
  report.error(['blocks', index, 'approves'], '`approves: plan` needs a person and the plan they are asked about.', {
    fix: 'Add `human: required` and `artifact: PLAN.md`.',
  });
}

/** Longest title of a block, in characters. */
const MAX_TITLE = 60;

/** Checks that a title is one line that fits where it is shown. */
function lintTitle({ report }: LintableSequence, index: number, { title }: ResolvedBlock): void {
  if (title === undefined) return;
  const place = ['blocks', index, 'title'];
  const length = [...title].length;
  if (/[\p{Cc}\u2028\u2029]/u.test(title)) {
    report.error(place, 'A title is one line, without control characters.');
  } else if (stripInvisible(title) !== title) {
    report.error(place, 'There are invisible characters in the title.', { fix: 'Type it anew.' });
  } else if (length > MAX_TITLE) {
    report.error(place, `The title has ${length} characters, and there is room for ${MAX_TITLE}.`, {
      fix: 'Say in a few words what happens here.',
    });
  }
}

/** Words with a meaning of their own in a choice's `goto`. */
const RESERVED = ['next', 'halt'];

function lintIds({ recipe, report }: LintableSequence): void {
  const seen = new Set<string>();
  for (const [index, { id }] of recipe.blocks.entries()) {
    const place = ['blocks', index, 'id'];
    if (id in Object.prototype) {
      report.error(place, `A block cannot be called ${quoteWord(id)}: every object has a property of that name.`);
    } else if (RESERVED.includes(id)) {
      report.error(place, `A block cannot be called ${quoteWord(id)}: \`goto\` means something else by it.`);
    }
    if (seen.has(id))
      report.error(place, `The id ${quoteWord(id)} is used twice.`, { fix: 'Ids are unique in a recipe.' });
    seen.add(id);
  }
}

function lintInit({ recipe, source, report }: LintableSequence, index: number, block: ResolvedBlock): void {
  if (block.kind !== 'cli' || !block.standsForInit || block.command.kind !== 'own') return;
  const place = ['blocks', index, 'command'];
  if (index > 0) {
    report.error(place, 'The block of `dev-cli init` stands for the start of the run and must come first.');
  }
  if (block.when !== undefined) {
    report.error(
      ['blocks', index, 'when'],
      'The block of `dev-cli init` is done once the run exists, so it can have no condition.',
    );
  }
  if (block.command.command.input['size'] !== undefined) {
    report.error(place, 'A recipe cannot set the size of the work.', {
      within: '--size',
      fix: 'Leave --size out: a block with `schema: size` finds it, and conditions can read it.',
    });
  }
  const named = block.command.command.input['recipe'];
  if (typeof named === 'string' && named !== recipe.name && source.name === recipe.name) {
    report.warning(
      place,
      `The init command names the recipe ${quoteWord(named)}; this one is ${quoteWord(recipe.name)}.`,
      {
        within: named,
      },
    );
  }
}

function lintLoop(lintable: LintableSequence, index: number, block: ResolvedBlock): void {
  const { report, source } = lintable;
  const raw = source.blocks[index];
  if (raw?.type === 'subagent' && (raw.maxRounds ?? 1) > 1) {
    report.warning(['blocks', index, 'maxRounds'], 'A `subagent` block is always one round.', {
      fix: 'Use `subagent-loop` with `exitWhen` for more.',
    });
  }
  if (raw?.type === 'cli') lintRevise(lintable, index, raw);
  if (block.kind !== 'llm-loop' && block.kind !== 'subagent-loop') return;
  const raws = raw as { exitCheck?: unknown; exitWhen?: unknown } | undefined;
  if (raws?.exitCheck === undefined && raws?.exitWhen === undefined) {
    report.error(
      ['blocks', index],
      `The loop ${quoteWord(block.id)} never ends: it has no \`exitWhen\` or \`exitCheck\`.`,
    );
  }
  if (block.revise === undefined) return;
  lintTarget(lintable, index, block.revise, ['blocks', index, 'revise']);
  if (raw !== undefined) lintOnlyRound(lintable, index, raw);
}

/** Warns of a way back for which the bound leaves no round. */
function lintOnlyRound({ report }: LintableSequence, index: number, raw: BlockSource): void {
  if (!('maxRounds' in raw) || raw.maxRounds !== 1) return;
  report.warning(['blocks', index, 'maxRounds'], '`revise` has no effect: one round is the limit.', {
    fix: 'Allow at least two rounds, or leave `revise` out.',
  });
}

/** Checks where a command leads back to when it fails. */
function lintRevise(lintable: LintableSequence, index: number, raw: BlockSourceOf<'cli'>): void {
  const { recipe, report } = lintable;
  const { revise, maxRounds } = raw;
  if (revise === undefined) {
    if (maxRounds === undefined) return;
    report.error(['blocks', index, 'maxRounds'], '`maxRounds` of a command limits its `revise`, which is missing.', {
      at: 'key',
      fix: 'Name the earlier block that fixes what the command finds. To run it again unchanged: `onError: retry`.',
    });
    return;
  }
  const place = ['blocks', index, 'revise'];
  lintTarget(lintable, index, revise, place);
  lintOnlyRound(lintable, index, raw);
  const target = recipe.blocks.find(({ id }) => id === revise);
  if (target === undefined || 'read' in target || (target.kind === 'cli' && target.standsForInit)) return;
  report.warning(place, `${quoteWord(revise)} asks no agent, so nobody is told why the command failed.`, {
    fix: 'Go back to the block whose agent fixes it.',
  });
}

function lintChoices(lintable: LintableSequence, index: number, block: ResolvedBlock): void {
  if (!('choices' in block)) return;
  const { report } = lintable;
  const seen = new Set<string>();
  for (const [at, choice] of block.choices.entries()) {
    const place = ['blocks', index, 'choices', at];
    if (seen.has(choice.id)) report.error([...place, 'id'], `The choice ${quoteWord(choice.id)} is offered twice.`);
    seen.add(choice.id);
    const leadsBack = !RESERVED.includes(choice.goto);
    if (leadsBack) lintTarget(lintable, index, choice.goto, [...place, 'goto']);
    if (choice.grows === true && !leadsBack) {
      report.error(
        [...place, 'grows'],
        `${quoteWord(choice.id)} makes the work larger but leads to no earlier block.`,
        {
          fix: 'Give it a `goto` to the block where the larger work is planned.',
        },
      );
    }
  }
  const onward = block.choices.filter(({ goto }) => goto === 'next');
  // "Try again or stop", asked only where a command is red: a condition leads past it, and a choice is left at the bound.
  const mayStop = block.choices.some(({ goto, when }) => goto === 'halt' && when === undefined);
  if (block.when !== undefined && onward.length === 0 && mayStop) return;
  if (block.choices.length > 0 && !onward.some(({ when }) => when === undefined)) {
    const always = onward.length === 0 ? '' : ' whatever the conditions say';
    report.error(['blocks', index, 'choices'], `No choice of ${quoteWord(block.id)} leads on${always}.`, {
      at: 'key',
      fix: `Give one choice \`goto: next\`${onward.length === 0 ? '' : ' and no `when`'}.`,
    });
  }
}

/** Checks where a run may go back to: an earlier block, never the one that stands for `init`. */
function lintTarget({ recipe, report }: LintableSequence, index: number, target: string, place: SourcePath): void {
  const found = recipe.blocks.findIndex(({ id }) => id === target);
  const block = recipe.blocks[found];
  if (block === undefined) {
    const known = [...RESERVED, ...recipe.blocks.slice(0, index).map(({ id }) => id)];
    report.error(place, `There is no block ${quoteWord(target)}.${quoteSuggestion(target, known)}`);
  } else if (found === index) {
    report.error(place, `${quoteWord(target)} names its own block; a run can only go back to an earlier one.`);
  } else if (found > index) {
    report.error(place, `${quoteWord(target)} is a later block; a run can only go back to an earlier one.`);
  } else if (block.kind === 'cli' && block.standsForInit) {
    report.error(place, `${quoteWord(target)} stands for what init did and is never run again.`);
  }
}

function lintMode({ recipe, report }: LintableSequence, index: number, block: ResolvedBlock): void {
  if (recipe.mode['interaction'] !== 'autopilot' || !('asks' in block) || block.asks !== 'user') return;
  report.warning(
    ['blocks', index],
    `${quoteWord(block.id)} needs the user, but the recipe is for autopilot: the run waits there.`,
  );
}
