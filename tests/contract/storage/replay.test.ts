import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Entry, ReplayDifference } from '../../../src/store/store.js';
import { devCli, imageOf, init, journalOf, runDir } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { readEntries } from '../../support/entries.js';
import { rewriteEntries } from '../../support/journal.js';
import { acknowledge, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

/** storage.md, A commit: the journal alone rebuilds state.json byte for byte. */

interface Report {
  code: number;
  ok: boolean;
  entries: number;
  documents: number;
  objects: number;
  runs: number;
  differences: ReplayDifference[];
  notes: ReplayDifference[];
}

useProject({ git: false, replay: false });

/** Returns the report, after checking that making it changed nothing. */
function check(name = 'run-1'): Report {
  const before = imageOf(project);
  const { code, json } = devCli(project, ['replay', name, '--check']);
  expect(imageOf(project)).toEqual(before);
  return { ...(json as unknown as Report), code };
}

function inRun(...path: string[]): string {
  return join(runDir(project, 'run-1'), ...path);
}

/** Replaces the journal's entries with the result of `change`, computing new checksums. */
function rewriteJournal(change: (entries: Entry[]) => Entry[]): void {
  rewriteEntries(project, 'run-1', change);
}

/** Starts a run of the shipped planning recipe, which has a draft and a captured recipe. */
function startSpecify(): void {
  init(project, 'run-1', '--recipe', 'specify-quick-autopilot', '--goal', 'Add JWT auth');
}

describe('a run as it should be', () => {
  it('is rebuilt byte for byte, with all its documents, at every moment', () => {
    let action = startTiny(project, [PLAIN_BLOCK, PLAIN_BLOCK.replace('think', 'again')]);
    for (let calls = 0; calls < 2; calls++) {
      expect(check()).toMatchObject({ code: 0, ok: true, runs: 1, differences: [], notes: [] });
      const { next } = acknowledge(project, action).json;
      if (next !== undefined) action = next;
    }
    const report = check();
    expect(report).toMatchObject({ code: 0, ok: true, entries: journalOf(project, 'run-1').length });
    const contents = readEntries(readFileSync(inRun('events.jsonl'))).flatMap(({ texts = {} }) => Object.keys(texts));
    expect(report.objects).toBe(new Set(contents).size);
    expect(devCli(project, ['replay', 'run-1', '--check', '--text']).stdout).toMatch(/^run-1: matches the journal/);
  });

  it('may hold several runs of the name', () => {
    startTiny(project, [PLAIN_BLOCK]);
    expect(devCli(project, ['abort', 'run-1', '--reason', 'again']).code).toBe(0);
    startTiny(project, [PLAIN_BLOCK]);
    devCli(project, ['init', 'run-1', '--recipe', 'tiny-run-1', '--goal', 'x', '--force']);
    expect(check()).toMatchObject({ code: 0, ok: true, runs: 3 });
  });

  it('has notes, not differences, where a person or an agent went on writing', () => {
    startSpecify();
    writeFileSync(inRun('DRAFT.md'), `${readFileSync(inRun('DRAFT.md'), 'utf8')}\nby hand\n`);
    expect(check()).toMatchObject({
      code: 0,
      ok: true,
      differences: [],
      notes: [{ path: 'DRAFT.md', problem: 'was changed since' }],
    });
  });

  it('may have a torn end: that never happened', () => {
    startTiny(project, [PLAIN_BLOCK]);
    appendFileSync(inRun('events.jsonl'), '{"v":1,"seq":99,');
    expect(check()).toMatchObject({
      ok: true,
      notes: [{ path: 'events.jsonl', problem: expect.stringContaining('torn') }],
    });
  });

  it('may have a commit that a crash cut short: the next change finishes it', () => {
    const action = startTiny(project, [PLAIN_BLOCK, PLAIN_BLOCK.replace('think', 'again')]);
    const before = readFileSync(inRun('state.json'));
    acknowledge(project, action);
    writeFileSync(inRun('state.json'), before);
    expect(check()).toMatchObject({ code: 0, ok: true, notes: [{ path: 'state.json' }] });
    expect(devCli(project, ['next', 'run-1']).code).toBe(0);
    expect(check()).toMatchObject({ code: 0, ok: true, notes: [] });
  });
});

describe('what is not as the journal says is named', () => {
  const CASES: [string, () => void, Partial<ReplayDifference>[]][] = [
    [
      'a value of state.json',
      () => {
        const state = JSON.parse(readFileSync(inRun('state.json'), 'utf8'));
        state.steps['classify-intent'].status = 'done';
        state.extra = 1;
        writeFileSync(inRun('state.json'), `${JSON.stringify(state, null, 1)}\n`);
      },
      [
        {
          path: 'state.json',
          pointer: '/steps/classify-intent/status',
          problem: 'is "done"; according to the journal "running"',
        },
        { path: 'state.json', pointer: '/extra', problem: 'is 1; according to the journal absent' },
      ],
    ],
    [
      'bytes of state.json that say the same',
      () => appendFileSync(inRun('state.json'), '\n'),
      [{ path: 'state.json', problem: expect.stringContaining('different bytes, from byte') }],
    ],
    [
      'a state.json that is none',
      () => writeFileSync(inRun('state.json'), '{'),
      [{ path: 'state.json', problem: 'is not a JSON object' }],
    ],
    [
      'a state.json that is gone',
      () => {
        devCli(project, ['draft', 'update', 'run-1', '--section', 'boundaries', '--data', '{"boundaries":"one"}']);
        rmSync(inRun('state.json'));
      },
      [{ path: 'state.json', problem: 'is missing' }],
    ],
    [
      "dev-cli's own file, edited",
      () => appendFileSync(inRun('recipe.json'), ' '),
      [{ path: 'recipe.json', problem: 'was changed since' }],
    ],
    ['a document that is gone', () => rmSync(inRun('DRAFT.md')), [{ path: 'DRAFT.md', problem: 'is missing' }]],
    [
      'a document written in part',
      () => truncateSync(inRun('DRAFT.md'), 40),
      [{ path: 'DRAFT.md', problem: expect.stringMatching(/^holds only the first 40 of \d+ bytes$/) }],
    ],
    [
      'content that is gone, and content that is not what its name says',
      () => {
        const [first = '', second = ''] = Object.keys(
          readEntries(readFileSync(inRun('events.jsonl'))).at(-1)?.texts ?? {},
        );
        rewriteJournal((entries) =>
          entries.map(({ texts: { [first]: gone, [second]: text, ...texts } = {}, ...entry }) =>
            text === undefined ? { ...entry, texts } : { ...entry, texts: { ...texts, [second]: 'else' } },
          ),
        );
      },
      [
        { path: 'events.jsonl', problem: expect.stringMatching(/^lacks the content of /) },
        { path: 'events.jsonl', problem: expect.stringMatching(/^lacks the content of /) },
      ],
    ],
    [
      'the last entries, missing',
      () => {
        devCli(project, ['draft', 'update', 'run-1', '--section', 'boundaries', '--data', '{"boundaries":"one"}']);
        rewriteJournal((entries) => entries.slice(0, -1));
      },
      [
        {
          path: 'events.jsonl',
          problem: expect.stringMatching(/^ends with entry \d+, but state.json knows entry \d+$/),
        },
      ],
    ],
    [
      'a patch that does not fit',
      () =>
        rewriteJournal((entries) =>
          entries.map((entry, i) =>
            i === entries.length - 1 ? { ...entry, patch: [{ op: 'remove', path: '/no/such' }] } : entry,
          ),
        ),
      [{ problem: 'its patch does not fit the state before it' }],
    ],
    [
      'an entry of another run',
      () =>
        rewriteJournal((entries) =>
          entries.map((entry, i) => (i === 1 ? { ...entry, data: { ...entry.data, runId: 'other' } } : entry)),
        ),
      [{ seq: 2, problem: 'belongs to the run other, which was not begun here' }],
    ],
  ];

  it.each(CASES)('%s', (_, damage, expected) => {
    startSpecify();
    damage();
    const report = check();
    const found = expected.map((difference) => expect.objectContaining(difference));
    expect(report.differences).toEqual(expect.arrayContaining(found));
    expect(report).toMatchObject({ code: 3, ok: false });
    const { code, stdout } = devCli(project, ['replay', 'run-1', '--check', '--text']);
    expect([code, stdout.split('\n')[0]]).toEqual([
      3,
      expect.stringMatching(/^run-1: \d+ differences? from the journal/),
    ]);
  });

  it('a state.json that is gone, once: what an entry says is not also taken for unfinished', () => {
    const action = startTiny(project, [PLAIN_BLOCK, PLAIN_BLOCK.replace('think', 'again')]);
    acknowledge(project, action);
    rmSync(inRun('state.json'));
    expect(check()).toMatchObject({ code: 3, differences: [{ path: 'state.json', problem: 'is missing' }], notes: [] });
  });

  it('the journal of another run', () => {
    startTiny(project, [PLAIN_BLOCK]);
    startTiny(project, [PLAIN_BLOCK], '', 'run-2');
    for (const file of ['events.jsonl', 'state.json']) {
      writeFileSync(inRun(file), readFileSync(join(runDir(project, 'run-2'), file)));
    }
    const { code, differences } = check();
    expect(code).toBe(3);
    expect(differences).toContainEqual({ path: 'events.jsonl', problem: 'is the journal of "run-2"' });
  });

  it('a document that was never put in place', () => {
    const block =
      '\n  - id: colour\n    type: llm\n    instruction: Choose.\n    save: dev-cli draft update {name}\n    sections: [boundaries]\n';
    const before = readFileSync(inRunAfter(block));
    devCli(project, ['draft', 'update', 'run-1', '--section', 'boundaries', '--data', '{"boundaries":"one"}']);
    writeFileSync(inRun('DRAFT.md'), before);
    expect(check()).toMatchObject({
      code: 3,
      differences: [{ path: 'DRAFT.md', problem: 'is still as it was before that entry' }],
    });
  });
});

function inRunAfter(block: string): string {
  startTiny(project, [block]);
  return inRun('DRAFT.md');
}

describe('what cannot be replayed', () => {
  it('is no run, or a journal that is damaged in the middle', () => {
    expect(devCli(project, ['replay', 'none', '--check']).json.error?.code).toBe('NO_SUCH_RUN');
    expect(devCli(project, ['replay', 'run-1']).code).toBe(2);
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
    startTiny(project, [PLAIN_BLOCK]);
    const text = readFileSync(inRun('events.jsonl'), 'utf8');
    writeFileSync(inRun('events.jsonl'), text.replace('"type":"init"', '"type":"Init"'));
    const { code, json } = devCli(project, ['replay', 'run-1', '--check']);
    expect([code, json.error?.code, json.error?.message]).toEqual([
      1,
      'JOURNAL_CORRUPT',
      expect.stringContaining('line 1'),
    ]);
  });
});
