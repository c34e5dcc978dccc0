import { describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../../support/agent.mjs';
import { journalOf } from '../../support/cli.js';
import { beginRun, findFaults, RUN, type Stage } from './stage.js';

// runtime.md, Driving: a drive stops for a person's answer, then goes on; its own prompts never count as an answer.

const begin = () => beginRun('specify-standard-interactive');

const readAction = async ({ run }: Stage): Promise<Action> => JSON.parse((await run('next', RUN)).stdout) as Action;

/** Drives until a person has to answer, and returns the question. */
async function driveToQuestion(stage: Stage): Promise<Action> {
  const { exit, json } = await stage.drive();
  expect([exit, json.status], JSON.stringify(json)).toEqual([3, 'waiting']);
  const action = await readAction(stage);
  expect(action.actionId).toBe(json.waiting?.actionId);
  expect(json.waiting?.answer).toBe(action.answer ?? action.ack);
  const asked = stage.served.requests.length;
  // Driving again changes nothing.
  expect((await stage.drive()).json.waiting).toEqual(json.waiting);
  expect(stage.served.requests).toHaveLength(asked);
  return action;
}

describe('an interactive run', () => {
  it('parks at each question and gate, and goes on after the person has answered, to its end', async () => {
    const stage = await begin();
    const person = new StandIn({ project: stage.project, name: RUN });
    const asked: string[] = [];
    for (const block of ['interview', 'decision-confirm', 'approve-plan']) {
      const action = await driveToQuestion(stage);
      asked.push(action.block);
      expect(action.block).toBe(block);
      person.step(action);
    }
    expect(await findFaults(stage, await stage.drive())).toEqual([]);
    const opened = journalOf(stage.project, RUN).filter(({ by }) => (by as { kind: string }).kind === 'human');
    expect(opened.length).toBeGreaterThan(0);
    for (const { by } of opened) expect(by).not.toMatchObject({ via: 'drive' });
  });

  it('that a person has ended stays so: nothing is asked of a model', async () => {
    const stage = await begin();
    const person = new StandIn({ project: stage.project, name: RUN });
    person.step(await driveToQuestion(stage));
    const { choices = [] } = await driveToQuestion(stage);
    expect(person.run(choices.find(({ id }) => id === 'stop')?.ack ?? '').exit).toBe(0);
    const asked = stage.served.requests.length;
    for (const _ of [1, 2]) {
      const { exit, json } = await stage.drive();
      expect([exit, json.ok, json.status, typeof json.reason]).toEqual([
        3,
        false,
        expect.stringMatching(/^(halted|aborted)$/),
        'string',
      ]);
    }
    expect(stage.served.requests).toHaveLength(asked);
  });

  it('that somebody holds is left alone until it is released', async () => {
    const stage = await begin();
    expect((await stage.run('hold', RUN, '--reason', 'Not yet.')).exit).toBe(0);
    const { exit, json } = await stage.drive();
    expect([exit, json.status, json.reason]).toEqual([3, 'held', expect.stringContaining('Not yet.')]);
    expect(stage.served.requests).toHaveLength(0);
    expect((await stage.run('release', RUN)).exit).toBe(0);
    await driveToQuestion(stage);
  });
});
