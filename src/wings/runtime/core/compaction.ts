import type { JsonObject } from '../../../base/json.js';
import { cutBytes, cutToLastBytes } from './cut.js';
import type { Message, MessageBlock, ResultBlock } from './messages.js';
import { isSummary, mergeSummary, renderSummary, type SummaryFields } from './summary.js';

/** Decides when a history is too long for its model, and shortens it (runtime.md, Compaction). Asks no model. */

/** Minimum number of last messages that stay unchanged. */
export const MIN_KEPT_MESSAGES = 4;
/**
 * Tokens that a model is assumed to read if that is unknown, and the part of a model's window that a history may fill.
 */
const WINDOW = 128_000;
const FILLED = 0.75;
/** A result of more than `LONG` bytes can be shrunk: `ENDS` bytes of its beginning and as many of its end remain. */
const LONG = 4_096;
const ENDS = 1_024;

/** A history after compaction; `shorter` says whether that helped. */
export interface Compacted {
  messages: Message[];
  /** The summary's fields, to which the next compaction adds; null if nothing was summarized yet. */
  summary: SummaryFields | null;
  /** Messages that are now only in the summary. */
  removed: number;
  /** Whether the history got shorter. */
  shorter: boolean;
}

/** Estimates the tokens of messages: a quarter of their bytes, plus one per block. */
export function estimateTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, { blocks }) => blocks.reduce((all, block) => all + estimateBlock(block), sum), 0);
}

const estimateBlock = (block: MessageBlock): number => Math.ceil(countBytes(block) / 4) + 1;

function countBytes(block: MessageBlock): number {
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

const countAttached = ({ attached }: Exclude<MessageBlock, ResultBlock>): number =>
  attached === undefined ? 0 : Buffer.byteLength(JSON.stringify(attached.options));

/**
 * Returns whether to shorten a history before the next request.
 * @param tokens the tokens of the last request, plus an estimate of the messages added since
 * @param window tokens that the model can read; null if unknown
 */
export function isToCompact(tokens: number, window: number | null): boolean {
  return tokens > (window ?? WINDOW) * FILLED;
}

/**
 * Replaces all but the last messages with a summary. If no cut is possible, shrinks the largest results instead. The
 * history stays valid and never gets longer.
 * @param options.keep how many messages stay at least; an answer's calls and their results stay together
 * @param options.before the `summary` that the last compaction of this history returned
 * @param options.room the tokens that the history may have; results that were kept are shrunk until it fits, too
 */
export function compactMessages(
  messages: readonly Message[],
  { keep = MIN_KEPT_MESSAGES, before = null, room }: { keep?: number; before?: JsonObject | null; room?: number } = {},
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

/** Returns the index of the first message to keep; never one with results, because their calls must stay with them. */
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
  const shrunk = new Map<MessageBlock, MessageBlock>();
  let size = estimateTokens(messages);
  for (const { block, bytes } of large) {
    if (size <= room) break;
    const note = `[${bytes - 2 * ENDS} bytes omitted to save room]`;
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
