import type { JsonObject } from '../../../base/json.js';
import { cutBytes, cutToLastBytes } from './cut.js';
import type { Block, Message, ResultBlock } from './messages.js';
import { isSummary, mergeSummary, renderSummary, type SummaryFields } from './summary.js';

/** When a history is too long for its model, and what becomes of it (runtime.md, Compaction). No model is asked. */

/** Messages that stay as they are, at least. */
export const KEPT = 4;
/** Tokens that a model can read where that is not known, and the part of them that a history may fill. */
const WINDOW = 128_000;
const FILLED = 0.75;
/** Bytes of a result from which on it can shrink, and that stay of its beginning and of its end. */
const LONG = 4_096;
const ENDS = 1_024;

/** A history that was made shorter, if it could be. */
export interface Compacted {
  messages: Message[];
  /** What the next compaction is to carry on. */
  summary: SummaryFields | null;
  /** Messages that are only in the summary now. */
  removed: number;
  /** Whether anything was won. */
  shorter: boolean;
}

/** Estimates the tokens of messages: a fourth of their bytes, and one a block. */
export function estimateTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, { blocks }) => blocks.reduce((all, block) => all + estimateBlock(block), sum), 0);
}

const estimateBlock = (block: Block): number => Math.ceil(countBytes(block) / 4) + 1;

function countBytes(block: Block): number {
  switch (block.type) {
    case 'text':
      return Buffer.byteLength(block.text) + countAttached(block);
    case 'thinking':
      return Buffer.byteLength(block.thinking + (block.signature ?? '')) + countAttached(block);
    case 'tool_use':
      return Buffer.byteLength(block.name + block.input) + countAttached(block);
    case 'tool_result':
      return Buffer.byteLength(block.output);
  }
}

const countAttached = ({ attached }: Exclude<Block, ResultBlock>): number =>
  attached === undefined ? 0 : Buffer.byteLength(JSON.stringify(attached.options));

/**
 * Whether a history is to be shortened before the next request.
 * @param tokens those of the last request, and an estimate of what came since
 * @param window tokens that the model can read; null: not known
 */
export function isToCompact(tokens: number, window: number | null): boolean {
  return tokens > (window ?? WINDOW) * FILLED;
}

/**
 * Puts a summary in the place of all but the last messages; where there is no place for a cut, the largest results shrink. The history
 * stays valid, and is never longer than before.
 * @param options.keep messages that stay, at least; the calls of an answer and their results stay together
 * @param options.before what the last compaction of this history gave as `summary`
 * @param options.room tokens that it may have: as long as it has more, results shrink behind a cut as well
 */
export function compact(
  messages: readonly Message[],
  { keep = KEPT, before = null, room }: { keep?: number; before?: JsonObject | null; room?: number } = {},
): Compacted {
  const carried = before as SummaryFields | null;
  const size = estimateTokens(messages);
  const cut = findCut(messages, keep);
  const old = carried !== null && isSummary(messages[0]) ? 1 : 0;
  if (cut > old) {
    const summary = mergeSummary(carried, messages.slice(old, cut));
    const made = [renderSummary(summary), ...messages.slice(cut)];
    if (estimateTokens(made) < size)
      return { messages: shrinkResults(made, room ?? size), summary, removed: cut - old, shorter: true };
  }
  const shrunk = shrinkResults(messages, room ?? size / 2);
  return { messages: shrunk, summary: carried, removed: 0, shorter: estimateTokens(shrunk) < size };
}

/** Never between an answer and the results of its calls. */
function findCut(messages: readonly Message[], keep: number): number {
  let cut = Math.max(0, messages.length - Math.max(1, keep));
  while (cut > 0 && messages[cut]?.role === 'tool') cut -= 1;
  return cut;
}

function shrinkResults(messages: readonly Message[], room: number): Message[] {
  const large = messages
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({ block, bytes: countBytes(block) }))
    .filter(({ bytes }) => bytes > LONG)
    .sort((a, b) => b.bytes - a.bytes);
  const shrunk = new Map<Block, Block>();
  let size = estimateTokens(messages);
  for (const { block, bytes } of large) {
    if (size <= room) break;
    const note = `[${bytes - 2 * ENDS} bytes left out here to make room]`;
    const output = `${cutBytes(block.output, ENDS)}\n${note}\n${cutToLastBytes(block.output, ENDS)}`;
    const small = { ...block, output };
    size -= estimateBlock(block) - estimateBlock(small);
    shrunk.set(block, small);
  }
  return messages.map((one) =>
    one.blocks.some((block) => shrunk.has(block))
      ? { ...one, blocks: one.blocks.map((block) => shrunk.get(block) ?? block) }
      : one,
  );
}
