import type { CallBlock, Message, MessageBlock, ResultBlock } from './messages.js';

/** Keeps calls and their results paired in every history (runtime.md, A turn). */

/** Returns whether a block is a call. */
export const isCall = (block: MessageBlock): block is CallBlock => block.type === 'tool_use';

/** Finds the result of a call. @param next the message after the call */
export function findResult({ id }: CallBlock, next: Pick<Message, 'blocks'> | undefined): ResultBlock | undefined {
  return next?.blocks.find((one): one is ResultBlock => one.type === 'tool_result' && one.tool_use_id === id);
}

/** Lists the calls at the end of a history that have no result yet, in their order. */
export function listOpenCalls(messages: readonly Message[]): CallBlock[] {
  const last = messages.at(-1);
  const asked = last?.role === 'tool' ? messages.at(-2) : last;
  return (asked?.blocks ?? []).filter(isCall).filter((call) => findResult(call, last) === undefined);
}

/** Builds the result of a call that is not carried out. @param why the text for the model */
export function refuseCall({ id, name }: CallBlock, why: string): ResultBlock {
  return { type: 'tool_result', tool_use_id: id, tool_name: name, output: why, is_error: true };
}
