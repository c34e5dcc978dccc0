import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StandIn } from '../../support/agent.mjs';
import { devCli, imageOf, journalOf, runDir, stateOf, writeProjectFile } from '../../support/cli.js';
import { View } from '../../support/page.js';
import { createProject, type Project } from '../../support/project.mjs';
import { SMALL_CREW, smallPlan } from '../../support/small.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

// view-page.md, Deciding: a gate is answered on the page only with the number shown in the person's terminal.

const GATE =
  '\n  - id: approve\n    type: wait-for-user\n    human: required\n    message: Shall it be?\n    choices: [{ id: approve, label: go, goto: next }, { id: again, label: again, goto: halt, reason: required }, { id: stop, label: no, goto: halt }]\n';
const PLAN_BLOCKS = [
  '\n  - id: plan\n    type: llm+cli\n    instruction: Plan.\n    write: plan-content.json\n    then: dev-cli plan generate {name} --data plan-content.json\n',
  '\n  - id: approve\n    type: wait-for-user\n    human: required\n    artifact: PLAN.md\n    message: Shall it be?\n    choices: [{ id: approve, label: go, goto: next }, { id: revise, label: again, goto: plan, reason: required }, { id: stop, label: no, goto: halt }]\n',
  END_BLOCK,
];

const skipped = findRealTerminal() === null;
let project: Project;
let view: View;
beforeEach(() => {
  project = createProject({ sample: null });
});
afterEach(() => {
  view.stop();
  project.remove();
});

/** Opens the page; by default a person is at the terminal of `view`. */
async function open(env: NodeJS.ProcessEnv = {}, terminal = true): Promise<void> {
  view = new View(project, [], { terminal, env });
  await view.enter();
}

async function gate(): Promise<{ actionId: string; digest: string; [key: string]: unknown }> {
  return (await view.ask('/runs/run-1')).json()['decision'] as never;
}

const choice = () => stateOf(project, 'run-1').gates['approve']?.choice;
const send = async (given: object) => {
  const { actionId, digest } = await gate();
  return view.ask('/runs/run-1/answer', { body: { actionId, digest, ...given } });
};
const confirm = (id: unknown, number: string) => view.ask('/runs/run-1/confirm', { body: { id, number } });

/** Sends an answer, and waits until the terminal shows its number. */
async function prepare(given: object): Promise<{ id: unknown; number: string }> {
  const before = view.number;
  const answered = await send(given);
  expect(answered.status, answered.text).toBe(200);
  for (let looks = 0; view.number === before && looks < 500; looks += 1) await pause(10);
  return { id: answered.json()['id'], number: view.number };
}

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
const wrong = (number: string) => String((Number(number) + 1) % 1_000_000).padStart(6, '0');
const codeOf = ({ json }: { json: () => Record<string, unknown> }) => (json()['error'] as { code: string }).code;

describe.skipIf(skipped)(`a person${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`, () => {
  it('decides by the number of their terminal, once; the journal says who, how and on what', async () => {
    startTiny(project, [GATE, END_BLOCK]);
    await open();
    const shown = await gate();
    expect(shown).toMatchObject({
      title: 'run-1 waits for you',
      sections: [{ heading: 'Question', lines: ['Shall it be?'] }],
      answers: [{ id: 'approve' }, { id: 'again', reason: 'required' }, { id: 'stop' }],
    });
    const { id, number } = await prepare({ choice: 'approve' });
    const terminal = view.shown.replaceAll('\r', '');
    expect(terminal).toContain(
      `run-1 asks: Shall it be?\nThe answer from the page: approve\nDecided on: ${shown.digest}; commands that dev-cli runs: 0\n`,
    );
    expect(choice()).toBeUndefined();
    const both = await Promise.all([confirm(id, number), confirm(id, number)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(choice()).toBe('approve');
    const answers = journalOf(project, 'run-1').filter(({ type }) => type === 'acknowledged');
    expect(answers.map(({ by }) => by)).toEqual([{ kind: 'human', via: 'page', terminal: true }]);
    expect(devCli(project, ['history', 'run-1']).stdout).toMatch(/approve after .*, by human on the page/);
    const { gates } = (await view.ask('/runs/run-1')).json() as { gates: object[] };
    expect(gates).toEqual([expect.objectContaining({ choice: 'approve', by: 'human on the page' })]);
    expect(codeOf(await confirm(id, number))).toBe('STALE_ACTION');
  });

  it('gives the reason that a choice wants, as one line of their terminal', async () => {
    startTiny(project, [GATE, END_BLOCK]);
    await open();
    const without = await send({ choice: 'again' });
    expect([without.status, codeOf(without)]).toEqual([404, 'DATA_MISSING']);
    const note = 'not\nyet \u001b[31mred\u202e <script>';
    const { id, number } = await prepare({ choice: 'again', note });
    expect(view.shown).toMatch(/\nIts reason: not yet red <script>\r?\n/);
    expect((await confirm(id, number)).status).toBe(200);
    expect(journalOf(project, 'run-1').find(({ type }) => type === 'acknowledged')?.['data']).toMatchObject({
      choice: 'again',
    });
  });

  it('is asked for another number by a second answer, which voids the first', async () => {
    startTiny(project, [GATE, END_BLOCK]);
    await open();
    const first = await prepare({ choice: 'approve' });
    const second = await prepare({ choice: 'stop' });
    // The second answer has replaced the first, and the number of the first does not confirm the second.
    expect(codeOf(await confirm(first.id, first.number))).toBe('STALE_ACTION');
    if (first.number !== second.number) expect(codeOf(await confirm(second.id, first.number))).toBe('DATA_UNEXPECTED');
    expect(choice()).toBeUndefined();
    expect((await confirm(second.id, second.number)).status).toBe(200);
    expect(choice()).toBe('stop');
  });

  it('may be wrong twice; the third wrong number leaves it to approve', async () => {
    startTiny(project, [GATE, END_BLOCK]);
    await open();
    const { id, number } = await prepare({ choice: 'approve' });
    const image = imageOf(project);
    expect(codeOf(await confirm(id, wrong(number)))).toBe('DATA_UNEXPECTED');
    expect(codeOf(await confirm(id, ''))).toBe('DATA_UNEXPECTED');
    const third = await confirm(id, wrong(number));
    expect([third.status, third.json()['error']]).toEqual([
      403,
      expect.objectContaining({ code: 'TERMINAL_REQUIRED', fix: expect.stringContaining('approve run-1') }),
    ]);
    expect((await confirm(id, number)).status).not.toBe(200);
    expect(codeOf(await send({ choice: 'approve' }))).toBe('TERMINAL_REQUIRED');
    expect(imageOf(project)).toEqual(image);
  });

  it('is told where somebody answered first, or the answer is none', async () => {
    startTiny(project, [GATE, END_BLOCK]);
    await open();
    expect(codeOf(await send({ choice: 'constructor' }))).toBe('UNKNOWN_CHOICE');
    expect(codeOf(await send({ choice: 'approve', digest: 'other' }))).toBe('INPUT_CHANGED');
    expect(codeOf(await send({ choice: 'approve', actionId: 'a9' }))).toBe('STALE_ACTION');
    expect((await send({ choice: 7 })).status).toBe(400);
    const { id, number } = await prepare({ choice: 'approve' });
    findRealTerminal()?.('dev-cli approve run-1', { cwd: project.root, env: project.env, answers: ['stop'] });
    expect(choice()).toBe('stop');
    expect(codeOf(await confirm(id, number))).toBe('STALE_ACTION');
    expect(choice()).toBe('stop');
  });

  it('decides no plan that changed meanwhile: it is shown anew', async () => {
    const action = startTiny(project, PLAN_BLOCKS);
    writeProjectFile(project, action.data?.write ?? '', JSON.stringify(smallPlan()));
    expect(acknowledge(project, action).code).toBe(0);
    await open();
    const before = await gate();
    const { id, number } = await prepare({ choice: 'approve' });
    const path = join(runDir(project, 'run-1'), 'PLAN.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^### .*todo-1: .*/m, '### todo-1: Another title'));
    // The page's session alone cannot change anything, whatever it sends.
    const image = imageOf(project);
    await prepare({ choice: 'stop' });
    expect(codeOf(await confirm(id, number))).toBe('STALE_ACTION');
    expect(imageOf(project)).toEqual(image);
    const other = await prepare({ choice: 'approve' });
    expect(codeOf(await confirm(other.id, other.number))).toBe('INPUT_CHANGED');
    expect(choice()).toBeUndefined();
    const after = await gate();
    expect(after.digest).not.toBe(before.digest);
    expect(JSON.stringify(after)).toContain('Another title');
    // An answer with the digest from before the change is refused.
    expect(codeOf(await send({ choice: 'approve', digest: before.digest }))).toBe('INPUT_CHANGED');
    const again = await prepare({ choice: 'approve' });
    expect((await confirm(again.id, again.number)).status).toBe(200);
    expect(
      journalOf(project, 'run-1').findLast(({ data }) => (data as { choice?: string }).choice === 'approve'),
    ).toMatchObject({
      by: { kind: 'human', via: 'page' },
      data: { digest: after.digest },
    });
  });

  it('is asked for no line of text at the terminal, though the plan at work was changed', async () => {
    const before = ({ human, todoId }: { human?: string; todoId?: string }) =>
      human === 'required' && todoId !== undefined ? 'stop' : undefined;
    const agent = new StandIn({ project, name: 'run-1', crew: SMALL_CREW, scenario: { plan: smallPlan(), before } });
    agent.drive(agent.start('--recipe specify-quick-autopilot'));
    agent.drive(agent.execute('--execute'));
    await open();
    const path = join(runDir(project, 'run-1'), 'PLAN.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^(### .*todo-1: ).*/m, '$1Another title'));
    const { id, number } = await prepare({ choice: 'pass' });
    expect((await confirm(id, number)).status).toBe(200);
    expect(view.shown).not.toContain('Type yes');
    view.type('q');
    expect(await view.end()).toBe(0);
  });

  it('opens the page once more with o', async () => {
    startTiny(project, [PLAIN_BLOCK]);
    await open();
    const { ticket } = view;
    view.type('o');
    for (let looks = 0; view.ticket === ticket && looks < 500; looks += 1) await pause(10);
    expect(view.ticket).not.toBe(ticket);
    await view.enter();
    expect((await view.ask('/runs')).status).toBe(200);
  });

  it.each([
    ['q', 0],
    ['\u0003', 0],
    ['SIGTERM', 130],
    ['SIGHUP', 130],
  ] as const)('ends it by %j, and the terminal is as before', async (by, exit) => {
    startTiny(project, [PLAIN_BLOCK]);
    await open();
    const stream = view.follow('/runs/run-1/events?since=0');
    await view.says('o: open the page');
    await pause(200);
    if (by === 'SIGTERM' || by === 'SIGHUP') view.signal(by);
    else view.type(by);
    expect(await view.end()).toBe(exit);
    stream.stop();
    const [before, after] = ['before', 'after'].map((file) => readFileSync(join(project.home, file), 'utf8'));
    expect(after).toBe(before);
    await expect(view.ask('/runs')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('an agent', () => {
  it.skipIf(skipped).each(['CLAUDECODE', 'CODEX_CI'])('decides nothing on a terminal where %s stands', async (mark) => {
    startTiny(project, [GATE, END_BLOCK]);
    const image = imageOf(project);
    await open({ [mark]: '1' });
    await view.says('The page is read-only');
    expect(view.shown).toContain(`${mark} is set`);
    const refused = await send({ choice: 'approve' });
    expect([refused.status, codeOf(refused)]).toEqual([403, 'TERMINAL_REQUIRED']);
    expect(view.number).toBe('');
    expect(imageOf(project)).toEqual(image);
  });

  it('decides nothing through a pipe', async () => {
    startTiny(project, [GATE, END_BLOCK]);
    await open({}, false);
    expect(codeOf(await send({ choice: 'approve' }))).toBe('TERMINAL_REQUIRED');
    expect((await confirm('x', '000000')).status).toBe(409);
    expect(choice()).toBeUndefined();
  });
});
