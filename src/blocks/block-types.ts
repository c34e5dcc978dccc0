import type { AgentFacingBlock } from '../recipe/resolved.js';
import type { BlockType } from './block-type.js';
import { GATE } from './gate.js';
import { LLM, LLM_LOOP } from './llm.js';
import { LLM_CLI } from './llm-cli.js';
import { SUBAGENT } from './subagent/subagent.js';

type BlockOf<K> = AgentFacingBlock extends infer B
  ? B extends { kind: infer Kinds }
    ? K extends Kinds
      ? B
      : never
    : never
  : never;

/** The types of blocks that ask, each a row. CLI blocks are executed (cli.ts), engine blocks have a room of their own. */
const BLOCK_TYPES: { readonly [K in AgentFacingBlock['kind']]: BlockType<BlockOf<K>> } = {
  llm: LLM,
  'llm-loop': LLM_LOOP,
  'llm+cli': LLM_CLI,
  subagent: SUBAGENT,
  'subagent-loop': SUBAGENT,
  'wait-for-user': GATE,
};

/** The type of a block; it takes blocks of its own kind only. */
export function getBlockType({ kind }: AgentFacingBlock): BlockType<AgentFacingBlock> {
  return BLOCK_TYPES[kind];
}
