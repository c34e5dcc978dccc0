import { describe, expect, it } from 'vitest';
import { projectWith, replay } from './replay.js';

/** Checks that verify and the protocol agree about conditions on sections of the draft (authoring.md, Verify). */

const HEAD = 'name: filled\ntype: sequential\nmode: { depth: quick, interaction: interactive }\n';
const REQUIRED = 'draft: { required: [intent] }\n';
const WRITER = '  - { id: write, type: llm, instruction: Write., sections: [intent] }\n';
const CHECK = "  - { id: check, type: cli, command: 'dev-cli draft validate {name}' }\n";
const gate = (when = 'draft.intent.filled'): string =>
  `  - { id: gate, type: wait-for-user, human: required, when: '${when}', choices: [on] }\n`;
const interview = (ends: string): string =>
  `  - { id: ask, type: llm-loop, instruction: Ask., sections: [intent], maxRounds: 1, ${ends} }\n`;

/** Replays each finding, which must be about a bypassed gate, and returns its steps and the run's final status. */
async function bypass(head: string, ...blocks: string[]): Promise<{ steps: unknown[]; status: string | undefined }[]> {
  const replayed = await replay(projectWith({ filled: `${HEAD}${head}blocks:\n${blocks.join('')}` }), 'filled');
  return replayed.map(({ finding, state }) => {
    expect(finding.kind).toBe('gate-bypassed');
    return { steps: finding.script.steps, status: state?.status };
  });
}

describe('a gate that is asked where a section is filled', () => {
  it('is passed by where the agent fills another one', async () => {
    const expected = { steps: [{ data: { purpose: 'As before.' } }], status: 'completed' };
    expect(await bypass('', WRITER, gate())).toMatchObject([expected]);
  });

  it('is passed by with what else the block is to write', async () => {
    const writer = WRITER.replace('[intent]', '[intent, criteria]');
    const found = await bypass('', writer, gate('draft.intent.filled || !draft.criteria.filled'));
    expect(found).toMatchObject([{ steps: [{ data: { criteria: 'Something.' } }], status: 'completed' }]);
  });

  it('is always asked behind a check that demands the section', async () => {
    expect(await bypass(REQUIRED, WRITER, CHECK, gate())).toEqual([]);
  });

  it('is passed by in front of that check, which then fails', async () => {
    expect(await bypass(REQUIRED, WRITER, gate(), CHECK)).toMatchObject([{ status: 'halted' }]);
  });

  it('is passed by behind an interview only where the user goes on as it is', async () => {
    const found = await bypass(REQUIRED, interview("exitCheck: 'dev-cli draft validate {name}'"), gate());
    expect(found).toMatchObject([{ steps: [{}, { choose: 'continue' }], status: 'completed' }]);
  });
});

it('a command that needs a value of a block that failed is never run: its script ends with the run', async () => {
  const blocks = [
    '  - { id: choose, type: llm, instruction: Choose., choices: [red], onError: continue }\n',
    '  - { id: make, type: cli, command: [make, "at={blocks.choose.choice}"] }\n',
  ];
  const replayed = await replay(projectWith({ filled: `${HEAD}blocks:\n${blocks.join('')}` }), 'filled');
  expect(replayed.map(({ finding, state }) => [finding.kind, state?.status])).toEqual([['value-unset', 'halted']]);
});
