import { describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { nextOf, type Result, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { acknowledge, END_BLOCK, startTiny } from '../../support/tiny.js';

// The main agent itself writes a Markdown file (recipes.md, Data; protocol.md §3).

useProject();

const note = (more: string): string => `
  - id: note
    type: llm+cli
    instruction: Write the note.
    write: UPGRADE.md
${more}`;
const HEADINGS = '    headings: [What changes, Steps]\n';
const WHOLE = '# Upgrade\n\n## What changes\n\nThe port.\n\n## Steps\n\n1. Stop it.\n';

function start(more = HEADINGS): Action {
  return startTiny(project, [note(more), END_BLOCK], 'artifacts: [UPGRADE.md]\n');
}

function hand(action: Action, text: string): Result {
  writeProjectFile(project, '.dev/specs/run-1/UPGRADE.md', text);
  return acknowledge(project, action);
}

describe('a note that the agent writes', () => {
  it('is asked for with its headings, and taken as it is', () => {
    const action = start();
    expect(action.data).toEqual({
      write: '.dev/specs/run-1/UPGRADE.md',
      form: 'markdown',
      headings: ['What changes', 'Steps'],
    });
    const next = nextOf(hand(action, WHOLE).json);
    expect(next.block).toBe('last');
    expect(nextOf(acknowledge(project, next).json)).toMatchObject({ artifacts: ['.dev/specs/run-1/UPGRADE.md'] });
  });

  it('needs no headings; missing and empty it is refused', () => {
    const action = start('');
    expect(acknowledge(project, action)).toMatchObject({ code: 3, json: { error: { code: 'EVIDENCE_MISSING' } } });
    expect(hand(action, ' \n').json.error?.code).toBe('EVIDENCE_MISSING');
    expect(nextOf(hand(action, 'Just a line.\n').json).block).toBe('last');
  });

  it.each([
    ['none of the headings', 'Words.\n', ['What changes', 'Steps']],
    ['nothing below one', '# What changes\n\n# Steps\n\nOne.\n', ['What changes']],
    ['only headings below one', '# What changes\n\n## Steps\n\n## More\n', ['What changes', 'Steps']],
    ['one in a fence', '# Steps\nOne.\n```\n# What changes\ntext\n```\n', ['What changes']],
    ['one that is only a line', '# Steps\nOne.\n\nWhat changes\n', ['What changes']],
    ['one with other words behind it', '# Steps\nOne.\n# What changes here\nIt.\n', ['What changes']],
  ])('with %s is refused, all at once', (_what, text, targets) => {
    const action = start();
    const { code, json } = hand(action, text);
    expect([code, json.error?.code]).toEqual([3, 'EVIDENCE_INVALID']);
    expect(json.error?.details?.map(({ target }) => target)).toEqual(targets);
    expect(json.error?.fix).toContain('UPGRADE.md');
    expect(nextOf(hand(action, WHOLE).json).block).toBe('last');
  });

  it.each([
    ['of any level', '### What changes\n\nIt.\n\n###### Steps\nOne.\n'],
    ['closed, in other case and blanks', '## what   CHANGES ##\n\nIt.\r\n## **Steps**\nOne.\n'],
    ['with subsections that say it', '# What changes\n## The port\nIt moves.\n# Steps\n```sh\nstop\n```\n'],
    ['behind front matter', '---\ntitle: x\n---\n# What changes\nIt.\n# Steps\nOne.\n'],
  ])('takes headings %s', (_what, text) => {
    expect(nextOf(hand(start(), text).json).block).toBe('last');
  });

  it('has to be another one after a way back', () => {
    const gate = `
  - id: agree
    type: wait-for-user
    artifact: UPGRADE.md
    choices: [yes, { id: again, label: once more, goto: note }]
`;
    const action = startTiny(project, [note(HEADINGS), gate]);
    const asked = nextOf(hand(action, WHOLE).json);
    const again = nextOf(acknowledge(project, { ...asked, ack: asked.choices?.[1]?.ack } as Action).json);
    expect(again.block).toBe('note');
    expect(hand(again, WHOLE).json.error?.code).toBe('EVIDENCE_MISSING');
    expect(nextOf(hand(again, `${WHOLE}2. Start it.\n`).json).block).toBe('agree');
  });

  it('can be read by a command of dev-cli', () => {
    const command = '    write: sections.md\n    command: dev-cli draft update {name} --data sections.md\n';
    const action = startTiny(project, [note(command).replace('    write: UPGRADE.md\n', ''), END_BLOCK]);
    writeProjectFile(project, '.dev/specs/run-1/sections.md', '## intent\n\nA fix.\n');
    const { code, stdout } = acknowledge(project, action);
    expect(code, stdout).toBe(0);
  });
});
