import type { Json, JsonObject } from '../../../base/json.js';
import type { Entry } from '../../../store/store.js';
import type { Message, ResultBlock, Usage } from '../core/messages.js';

/**
 * Entries of a session's journal. Those with messages hold what the user wrote, answers, results of calls and compacted
 * histories.
 */
export type SessionEntry =
  | { type: 'opened'; data: JsonObject }
  | { type: 'user'; message: Message }
  | { type: 'requested' }
  /** A request was sent, but got no usable answer. */
  | { type: 'unanswered' }
  /** An answer that was not added to the history has no `message`, and its `usage` is given here. */
  | { type: 'answered'; message?: Message; usage?: Usage; stop: string }
  | { type: 'begun'; call: string; data: JsonObject }
  | { type: 'ended'; result: ResultBlock; data?: JsonObject }
  | { type: 'compacted'; messages: Message[]; removed: number }
  | { type: 'turn'; status: string; data?: JsonObject }
  | { type: 'closed' };

/** Returns the data that the journal stores for an entry, without its type. */
export function toEntryData({ type: _, ...rest }: SessionEntry): JsonObject {
  return rest as unknown as JsonObject;
}

/**
 * Adds an entry's content to the messages before it. Results form one message after the calls, in the order of the
 * calls, regardless of which ended first.
 * @param messages changed in place
 */
export function addEntryToMessages(messages: Message[], { type, data }: Pick<Entry, 'type' | 'data'>): void {
  const held = data as Record<string, Json>;
  if ((type === 'user' || type === 'answered') && held['message'] !== undefined)
    messages.push(held['message'] as unknown as Message);
  else if (type === 'compacted') messages.splice(0, messages.length, ...(held['messages'] as unknown as Message[]));
  else if (type === 'ended') addResult(messages, held['result'] as unknown as ResultBlock);
}

function addResult(messages: Message[], result: ResultBlock): void {
  const last = messages.at(-1);
  if (last?.role !== 'tool') {
    messages.push({ role: 'tool', blocks: [result] });
    return;
  }
  const order = (messages.at(-2)?.blocks ?? []).flatMap((block) => (block.type === 'tool_use' ? block.id : []));
  const at = (block: Message['blocks'][number]): number =>
    block.type === 'tool_result' ? order.indexOf(block.tool_use_id) : -1;
  const blocks = [...last.blocks, result].sort((a, b) => at(a) - at(b));
  messages.splice(-1, 1, { ...last, blocks });
}
