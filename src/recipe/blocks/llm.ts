import { type Static, Type } from '@sinclair/typebox';
import { omitUndefined } from '../../base/defined.js';
import { isSectionId, type SectionId } from '../../documents/sections.js';
import { resolveCommand } from '../resolve/command.js';
import type { LlmBlock, LlmLoopBlock, OwnCommand } from '../resolved.js';
import { commandSchema, typeSchema } from '../source/schema-parts.js';
import {
  askingFields,
  asksField,
  blockSchema,
  boundSchema,
  choices,
  externalFields,
  loopFields,
  ownCommandSchema,
  schemaField,
  sectionsField,
} from '../source/schema-rows.js';
import {
  type BlockContext,
  type BlockForm,
  type LintedRecipe,
  lintLoop,
  showChoice,
  showExternal,
  showLoop,
} from './block-form.js';
import { ROUNDS, refuseExternalOptions, resolveAsking, resolveChoice, resolveOwn, resolveSchema } from './defaults.js';

const storing = () => ({
  save: Type.Optional(
    ownCommandSchema('Stores what the agent hands in.', 'dev-cli draft update {name} --section intent'),
  ),
  schema: schemaField,
  sections: sectionsField,
});

/** The source form of `llm`. */
export const llmSource = () =>
  blockSchema({
    ...askingFields,
    type: typeSchema('llm', 'The agent decides or does something, once.'),
    asks: asksField,
    choices: Type.Optional(choices),
    ...storing(),
    maxRounds: boundSchema('How often a choice may lead back. Default 5.'),
  });

/** The source form of `llm-loop`. */
export const llmLoopSource = () =>
  blockSchema({
    ...askingFields,
    type: typeSchema('llm-loop', 'The agent works in rounds until the exit check passes.'),
    asks: asksField,
    ...storing(),
    ...loopFields,
    exitCheck: Type.Optional(
      commandSchema(
        'Must succeed to end the loop. A `dev-cli …` command, or an external one, which ends the round when it ends.',
        'npm test',
      ),
    ),
    ...externalFields,
  });

type LlmLoopSource = Static<ReturnType<typeof llmLoopSource>>;

/**
 * Default for `maxRounds` of a loop that asks the user. A round in which the user's answer filled a section does not
 * count.
 */
const USER_ROUNDS = 20;

/** `llm`: the agent decides or does something, once. */
export const LLM_FORM: BlockForm<Static<ReturnType<typeof llmSource>>, LlmBlock> = {
  resolve(block, context) {
    const save = resolveOwn(block.save, 'save', context);
    const choices = (block.choices ?? []).map(resolveChoice);
    const leadsBack = choices.some(({ goto }) => goto !== 'next' && goto !== 'halt');
    return {
      ...resolveAsking(block, null, context),
      asks: block.asks ?? null,
      kind: 'llm',
      choices,
      ...omitUndefined({ save }),
      ...resolveSchema(block, context),
      sections: resolveSections(block.sections, save, context),
      ...(leadsBack || block.maxRounds !== undefined ? { maxRounds: block.maxRounds ?? ROUNDS } : {}),
    };
  },
  show: ({ choices: offered, save, schema, sections, maxRounds }) => ({
    ...(offered.length === 0 ? {} : { choices: offered.map(showChoice) }),
    ...omitUndefined({ save: save?.source, schema }),
    sections,
    ...omitUndefined({ maxRounds }),
  }),
  listTexts: () => [],
  lint(judged, index, block) {
    // If the block offers choices, its sections record the choice. JSON data then does not conflict with them.
    if (block.choices.length === 0) lintData(judged, index, block);
  },
};

/** `llm-loop`: the agent works in rounds. */
export const LLM_LOOP_FORM: BlockForm<LlmLoopSource, LlmLoopBlock> = {
  resolve(block, context) {
    const save = resolveOwn(block.save, 'save', context);
    const { exitCheck, exitCommand } = resolveExitCheck(block, context);
    const asks = block.asks ?? (exitCheck?.command === 'draft validate' ? 'user' : null);
    return {
      ...resolveAsking(block, null, context),
      asks,
      kind: 'llm-loop',
      ...omitUndefined({ save }),
      ...resolveSchema(block, context),
      sections: resolveSections(block.sections, save, context),
      ...omitUndefined({ exitCheck, exitCommand, exitWhen: block.exitWhen }),
      maxRounds: block.maxRounds ?? (asks === 'user' ? USER_ROUNDS : ROUNDS),
      ...omitUndefined({ revise: block.revise }),
    };
  },
  show: ({ save, schema, sections, exitCommand, ...loop }) => ({
    ...omitUndefined({ save: save?.source, schema }),
    sections,
    ...showLoop(loop),
    ...(exitCommand === undefined ? {} : showExternal('exitCheck', exitCommand)),
  }),
  listTexts: () => [],
  lint(judged, index, block, raw) {
    lintLoop(judged, index, block, raw);
    lintData(judged, index, block);
  },
};

/** Resolves the exit check of a loop: a `dev-cli` command or an external one. */
function resolveExitCheck(
  block: LlmLoopSource,
  context: BlockContext,
): Pick<LlmLoopBlock, 'exitCheck' | 'exitCommand'> {
  const { exitCheck, shell } = block;
  const words = typeof exitCheck === 'string' ? exitCheck.trim().split(/\s+/) : (exitCheck ?? []);
  if (exitCheck === undefined || (words[0] === 'dev-cli' && shell !== true)) {
    refuseExternalOptions(block, 'exit check', context);
    return omitUndefined({ exitCheck: resolveOwn(exitCheck, 'exitCheck', context) });
  }
  const command = resolveCommand(exitCheck, block, [...context.place, 'exitCheck'], context.report);
  return command?.kind === 'external' ? { exitCommand: command.command } : {};
}

/** Returns the sections a block writes: those it states, else the `--section` of `save`, else all required sections. */
function resolveSections(
  stated: readonly SectionId[] | undefined,
  save: OwnCommand | undefined,
  context: BlockContext,
): SectionId[] {
  if (stated !== undefined) return [...stated];
  if (save?.command !== 'draft update') return [];
  const { section } = save.input;
  if (typeof section !== 'string') return [...context.required];
  return isSectionId(section) ? [section] : [];
}

/** Checks that data is not demanded both as JSON and as Markdown. */
function lintData({ report }: LintedRecipe, index: number, { schema, sections, save }: LlmBlock | LlmLoopBlock): void {
  if (schema === undefined || (sections.length === 0 && save?.command !== 'draft update')) return;
  report.error(['blocks', index, 'schema'], '`schema` applies to JSON; sections of DRAFT.md are Markdown.', {
    fix: 'Remove one of the two, or collect the data in a block of its own.',
  });
}
