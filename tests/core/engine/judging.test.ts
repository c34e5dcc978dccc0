import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { aPlan, aTodo } from '../plan/fixture.js';
import { ENGINE, type Execution, execution, judged, worker } from '../protocol/execution.js';

/**
 * Which tasks judge which criteria, and when requirements are met (engine.md, Verification; engine.md, Requirements at
 * the end).
 */

const promptOf = (on: Execution, actionId: string | undefined) => on.text(`actions/${actionId}/prompt.md`) ?? '';
const rowOf = async (on: Execution, todo: string) => (await on.state()).engine?.todos[todo];
const RULE = { text: 'Touch the configuration.', paths: ['src/config/**'] };

/** Plays every role to the end of the run, and returns the tasks that were handed out. */
async function carryOut(on: Execution, answer: Parameters<Execution['goOn']>[0] = () => undefined) {
  const tasks: string[] = [];
  const done = await on.goOn((todo, substep, attempt) => {
    tasks.push(`${todo ?? 'run'}/${substep}`);
    return answer(todo, substep, attempt);
  });
  return { tasks, done };
}

describe('a must-not with paths', () => {
  const plan = aPlan({ todos: [judged('todo-1', { files: ['src/**'], mustNotDo: [RULE] })] });

  it('is judged by the paths that changed: a violation is a failed attempt that names them', async () => {
    const on = await execution(plan);
    const { done } = await carryOut(on, (_todo, substep, attempt) =>
      substep === 'worker' ? worker({ filesChanged: [attempt === 1 ? 'src/config/a.js' : 'src/b.js'] }) : undefined,
    );
    expect(done).toMatchObject({ outcome: 'halted' });
    expect(await rowOf(on, 'todo-1')).toMatchObject({ attempt: 2, retries: 1, status: 'failed' });
    expect((await rowOf(on, 'todo-1'))?.why).toBe(
      'must not be done: Touch the configuration.: changed src/config/a.js',
    );
  });

  it('costs nothing where nothing of them changed, and no verifier is told to judge it', async () => {
    const on = await execution(plan);
    expect(promptOf(on, (await on.out())['todo-1/worker'])).toContain(
      '- Touch the configuration. (dev-cli checks that nothing changes in src/config/**)',
    );
    on.result((await on.out())['todo-1/worker'] ?? '', worker({ filesChanged: ['src/b.js'] }));
    await on.collect();
    expect(promptOf(on, (await on.out())['todo-1/verify'])).not.toContain('Must not have been done');
    expect(await on.goOn()).toMatchObject({ outcome: 'completed' });
  });

  it('and the same without paths are one rule, with the paths', async () => {
    const objectives = { ...plan.objectives, mustNotDo: ['Touch the  configuration.'] };
    const on = await execution({ ...plan, objectives });
    expect(promptOf(on, (await on.out())['todo-1/worker']).match(/Touch the configuration/g)).toHaveLength(1);
  });
});

describe('who judges', () => {
  it('a todo without an assertion and with rules of the plan alone has no verifier', async () => {
    const plan = aPlan({
      todos: [
        judged('todo-1', {
          acceptance: [{ id: 'h-1', kind: 'human', text: 'Looks right.' }, ...judged('x').acceptance],
        }),
      ],
    });
    const bare = {
      ...plan,
      todos: plan.todos.map((todo) => ({ ...todo, type: 'verification' as const, acceptance: [] })),
    };
    const { tasks } = await carryOut(await execution(bare));
    expect(tasks).toEqual(['todo-1/worker', 'run/codeReview']);
  });

  it('a verification todo has one judge, and a worker only where it has values to report', async () => {
    const check = judged('todo-2', { type: 'verification', files: [], dependsOn: ['todo-1'], steps: ['Look at it.'] });
    const on = await execution(aPlan({ todos: [judged('todo-1'), check] }));
    const { tasks } = await carryOut(on);
    expect(tasks).toEqual(['todo-1/worker', 'todo-1/verify', 'todo-2/verify', 'run/codeReview']);
    const values = { ...check, outputs: [{ name: 'address', description: 'where it is' }] };
    const other = await execution(aPlan({ todos: [judged('todo-1'), values] }));
    const withValues = await carryOut(other, (todo, substep) =>
      todo === 'todo-2' && substep === 'worker' ? worker({ outputs: { address: 'here' } }) : undefined,
    );
    expect(withValues.tasks).toContain('todo-2/worker');
  });

  it('in a plan of size small nobody reviews what commands judge', async () => {
    const on = await execution(aPlan({ size: 'small', todos: [aTodo('todo-1')] }), {
      recipe: ENGINE(', verify_enabled: false, final_verify_enabled: false'),
      input: { autopilot: true },
    });
    const { tasks, done } = await carryOut(on);
    expect(tasks).toEqual(['todo-1/worker']);
    expect(done).toMatchObject({ outcome: 'completed' });
    expect(on.text('report.md')).toContain('codeReview: skipped, the plan is small, and its commands judge it');
  });

  const middle: PlanContent = aPlan({
    size: 'middle',
    todos: [judged('todo-1', { mustNotDo: ['Rename a.'] }), judged('todo-2', { dependsOn: ['todo-1'] })],
  });
  const review = (pass: boolean) => ({
    verdict: 'SHIP',
    issues: [],
    summary: 'Good.',
    criteria: ['todo-1/as-1', 'todo-2/as-1'].map((id) => ({
      id,
      pass: pass || id !== 'todo-2/as-1',
      evidence: 'seen',
    })),
  });

  it('in a plan of size middle the code review judges assertions and rules, all of them', async () => {
    const on = await execution(middle);
    const { tasks, done } = await carryOut(on, (todo) => (todo === null ? review(true) : undefined));
    expect(tasks).toEqual(['todo-1/worker', 'todo-2/worker', 'run/codeReview']);
    expect(done).toMatchObject({ outcome: 'completed' });
    expect(on.text('report.md')).toContain('todo-2 as-1: holds, as the code review judged: todo-2 is right');
    expect(on.text('report.md')).toContain(
      'todo-1: its rule of what must not be done is kept, as the code review judged',
    );
  });

  it('and what it has not judged yet reads as judged by nobody', async () => {
    const on = await execution(middle);
    await carryOut(on, (todo, substep) =>
      todo === 'todo-2' && substep === 'worker' ? worker({ status: 'BLOCKED', reason: 'no way' }) : undefined,
    );
    expect(on.text('report.md')).toContain('todo-1 as-1: judged by nobody: todo-1 is right');
    expect(on.text('report.md')).not.toContain('as a verifier judged');
  });

  it('which is told them, and refused while it leaves one out', async () => {
    const on = await execution(middle);
    for (const todo of ['todo-1', 'todo-2']) {
      on.result((await on.out())[`${todo}/worker`] ?? '', worker());
      await on.collect();
    }
    const id = (await on.out())['null/codeReview'] ?? '';
    expect(promptOf(on, id)).toMatch(
      /## Criteria that you judge\n\n- todo-1\/as-1: todo-1 is right\n- todo-2\/as-1: todo-2 is right\n/,
    );
    expect(promptOf(on, id)).toContain('- todo-1: Rename a.');
    on.result(id, { ...review(true), criteria: review(true).criteria.slice(1) });
    const answer = await on.collect();
    expect(!answer.ok && answer.error.details[0]?.problem).toContain('criterion todo-1/as-1 is not judged');
    on.result(id, { ...review(true), requirements: [{ id: 'r-9', met: true, why: 'x' }] });
    const other = await on.collect();
    expect(!other.ok && other.error.details[0]?.problem).toContain('no requirement "r-9" to judge');
  });

  it('and an answer of no becomes work, whatever the verdict says', async () => {
    const on = await execution(middle);
    let reviews = 0;
    const { tasks, done } = await carryOut(on, (todo, substep) => {
      if (todo !== null || substep !== 'codeReview') return undefined;
      reviews += 1;
      if (reviews === 1) return review(false);
      const fixed = { id: 'fix-r1-1/as-1', pass: true, evidence: 'mended' };
      return { ...review(true), criteria: [...review(true).criteria, fixed] };
    });
    expect(tasks).toContain('fix-r1-1/worker');
    expect(done).toMatchObject({ outcome: 'completed' });
  });
});

describe('requirements at the end', () => {
  const requirements = [
    { id: 'r-1', quote: 'Add JWT auth', from: 'request' as const, text: 'Requests carry a token.' },
    { id: 'r-2', quote: 'Add JWT auth', from: 'request' as const, text: 'Others are refused.' },
  ];
  const proving = (id: string, proves: string[], more = {}) =>
    judged(id, { serves: proves, acceptance: [{ id: 'as-1', kind: 'assertion', text: 'It is so.', proves }], ...more });
  const plan = aPlan({
    requirements,
    todos: [proving('todo-1', ['r-1']), proving('todo-2', ['r-2'], { dependsOn: ['todo-1'], files: ['src/**'] })],
  });

  it('open the report as a table, each with its proof', async () => {
    const on = await execution(plan);
    const { done } = await carryOut(on);
    expect(done).toMatchObject({ outcome: 'completed' });
    const report = on.text('report.md') ?? '';
    expect(report.indexOf('## Requirements')).toBeLessThan(report.indexOf('## Done'));
    expect(report).toContain('| r-1 | Requests carry a token. | todo-1 as-1: an agent | met |');
    expect(on.text('PLAN.md')).toContain(
      '| r-1 | Requests carry a token. | the request: "Add JWT auth" | todo-1/as-1 (agent) |',
    );
  });

  it('are asked of the code review where files changed since they were judged; a no is work', async () => {
    const on = await execution(plan);
    const asked: string[] = [];
    const { done } = await carryOut(on, (todo, substep) => {
      if (substep === 'worker' && todo === 'todo-2') return worker({ filesChanged: ['src/todo-1/a.js'] });
      if (substep !== 'codeReview') return undefined;
      asked.push('review');
      return { verdict: 'SHIP', issues: [], summary: 's', requirements: [{ id: 'r-1', met: true, why: 'src/a.js:1' }] };
    });
    expect([asked, done]).toMatchObject([['review'], { outcome: 'completed' }]);
    expect(on.text('report.md')).toContain(
      '| r-1 | Requests carry a token. | todo-1 as-1: an agent (judged before its files changed) | met, as the code review says: src/a.js:1 |',
    );
  });

  it('that nobody has proved are named, and do not read as done', async () => {
    const human = { id: 'h-1', kind: 'human' as const, text: 'Looks right.', proves: ['r-2'] };
    const todos = plan.todos.map((todo) => (todo.id === 'todo-2' ? { ...todo, acceptance: [human] } : todo));
    const asWork = todos.map((todo) =>
      todo.id === 'todo-2' ? { ...todo, type: 'verification' as const, files: [] } : todo,
    );
    const on = await execution({ ...plan, todos: asWork }, { input: { autopilot: true } });
    const { done } = await carryOut(on);
    expect(done.action === 'done' && done.warnings).toContain('r-2 is not proved: Others are refused.');
    expect(on.text('report.md')).toContain(
      '| r-2 | Others are refused. | todo-2 h-1: a person (judged by nobody) | open |',
    );
  });

  it('are not there in a plan without any', async () => {
    const on = await execution(aPlan({ todos: [judged('todo-1')] }));
    await carryOut(on);
    expect(on.text('report.md')).not.toContain('## Requirements');
  });
});
