import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutlineSchema } from '../../../src/documents/outline.js';
import { NO_USAGE } from '../../../src/wings/runtime/core/messages.js';
import { fromPublished, toPublished } from '../../../src/wings/runtime/core/published.js';
import { PublishedSchema } from '../../../src/wings/runtime/core/published-schema.js';
import { call, histories, isPaired, result, results, said, text, user } from './histories.js';

/** The published form of a session (runtime.md, Sessions). */

const read = (value: unknown) => fromPublished(value, PublishedSchema as OutlineSchema);
const form = (...messages: unknown[]) => ({ version: 1, messages });
const [a, b] = [call('a'), call('b', 'bash', '{broken')];

describe('the published form', () => {
  it('brings any history back, without what only one provider reads', () => {
    fc.assert(
      fc.property(histories, (messages) => {
        const attached = messages.map((one) =>
          one.role === 'assistant'
            ? {
                ...one,
                usage: NO_USAGE,
                blocks: one.blocks.map((block) => ({ ...block, attached: { provider: 'p', options: {} } })),
              }
            : one,
        );
        const plain = messages.map((one) => (one.role === 'assistant' ? { ...one, usage: NO_USAGE } : one));
        expect(read(JSON.parse(JSON.stringify(toPublished(attached))))).toEqual({ messages: plain });
      }),
    );
  });

  it('takes a usage that is null as none', () => {
    expect(read(form({ ...said(text('Hm.')), usage: null }))).toEqual({ messages: [said(text('Hm.'))] });
  });

  it('closes calls without a result, and puts results in order', () => {
    const open = { tool_use_id: 'a', is_error: true, output: expect.stringMatching(/^not run/) };
    expect(read(form(said(a, b), results(result(b))))).toMatchObject({
      messages: [said(a, b), { role: 'tool', blocks: [open, result(b)] }],
    });
    expect(read(form(said(a), user('Go on.')))).toMatchObject({
      messages: [said(a), { blocks: [open] }, user('Go on.')],
    });
    const swapped = read(form(said(a, b), results(result(b), result(a))));
    expect('messages' in swapped && isPaired(swapped.messages)).toBe(true);
  });

  it.each([
    [null, '', 'must be object'],
    [{ version: 2, messages: 7 }, '/version', 'is 2; this dev-cli reads 1'],
    [{ version: 0, messages: [] }, '/version', 'must be 1'],
    [{ version: 1 }, '', 'must have "messages"'],
    [{ version: 1, messages: {} }, '/messages', 'must be array'],
    [{ ...form(), extra: 1 }, '', 'must not have "extra"'],
    [form({ role: 'boss', blocks: [text('')] }), '/messages/0/role', 'must be one of system, user, assistant, tool'],
    [form(user(''), { role: 'user', blocks: [] }), '/messages/1/blocks', 'has fewer items than 1'],
    [form(user(''), said({ ...a, input: {} } as never)), '/messages/1/blocks/0/input', 'must be string'],
    [form({ role: 'user', blocks: [{ type: 'image' }] }), '/messages/0/blocks/0', 'has no known type'],
    [form({ ...user(''), usage: {} }), '/messages/0/usage', 'fits no variant'],
    [form(results(result(a))), '/messages/0/blocks/0', 'the message before it has no such call'],
    [form(said(a), results(result(b))), '/messages/1/blocks/0', 'the message before it has no such call'],
    [
      form(said(a), results(result(a)), results(result(a))),
      '/messages/2/blocks/0',
      'the message before it has no such call',
    ],
    [form(said(a, a)), '/messages/0/blocks/1', 'its id occurs twice in this message'],
    [form(said(a), results(result(a), result(a))), '/messages/1/blocks/1', 'its id occurs twice in this message'],
    [
      form({ role: 'user', blocks: [a] }),
      '/messages/0/blocks/0',
      'a message with the role user cannot have a tool_use',
    ],
    [
      form(said(a), { role: 'tool', blocks: [text('')] }),
      '/messages/1/blocks/0',
      'a message with the role tool cannot have a text',
    ],
  ])('names what is wrong by its pointer: %j', (value, pointer, problem) => {
    expect(read(value)).toEqual({ faults: [{ pointer, problem }] });
  });

  it('names what is wrong in every message', () => {
    expect(read(form({}, user(''), {}))).toMatchObject({
      faults: [{ pointer: '/messages/0' }, { pointer: '/messages/2' }],
    });
  });
});
