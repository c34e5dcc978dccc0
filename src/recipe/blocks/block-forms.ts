import { omitUndefined } from '../../base/defined.js';
import { BLOCK_KINDS } from '../../machine/block-kinds.js';
import { findExternalCommand } from '../external-commands.js';
import type { LintableSequence } from '../lint/lintable.js';
import { listOwnCommands } from '../own-commands.js';
import type { AgentFacingBlock, BlockOf, ResolvedBlock } from '../resolved.js';
import type { BlockSource, BlockSourceOf } from '../source/schema.js';
import type { BlockContext, BlockForm, RecipeFields } from './block-form.js';
import { CLI } from './cli.js';
import { GATE_FORM } from './gate.js';
import { LLM_FORM, LLM_LOOP_FORM } from './llm.js';
import { LLM_CLI_FORM } from './llm-cli.js';
import { SUBAGENT_FORM, SUBAGENT_LOOP_FORM } from './subagent.js';

/** The block types that authors write. */
const BLOCK_FORMS: { readonly [K in BlockSource['type']]: BlockForm<BlockSourceOf<K>, BlockOf<K>> } = {
  cli: CLI,
  llm: LLM_FORM,
  'llm-loop': LLM_LOOP_FORM,
  'llm+cli': LLM_CLI_FORM,
  subagent: SUBAGENT_FORM,
  'subagent-loop': SUBAGENT_LOOP_FORM,
  'wait-for-user': GATE_FORM,
};

/** Returns the form for a block type; pass it only blocks of that type. Null for the block of an engine recipe. */
function findForm(kind: ResolvedBlock['kind']): BlockForm<BlockSource, ResolvedBlock> | null {
  return kind === 'engine' ? null : BLOCK_FORMS[kind];
}

/** Fills in every default of a block. Anything that cannot be resolved is reported and left out. */
export function resolveBlock(block: BlockSource, context: BlockContext): ResolvedBlock {
  return (BLOCK_FORMS[block.type] as BlockForm<BlockSource, ResolvedBlock>).resolve(block, context);
}

/** Returns a block as fields of a recipe with every default filled in, for `recipe show`. */
export function showBlock(block: ResolvedBlock): RecipeFields {
  return {
    id: block.id,
    type: block.kind,
    ...omitUndefined({ title: block.title, when: block.when }),
    ...('read' in block ? showAsking(block) : {}),
    ...findForm(block.kind)?.show(block),
    onError: block.onError.kind === 'retry' ? { retry: { max: block.onError.max } } : block.onError.kind,
    stale: block.stale,
  };
}

function showAsking({ kind, instruction, instructionFile, read, consult, asks }: AgentFacingBlock): RecipeFields {
  const isAsked = asks === 'user' && BLOCK_KINDS[kind].by !== 'person';
  return { instruction, ...omitUndefined({ instructionFile }), read, consult, ...(isAsked ? { asks } : {}) };
}

/** Lists the texts in which placeholders may stand, but only those in fields that no other block type has. */
export function listTypeTexts(block: ResolvedBlock): readonly (string | undefined)[] {
  return findForm(block.kind)?.listTexts(block) ?? [];
}

/** Lists every text of a block that may hold placeholders. */
export function listBlockTemplates(block: ResolvedBlock): string[] {
  const { argv = [], cwd } = findExternalCommand(block)?.command ?? {};
  const agents = 'agents' in block ? block.agents : [];
  const texts = [
    ...('read' in block ? [block.instruction, block.instructionText, ...block.read, ...block.consult] : []),
    ...listOwnCommands(block).flatMap(({ command }) => Object.values(command.input)),
    ...argv,
    cwd,
    ...agents.flatMap(({ prompt, promptHint, output, readsFrom }) => [prompt, promptHint, output, ...readsFrom]),
    ...listTypeTexts(block),
    ...('choices' in block ? block.choices.map(({ label }) => label) : []),
  ];
  return texts.filter((text) => typeof text === 'string');
}

/** Checks the rules that only the block's type has. */
export function lintType(lintable: LintableSequence, index: number, block: ResolvedBlock): void {
  const raw = lintable.source.blocks[index];
  if (raw !== undefined) findForm(block.kind)?.lint(lintable, index, block, raw);
}
