import fc from 'fast-check';
import type { CallBlock, Message, MessageBlock, ResultBlock } from '../../../src/wings/runtime/core/messages.js';

/** Message histories, handwritten and random. */

export const text = (value: string): MessageBlock => ({ type: 'text', text: value });
export const user = (value: string): Message => ({ role: 'user', blocks: [text(value)] });
export const said = (...blocks: MessageBlock[]): Message => ({ role: 'assistant', blocks });
export const call = (id: string, name = 'read_file', input: unknown = {}): CallBlock => ({
  ...{ type: 'tool_use', id, name },
  input: typeof input === 'string' ? input : JSON.stringify(input),
});
export const result = (of: CallBlock, output = 'done', isError = false): ResultBlock => ({
  ...{ type: 'tool_result', tool_use_id: of.id, tool_name: of.name },
  ...{ output, is_error: isError },
});
export const results = (...blocks: ResultBlock[]): Message => ({ role: 'tool', blocks });

/** Returns whether each call has its result in the next message, in order, and there are no other results. */
export function isPaired(messages: readonly Message[]): boolean {
  return messages.every((one, at) => {
    const calls = one.blocks.flatMap((block) => (block.type === 'tool_use' ? block.id : []));
    const next = messages[at + 1];
    const told = next?.role === 'tool' ? next.blocks.map((block) => (block as ResultBlock).tool_use_id) : [];
    if (one.role === 'tool') return messages[at - 1]?.role === 'assistant' && next?.role !== 'tool';
    return JSON.stringify(calls) === JSON.stringify(told);
  });
}

const words = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.constantFrom('`````````\n', '\u202e\x1b[2J', 'x'.repeat(9_000), '語'.repeat(3_000), ' \n '),
);
const inputs = fc.oneof(
  words,
  words.map((path) => JSON.stringify({ path })),
  words.map((command) => JSON.stringify({ command })),
);
const names = fc.oneof(fc.constantFrom('read_file', 'write_file', 'edit_file', 'bash', 'grep_search'), words);

/** An answer with calls and their results, an answer without calls, or a user's message. */
const turns = fc.oneof(
  words.map((value) => [user(value)]),
  words.map((value) => [said(text(value))]),
  fc.array(fc.tuple(names, inputs, words, fc.boolean()), { minLength: 1, maxLength: 4 }).map((made) => {
    const calls = made.map(([name, input], at) => call(`c${at}`, name, input));
    return [
      said(text('I look.'), ...calls),
      results(...made.map(([, , out, bad], at) => result(calls[at] ?? call('?'), out, bad))),
    ];
  }),
);

/** Any valid history. */
export const histories: fc.Arbitrary<Message[]> = fc
  .array(turns, { maxLength: 14 })
  .map((parts) => [user('Do it.'), ...parts.flat()]);
