import { describe, expect, it } from 'vitest';
import { acknowledge } from '../../../src/protocol/acknowledge/complete.js';
import { requireRecipe } from '../../../src/recipe/load/load.js';
import { copyState } from '../../../src/run/codec.js';
import { findPending } from '../../../src/run/pending-action.js';
import { NO_OUTSIDE_FACTS } from '../../../src/run/surroundings.js';
import { openTransaction } from '../../../src/run/transaction.js';
import type { Baseline } from '../../../src/work/baseline.js';
import { aPlan } from '../plan/fixture.js';
import { codeOf, idOf, type Outcome, recipeOf, report, type Stage, stage } from '../protocol/stage.js';

/** Those rules of protocol.md §3 that are not checked where tests walk through every kind of block. */

const END = '  - { id: last, type: llm, instruction: End. }\n';

async function started(blocks: string, head = ''): Promise<Stage> {
  const on = stage({ recipes: { one: recipeOf('one', blocks, head) } });
  expect(codeOf(await on.init('one', { goal: 'Add X' }))).toBe('ok');
  return on;
}

function warningsOf(answer: Outcome): string {
  if (!answer.ok) return '';
  const { warnings = [], next } = answer.json;
  return [...warnings, ...((next?.action === 'done' ? next.warnings : undefined) ?? [])].join('\n');
}

const LOOK = (more: string) =>
  `  - { id: look, type: subagent, ${more} agents: [{ type: code-explorer, id: one, prompt: Look., output: findings/one.md }], onComplete: "dev-cli draft import {name}" }\n`;

describe('a subagent block whose agents deliver nothing', () => {
  it('leaves its findings when the run goes on: after `step fail`', async () => {
    const on = await started(LOOK('onError: continue,') + END);
    const answer = await on.complete({ action: 'a1', fail: true, reason: 'no time' });
    expect(answer.ok && answer.json['completed']).toBeNull();
    expect(on.text('DRAFT.md')).toContain('no time');
    expect((await on.state()).currentBlock).toBe('last');
  });

  it('runs `onComplete` also where no condition holds, and hands out no action', async () => {
    const on = await started(
      '  - { id: look, type: subagent, agents: [{ type: code-explorer, id: one, prompt: Look., output: findings/one.md, when: "false" }], onComplete: "dev-cli check notes.json" }\n' +
        END,
    );
    expect(idOf(await on.action())).toBe('a1');
    expect(on.text('actions/a1/prompt.md')).toBeNull();
    expect((await on.state()).warnings.join()).toContain('look, check: notes.json');
  });

  it('halts without it where the run does not go on', async () => {
    const on = await started(LOOK('onError: halt,') + END);
    await on.complete({ action: 'a1', fail: true, reason: 'no time' });
    expect(on.text('DRAFT.md')).not.toContain('no time');
    expect((await on.state()).status).toBe('halted');
  });
});

describe('a loop of agents that is retried at its bound', () => {
  const LOOP =
    '  - { id: review, type: subagent-loop, maxRounds: 1, onError: { retry: { max: 1 } }, agents: [{ type: plan-reviewer, prompt: Judge., id: one, output: "reviews/{round}.md" }], exitWhen: \'agents["one"].verdict == "OKAY"\' }\n';
  const judge = async (on: Stage, action: string, verdict: string) => {
    on.put('reviews/1.md', report('one', `verdict: ${verdict}\nreason: by ${action}\n`));
    return on.complete({ action });
  };

  it('starts its agents again, and a round that passes ends it', async () => {
    const on = await started(LOOP + END);
    expect(codeOf(await judge(on, 'a1', 'REJECT'))).toBe('ok');
    expect(await on.action()).toMatchObject({ actionId: 'a2', block: 'review', agents: [{ id: 'one' }] });
    expect(codeOf(await judge(on, 'a2', 'OKAY'))).toBe('ok');
    expect((await on.state()).currentBlock).toBe('last');
  });

  it('halts when that is in vain', async () => {
    const on = await started(LOOP + END);
    await judge(on, 'a1', 'REJECT');
    await judge(on, 'a2', 'REJECT');
    expect(await on.state()).toMatchObject({ status: 'halted' });
  });
});

describe('a command that finds problems', () => {
  it('refuses as `onComplete`, with its findings; what the agents delivered can be repeated', async () => {
    const on = await started(LOOK('').replace('draft import {name}', 'check notes.json') + END);
    on.put('findings/one.md', report('one'));
    const answer = await on.complete({ action: 'a1' });
    expect(codeOf(answer)).toBe('EVIDENCE_INVALID');
    expect(!answer.ok && answer.error.details[0]).toMatchObject({ target: 'notes.json', problem: 'not written' });
    on.put('notes.json', '{}');
    expect(codeOf(await on.complete({ action: 'a1' }))).toBe('ok');
  });
});

describe('a prompt file', () => {
  const LONG = `The first paragraph.\\n\\n${'More. '.repeat(120)}`;
  const talk = (prompt: string) =>
    `  - { id: talk, type: llm-loop, asks: user, instruction: "${prompt}", sections: [boundaries, criteria], save: "dev-cli draft update {name}", exitCheck: "dev-cli draft validate {name}" }\n`;
  const HEAD = 'draft: { required: [boundaries, criteria] }\n';
  const data = (text: string) => ({ source: 'inline', text }) as const;

  it('that says the same again is not handed out again, only named, however many rounds there are', async () => {
    const on = await started(talk(LONG) + END, HEAD);
    const first = on.text('actions/a1/prompt.md');
    expect(first).toContain('More. More.');
    for (const action of ['a1', 'a2']) {
      await on.complete({ action, data: data('{"boundaries":["none"]}') });
      const again = await on.action();
      expect(again).not.toHaveProperty('read');
      expect('consult' in again && again.consult).toEqual(['.dev/specs/run-1/actions/a1/prompt.md']);
      expect(on.text(`actions/${idOf(again)}/prompt.md`)).toBeNull();
    }
  });

  it('that says something else is read', async () => {
    const on = await started(talk(`${LONG}Round {round}.`) + END, HEAD);
    await on.complete({ action: 'a1', data: data('{"boundaries":["none"]}') });
    expect(await on.action()).toHaveProperty('read', ['.dev/specs/run-1/actions/a2/prompt.md']);
  });
});

describe('a loop', () => {
  it('names everything that its exit check misses, not only its own sections', async () => {
    const on = await started(
      '  - { id: note, type: llm, onError: continue, instruction: N., sections: [findings] }\n' +
        '  - { id: talk, type: llm-loop, asks: user, maxRounds: 1, instruction: T., sections: [boundaries], save: "dev-cli draft update {name}", exitCheck: "dev-cli draft validate {name}" }\n' +
        END,
      'draft: { required: [boundaries, findings] }\n',
    );
    const data = { source: 'inline', text: '{"boundaries":["none"]}' } as const;
    await on.complete({ action: 'a1', fail: true, reason: 'no time' });
    const answer = await on.complete({ action: 'a2', data });
    expect(answer.ok && answer.json['round']).toMatchObject({ passed: false, missing: ['findings'] });
    await on.complete({ action: 'a3', data });
    const gate = await on.action();
    expect(gate.action === 'wait-for-user' && gate.message).toContain('Still empty: findings.');
  });

  it.each(['when: "false",', 'agents.when'])('misses no section whose writer was skipped: %s', async (more) => {
    const look = more.startsWith('when')
      ? LOOK(more)
      : LOOK('').replace('prompt: Look.', 'when: "false", prompt: Look.');
    const on = await started(
      look +
        '  - { id: talk, type: llm-loop, asks: user, maxRounds: 1, instruction: T., sections: [boundaries], save: "dev-cli draft update {name}", exitCheck: "dev-cli draft validate {name}" }\n' +
        END,
      'draft: { required: [boundaries, findings] }\n',
    );
    const answer = await on.complete({ action: 'a1', data: { source: 'inline', text: '{"boundaries":["none"]}' } });
    expect(answer.ok && answer.json['completed']).toBe('talk');
  });

  it('at its bound is remembered before what follows is done, also as the last block', async () => {
    const loop =
      '  - { id: judge, type: subagent-loop, maxRounds: 1, onError: continue, agents: [{ type: plan-reviewer, id: r1, prompt: J, output: reviews/a.md }], exitWhen: "false" }\n';
    for (const after of ['', '  - { id: c, type: cli, command: "dev-cli cleanup {name}" }\n']) {
      const on = await started(loop + after);
      on.put('reviews/a.md', report('r1', 'verdict: REJECT\n'));
      const answer = await on.complete({ action: 'a1' });
      expect(warningsOf(answer)).toContain('judge did not pass within 1 round (last: r1 REJECT)');
      const done = await on.action();
      expect(done.action === 'done' && done.warnings?.join()).toContain('judge did not pass');
      if (after !== '') expect(on.text('summary.md')).toContain('judge did not pass');
    }
  });

  it('within its bound warns of nothing', async () => {
    const on = await started(
      `  - { id: judge, type: subagent-loop, maxRounds: 2, onError: continue, agents: [{ type: plan-reviewer, id: r1, prompt: J, output: "reviews/{round}.md" }], exitWhen: "false" }\n${END}`,
    );
    on.put('reviews/1.md', report('r1', 'verdict: REJECT\n'));
    expect(warningsOf(await on.complete({ action: 'a1' }))).toBe('');
  });
});

describe('a gate', () => {
  const GATE =
    '  - { id: write, type: llm+cli, instruction: W., write: x.json }\n' +
    '  - { id: gate, type: wait-for-user, artifact: x.json, maxRounds: 2, choices: [{ id: on }, { id: again, goto: write }, { id: stop, goto: halt }] }\n';
  const asked = async () => {
    const on = await started(GATE + END);
    on.put('x.json', '{"a":1}');
    await on.complete({ action: 'a1' });
    on.put('x.json', '{"a":2}');
    return on;
  };

  it('approves nothing that was not shown; asked anew it does', async () => {
    const on = await asked();
    const answer = await on.complete({ action: 'a2', choice: 'on' });
    expect(codeOf(answer)).toBe('INPUT_CHANGED');
    expect(!answer.ok && answer.error.fix).toEqual({
      command: 'step invalidate',
      input: { name: 'run-1', step: 'gate' },
    });
    await on.invalidate('gate');
    expect(codeOf(await on.complete({ action: 'a3', choice: 'on' }))).toBe('ok');
  });

  it.each(['again', 'stop'])('lets "%s" be chosen all the same', async (choice) => {
    const answer = await (await asked()).complete({ action: 'a2', choice });
    expect(codeOf(answer)).toBe('ok');
    expect(warningsOf(answer)).toContain('changed after the question was asked');
  });

  it('cannot fail, and says what can be done', async () => {
    const on = await started(`  - { id: gate, type: wait-for-user, choices: [on, off] }\n${END}`);
    const answer = await on.complete({ action: 'a1', fail: true, reason: 'x' });
    expect(codeOf(answer)).toBe('DATA_UNEXPECTED');
    expect(!answer.ok && answer.error.message).not.toContain('--fail');
    expect(JSON.stringify(!answer.ok && answer.error.fix)).toContain('on, off');
  });

  it('at the bound of a loop cannot fail either', async () => {
    const on = await started(
      `  - { id: talk, type: llm-loop, asks: user, maxRounds: 1, instruction: T., exitWhen: "false" }\n${END}`,
    );
    await on.complete({ action: 'a1', data: { source: 'inline', text: '"x"' } });
    expect(codeOf(await on.complete({ action: 'a2', fail: true, reason: 'x' }))).toBe('DATA_UNEXPECTED');
  });
});

describe('a review', () => {
  const PLANNED =
    '  - { id: plan, type: llm+cli, instruction: W., write: plan-content.json, schema: plan-content, command: "dev-cli plan generate {name}" }\n';
  const JUDGE = (id: string) =>
    `{ type: plan-reviewer, id: ${id}, prompt: J., readsFrom: [DRAFT.md, PLAN.md], output: "reviews/${id}-{round}.md" }`;
  const REVIEW = (more: string, ...ids: string[]) =>
    `  - { id: review, type: subagent, ${more} agents: [${ids.map(JUDGE).join(', ')}] }\n`;
  const OKAY = (agent: string) => report(agent, 'verdict: OKAY\n');
  const planned = async (review: string) => {
    const on = await started(PLANNED + review + END);
    on.put('plan-content.json', JSON.stringify(aPlan()));
    await on.complete({ action: 'a1' });
    return on;
  };
  /** Replaces the plan by another one, in plan-content.json and PLAN.md. */
  const replan = async (on: Stage, core: string) => {
    const { objectives } = aPlan();
    on.put('plan-content.json', JSON.stringify(aPlan({ objectives: { ...objectives, core } })));
    expect(codeOf(await on.document('plan generate'))).toBe('ok');
  };

  it('of a plan that was changed meanwhile does not count; the step is done again with the new one', async () => {
    const on = await planned(REVIEW('', 'r1'));
    await replan(on, 'Something else');
    on.put('reviews/r1-1.md', OKAY('r1'));
    const answer = await on.complete({ action: 'a2' });
    expect(codeOf(answer)).toBe('INPUT_CHANGED');
    expect(!answer.ok && answer.error.details).toMatchObject([{ target: 'PLAN.md' }]);
    expect(!answer.ok && answer.error.fix).toEqual({
      command: 'step invalidate',
      input: { name: 'run-1', step: 'review' },
    });
    await on.invalidate('review');
    expect(codeOf(await on.complete({ action: 'a3' }))).toBe('EVIDENCE_MISSING');
    on.put('reviews/r1-2.md', OKAY('r1'));
    expect(codeOf(await on.complete({ action: 'a3' }))).toBe('ok');
    expect((await on.state()).currentBlock).toBe('last');
  });

  it('is not disturbed by a word in the draft, and can be given up', async () => {
    const on = await planned(REVIEW('onError: continue,', 'r1'));
    await on.document('draft update', { section: 'criteria', data: { source: 'inline', text: '"seen"' } });
    on.put('reviews/r1-1.md', 'no front matter');
    expect(codeOf(await on.complete({ action: 'a2' }))).toBe('EVIDENCE_INVALID');
    await replan(on, 'Something else');
    expect(codeOf(await on.complete({ action: 'a2', without: ['r1'], reason: 'gone' }))).toBe('ok');
  });

  it('that was taken before a retry of another is about what it was handed then', async () => {
    const on = await planned(REVIEW('onError: { retry: { max: 1 } },', 'r1', 'r2'));
    on.put('reviews/r1-1.md', OKAY('r1'));
    await on.complete({ action: 'a2', without: ['r2'], reason: 'gone' });
    await replan(on, 'Something else');
    on.put('reviews/r2-1.md', OKAY('r2'));
    expect(codeOf(await on.complete({ action: 'a3' }))).toBe('INPUT_CHANGED');
  });
});

describe('what went wrong', () => {
  it('is forgotten once the block succeeds', async () => {
    const on = await started(`  - { id: think, type: llm, instruction: T. }\n${END}`);
    await on.complete({ action: 'a1', fail: true, reason: 'cannot' });
    expect((await on.state()).lastError?.message).toBe('cannot');
    await on.invalidate('think');
    await on.complete({ action: 'a2' });
    expect((await on.state()).lastError).toBeNull();
  });
});

describe('agents that only report', () => {
  const MIXED =
    '  - { id: look, type: subagent, agents: [{ type: code-explorer, prompt: L., id: one, output: findings/one.md }, { type: code-explorer, prompt: L., id: two }] }\n';

  it('lack their report, not the others', async () => {
    const on = await started(MIXED + END);
    on.put('findings/one.md', report('one'));
    const answer = await on.complete({ action: 'a1' });
    expect(codeOf(answer)).toBe('EVIDENCE_MISSING');
    expect(!answer.ok && answer.error.details).toMatchObject([{ agent: 'two', problem: 'not reported' }]);
    expect(!answer.ok && answer.error.fix).toContain('.dev/specs/run-1/actions/a1/result.md');
    expect((await on.state()).agents['one']?.status).toBe('done');
    expect(codeOf(await on.complete({ action: 'a1', result: 'seen' }))).toBe('ok');
    expect((await on.state()).agents['two']).toMatchObject({
      status: 'done',
      selfReported: true,
      summary: 'seen',
    });
  });
});

describe('changed sources in autopilot', () => {
  it('halt the run, and the answer says so with the way to reopen it', async () => {
    const on = await started('  - { id: write, type: llm+cli, instruction: W., write: x.json }\n');
    const head = await on.store.read(on.name);
    const state = copyState(await on.state());
    state.mode = { depth: 'quick', interaction: 'autopilot' };
    state.baseline = { head: null, dirty: {} };
    const around = { ...NO_OUTSIDE_FACTS, changes: (_: string, now: Baseline) => ({ paths: ['a.ts'], now }) };
    const tx = openTransaction(on.context, head, state, requireRecipe(on.context.library, 'one'), around);
    const result = acknowledge(tx, { pending: findPending(tx), input: { action: 'a1' } });
    const error = result.kind === 'refused' ? result.error : null;
    expect(error?.message).toMatch(/^1 file outside .* the run halted/);
    expect(error?.fix).toContainEqual({ command: 'step invalidate', input: { name: 'run-1', step: 'write' } });
    expect(error?.pending).toBeUndefined();
    const done = tx.state.pendingAction;
    expect(done?.action === 'done' && done.failed[0]?.reason).toContain('a.ts');
  });
});
