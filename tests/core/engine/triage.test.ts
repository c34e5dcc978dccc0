import { describe, expect, it } from 'vitest';
import { mayGlobsOverlap, mayOverlap } from '../../../src/documents/globs.js';
import { createEngineState, createTodoRow } from '../../../src/engine/core/rows.js';
import { type Findings, NO_FINDINGS, triage } from '../../../src/engine/core/triage.js';
import { PROGRAM, todo } from './support.js';

const proposal = { title: 'rotate the log', type: 'work', risk: 'low', files: ['src/log/**'] } as const;
const adaptation = { category: 'tests', reason: 'logs grow', todo: { ...proposal, files: [...proposal.files] } };

function judge(
  findings: Partial<Findings>,
  more: { policies?: object; row?: object; added?: number; askable?: boolean } = {},
) {
  const rows = [
    { ...createTodoRow(todo('t1', ['t0'])), attempt: 1, ...more.row },
    createTodoRow(todo('t0'), { done: true }),
    createTodoRow(todo('t2', ['t1'])),
    createTodoRow(todo('t3', [])),
  ];
  const state = { ...createEngineState(rows), added: more.added ?? 0 };
  return triage(
    { ...PROGRAM.policies, ...more.policies },
    state,
    rows[0] ?? createTodoRow(todo('t1')),
    { ...NO_FINDINGS, ...findings },
    { askable: more.askable ?? true },
  );
}

describe('triage', () => {
  it('passes only when nothing was found', () => {
    expect(judge({})).toEqual({ kind: 'pass' });
  });

  it.each([
    ['a critical side effect', { criticalSideEffects: ['deleted the database'] }, 'deleted the database'],
    ['an environment error', { environment: 'npm: not found' }, 'npm: not found'],
    ['an adaptation of a grave kind', { adaptation: { ...adaptation, category: 'Security' } }, 'logs grow'],
  ])('halts for %s, whatever else was found', (_, findings, why) => {
    const verdict = judge({ ...findings, failed: ['ac-1'] });
    expect(verdict.kind).toBe('halt');
    expect(JSON.stringify(verdict)).toContain(why);
  });

  it('takes a violated must-not for a failed attempt, told with what else failed, unless the recipe lets it halt', () => {
    const violated = { violations: ['no new dependency'], failed: ['ac-1'] };
    const told = { kind: 'fail', why: 'ac-1; must not be done: no new dependency' };
    expect(judge(violated)).toEqual(told);
    expect(judge(violated, { policies: { mustNot: 'retry' } })).toEqual(told);
    const halt = { kind: 'halt', why: 'must not be done: no new dependency' };
    expect(judge(violated, { policies: { mustNot: 'halt' } })).toEqual(halt);
    expect(judge({ ...violated, environment: 'npm: not found' })).toEqual({
      kind: 'halt',
      why: 'the environment: npm: not found',
    });
    expect(judge({ violations: violated.violations, adaptation })).toMatchObject({ kind: 'adapt', passed: false });
  });

  it('adapts before it retries, with the todo before or after its parent', () => {
    expect(judge({ adaptation })).toEqual({
      kind: 'adapt',
      passed: true,
      todo: { ...proposal, id: 't1-d1', dependsOn: ['t1'] },
    });
    expect(judge({ adaptation, failed: ['ac-1'] })).toMatchObject({ passed: false, todo: { dependsOn: ['t0'] } });
    expect(judge({ adaptation }, { row: { dynamicTodos: ['t1-d1'] } })).toMatchObject({ todo: { id: 't1-d2' } });
  });

  it('retries instead where the recipe says so, and where no more may be added', () => {
    const failed = ['ac-1: exit 1'];
    const retry = { kind: 'fail', why: 'ac-1: exit 1' };
    expect(judge({ adaptation, failed }, { policies: { triagePrecedence: ['retry', 'adapt', 'halt'] } })).toEqual(
      retry,
    );
    expect(judge({ adaptation, failed }, { row: { depth: 1 } })).toEqual(retry);
    expect(judge({ adaptation, failed }, { added: 3 })).toEqual(retry);
    expect(judge({ adaptation }, { added: 3 })).toEqual({ kind: 'pass' });
  });
});

describe('a worker that is blocked', () => {
  const blocked = (needs: NonNullable<Findings['blocked']>['needs']): Partial<Findings> => ({
    blocked: { reason: 'cannot go on', needs },
  });

  it('gets files that nobody else may still touch; those after it and those done are in nobody’s way', () => {
    expect(judge(blocked({ files: ['docs/x.md'] }))).toEqual({ kind: 'widen', files: ['docs/x.md'] });
    expect(judge(blocked({ files: ['src/t0/a.ts', 'src/t2/a.ts'] })).kind).toBe('widen');
    expect(judge(blocked({ files: ['src/t3/a.ts'] }))).toEqual({
      kind: 'halt',
      why: 'cannot go on (its files belong to t3)',
      blocked: true,
    });
  });

  it('asks where somebody can be asked; otherwise, and without any need, it halts', () => {
    expect(judge(blocked({ question: 'which?' }))).toEqual({ kind: 'ask', question: 'which?' });
    expect(judge(blocked({ question: 'which?' }), { askable: false }).kind).toBe('halt');
    expect(judge(blocked(null))).toEqual({ kind: 'halt', why: 'cannot go on', blocked: true });
  });

  it('does not ask for ever', () => {
    const tried = { attempt: 6, retries: 0 };
    expect(judge(blocked({ question: 'which?' }), { row: tried }).kind).toBe('halt');
    expect(judge(blocked({ files: ['docs/x.md'] }), { row: { attempt: 8, retries: 2 } }).kind).toBe('halt');
  });
});

describe('overlap', () => {
  it.each([
    ['src/auth/**', 'src/auth/jwt.ts', true],
    ['src/auth', 'src/auth/jwt.ts', true],
    ['src/auth', 'src/authors.ts', false],
    ['src/a*', 'src/authors.ts', true],
    ['src/auth/**', 'src/log/**', false],
    ['**/*.md', 'src/a.ts', true],
    ['./src/A.ts', 'src/a.ts', true],
    ['src/{a,b}/x.ts', 'src/b/x.ts', true],
  ])('of %s and %s: %s', (one, other, expected) => {
    expect(mayGlobsOverlap(one, other)).toBe(expected);
    expect(mayGlobsOverlap(other, one)).toBe(expected);
  });

  it('holds for a todo without files and any other, never for a verification todo', () => {
    const work = todo('a');
    expect(mayOverlap({ ...work, files: [] }, work)).toBe(true);
    expect(mayOverlap({ ...work, type: 'verification' }, work)).toBe(false);
  });
});
