import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/wings/runtime/core/messages.js';
import { openHistory, openSessions, type Session, takeSession } from '../../../src/wings/runtime/sessions/session.js';

const by = { kind: 'agent', via: 'drive' } as const;
const opening = { id: 'one', kind: 'prompt', work: null, model: 'x/y' } as const;

function createContext() {
  const root = mkdtempSync(join(tmpdir(), 'dev-cli-session-'));
  mkdirSync(join(root, '.git'));
  let n = 0;
  const hex = (length: number) => (n++).toString(16).padStart(length, '0').slice(-length);
  return { root, clock: { now: () => 1_800_000_000_000 + n }, ids: { hex } } as never as Parameters<
    typeof takeSession
  >[0];
}

const say = (text: string): Message => ({ role: 'user', blocks: [{ type: 'text', text }] });
const call = (...ids: string[]): Message => ({
  role: 'assistant',
  blocks: ids.map((id) => ({ type: 'tool_use', id, name: 'read_file', input: '{}' })),
});
const result = (id: string) =>
  ({ type: 'tool_result', tool_use_id: id, tool_name: 'read_file', output: id, is_error: false }) as const;
const texts = ({ messages }: Session) => messages.map(({ role, blocks }) => `${role} ${blocks.length}`);

describe('a session', () => {
  it('keeps what was said, in order, and has it again when it is taken up', async () => {
    const context = createContext();
    const first = await takeSession(context, opening, by);
    await first.commit([{ type: 'user', message: say('hello') }]);
    await first.commit([{ type: 'answered', message: call('a', 'b'), stop: 'calls' }]);
    // The results are in the order of the calls, whichever ended first.
    await Promise.all([
      first.commit([{ type: 'ended', result: result('b') }]),
      first.commit([{ type: 'ended', result: result('a') }]),
    ]);
    first.release();
    const again = await takeSession(context, opening, by);
    expect(texts(again)).toEqual(['user 1', 'assistant 2', 'tool 2']);
    expect(again.messages).toEqual(first.messages);
    expect(again.messages[2]?.blocks).toEqual([result('a'), result('b')]);
    expect(again.state.messages).toBe(3);
    again.release();
  });

  it('gives no number out twice, also not that of a call which only read', async () => {
    const context = createContext();
    const first = await takeSession(context, opening, by);
    await first.commit([{ type: 'answered', message: call('a', 'b'), stop: 'calls' }]);
    expect([first.takeNumber(), first.takeNumber()]).toEqual([1, 2]);
    await first.commit([{ type: 'ended', result: result('a') }]);
    first.release();
    const again = await takeSession(context, opening, by);
    expect(again.takeNumber()).toBe(3);
    again.release();
  });

  it('begins behind its last compaction', async () => {
    const context = createContext();
    const session = await takeSession(context, opening, by);
    for (let n = 0; n < 5; n += 1) await session.commit([{ type: 'user', message: say(`${n}`) }]);
    await session.commit([{ type: 'compacted', messages: [say('summary'), say('4')], removed: 4 }]);
    await session.commit([{ type: 'user', message: say('5') }]);
    session.release();
    const state = (await openSessions(context).read('one')).snapshot;
    expect(state?.from?.seq).toBe(6);
    expect((await openHistory(context, state as never)).flatMap(({ blocks }) => blocks)).toEqual(
      ['summary', '4', '5'].map((text) => ({ type: 'text', text })),
    );
  });

  it('is of one process at a time, and of nobody else on the machine', async () => {
    const context = createContext();
    const session = await takeSession(context, opening, by);
    await expect(takeSession(context, opening, by)).rejects.toMatchObject({ code: 'LOCKED' });
    session.release();
    (await takeSession(context, opening, by)).release();
    expect(statSync(session.directory).mode & 0o077).toBe(0);
  });

  it('takes each change of the state as the one before left it', async () => {
    const context = createContext();
    const session = await takeSession(context, opening, by);
    const begin = (id: string) =>
      session.commit([{ type: 'begun', call: id, data: {} }], (state) => ({
        begun: { ...state.begun, [id]: { n: session.takeNumber(), tool: 'bash' } },
      }));
    await Promise.all(['a', 'b', 'c'].map(begin));
    expect(Object.keys(session.state.begun)).toEqual(['a', 'b', 'c']);
    session.release();
  });
});
