import { type Static, Type } from '@sinclair/typebox';
import { omitUndefined } from '../../base/defined.js';
import { standsForInit } from '../declared.js';
import { resolveCommand } from '../resolve/command.js';
import type { BlockCommand, CliBlock } from '../resolved.js';
import { leaveOutFaulty } from '../source/report.js';
import { CommandLineSchema, textSchema, typeSchema } from '../source/schema-parts.js';
import { blockSchema, boundSchema, commonFields, externalFields } from '../source/schema-rows.js';
import { quoteWord } from '../source/yaml.js';
import { type BlockForm, type LintedRecipe, lintRevise, showCommand } from './block-form.js';
import { ROUNDS, resolveCommon } from './defaults.js';

/** The source form of `cli`. */
export const cliSource = () =>
  blockSchema({
    ...commonFields,
    type: typeSchema('cli', 'dev-cli runs a command itself.'),
    command: CommandLineSchema,
    revise: Type.Optional(
      textSchema('The earlier block to go back to when the command fails; its `read` then names the log.', 'mend'),
    ),
    maxRounds: boundSchema('With `revise`: how often the command may run before onError decides. Default 5.'),
    ...externalFields,
  });

type CliSource = Static<ReturnType<typeof cliSource>>;

/** Stands in for a command that did not parse. It never runs, since a recipe with errors does not. */
const NO_COMMAND: BlockCommand = {
  kind: 'external',
  command: { argv: [], shell: false, timeout: 0, cwd: '.', source: '' },
};

/** `cli`: dev-cli runs a command itself. */
export const CLI: BlockForm<CliSource, CliBlock> = {
  resolve(block, context) {
    const command = resolveCommand(block.command, block, [...context.place, 'command'], context.report) ?? NO_COMMAND;
    return {
      ...resolveCommon(block),
      kind: 'cli',
      command,
      ...(block.revise === undefined ? {} : { revise: block.revise, maxRounds: block.maxRounds ?? ROUNDS }),
      standsForInit: command.kind === 'own' && command.command.command === 'init',
    };
  },
  show: ({ command, revise, maxRounds }) => ({ ...showCommand(command), ...omitUndefined({ revise, maxRounds }) }),
  listTexts: () => [],
  lint(judged, index, block, raw) {
    if (block.standsForInit) lintInit(judged, index, block);
    lintFailure(judged, index, raw);
  },
};

/** Checks the block that represents the `init` command. */
function lintInit({ recipe, source, report, broken }: LintedRecipe, index: number, { command, when }: CliBlock): void {
  if (command.kind !== 'own') return;
  const { input } = command.command;
  const place = ['blocks', index, 'command'];
  if (index > 0) {
    report.error(place, 'The block of `dev-cli init` stands for the start of the run and must come first.');
  }
  if (when !== undefined) {
    report.error(
      ['blocks', index, 'when'],
      'The block of `dev-cli init` is done once the run exists, so it can have no condition.',
    );
  }
  if (input['size'] !== undefined) {
    report.error(place, 'A recipe cannot set the size of the work.', {
      within: '--size',
      fix: 'Leave --size out: a block with `schema: size` determines the size, and conditions can read it.',
    });
  }
  const named = input['recipe'];
  if (typeof named === 'string' && named !== recipe.name && source.name === recipe.name) {
    report.warning(
      place,
      `The init command names the recipe ${quoteWord(named)}; this one is ${quoteWord(recipe.name)}.`,
      { within: named },
    );
  }
  if (broken.size > 0) return;
  for (const option of OF_CALLER.filter((key) => input[key] !== undefined)) {
    leaveOutFaulty(report).warning(place, `\`--${option}\` has no effect here: the run has begun already.`, {
      within: `--${option}`,
      fix: 'Leave it out; it is set when a run begins.',
    });
  }
}

/** Options of `init` that a recipe cannot set, because the run has already begun when its first block is reached. */
const OF_CALLER = ['goal', 'set', 'force', 'new', 'execute', 'workflow'];

/** Checks the block that a failed command goes back to. */
function lintFailure(judged: LintedRecipe, index: number, { revise, maxRounds }: CliSource): void {
  const { recipe, report } = judged;
  if (revise === undefined) {
    if (maxRounds === undefined) return;
    report.error(['blocks', index, 'maxRounds'], '`maxRounds` of a command limits its `revise`, which is missing.', {
      at: 'key',
      fix: 'Name the earlier block that fixes what the command finds. To run it again unchanged: `onError: retry`.',
    });
    return;
  }
  lintRevise(judged, index, revise, maxRounds);
  const target = recipe.blocks.find(({ id }) => id === revise);
  if (target === undefined || 'read' in target || standsForInit(target)) return;
  report.warning(
    ['blocks', index, 'revise'],
    `${quoteWord(revise)} asks no agent, so nobody is told why the command failed.`,
    { fix: 'Go back to the block whose agent fixes it.' },
  );
}
