import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Action, frontMatterOf, StandIn } from '../../support/agent.mjs';
import { devCli, imageOf, nextOf, runPrinted, stateOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import {
  AGENTS_BLOCK,
  CHOICE_BLOCK,
  choose,
  END_BLOCK,
  GATE_BLOCK,
  LOOP_BLOCK,
  PLAIN_BLOCK,
  PLAN_BLOCK,
  startTiny,
} from '../../support/tiny.js';

useProject();

const COMMON = ['run', 'block', 'action', 'actionId', 'instruction', 'progress'];

/** Lists an action's members, without `how`, which how.test.ts covers. */
function keysOf(action: object): string[] {
  return Object.keys(action)
    .filter((key) => key !== 'how')
    .sort();
}

describe('the fields of each action (protocol.md §2)', () => {
  it('llm without data: an ack and nothing to write', () => {
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    expect(action).toMatchObject({ run: 'run-1', block: 'think', action: 'llm', actionId: 'a1' });
    expect(keysOf(action)).toEqual([...COMMON, 'ack'].sort());
    expect(action.ack).toBe('dev-cli step complete run-1 --action a1');
    expect(action.progress).toMatch(/^\d+\/2$/);
  });

  it('llm with choices: each its own ack, none on top', () => {
    const action = startTiny(project, [CHOICE_BLOCK, END_BLOCK]);
    expect(keysOf(action)).toEqual([...COMMON, 'choices'].sort());
    expect(action.choices).toEqual([
      { id: 'red', label: 'red', ack: 'dev-cli step complete run-1 --action a1 --choice red' },
      { id: 'blue', label: 'blue', ack: 'dev-cli step complete run-1 --action a1 --choice blue' },
    ]);
  });

  it('llm-loop: round, bound, what is needed and where it is written', () => {
    const action = startTiny(project, [LOOP_BLOCK, END_BLOCK], 'draft:\n  required: [boundaries, criteria]\n');
    expect(action).toMatchObject({
      action: 'llm-loop',
      round: 1,
      maxRounds: 20,
      asks: 'user',
      data: { write: '.dev/specs/run-1/actions/a1/data.md', form: 'sections' },
      ack: 'dev-cli step complete run-1 --action a1 --data @.dev/specs/run-1/actions/a1/data.md',
    });
    expect(Object.keys(action.data?.need ?? {})).toEqual(['boundaries', 'criteria']);
    for (const hint of Object.values(action.data?.need ?? {})) expect(hint).toMatch(/^[^\n]{5,}$/);
  });

  it('llm+cli: the file to write, an example in its prompt file', () => {
    const action = startTiny(project, [PLAN_BLOCK, END_BLOCK]);
    expect(action).toMatchObject({
      action: 'llm+cli',
      data: { write: '.dev/specs/run-1/plan-content.json', form: 'json' },
      ack: 'dev-cli step complete run-1 --action a1',
    });
    const prompt = (action.read ?? []).map((path) => readFileSync(join(project.root, path), 'utf8')).join('\n');
    expect(prompt).toContain('"todos"');
    expect(prompt).toContain('"acceptance"');
  });

  it('dispatch-subagents: agents with prompt files that are there, and the sentence to hand over', () => {
    const action = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    expect(keysOf(action)).toEqual([...COMMON, 'agents', 'parallel', 'tell', 'ack'].sort());
    expect(action).toMatchObject({
      action: 'dispatch-subagents',
      parallel: true,
      ack: 'dev-cli step complete run-1 --action a1',
    });
    expect(action.tell).toContain('promptFile');
    expect(action.agents?.map(({ id }) => id)).toEqual(['one', 'two']);
    for (const agent of action.agents ?? []) {
      expect(keysOf(agent)).toEqual(['id', 'output', 'promptFile', 'type']);
      expect(existsSync(join(project.root, agent.promptFile))).toBe(true);
    }
  });

  it('wait-for-user: a message and choices; a reason is a file that the command names', () => {
    const first = startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK]);
    const gate = nextOf(devCli(project, ['step', 'complete', 'run-1', '--action', first.actionId]).json);
    expect(gate).toMatchObject({ action: 'wait-for-user', message: 'Is it right?' });
    expect(gate.choices?.map(({ id }) => id)).toEqual(['yes', 'again', 'stop']);
    expect(gate.choices?.[1]?.ack).toMatch(
      /^dev-cli step complete run-1 --action a2 --choice again --(note|reason) @\.dev\/specs\/run-1\/actions\/a2\/(note|reason)\.md$/,
    );
    expect(gate.ack).toBeUndefined();
    expect(gate.instruction.length).toBeGreaterThan(0);
  });

  it('done: what to tell the user', () => {
    const only = startTiny(project, [END_BLOCK]);
    const done = nextOf(devCli(project, ['step', 'complete', 'run-1', '--action', only.actionId]).json);
    expect(done).toMatchObject({
      action: 'done',
      done: true,
      outcome: 'completed',
      failed: [],
      artifacts: expect.any(Array),
      results: expect.any(Object),
    });
    expect(done.summary).not.toBe('');
    expect(done.instruction).not.toBe('');
    expect('resume' in done).toBe(false);
  });
});

describe('every action', () => {
  it('of a whole run keeps the limits and names files that exist', () => {
    const seen: Action[] = [];
    const check = (action: Action): void => {
      seen.push(action);
      expect(action.instruction.length, action.block).toBeLessThanOrEqual(600);
      expect(action.instruction, action.block).not.toMatch(/\{[a-z]/);
      for (const path of [...(action.read ?? []), ...(action.consult ?? [])]) {
        expect(existsSync(join(project.root, path)), `${action.block}: ${path}`).toBe(true);
      }
      expect(JSON.stringify(action)).not.toMatch(/elapsed|saveWith|exitCheck|onComplete|exitWhen|promptHint|readsFrom/);
      expect('ack' in action && 'choices' in action, action.block).toBe(false);
    };
    const agent = new StandIn({ project, scenario: { before: check } });
    agent.drive(agent.start('--recipe specify-standard-autopilot'));
    expect(seen.length).toBe(6);
  });

  it('of a whole run has prompt files that are complete', () => {
    const prompts: { id: string; text: string; output: string }[] = [];
    const before = (action: Action): void => {
      for (const agent of action.agents ?? []) {
        const text = readFileSync(join(project.root, agent.promptFile), 'utf8');
        prompts.push({ id: agent.id, text, output: join(project.root, agent.output ?? '') });
      }
    };
    const agent = new StandIn({ project, scenario: { before } });
    agent.drive(agent.start('--recipe specify-standard-autopilot'));
    expect(prompts.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['code-explorer-1', 'gap-analyzer', 'codex-strategist', 'plan-reviewer']),
    );
    for (const { id, text, output } of prompts) {
      expect(text, id).toContain(project.root);
      expect(text, id).toMatch(/Add JWT auth to the API|DRAFT\.md \(holds the request, word for word\)/);
      expect(text, id).toContain(output);
      expect(text, id).toContain('in one go');
      const [, check = ''] = /`(dev-cli check [^`]+)`/.exec(text) ?? [];
      expect(runPrinted(project, check, { cwd: project.home }).json, id).toMatchObject({
        ok: true,
        file: output.slice(project.root.length + 1),
      });
      expect(text, id).toMatch(/nothing found/i);
      expect(text, id).toMatch(/(do not|no) commit/i);
      expect(text, id).toMatch(/two lines/i);
      expect(text, id).not.toMatch(/\{(name|goal|root|round|mode)/);
      expect(text, id).not.toContain('undefined');
      const matter = frontMatterOf(text) ?? [];
      expect(
        matter.find((line) => line.startsWith('agent:')),
        id,
      ).toContain(id.replace(/-\d+$/, ''));
      expect(
        matter.find((line) => line.startsWith('timestamp:')),
        id,
      ).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d/);
      expect(
        matter.some((line) => line.startsWith('summary:')),
        id,
      ).toBe(true);
      expect(
        matter.some((line) => line.startsWith('verdict:')),
        id,
      ).toBe(id === 'plan-reviewer');
      expect(Buffer.byteLength(text), id).toBeLessThan(6000);
    }
  });
});

describe('next (protocol.md §2)', () => {
  it('is a pure question, also after a refused acknowledgement', () => {
    const action = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    const first = devCli(project, ['next', 'run-1']);
    expect(first.json).toEqual(action);
    const image = imageOf(project);
    expect(devCli(project, ['step', 'complete', 'run-1', '--action', 'a1']).code).toBe(3);
    for (let n = 0; n < 3; n += 1) expect(devCli(project, ['next', 'run-1']).stdout).toBe(first.stdout);
    expect(imageOf(project)).toEqual(image);
  });

  it('--wait answers at once when nothing is at work', () => {
    startTiny(project, [CHOICE_BLOCK]);
    // An hour would be longer than any call of a test may take.
    const result = devCli(project, ['next', 'run-1', '--wait', '3600'], { env: { DEV_CLI_ANSWER_WITHIN: '3600' } });
    expect(result.code).toBe(0);
    expect(result.stdout).toBe(devCli(project, ['next', 'run-1']).stdout);
  });

  it('--full adds what only the CLI uses; state.json always has it', () => {
    const action = startTiny(project, [LOOP_BLOCK, END_BLOCK], 'draft:\n  required: [boundaries, criteria]\n');
    const full = devCli(project, ['next', 'run-1', '--full']).json;
    expect(full).toMatchObject({ block: action.block, actionId: action.actionId, instruction: action.instruction });
    expect(JSON.stringify(full)).toContain('draft validate');
    expect(JSON.stringify(full)).toContain('draft update');
    const kept = stateOf(project, 'run-1').pendingAction;
    expect(JSON.stringify(kept)).toContain('draft validate');
    expect(kept?.issuedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('an acknowledgement is kept as a command and its input', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const kept = stateOf(project, 'run-1').pendingAction;
    expect(kept?.['ack']).toMatchObject({ command: 'step complete', input: { name: 'run-1', action: 'a1' } });
  });

  it('action ids are never used again: a new round, an invalidate and a new run have new ones', () => {
    const first = startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK]);
    const gate = nextOf(devCli(project, ['step', 'complete', 'run-1', '--action', first.actionId]).json);
    new StandIn({ project }).write('.dev/specs/run-1/actions/a2/note.md', 'again');
    new StandIn({ project }).write('.dev/specs/run-1/actions/a2/reason.md', 'again');
    const again = nextOf(choose(project, gate, 'again').json);
    expect([again.block, again.actionId]).toEqual(['think', 'a3']);
    const invalidated = nextOf(devCli(project, ['step', 'invalidate', 'run-1', '--step', 'think']).json);
    expect([invalidated.block, invalidated.actionId]).toEqual(['think', 'a4']);
    expect(devCli(project, ['step', 'complete', 'run-1', '--action', 'a3']).json.error?.code).toBe('STALE_ACTION');
  });
});
