import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resumeInterruptedTurn, runTurn } from '../../../src/wings/runtime/converse.js';
import { createLedger } from '../../../src/wings/runtime/core/budget.js';
import { createFinish } from '../../../src/wings/runtime/drive/finish.js';
import { type AnswerPart, ProviderFault } from '../../../src/wings/runtime/provider.js';
import { answer, call, openTalk, text } from './talk.js';

/** A turn with a scripted model, real tools and a real session (runtime.md, A turn, Sessions). */

const results = ({ session }: { session: { messages: readonly { blocks: readonly object[] }[] } }) =>
  session.messages
    .flatMap(({ blocks }) => blocks)
    .filter((block): block is { output: string; is_error: boolean } => 'output' in block);

describe('a turn', () => {
  it('goes on until the model needs nothing more, with one result for each call, in order', async () => {
    const { talk, requests, root, close } = await openTalk((_, n) =>
      n === 1
        ? answer(
            call('a', 'read_file', { path: 'one.txt' }),
            call('b', 'read_file', { path: 'none' }),
            call('c', 'bash', { command: 'echo hi; exit 1' }),
          )
        : answer(text('done')),
    );
    writeFileSync(join(root, 'one.txt'), 'first\n');
    const end = await runTurn(talk, 'look');
    expect(end).toMatchObject({ status: 'completed', requests: 2, usage: { input_tokens: 200, output_tokens: 20 } });
    expect(results(talk).map(({ is_error: isError }) => isError)).toEqual([false, true, false]);
    expect(results(talk)[0]?.output).toBe(`${join(root, 'one.txt')} lines 1-1 of 1\nfirst`);
    expect(results(talk)[2]?.output).toContain('[exit 1]');
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(talk.session.state).toMatchObject({ requests: 2, unanswered: 0, begun: {}, asking: false, calls: 3 });
    close();
  });

  it('tells the model of input that is no JSON or off the schema, and of a tool that there is not', async () => {
    const { talk, close } = await openTalk((_, n) =>
      n === 1
        ? answer(call('a', 'read_file', '{"path'), call('b', 'read_file', { path: 1 }), call('c', 'nothing', {}))
        : answer(text('done')),
    );
    await runTurn(talk, 'look');
    expect(results(talk).map(({ output }) => output)).toEqual([
      expect.stringContaining('not valid JSON'),
      expect.stringContaining('path must be string'),
      'there is no tool "nothing"',
    ]);
    close();
  });

  it('tells a person, too, of a hook that failed', async () => {
    const told: string[] = [];
    const { talk, close } = await openTalk(
      (_, n) => answer(n === 1 ? call('r', 'read_file', { path: 'a.txt' }) : text('read')),
      { hooks: { hooks: { PreToolUse: ['exit 7'] }, env: process.env }, warn: (line) => void told.push(line) },
    );
    expect(await runTurn(talk, 'go')).toMatchObject({ status: 'completed' });
    expect(told).toEqual([expect.stringContaining('PreToolUse hook `exit 7`')]);
    close();
  });

  it('asks again after a fault that passes, and keeps nothing of what was cut', async () => {
    const { talk, close } = await openTalk((_, n) =>
      n === 1 ? new ProviderFault('overloaded', 'busy', { status: 529, retryAfterMs: 1 }) : answer(text('hello')),
    );
    const end = await runTurn(talk, 'hi');
    expect(end.status).toBe('completed');
    expect(talk.session.state).toMatchObject({ requests: 2, unanswered: 0 });
    expect(talk.session.messages).toHaveLength(2);
    close();
  });

  it('ends for the budget where that cut an answer off, and goes on with the same session when there is more', async () => {
    const clock = { now: () => 0 };
    const open = (tokens: number | null) =>
      createLedger({ limits: { cost: null, tokens, deadline: null }, spent: { tokens: 0, cost: 0 }, clock });
    const cut: AnswerPart[] = [
      call('w', 'write_file', '{"path":"a.txt","con'),
      { type: 'usage', usage: { output_tokens: 9 } },
      { type: 'end', stop: 'length' },
    ];
    const { talk, requests, close } = await openTalk((_, n) => (n === 1 ? cut : answer(text('all of it'))), {
      ledger: open(3_000),
    });
    expect(await runTurn(talk, 'tell')).toMatchObject({
      status: 'budget',
      reason: expect.stringContaining('cut off'),
      usage: { output_tokens: 9 },
    });
    expect(requests[0]?.maxOutput).toBeLessThan(talk.maxOutput);
    expect(talk.session.state).toMatchObject({ asking: false, usage: { output_tokens: 9 } });
    expect(await resumeInterruptedTurn({ ...talk, ledger: open(null) })).toMatchObject({
      status: 'completed',
      requests: 1,
    });
    expect(talk.session.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(talk.session.messages[1]?.blocks).toEqual([text('all of it')]);
    expect(requests[1]?.messages).toEqual(requests[0]?.messages);
    // An answer that is cut off at the model's own limit ends the turn.
    const other = await openTalk(() => cut, { ledger: open(null) });
    expect(await runTurn(other.talk, 'tell')).toMatchObject({ status: 'truncated' });
    other.close();
    close();
  });

  it('carries out no call behind the one that finished the work', async () => {
    let isOver = false;
    const done = createFinish([], async () => {
      isOver = true;
    }).tool;
    const { talk, root, close } = await openTalk(
      () => answer(call('f', 'finish', {}), call('w', 'write_file', { path: 'late.txt', content: 'late' })),
      { isOver: () => isOver },
    );
    const end = await runTurn({ ...talk, tools: new Map([...talk.tools, ['finish', done]]) }, 'go');
    expect(end.status).toBe('completed');
    expect(results(talk).map(({ output }) => output)).toEqual(['Done.', expect.stringContaining('not run')]);
    expect(existsSync(join(root, 'late.txt'))).toBe(false);
    close();
  });

  it('keeps limits and shortens by an estimate where a provider counts no tokens', async () => {
    const told: string[] = [];
    const long = 'word '.repeat(4_000);
    const { talk, close } = await openTalk(
      (_, n) => [call(`c${n}`, 'write_file', { path: `${n}.txt`, content: long }), { type: 'end', stop: 'calls' }],
      {
        ledger: createLedger({
          limits: { cost: null, tokens: 40_000, deadline: null },
          spent: { tokens: 0, cost: 0 },
          clock: { now: () => 0 },
        }),
        warn: (line) => void told.push(line),
      },
    );
    expect(await runTurn(talk, 'go')).toMatchObject({ status: 'budget' });
    expect(talk.session.state.usage.input_tokens).toBeGreaterThan(5_000);
    expect(told).toContain('The provider reports no token counts, so the usage is an estimate.');
    close();
  });

  it('does not wait past the time that it has', async () => {
    const { talk, requests, close } = await openTalk(
      () => new ProviderFault('rate', 'later', { status: 429, retryAfterMs: 600_000 }),
      {
        ledger: createLedger({
          limits: { cost: null, tokens: null, deadline: 60_000 },
          spent: { tokens: 0, cost: 0 },
          clock: { now: () => 0 },
        }),
      },
    );
    expect(await runTurn(talk, 'go')).toMatchObject({
      ...{ status: 'budget', reason: expect.stringContaining('--max-minutes') },
    });
    expect(requests).toHaveLength(1);
    close();
  });

  it('ends with the provider’s words where asking again is no use, and goes on when asked again', async () => {
    let works = false;
    const script = () => (works ? answer(text('now')) : new ProviderFault('auth', 'no key', { status: 401 }));
    const { talk, close } = await openTalk(script);
    expect(await runTurn(talk, 'hi')).toMatchObject({ status: 'provider', reason: 'no key' });
    works = true;
    expect(await runTurn(talk, 'again')).toMatchObject({ status: 'completed' });
    close();
  });

  it('shortens a history that the provider finds too long, once', async () => {
    const { talk, close } = await openTalk((request, n) =>
      n <= 6
        ? answer(call(`c${n}`, 'bash', { command: `echo ${n}; seq 1 500` }))
        : request.messages.length > 6
          ? new ProviderFault('context', 'too long')
          : answer(text('fits')),
    );
    const end = await runTurn(talk, 'much');
    expect(end).toMatchObject({ status: 'completed', removed: expect.any(Number) });
    expect(end.removed).toBeGreaterThan(0);
    expect(talk.session.messages[0]?.blocks[0]).toMatchObject({ text: expect.stringContaining('The first request') });
    close();
  });

  it('sends nothing that could pass a limit', async () => {
    const ledger = createLedger({
      limits: { cost: null, tokens: 2_000, deadline: null },
      spent: { tokens: 0, cost: 0 },
      clock: { now: () => 0 },
    });
    const { talk, requests, close } = await openTalk(
      (_, n) => answer(call(`c${n}`, 'bash', { command: `echo ${n}` })),
      { ledger },
    );
    expect(await runTurn(talk, 'go')).toMatchObject({ status: 'budget' });
    expect(talk.session.state.usage.input_tokens + talk.session.state.usage.output_tokens).toBeLessThanOrEqual(2_000);
    expect(requests.every(({ maxOutput }) => maxOutput >= 1_024)).toBe(true);
    close();
  });
});

describe('a session that was left in the middle', () => {
  it('has its call carried out once: a file that is written is told so, one that is not is written now', async () => {
    const script = (_: object, n: number) =>
      n === 1 ? answer(call('w', 'write_file', { path: 'a.txt', content: 'new\n' })) : answer(text('ok'));
    const first = await openTalk(script);
    // The process ends after the call is recorded, but before its effect.
    const { talk } = first;
    const tool = talk.tools.get('write_file');
    const cut = {
      ...tool,
      prepare: async (...given: [never, never]) => ({
        ...(await tool?.prepare(...given)),
        write: () => Promise.reject(new Error('killed')),
      }),
    };
    await expect(runTurn({ ...talk, tools: new Map([['write_file', cut as never]]) }, 'write')).rejects.toThrow(
      'killed',
    );
    expect(Object.keys(talk.session.state.begun)).toEqual(['w']);
    first.close();
    writeFileSync(join(first.root, 'a.txt.123'), 'new\n');
    writeFileSync(join(first.root, 'a.txt.124'), 'of a person\n');
    const second = await openTalk(() => answer(text('ok')), { root: first.root });
    expect(await resumeInterruptedTurn(second.talk)).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(first.root, 'a.txt'), 'utf8')).toBe('new\n');
    // The killed process's temporary file was removed; a file with other content stays.
    expect(readdirSync(first.root).filter((name) => name.startsWith('a.txt'))).toEqual(['a.txt', 'a.txt.124']);
    expect(second.talk.session.state.begun).toEqual({});
    second.close();
    const third = await openTalk(() => answer(text('ok')), { root: first.root });
    expect(await resumeInterruptedTurn(third.talk)).toBeNull();
    third.close();
  });

  it('tells a model of a call that cannot be found out, and goes on', async () => {
    const first = await openTalk((_, n) =>
      n === 1 ? answer(call('w', 'write_file', { path: 'a.txt', content: 'new\n' })) : answer(text('ok')),
    );
    const tool = first.talk.tools.get('write_file');
    const cut = {
      ...tool,
      prepare: async (...given: [never, never]) => ({
        ...(await tool?.prepare(...given)),
        write: () => Promise.reject(new Error('killed')),
      }),
    };
    const tools = new Map([['write_file', cut as never]]);
    await expect(runTurn({ ...first.talk, tools }, 'write')).rejects.toThrow('killed');
    first.close();
    mkdirSync(join(first.root, 'a.txt'));
    const second = await openTalk(() => answer(text('ok')), { root: first.root });
    expect(await resumeInterruptedTurn(second.talk)).toMatchObject({ status: 'completed' });
    expect(results(second.talk)[0]).toMatchObject({ is_error: true, output: expect.stringContaining('interrupted') });
    second.close();
  });

  it('counts the request that nobody saw answered, and sends it again', async () => {
    const first = await openTalk(() => new Error('killed'));
    await expect(runTurn(first.talk, 'hi')).rejects.toThrow('killed');
    first.close();
    const second = await openTalk(() => answer(text('ok')), { root: first.root });
    expect(await resumeInterruptedTurn(second.talk)).toMatchObject({ status: 'completed', requests: 1 });
    expect(second.talk.session.state).toMatchObject({ requests: 2, unanswered: 1 });
    second.close();
  });
});
