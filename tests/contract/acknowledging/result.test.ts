import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, runPrinted, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

/** If a condition reads `result`, the printed acknowledgement hands the result in (recipes.md, Conditions). */

useProject({ git: false });

const begin = (blocks: string) => {
  writeRecipe(project, 'demo', `name: demo\ntype: sequential\nblocks:\n${blocks}`);
  return devCli(project, ['init', 'x', '--recipe', 'demo']).json.next;
};
const report = (actionId: string | undefined, text: string) =>
  writeFileSync(join(project.root, `.dev/specs/x/actions/${actionId}/result.md`), text);

describe('a result that a condition goes by', () => {
  const LOOP = `  - { id: a, type: llm-loop, instruction: Work on., exitWhen: result contains finished, save: dev-cli draft update, maxRounds: 3 }
  - { id: b, type: wait-for-user, message: m }
`;

  it('is named in the acknowledgement of a loop, which ends by it and not before', () => {
    const next = begin(LOOP);
    const file = '.dev/specs/x/actions/a1/result.md';
    expect(next).toMatchObject({
      action: 'llm-loop',
      instruction: `Work on. Report your result in ${file}; a condition of the recipe depends on it: result contains finished.`,
      ack: expect.stringContaining(`--result @${file}`),
    });
    writeFileSync(join(project.root, '.dev/specs/x/actions/a1/data.md'), '## purpose\n\nLess noise\n');
    report('a1', 'half way');
    const second = runPrinted(project, next?.ack ?? '');
    expect(second.json).toMatchObject({ completed: null, round: { n: 1, passed: false } });
    report('a2', 'It is finished.');
    writeFileSync(join(project.root, '.dev/specs/x/actions/a2/data.md'), '## purpose\n\nNo noise\n');
    expect(runPrinted(project, second.json.next?.ack ?? '').json).toMatchObject({
      completed: 'a',
      next: { block: 'b' },
    });
  });

  it('is required: an acknowledgement without it is refused, and nothing is taken', () => {
    begin(LOOP);
    writeFileSync(join(project.root, '.dev/specs/x/actions/a1/data.md'), '## purpose\n\nLess noise\n');
    const before = readFileSync(join(project.root, '.dev/specs/x/state.json'), 'utf8');
    const bare = ['step', 'complete', 'x', '--action', 'a1', '--data', '@.dev/specs/x/actions/a1/data.md'];
    expect(devCli(project, bare)).toMatchObject({
      code: 2,
      json: { error: { code: 'DATA_MISSING', fix: expect.stringContaining('actions/a1/result.md') } },
    });
    expect(readFileSync(join(project.root, '.dev/specs/x/state.json'), 'utf8')).toBe(before);
  });

  it('of a block is asked for where a later one goes by it, and nowhere else', () => {
    const next = begin(`  - { id: a, type: llm, instruction: Look. }
  - { id: b, type: llm, instruction: Decide. }
  - { id: c, type: llm, instruction: Deploy., when: 'result == "yes"' }
  - { id: d, type: llm, instruction: Tell. }
`);
    expect(next?.ack).not.toContain('--result');
    const second = runPrinted(project, next?.ack ?? '').json.next;
    expect(second?.ack).toContain('--result @.dev/specs/x/actions/a2/result.md');
    report('a2', 'yes');
    const third = runPrinted(project, second?.ack ?? '').json.next;
    expect(third).toMatchObject({ block: 'c', ack: expect.not.stringContaining('--result') });
  });
});
