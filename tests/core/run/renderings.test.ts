import { describe, expect, it } from 'vitest';
import { renderPlan } from '../../../src/plan/page/render.js';
import { collectRenderings, type Rendering } from '../../../src/run/documents/renderings.js';
import type { RunState } from '../../../src/run/state.js';
import type { Entry } from '../../../src/store/store.js';
import { aPlan, aTodo } from '../plan/fixture.js';

const AT = '2026-01-01T00:00:00.000Z';
const PLAN = renderPlan(aPlan({ todos: ['todo-1', 'todo-2', 'todo-3'].map((id) => aTodo(id)) }));

let seq = 0;
function entry(type: string, data: object, last: Partial<Entry> | null): Entry {
  seq += 1;
  const more = last === null ? { more: true as const } : {};
  const by = { kind: 'agent' as const, via: 'test' };
  return {
    v: 3,
    seq,
    at: AT,
    type,
    by,
    data: { runId: 'r1', ...data },
    patch: [],
    files: [],
    crc: '',
    ...more,
    ...last,
  };
}

const wrapped = (todoId: string, last: Partial<Entry> | null, more: object = {}): Entry =>
  entry(
    'wrapped-up',
    {
      todoId,
      outputs: [],
      learnings: 1,
      issues: 0,
      attempt: 1,
      summary: 'done',
      learned: [`of ${todoId}`],
      left: [],
      ...more,
    },
    last,
  );
const kept = (path: string, after: string | null) => ({ files: [{ path, before: null, after }] });

const state = {
  runId: 'r1',
  engine: null,
  workflow: {
    earlier: [{ engine: { order: ['todo-1', 'todo-2'], todos: { 'todo-1': { outputs: { port: 1 } }, 'todo-2': {} } } }],
  },
} as unknown as RunState;

function render(entries: readonly Entry[], contents: Record<string, string> = {}): ReadonlyMap<string, Rendering> {
  const collector = collectRenderings();
  for (const one of entries) collector.take(one);
  return collector.render(
    state,
    (digests) =>
      new Map([...digests].flatMap((sha) => (contents[sha] === undefined ? [] : [[sha, Buffer.from(contents[sha])]]))),
  );
}

const textOf = (renderings: ReadonlyMap<string, Rendering>, path: string) => renderings.get(path)?.content.toString();

describe('notes', () => {
  const LEARNINGS = 'context/learnings.md';
  const AUDIT = 'context/audit.md';

  it('are what their entries add, in order, and nothing of commits that rendered none', () => {
    const found = render([
      wrapped('todo-1', { rendered: [LEARNINGS, AUDIT] }),
      wrapped('todo-2', null),
      entry(
        'committed',
        { todoId: 'todo-1', outcome: 'made', commit: 'abc', key: '', paths: [] },
        { rendered: [LEARNINGS, AUDIT] },
      ),
      wrapped('todo-3', {}),
    ]);
    expect(textOf(found, LEARNINGS)).toBe('# Learnings\n\n## todo-1\n- of todo-1\n\n## todo-2\n- of todo-2\n');
    expect(textOf(found, AUDIT)).toBe(
      `# Audit\n\n- ${AT} todo-1: done in attempt 1: done\n- ${AT} todo-2: done in attempt 1: done\n- ${AT} todo-1: commit abc\n`,
    );
  });

  it('go on from what an entry holds, as a fork leaves it', () => {
    const found = render([entry('init', {}, kept(LEARNINGS, 'sha')), wrapped('todo-2', { rendered: [LEARNINGS] })], {
      sha: '# Mine\n',
    });
    expect(textOf(found, LEARNINGS)).toBe('# Mine\n\n## todo-2\n- of todo-2\n');
  });

  it('are left out where an entry holds them, or held what they go on from and it is lost', () => {
    const rendered = wrapped('todo-1', { rendered: [LEARNINGS] });
    expect([...render([rendered, entry('init', {}, kept(LEARNINGS, 'sha'))], { sha: 'x' }).keys()]).toEqual([]);
    expect([...render([entry('init', {}, kept(LEARNINGS, 'sha')), rendered]).keys()]).toEqual([]);
  });

  it('of a todo that has a document of its own are not in the shared one', () => {
    const own = { ...kept('context/learnings/todo-2.md', 'sha'), rendered: [LEARNINGS, AUDIT] };
    const found = render([wrapped('todo-1', { rendered: [LEARNINGS, AUDIT] }), wrapped('todo-2', own)]);
    expect(textOf(found, LEARNINGS)).not.toContain('todo-2');
    expect(textOf(found, AUDIT)).toContain('todo-2');
  });
});

describe('PLAN.md', () => {
  const ticks = (id: string) => PLAN.replace(`[ ] ${id}:`, `[x] ${id}:`);
  const entries = [
    entry('document', {}, kept('PLAN.md', 'sha')),
    wrapped('todo-2', { rendered: ['PLAN.md'] }),
    wrapped('todo-1', { rendered: ['PLAN.md'] }),
  ];

  it('is the plan that an entry holds, with the boxes ticked since', () => {
    const found = render(entries, { sha: PLAN });
    expect(textOf(found, 'PLAN.md')).toBe(ticks('todo-1').replace('[ ] todo-2:', '[x] todo-2:'));
    expect(textOf(render(entries.slice(1)), 'PLAN.md')).toBeUndefined();
  });

  it('was as any of the commits left it before, and no other way', () => {
    const { isOlder } = render(entries, { sha: PLAN }).get('PLAN.md') as Rendering;
    const older = (text: string) => isOlder(Buffer.from(text));
    expect([older(PLAN), older(ticks('todo-2'))]).toEqual([true, true]);
    expect([older(ticks('todo-1')), older(`${PLAN}Mine\n`), older(ticks('todo-3'))]).toEqual(Array(3).fill(false));
  });

  it('was torn by a power cut while a commit left it so', () => {
    const { isOlder } = render(entries, { sha: PLAN }).get('PLAN.md') as Rendering;
    const older = (text: string) => isOlder(Buffer.from(text));
    const one = ticks('todo-2');
    const torn = [one.slice(0, -4), one.slice(0, 10), '', `${one.slice(0, 9)}${'\0'.repeat(one.length - 9)}`];
    expect(torn.map(older)).toEqual(Array(4).fill(true));
    expect([`Mine${one.slice(4, -4)}`, `\0${one}`, `\0${one.slice(1, -1)}y`].map(older)).toEqual(Array(3).fill(false));
  });
});

describe('outputs.json', () => {
  it('is what the last execution of this run says', () => {
    const OUTPUTS = 'context/outputs.json';
    const found = render([wrapped('todo-1', { rendered: [OUTPUTS] })]);
    expect(JSON.parse(textOf(found, OUTPUTS) ?? '')).toEqual({ 'todo-1': { port: 1 } });
    expect(found.get(OUTPUTS)?.isOlder(Buffer.from('{}'))).toBe(true);
    const earlier = {
      ...wrapped('todo-1', { rendered: [OUTPUTS] }),
      data: { ...wrapped('todo-1', null).data, runId: 'r0' },
    };
    expect(textOf(render([earlier]), OUTPUTS)).toBeUndefined();
  });
});
