import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { RunnerProcesses } from '../../../src/jobs/runner-process.js';
import type { ActiveSession } from '../../../src/wings/runtime/converse.js';
import { createLedger } from '../../../src/wings/runtime/core/budget.js';
import type { AnswerPart, ModelRequest } from '../../../src/wings/runtime/provider.js';
import { takeSession } from '../../../src/wings/runtime/sessions/session.js';
import { createTools } from '../../../src/wings/runtime/tools/tools.js';
import { scratchDirectory } from '../../support/scratch.js';

/** Returns a scripted model's answer: parts, or an error to throw instead. `n` is the number of the request. */
export type Script = (request: ModelRequest, n: number) => readonly AnswerPart[] | Error;

/** Builds the parts of an answer that ends normally. */
export const answer = (...parts: AnswerPart[]): AnswerPart[] => [
  ...parts,
  { type: 'usage', usage: { input_tokens: 100, output_tokens: 10 } },
  { type: 'end', stop: parts.some(({ type }) => type === 'tool_use') ? 'calls' : 'end' },
];
export const text = (words: string): AnswerPart => ({ type: 'text', text: words });
export const call = (id: string, name: string, input: object | string): AnswerPart => ({
  ...{ type: 'tool_use', id, name },
  input: typeof input === 'string' ? input : JSON.stringify(input),
});

/** Opens a talk with a scripted model in a new directory; given the `root` of an earlier talk, continues that talk. */
export async function openTalk(
  script: Script,
  { root = scratchDirectory('talk'), ...more }: { root?: string } & Partial<ActiveSession> = {},
) {
  const real = realpathSync(root);
  mkdirSync(join(real, '.git'), { recursive: true });
  let n = 0;
  let asked = 0;
  const clock = { now: () => Date.parse('2026-11-27T10:00:00Z') + n++ };
  const ids = { hex: (length: number) => (n++).toString(16).padStart(length, '0').slice(-length) };
  const session = await takeSession(
    { root: real, clock, ids } as never,
    { id: 'talk', kind: 'prompt', work: null, model: 'x/y' },
    { kind: 'agent', via: 'prompt' },
  );
  const controller = new AbortController();
  const requests: ModelRequest[] = [];
  const read = new Map(Object.entries(session.state.read));
  const runners = new RunnerProcesses();
  const tools = createTools({
    ...{ sandbox: null, env: process.env, hidden: [], runners, runner: join(process.cwd(), 'dist/runner.cjs') },
    marks: { digestAtRead: (path) => read.get(path) ?? null, note: (path, digest) => void read.set(path, digest) },
  });
  const talk: ActiveSession = {
    session,
    provider: {
      async *request(request) {
        requests.push({ ...request, messages: [...request.messages] });
        asked += 1;
        const made = script(request, asked);
        if (made instanceof Error) throw made;
        yield* made;
      },
    },
    ...{
      asks: { model: 'y', system: [], tools: [] },
      facts: { window: null, prices: null },
      maxOutput: 4_000,
      iterations: 20,
    },
    ...{
      ledger: createLedger({
        limits: { cost: null, tokens: null, deadline: null },
        spent: { tokens: 0, cost: 0 },
        clock: { now: () => 0 },
      }),
      isOver: () => false,
      leave: async () => {},
      warn: () => {},
    },
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    judging: {
      mode: 'danger-full-access',
      rules: { deny: [], ask: [], allow: [] },
      isDriven: false,
      isInSandbox: false,
    },
    approve: async (judgement) => (judgement.judged === 'allow' ? null : judgement.reason),
    hooks: { hooks: {}, env: process.env },
    context: { ids, ports: { hookHandlers: [] }, caller: { kind: 'agent', via: 'prompt' } } as never,
    ...{ agent: null, isReadOnly: false, read },
    site: { workTree: real, root: real, promised: [], own: '/none', clean: (one) => one, signal: controller.signal },
    ...more,
  };
  return {
    talk,
    requests,
    root: real,
    abort: () => controller.abort(),
    close: () => {
      runners.release();
      session.release();
    },
  };
}
