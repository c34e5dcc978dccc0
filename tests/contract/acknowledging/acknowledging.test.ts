import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../../support/agent.mjs';
import {
  devCli,
  imageOf,
  journalOf,
  nextOf,
  type Result,
  runDir,
  runPrinted,
  stateOf,
  writeProjectFile,
} from '../../support/cli.js';
import { planContent } from '../../support/content.mjs';
import { project, useProject } from '../../support/each-project.js';
import {
  AGENTS_BLOCK,
  acknowledge,
  CHOICE_BLOCK,
  choose,
  DATA_BLOCK,
  deliver,
  END_BLOCK,
  GATE_BLOCK,
  LOOP_BLOCK,
  PLAIN_BLOCK,
  PLAN_BLOCK,
  REVIEW_BLOCK,
  startTiny,
  writeSections,
} from '../../support/tiny.js';

useProject();

const DRAFT = 'draft:\n  required: [boundaries, criteria]\n';
const PLAN = '.dev/specs/run-1/plan-content.json';

function complete(actionId: string, ...args: string[]): Result {
  return devCli(project, ['step', 'complete', 'run-1', '--action', actionId, ...args]);
}

function writePlan(revision = 0): void {
  writeProjectFile(project, PLAN, JSON.stringify(planContent(revision)));
}

function text(path: string): string {
  return readFileSync(join(runDir(project, 'run-1'), path), 'utf8');
}

describe('accepted', () => {
  it('says what is completed and hands out the next action, in one call', () => {
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const result = acknowledge(project, action);
    expect(result.code).toBe(0);
    expect(result.json).toMatchObject({
      ok: true,
      run: 'run-1',
      completed: 'think',
      next: { block: 'last', actionId: 'a2' },
    });
    expect(result.json.duplicate).toBeUndefined();
    expect(devCli(project, ['next', 'run-1']).json).toEqual(result.json.next);
    expect(stateOf(project, 'run-1').steps['think']?.status).toBe('done');
  });

  it('stores data with `save`, a choice with its id', () => {
    const colour = startTiny(project, [
      `${CHOICE_BLOCK}    save: dev-cli draft update {name} --section decisions\n`,
      DATA_BLOCK,
      END_BLOCK,
    ]);
    const limits = nextOf(choose(project, colour, 'blue').json);
    expect(text('DRAFT.md')).toContain('blue');
    writeSections(project, limits, { boundaries: 'To be found again.' });
    expect(acknowledge(project, limits).code).toBe(0);
    expect(text('DRAFT.md')).toContain('To be found again.');
  });

  it('runs the CLI blocks that follow and says so', () => {
    const action = startTiny(project, [
      PLAIN_BLOCK,
      '\n  - id: assume\n    type: cli\n    command: dev-cli draft auto-assume {name}\n',
      END_BLOCK,
    ]);
    const result = acknowledge(project, action);
    expect(result.json.ran).toEqual([{ block: 'assume', ok: true, summary: expect.any(String) }]);
    expect(nextOf(result.json).block).toBe('last');
  });

  it('one call is one commit: what it did stands in the journal, and the snapshot is its end', () => {
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const before = journalOf(project, 'run-1').length;
    acknowledge(project, action);
    const journal = journalOf(project, 'run-1');
    expect(journal.length).toBeGreaterThan(before);
    expect(stateOf(project, 'run-1').seq).toBe(journal.at(-1)?.['seq']);
  });
});

describe('the same action again', () => {
  it('exit 0, duplicate, nothing changes, next as it stands', () => {
    const action = startTiny(project, [PLAIN_BLOCK, CHOICE_BLOCK, END_BLOCK]);
    const first = acknowledge(project, action);
    const image = imageOf(project);
    for (let n = 0; n < 2; n += 1) {
      const again = acknowledge(project, action);
      expect(again.code).toBe(0);
      expect(again.json).toMatchObject({ ok: true, duplicate: true });
      expect(again.json.next).toEqual(first.json.next);
    }
    expect(imageOf(project)).toEqual(image);
  });

  it('also with other data, also when the run has ended', () => {
    const action = startTiny(project, [CHOICE_BLOCK]);
    choose(project, action, 'red');
    const image = imageOf(project);
    const again = choose(project, action, 'blue');
    expect(again.json).toMatchObject({ ok: true, duplicate: true, next: { done: true } });
    expect(imageOf(project)).toEqual(image);
  });
});

describe('a loop round that did not pass', () => {
  it('exit 0, data saved, a new action; the old one is a duplicate from then on', () => {
    const action = startTiny(project, [LOOP_BLOCK, END_BLOCK], DRAFT);
    writeSections(project, action, { boundaries: 'Known callers.' });
    const round = acknowledge(project, action);
    expect(round.code).toBe(0);
    expect(round.json).toMatchObject({
      ok: true,
      completed: null,
      round: { n: 1, passed: false, saved: ['boundaries'], missing: ['criteria'] },
      next: { block: 'interview', actionId: 'a2', round: 2, data: { write: '.dev/specs/run-1/actions/a2/data.md' } },
    });
    expect(text('DRAFT.md')).toContain('Known callers.');
    expect(acknowledge(project, action).json).toMatchObject({ duplicate: true, next: { actionId: 'a2' } });
    const second = nextOf(round.json);
    writeSections(project, second, { criteria: '- A test proves it.' });
    expect(acknowledge(project, second).json).toMatchObject({ completed: 'interview', next: { block: 'last' } });
  });

  it('a round that brings something does not count towards the bound of a block that asks the user', () => {
    let action = startTiny(project, [`${LOOP_BLOCK}    maxRounds: 1\n`, END_BLOCK], DRAFT);
    writeSections(project, action, { boundaries: 'Known callers.' });
    action = nextOf(acknowledge(project, action).json);
    expect(action).toMatchObject({ block: 'interview', action: 'llm-loop' });
  });

  it('at the bound, where the user is asked: continue, more, stop', () => {
    const start = (name: string): Action => {
      const action = startTiny(project, [`${LOOP_BLOCK}    maxRounds: 1\n`, END_BLOCK], DRAFT, name);
      writeSections(project, action, { boundaries: 'No new dependency.' });
      const second = nextOf(acknowledge(project, action).json);
      // Writes the same text again, because only a round that fills nothing new counts toward the limit of rounds.
      writeSections(project, second, { boundaries: 'No new dependency.' });
      const bound = nextOf(acknowledge(project, second).json);
      expect(bound).toMatchObject({ block: 'interview', action: 'wait-for-user' });
      expect(bound.choices?.map(({ id }) => id)).toEqual(['continue', 'more', 'stop']);
      return bound;
    };
    expect(nextOf(choose(project, start('as-it-is'), 'continue').json).block).toBe('last');
    expect(nextOf(choose(project, start('once-more'), 'more').json)).toMatchObject({
      block: 'interview',
      action: 'llm-loop',
    });
    expect(nextOf(choose(project, start('no-more'), 'stop').json)).toMatchObject({ done: true, outcome: 'halted' });
  });

  it('at the bound, where no user is asked: onError decides', () => {
    startTiny(project, [PLAN_BLOCK, REVIEW_BLOCK, END_BLOCK]);
    for (const round of [1, 2]) {
      writePlan(round);
      const review = nextOf(runPrinted(project, devCli(project, ['next', 'run-1']).json.ack ?? '').json);
      expect(review).toMatchObject({
        block: 'review',
        round,
        agents: [{ output: `.dev/specs/run-1/reviews/${round}.md` }],
      });
      const [agent] = review.agents ?? [];
      const standIn = new StandIn({ project, scenario: { rejectFirstReview: true } });
      const prompt = readFileSync(join(project.root, agent?.promptFile ?? ''), 'utf8');
      const rejected = standIn.document(
        { ...agent, id: 'plan-reviewer', type: 'plan-reviewer', output: 'reviews/1.md' },
        prompt,
      );
      standIn.write(agent?.output ?? '', rejected);
      const answer = acknowledge(project, review);
      expect(answer.code).toBe(0);
      if (round === 1) {
        expect(answer.json).toMatchObject({ completed: null, round: { n: 1, passed: false }, next: { block: 'plan' } });
      } else {
        expect(nextOf(answer.json)).toMatchObject({ done: true, outcome: 'halted' });
        expect(nextOf(answer.json)).toHaveProperty('resume');
      }
    }
  });
});

describe('evidence', () => {
  it('of llm: its data or choice', () => {
    const action = startTiny(project, [CHOICE_BLOCK, END_BLOCK]);
    expect(complete(action.actionId).code).toBe(2);
    expect(complete(action.actionId, '--choice', 'green').json.error?.code).toBe('UNKNOWN_CHOICE');
    expect(devCli(project, ['next', 'run-1']).json.actionId).toBe(action.actionId);
  });

  it('of subagents: what is good stays accepted, only what is missing is repeated', () => {
    const action = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    deliver(project, action, ['one']);
    const refused = acknowledge(project, action);
    expect(refused.code).toBe(3);
    expect(refused.json).toMatchObject({
      ok: false,
      run: 'run-1',
      error: {
        code: 'EVIDENCE_MISSING',
        details: [{ agent: 'two', target: '.dev/specs/run-1/findings/two.md' }],
        instead: expect.stringContaining('--without two --reason @.dev/specs/run-1/actions/a1/reason.md'),
      },
      pending: { actionId: 'a1', ack: action.ack },
    });
    expect(refused.json.error?.fix).toContain('two');
    expect(stateOf(project, 'run-1').agents['one']?.status).toBe('done');
    expect(devCli(project, ['next', 'run-1']).json).toEqual(action);
    deliver(project, action, ['two']);
    expect(acknowledge(project, action).json).toMatchObject({ ok: true, completed: 'look' });
    expect(stateOf(project, 'run-1').agents['two']?.outputHash).toMatch(/[0-9a-f]{64}$/);
  });

  it.each([
    ['empty', '', 'EVIDENCE_MISSING'],
    ['without front matter', '# Findings\n\nSome.\n', 'EVIDENCE_INVALID'],
    ['front matter that is no YAML', '---\nagent: [\n---\n\nx\n', 'EVIDENCE_INVALID'],
    [
      'front matter without a summary',
      '---\nagent: one\ntimestamp: 2026-01-01T00:00:00Z\n---\n\nx\n',
      'EVIDENCE_INVALID',
    ],
    ['front matter that never ends', '---\nagent: one\nsummary: x\n', 'EVIDENCE_INVALID'],
    ['half written', '---\nagent: o', 'EVIDENCE_INVALID'],
  ])('an output that is %s is refused', (_what, content, code) => {
    const action = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    deliver(project, action);
    writeProjectFile(project, '.dev/specs/run-1/findings/one.md', content);
    const refused = acknowledge(project, action);
    expect([refused.code, refused.json.error?.code]).toEqual([3, code]);
    expect(refused.json.error?.details).toEqual([expect.objectContaining({ agent: 'one' })]);
  });

  it('front matter may hold more keys, folded scalars and further fences in the body', () => {
    const action = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    deliver(project, action, ['two']);
    const folded =
      '---\nagent: one\ntimestamp: 2026-01-01T00:00:00Z\nsummary: >-\n  a line and\n  a second one\nmood: good\n---\n\nBody\n\n---\n\nmore\n';
    writeProjectFile(project, '.dev/specs/run-1/findings/one.md', folded);
    expect(acknowledge(project, action).code).toBe(0);
    expect(stateOf(project, 'run-1').agents['one']).toMatchObject({
      status: 'done',
      summary: 'a line and a second one',
    });
  });

  it('an output as it was when the action was issued does not count; written again with the same content it does', () => {
    const first = startTiny(project, [AGENTS_BLOCK, GATE_BLOCK.replace('goto: think', 'goto: look'), END_BLOCK]);
    deliver(project, first);
    const gate = nextOf(acknowledge(project, first).json);
    for (const file of ['note', 'reason'])
      writeProjectFile(project, `.dev/specs/run-1/actions/${gate.actionId}/${file}.md`, 'Look again.');
    const second = nextOf(choose(project, gate, 'again').json);
    expect(second).toMatchObject({ block: 'look', action: 'dispatch-subagents' });
    const refused = acknowledge(project, second);
    expect([refused.code, refused.json.error?.code]).toEqual([3, 'EVIDENCE_MISSING']);
    expect(refused.json.error?.details).toHaveLength(2);
    const one = readFileSync(join(runDir(project, 'run-1'), 'findings/one.md'));
    deliver(project, second, ['two']);
    writeProjectFile(project, '.dev/specs/run-1/findings/one.md', one);
    expect(acknowledge(project, second).code).toBe(0);
  });

  it('of llm+cli: the file exists, parses, validates; all findings at once', () => {
    const action = startTiny(project, [PLAN_BLOCK, END_BLOCK]);
    expect(acknowledge(project, action).json.error?.code).toBe('EVIDENCE_MISSING');
    writeProjectFile(project, PLAN, '{"todos": [');
    const broken = acknowledge(project, action);
    expect(broken.code).toBe(3);
    const content = planContent(0) as { todos: { dependsOn: string[]; risk: string; id: string }[] };
    const [one, two, three] = content.todos;
    if (one === undefined || two === undefined || three === undefined) throw new Error('five todos');
    two.dependsOn = ['todo-99'];
    three.risk = 'huge';
    writeProjectFile(project, PLAN, JSON.stringify(content));
    const invalid = acknowledge(project, action);
    expect([invalid.code, invalid.json.error?.code]).toEqual([3, 'SCHEMA_INVALID']);
    expect(JSON.stringify(invalid.json.error?.details)).toContain('/todos/2/risk');
    three.risk = 'low';
    one.dependsOn = ['todo-2'];
    two.dependsOn = ['todo-1'];
    three.id = 'todo-4';
    writeProjectFile(project, PLAN, JSON.stringify(content));
    const semantic = acknowledge(project, action);
    expect(semantic.code).toBe(3);
    expect(semantic.json.error?.details?.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(semantic.json.error?.details)).toMatch(/cycle|circle/i);
    writePlan();
    expect(acknowledge(project, action).json).toMatchObject({ ok: true, completed: 'plan' });
    expect(text('PLAN.md')).toContain('### [ ] todo-1: Token verification and configuration');
  });

  it('of llm+cli after an invalidate: the file must have changed', () => {
    const action = startTiny(project, [PLAN_BLOCK, END_BLOCK]);
    writePlan();
    acknowledge(project, action);
    const again = nextOf(devCli(project, ['step', 'invalidate', 'run-1', '--step', 'plan']).json);
    expect(again.block).toBe('plan');
    expect(acknowledge(project, again).json.error?.code).toBe('EVIDENCE_MISSING');
    writePlan(1);
    expect(acknowledge(project, again).code).toBe(0);
  });
});

describe('what cannot be delivered', () => {
  it('--without: onError continue goes on, the agent is failed with its reason, later readers are told', () => {
    const reader = `
  - id: think
    type: subagent
    agents: [{ type: gap-analyzer, prompt: Think., readsFrom: [findings/one.md, findings/two.md], output: analysis/gap.md }]
`;
    const action = startTiny(project, [AGENTS_BLOCK, reader, END_BLOCK]);
    deliver(project, action, ['one']);
    const result = complete(action.actionId, '--without', 'two', '--reason', 'it crashed twice');
    expect(result.code).toBe(0);
    expect(result.json).toMatchObject({ completed: 'look', next: { block: 'think' } });
    expect(stateOf(project, 'run-1').agents['two']).toMatchObject({ status: 'failed', reason: 'it crashed twice' });
    const prompt = readFileSync(join(project.root, nextOf(result.json).agents?.[0]?.promptFile ?? ''), 'utf8');
    expect(prompt).toContain('it crashed twice');
  });

  it('--without an agent that is none, and one that delivered already', () => {
    const action = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    const unknown = complete(action.actionId, '--without', 'three', '--reason', 'x');
    expect([unknown.code, unknown.json.error?.code]).toEqual([2, 'UNKNOWN_AGENT']);
    expect(complete(action.actionId, '--without', 'one', '--reason', 'x').json.error?.code).toBe('EVIDENCE_MISSING');
  });

  it('onError retry: a new action with the failed ones only; then halt', () => {
    const action = startTiny(project, [`${AGENTS_BLOCK}    onError: { retry: { max: 1 } }\n`, END_BLOCK]);
    deliver(project, action, ['one']);
    const retried = nextOf(complete(action.actionId, '--without', 'two', '--reason', 'crashed').json);
    expect(retried).toMatchObject({ block: 'look', actionId: 'a2' });
    expect(retried.agents?.map(({ id }) => id)).toEqual(['two']);
    const halted = complete('a2', '--without', 'two', '--reason', 'crashed again');
    expect(halted.code).toBe(0);
    expect(nextOf(halted.json)).toMatchObject({ done: true, outcome: 'halted' });
  });

  it('step fail, and --result fail: onError of the block; a halted run can be reopened', () => {
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const failed = devCli(project, ['step', 'fail', 'run-1', '--action', action.actionId, '--reason', 'no idea']);
    expect(failed.code).toBe(0);
    const done = nextOf(failed.json) as Action & { resume?: string };
    expect(done).toMatchObject({ done: true, outcome: 'halted' });
    expect(JSON.stringify(done)).toContain('no idea');
    expect(existsSync(join(project.root, '.dev/active-spec'))).toBe(true);
    expect(nextOf(devCli(project, ['init', 'run-1', '--recipe', 'tiny-run-1']).json)).toEqual(done);
    const reopened = runPrinted(project, done.resume ?? '');
    expect(reopened.code, reopened.stdout).toBe(0);
    expect(nextOf(reopened.json)).toMatchObject({ block: 'think', actionId: 'a2' });
    const other = startTiny(project, [PLAIN_BLOCK, END_BLOCK], '', 'run-2');
    const result = devCli(project, [
      'step',
      'complete',
      'run-2',
      '--action',
      other.actionId,
      '--result',
      'fail',
      '--reason',
      'no',
    ]);
    expect(nextOf(result.json)).toMatchObject({ outcome: 'halted' });
  });

  it('refused evidence never consults onError', () => {
    const action = startTiny(project, [`${AGENTS_BLOCK}    onError: continue\n`, END_BLOCK]);
    for (let n = 0; n < 3; n += 1) expect(acknowledge(project, action).code).toBe(3);
    expect(devCli(project, ['next', 'run-1']).json).toEqual(action);
  });
});

describe('which action is meant', () => {
  it('an unknown id, also one of the future: exit 4 with the pending one', () => {
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const image = imageOf(project);
    for (const id of ['a2', 'a99', 'a0', 'a01', 'b1', 'A1', 'a1x', '']) {
      const result = complete(id);
      expect([id, result.json.ok]).toEqual([id, false]);
      if (/^a[1-9]\d*$/.test(id)) {
        expect([id, result.code, result.json.error?.code]).toEqual([id, 4, 'STALE_ACTION']);
        expect(result.json.pending).toEqual({ actionId: 'a1', ack: action.ack });
      } else expect([2, 4], id).toContain(result.code);
    }
    expect(imageOf(project)).toEqual(image);
  });

  it('--step: by block id or unique prefix; done and not pending is a duplicate; never reached is exit 4', () => {
    startTiny(project, [PLAIN_BLOCK, CHOICE_BLOCK, END_BLOCK]);
    const step = (block: string, ...args: string[]): Result =>
      devCli(project, ['step', 'complete', 'run-1', '--step', block, ...args]);
    const early = step('last');
    expect([early.code, early.json.error?.code]).toEqual([4, 'NOT_REACHED']);
    expect([step('nothing').code, step('nothing').json.error?.code]).toEqual([2, 'UNKNOWN_BLOCK']);
    expect(step('thi').json).toMatchObject({ ok: true, completed: 'think' });
    expect(step('think').json).toMatchObject({ ok: true, duplicate: true });
    expect(step('colour', '--choice', 'red').json).toMatchObject({ ok: true, completed: 'colour' });
  });

  it('neither action nor step is exit 2, both is exit 2', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    expect(devCli(project, ['step', 'complete', 'run-1']).code).toBe(2);
    expect(devCli(project, ['step', 'complete', 'run-1', '--action', 'a1', '--step', 'think']).code).toBe(2);
  });

  it('--collect belongs to engines: exit 2 here, nothing changes', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const image = imageOf(project);
    expect(complete('a1', '--collect').code).toBe(2);
    expect(imageOf(project)).toEqual(image);
  });
});

describe('step invalidate', () => {
  it('a new action at once, later blocks stale and redone, documents stay, old ids answer 4', () => {
    const limits = startTiny(project, [DATA_BLOCK, PLAIN_BLOCK, END_BLOCK]);
    writeSections(project, limits, { boundaries: 'First thought.' });
    acknowledge(project, limits);
    complete('a2');
    const result = devCli(project, ['step', 'invalidate', 'run-1', '--step', 'limits']);
    expect(result.code).toBe(0);
    expect(nextOf(result.json)).toMatchObject({ block: 'limits', actionId: 'a4' });
    expect(text('DRAFT.md')).toContain('First thought.');
    expect(stateOf(project, 'run-1').steps['think']?.status).toBe('stale');
    expect(complete('a3').json.error?.code).toBe('STALE_ACTION');
    const again = nextOf(result.json);
    writeSections(project, again, { boundaries: 'Second thought.' });
    expect(nextOf(acknowledge(project, again).json)).toMatchObject({ block: 'think', actionId: 'a5' });
    expect(text('DRAFT.md')).not.toContain('First thought.');
  });

  it('again, because its answer was lost: a duplicate; after anything was done on it, a new action', () => {
    acknowledge(project, startTiny(project, [AGENTS_BLOCK, END_BLOCK]));
    complete('a1', '--without', 'one,two', '--reason', 'nobody here');
    const invalidate = (): Result => devCli(project, ['step', 'invalidate', 'run-1', '--step', 'look']);
    const first = invalidate();
    const entries = journalOf(project, 'run-1').length;
    const second = invalidate();
    expect([second.code, second.json.duplicate]).toEqual([0, true]);
    expect(nextOf(second.json)).toEqual(nextOf(first.json));
    expect(journalOf(project, 'run-1')).toHaveLength(entries);
    deliver(project, nextOf(first.json), ['one']);
    expect(complete('a3').code).toBe(3);
    const third = invalidate();
    expect(third.json.duplicate).toBeUndefined();
    expect(nextOf(third.json)).toMatchObject({ block: 'look', actionId: 'a4' });
  });

  it('reopens a halted run, but not a completed one; an unknown or unreached block is refused', () => {
    const gate = nextOf(acknowledge(project, startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK])).json);
    const invalidate = (block: string): Result => devCli(project, ['step', 'invalidate', 'run-1', '--step', block]);
    expect([invalidate('nothing').code, invalidate('last').code]).toEqual([2, 4]);
    expect(nextOf(choose(project, gate, 'stop').json)).toMatchObject({ outcome: 'halted' });
    expect(nextOf(invalidate('think').json).block).toBe('think');
    expect(stateOf(project, 'run-1').status).toBe('live');
    const single = startTiny(project, [PLAIN_BLOCK], '', 'run-2');
    acknowledge(project, single);
    const completed = devCli(project, ['step', 'invalidate', 'run-2', '--step', 'think']);
    expect([completed.code, completed.json.error?.code]).toEqual([4, 'RUN_ENDED']);
  });
});

describe('gates', () => {
  it('a choice that leads back is an invalidate with its reason at hand, and is no longer offered at the bound', () => {
    let action = startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK]);
    for (let round = 1; round <= 2; round += 1) {
      const gate = nextOf(acknowledge(project, action).json);
      expect(gate.choices?.map(({ id }) => id)).toContain('again');
      const ack = gate.choices?.find(({ id }) => id === 'again')?.ack ?? '';
      const missing = runPrinted(project, ack);
      expect(missing.code).toBe(2);
      const [, path = ''] = /@(\S+)$/.exec(ack) ?? [];
      writeProjectFile(project, path, `Think harder, ${round}.`);
      action = nextOf(runPrinted(project, ack).json);
      expect(action.block).toBe('think');
    }
    const last = nextOf(acknowledge(project, action).json);
    expect(last.choices?.map(({ id }) => id)).toEqual(['yes', 'stop']);
  });

  it('a reason that is required cannot be left out', () => {
    const gate = nextOf(acknowledge(project, startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK])).json);
    const result = complete(gate.actionId, '--choice', 'again');
    expect([result.code, result.json.error?.code]).toEqual([2, 'DATA_MISSING']);
    expect(devCli(project, ['next', 'run-1']).json).toEqual(gate);
  });
});

describe('abort', () => {
  it('ends the run, opens the guard, answers with the end; again it is a duplicate', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const result = devCli(project, ['abort', 'run-1', '--reason', 'not wanted any more']);
    expect(result.code).toBe(0);
    expect(nextOf(result.json)).toMatchObject({ done: true, outcome: 'aborted' });
    expect(stateOf(project, 'run-1')).toMatchObject({ status: 'aborted', outcome: 'aborted' });
    expect(existsSync(join(project.root, '.dev/active-spec'))).toBe(false);
    expect(readFileSync(join(project.root, '.dev/guard'), 'utf8')).toBe('open\n');
    const image = imageOf(project);
    const again = devCli(project, ['abort', 'run-1', '--reason', 'again']);
    expect([again.code, again.json.duplicate]).toEqual([0, true]);
    expect(complete('a1').json.error?.code).toBe('STALE_ACTION');
    expect(imageOf(project)).toEqual(image);
  });
});
