import { omitUndefined } from '../../base/defined.js';
import type { SectionId } from '../../documents/sections.js';
import { standsForInit } from '../declared.js';
import type { ReadSibling } from '../resolve/text.js';
import type {
  BlockCommand,
  ExternalCommand,
  LlmLoopBlock,
  ResolvedBlock,
  ResolvedChoice,
  ResolvedRecipe,
  SubagentBlock,
} from '../resolved.js';
import type { ProblemLog, SourcePath } from '../source/report.js';
import { quoteSuggestion, quoteWord } from '../source/yaml.js';

/**
 * Implements a block type of the recipe language; the schema of its source form is defined next to it.
 * @typeParam S a block of this type as written in the recipe
 * @typeParam B the same block with every default filled in
 */
export interface BlockForm<S, B extends ResolvedBlock> {
  /** Fills in every default of recipes.md §2. Anything that cannot be resolved is reported and left out. */
  resolve(block: S, context: BlockContext): B;
  /** Returns the fields of this type in the recipe language, with every default filled in (recipes.md, recipe show). */
  show(block: B): RecipeFields;
  /** Lists the type's own texts that may hold placeholders, apart from commands, agents and choices. */
  listTexts(block: B): readonly (string | undefined)[];
  /**
   * Checks the rules that only this type has.
   * @param raw the block as written in the recipe
   */
  lint(judged: LintedRecipe, index: number, block: B, raw: S): void;
}

/** The context for resolving a block. */
export interface BlockContext {
  /** The block's position in the recipe. */
  place: readonly (string | number)[];
  /** The ids of the block's agents, in order. */
  agentIds: readonly string[];
  /** The draft sections that the recipe requires. */
  required: readonly SectionId[];
  report: ProblemLog;
  read: ReadSibling;
}

/**
 * What the rules of a block need of the recipe being checked. Lint passes a `LintableSequence`, which has all of it.
 */
export interface LintedRecipe {
  recipe: ResolvedRecipe;
  source: { name: string };
  broken: ReadonlySet<number>;
  report: ProblemLog;
}

/** Fields of the recipe language. */
export type RecipeFields = Record<string, unknown>;

/** Returns a block's command as fields of a recipe, for `recipe show`. */
export function showCommand(command: BlockCommand): RecipeFields {
  return command.kind === 'own' ? { command: command.command.source } : showExternal('command', command.command);
}

/**
 * Returns an external command as fields of a recipe, for `recipe show`.
 * @param key the name of the field that holds the command
 */
export function showExternal(key: string, { argv, shell, timeout, cwd }: ExternalCommand): RecipeFields {
  return {
    [key]: shell ? (argv[0] ?? '') : argv,
    ...(shell ? { shell } : {}),
    timeout,
    // A `dev-cli` command that runs as a separate process accepts no `cwd`.
    ...(argv[0] === 'dev-cli' ? {} : { cwd }),
  };
}

/** Returns the fields that end a loop, for `recipe show`. */
export function showLoop({
  maxRounds,
  exitWhen,
  exitCheck,
  revise,
}: Omit<Partial<LlmLoopBlock>, 'kind'>): RecipeFields {
  return { maxRounds, ...omitUndefined({ exitWhen, exitCheck: exitCheck?.source, revise }) };
}

/** Returns a choice as fields of a recipe, for `recipe show`. */
export function showChoice({ id, label, goto, reasonRequired, when, grows }: ResolvedChoice): RecipeFields {
  return { id, label, goto, ...omitUndefined({ when, grows }), ...(reasonRequired ? { reason: 'required' } : {}) };
}

/** Rules about going back to earlier blocks, for blocks of several types. */

/** Words with a special meaning in a choice's `goto`. */
export const GOTO_WORDS = ['next', 'halt'];

/** Checks that a loop can end, and that it goes back to a valid block. */
export function lintLoop(
  judged: LintedRecipe,
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

/** Checks the block that `revise` names, and that `maxRounds` allows the second round that it needs. */
export function lintRevise(judged: LintedRecipe, index: number, revise: string, maxRounds: number | undefined): void {
  lintTarget(judged, index, revise, ['blocks', index, 'revise']);
  if (maxRounds !== 1) return;
  judged.report.warning(['blocks', index, 'maxRounds'], '`revise` has no effect: the block runs only one round.', {
    fix: 'Allow at least two rounds, or leave `revise` out.',
  });
}

/** Checks that a run can go back to `target`: it must be an earlier block, and not the one that stands for `init`. */
export function lintTarget({ recipe, report }: LintedRecipe, index: number, target: string, place: SourcePath): void {
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
    report.error(place, `${quoteWord(target)} is the block of \`dev-cli init\`, which never runs again.`);
  }
}
