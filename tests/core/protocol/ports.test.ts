import { describe, expect, it } from 'vitest';
import { dispatchHook, type HookEvent, type Ports } from '../../../src/protocol/ports.js';
import { checkDocumentFile } from '../../../src/protocol/questions/check.js';
import { showManifest } from '../../../src/protocol/questions/manifest.js';
import { showStatus } from '../../../src/protocol/questions/status.js';
import { renderInvocation } from '../../../src/registry/render.js';
import { CHECKS, HANDLERS, SECTIONS } from '../../support/wing.js';
import { recipeOf, type Stage, stage } from './stage.js';

// What a wing adds through the context's ports (docs/architecture.md). Here, tests put its parts into a context;
// tests/contract/wing.test.ts builds dev-cli with the same wing and calls it.

const nothing = () => Promise.reject(new Error('nobody asks'));
const NONE: Ports = {
  sections: [],
  checks: [],
  hookHandlers: [],
  skills: async () => ({ listAll: () => [], listFound: () => [] }),
  installs: [],
  audits: [],
  extras: [],
  looks: [],
  setUp: nothing,
  tellInbox: async () => async () => '',
  config: nothing,
};
const START: HookEvent = { on: 'session-start', session: 's', cwd: '/', cause: 'compact' };

async function begun(): Promise<Stage> {
  const on = stage({ recipes: { one: recipeOf('one', '  - { id: t, type: llm, instruction: T. }\n') } });
  await on.init('one', { goal: 'X' });
  return on;
}

const section = (id: string, view: 'manifest' | 'status', text: string | null, budget = 100): Ports['sections'] => [
  { id, view, budget, render: () => (text === null ? null : [text]) },
];

describe('sections', () => {
  it('stand behind the built-in ones, each within its budget, in the view they are for', async () => {
    const { context, name } = await begun();
    const sections = [
      ...section('long', 'manifest', `Long: ${'x'.repeat(500)}`),
      ...section('silent', 'manifest', null),
      ...section('short', 'status', 'Short: y'),
    ];
    const ported = { ...context, ports: { ...NONE, sections } };
    const lines = ((await showManifest(ported, name)).text?.(renderInvocation) ?? '').split('\n');
    const closing = lines.findIndex((line) => line.startsWith('The pending action'));
    expect(lines[closing - 1]).toBe(`${`Long: ${'x'.repeat(500)}`.slice(0, 99)}…`);
    const page = (await showManifest(ported, name)).json as { sections: object };
    expect(Object.keys(page.sections)).toEqual(['step', 'mode', 'long']);
    const told = await showStatus(ported, name);
    expect(told.text?.(renderInvocation).split('\n').at(-1)).toBe('Short: y');
    expect(told.json).toMatchObject({ sections: { short: 'Short: y' } });
  });

  it('leave no trace where there are none, or none has anything to say', async () => {
    const { context, name } = await begun();
    const plain = await showStatus(context, name);
    expect(Object.keys(plain.json)).not.toContain('sections');
    const silent = await showStatus({ ...context, ports: { ...NONE, sections: SECTIONS } }, name);
    expect(Object.keys(silent.json)).toEqual(Object.keys(plain.json));
  });
});

describe('checks', () => {
  it('judge documents of their kind', async () => {
    const { context, store } = await begun();
    const ported = { ...context, ports: { ...NONE, checks: CHECKS } };
    store.put('none', '/.dev/notes/one', 'a\nb\n');
    store.put('none', '/.dev/notes/two', 'a\n');
    expect(await checkDocumentFile(ported, '.dev/notes/one', context.root)).toMatchObject({
      exit: 3,
      json: { kind: 'note' },
    });
    expect(await checkDocumentFile(ported, '.dev/notes/two', context.root)).toMatchObject({
      exit: 0,
      json: { kind: 'note' },
    });
    expect((await checkDocumentFile(context, '.dev/notes/one', context.root)).json).toMatchObject({ kind: 'text' });
  });

  it('never those that the core knows', async () => {
    const { context, put, name } = await begun();
    const everything: Ports['checks'] = [
      async () => [{ kind: 'all', covers: () => true, judge: () => ({ problems: [], warnings: [] }) }],
    ];
    put('plan-content.json', '{}');
    const answer = await checkDocumentFile(
      { ...context, ports: { checks: everything } },
      `.dev/specs/${name}/plan-content.json`,
      '/',
    );
    expect(answer).toMatchObject({ exit: 3, json: { kind: 'plan-content' } });
  });
});

describe('hook handlers', () => {
  const teller = (tell: string, refuse?: string): Ports['hookHandlers'] => [
    async () => [
      { id: tell, on: 'session-start', handle: async () => (refuse === undefined ? { tell } : { tell, refuse }) },
    ],
  ];

  it('are asked in order, those of the kind of event alone', async () => {
    const { context } = await begun();
    const hookHandlers = [...teller('one'), async () => HANDLERS, ...teller('two')];
    const ported = { ...context, ports: { ...NONE, hookHandlers } };
    expect(await dispatchHook(ported, START)).toEqual({ refuse: null, tell: ['one', 'two'] });
    expect(await dispatchHook(ported, { on: 'session-end', session: 's', cwd: '/' })).toEqual({
      refuse: null,
      tell: [],
    });
  });

  it('nobody is asked after one that refuses', async () => {
    const { context } = await begun();
    const never: Ports['hookHandlers'] = [
      async () => [{ id: 'never', on: 'session-start', handle: () => Promise.reject(new Error('asked')) }],
    ];
    const hookHandlers = [...teller('one'), ...teller('two', 'no'), ...never];
    expect(await dispatchHook({ ...context, ports: { ...NONE, hookHandlers } }, START)).toEqual({
      refuse: 'no',
      tell: [],
    });
    await expect(dispatchHook({ ...context, ports: { ...NONE, hookHandlers: never } }, START)).rejects.toThrow('asked');
  });
});
