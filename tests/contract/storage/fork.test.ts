import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoredText } from '../../../src/store/texts.js';
import { type Action, StandIn } from '../../support/agent.mjs';
import {
  type Document,
  devCli,
  imageOf,
  journalOf,
  nextOf,
  runDir,
  runPrinted,
  stateOf,
  writeProjectFile,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { rewriteEntries } from '../../support/journal.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import {
  AGENTS_BLOCK,
  acknowledge,
  choose,
  deliver,
  END_BLOCK,
  GATE_BLOCK,
  PLAIN_BLOCK,
  startTiny,
  tiny,
} from '../../support/tiny.js';

/** storage.md, History: `fork` and its refusals. */

useProject();

const run = '.dev/specs/run-1';

function fork(seq: number, as = 'copy', from = 'run-1') {
  return devCli(project, ['fork', from, '--at', String(seq), '--as', as]);
}

/** Makes a fork that must succeed; checks that the original run and all other files are unchanged. */
function forked(seq: number): Document {
  const before = imageOf(project);
  const { code, json, stdout } = fork(seq);
  expect(code, stdout).toBe(0);
  const after = imageOf(project);
  expect(Object.fromEntries(Object.keys(before).map((path) => [path, after[path]]))).toEqual(before);
  const added = Object.keys(after).filter((path) => !(path in before));
  expect(added.every((path) => path.startsWith('.dev/specs/copy/'))).toBe(true);
  expect(stdout).not.toMatch(/"[^"]*\.dev\/specs\/run-1/);
  return json;
}

function lastSeq(): number {
  return journalOf(project, 'run-1').length;
}

describe('a fork', () => {
  it('goes on from a moment with the documents of then, under its own name, ids going on', () => {
    const first = startTiny(project, [PLAIN_BLOCK, AGENTS_BLOCK, END_BLOCK]);
    const look = nextOf(acknowledge(project, first).json);
    const at = lastSeq();
    deliver(project, look);
    acknowledge(project, look);

    const json = forked(at);
    const { runId } = stateOf(project, 'run-1');
    expect(json).toMatchObject({
      ok: true,
      run: 'copy',
      status: 'forked',
      forkedFrom: { name: 'run-1', runId, seq: at },
    });
    const state = stateOf(project, 'copy') as unknown as Record<string, unknown>;
    expect(state).toMatchObject({ name: 'copy', status: 'live', forkedFrom: json['forkedFrom'] });
    expect(state['runId']).not.toBe(runId);
    expect(journalOf(project, 'copy')[0]).toMatchObject({ type: 'init', data: { forkedFrom: json['forkedFrom'] } });
    expect(readdirSync(join(runDir(project, 'copy'), 'findings'))).toEqual([]);
    const again = nextOf(json);
    expect(again).toMatchObject({ run: 'copy', block: 'look', actionId: 'a3' });
    expect(readFileSync(join(project.root, again.agents?.[0]?.promptFile ?? ''), 'utf8')).not.toContain(run);
    deliver(project, again);
    expect(acknowledge(project, again).json).toMatchObject({ completed: 'look' });
    expect(devCli(project, ['history', 'copy']).stdout).toContain(`from   run-1 at entry ${at} (${runId})`);
    const before = devCli(project, ['history', 'copy', '--step', 'think']);
    expect(before.stderr).toMatch(
      /^UNKNOWN_BLOCK: .* Before the fork \(up to entry \d+\): dev-cli history run-1 --step think --run \S+\n$/,
    );
    const command = before.stderr.slice(before.stderr.indexOf('dev-cli ')).trim();
    expect(runPrinted(project, `${command} --text`).stdout).toContain('✓ think a1: done');
  });

  it('is neither active nor a guard until somebody goes on with it', () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const guard = () => readFileSync(join(project.root, '.dev/guard'), 'utf8');
    expect(guard()).toBe('ask\nrun-1 2\n');
    const json = forked(2);
    expect(guard()).toBe('ask\nrun-1 2\n');
    expect(readFileSync(join(project.root, '.dev/active-spec'), 'utf8')).toBe('run-1\n');
    acknowledge(project, nextOf(json));
    expect(guard()).toBe('ask\ncopy 4\nrun-1 2\n');
    expect(acknowledge(project, first).code).toBe(0);
  });

  it('keeps what was taken of a dispatch, and takes no document of the past for a new one', () => {
    const look = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    deliver(project, look, ['one']);
    acknowledge(project, look);
    const half = nextOf(forked(lastSeq()));
    expect(half.agents?.map(({ id }) => id)).toEqual(['two']);
    rmSync(runDir(project, 'copy'), { recursive: true });

    deliver(project, look, ['two']);
    acknowledge(project, look);
    devCli(project, ['step', 'invalidate', 'run-1', '--step', 'look']);
    const redone = nextOf(forked(lastSeq()));
    expect(redone.agents?.map(({ id }) => id)).toEqual(['one', 'two']);
    const refused = acknowledge(project, redone);
    expect([refused.code, refused.json.error?.code]).toEqual([3, 'EVIDENCE_MISSING']);
    deliver(project, redone);
    expect(acknowledge(project, redone).code).toBe(0);
  });

  it('takes a gate over with its choices, and why a step is done again', () => {
    const think = startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK]);
    const gate = nextOf(acknowledge(project, think).json);
    const there = nextOf(forked(lastSeq()));
    expect(there).toMatchObject({ block: 'confirm', choices: [{ id: 'yes' }, { id: 'again' }, { id: 'stop' }] });
    expect(choose(project, there, 'yes').json).toMatchObject({ run: 'copy', completed: 'confirm' });
    rmSync(runDir(project, 'copy'), { recursive: true });

    writeProjectFile(project, 'why.md', 'not deep enough');
    devCli(project, ['step', 'complete', 'run-1', '--action', gate.actionId, '--choice', 'again', '--note', '@why.md']);
    const note = `.dev/specs/copy/actions/${gate.actionId}/note.md`;
    const again = nextOf(forked(lastSeq()));
    expect(again.read).toContain(note);
    expect(readFileSync(join(project.root, note), 'utf8')).toContain('not deep enough');
  });

  it('of a halted run can be reopened under its own name', () => {
    const think = startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, END_BLOCK]);
    choose(project, nextOf(acknowledge(project, think).json), 'stop');
    const halted = nextOf(forked(lastSeq()));
    expect(halted).toMatchObject({ action: 'done', outcome: 'halted', run: 'copy' });
    const { resume } = halted as Action & { resume: string };
    expect(runPrinted(project, resume).json).toMatchObject({ run: 'copy', status: 'invalidated' });
  });

  it('goes on from early and late in a planning run, to the same end', () => {
    const agent = new StandIn({ project, name: 'run-1' });
    agent.drive(agent.start('--recipe specify-quick-autopilot'));
    const issued = journalOf(project, 'run-1').filter(({ type }) => type === 'issued');
    expect(issued.length).toBe(5);
    for (const { seq } of [issued[1], issued[3]] as { seq: number }[]) {
      const driven = new StandIn({ project, name: 'copy' });
      expect(driven.drive(nextOf(forked(seq)))).toMatchObject({ run: 'copy', outcome: 'completed' });
      expect(devCli(project, ['replay', 'copy', '--check']).code).toBe(0);
      rmSync(runDir(project, 'copy'), { recursive: true });
    }
  }, 120_000);

  const terminal = findTerminal();
  const suffix = terminal === null ? ` (skipped: ${NO_TERMINAL})` : '';
  it.skipIf(terminal === null)(
    `starts a command that was at work then by itself, and only when asked for${suffix}`,
    () => {
      const block = '\n  - id: outside\n    type: cli\n    command: node -e "setTimeout(() => {}, 60000)"\n';
      const recipe = tiny(project, 'tiny', [PLAIN_BLOCK, block, END_BLOCK]);
      terminal?.(`dev-cli trust ${recipe}`, { cwd: project.root, env: project.env, answers: ['y'] });
      devCli(project, ['init', 'run-1', '--recipe', recipe]);
      const env = { DEV_CLI_ANSWER_WITHIN: '0' };
      devCli(project, ['step', 'complete', 'run-1', '--action', 'a1'], { env });
      // Calls `fork` without comparing the original's files, because its runner may write at the same time.
      const { json } = fork(lastSeq());
      expect(nextOf(json)).toMatchObject({ action: 'running', actionId: 'a3', poll: 'dev-cli next copy --wait 45' });
      expect(existsSync(join(runDir(project, 'copy'), 'actions/a3'))).toBe(false);
      expect(devCli(project, ['next', 'copy'], { env }).json).toMatchObject({ action: 'running' });
      expect(existsSync(join(runDir(project, 'copy'), 'actions/a3'))).toBe(true);
      for (const name of ['copy', 'run-1']) expect(devCli(project, ['abort', name, '--reason', 'enough']).code).toBe(0);
    },
  );
});

describe('a fork is refused, and nothing is left behind', () => {
  /** Returns the refusal, after checking that it changed nothing. */
  function refused(seq: number, as?: string, from?: string): [number, string | undefined] {
    const before = imageOf(project);
    const { code, json } = fork(seq, as, from);
    expect(imageOf(project)).toEqual(before);
    expect(readdirSync(join(project.root, '.dev/specs'))).not.toContain('copy');
    return [code, json.error?.code];
  }

  it.each([
    [0, 'UNKNOWN_ENTRY'],
    [99, 'UNKNOWN_ENTRY'],
  ])('at entry %s, which is none', (seq, code) => {
    startTiny(project, [PLAIN_BLOCK]);
    expect(refused(seq)).toEqual([2, code]);
  });

  it('of no run, and under a name that is none', () => {
    startTiny(project, [PLAIN_BLOCK]);
    expect(refused(1, undefined, 'none')).toEqual([2, 'NO_SUCH_RUN']);
    expect(refused(1, '../x')).toEqual([2, 'NAME_INVALID']);
  });

  it('onto a name that is in use, or that has an ended run', () => {
    startTiny(project, [PLAIN_BLOCK]);
    const other = startTiny(project, [PLAIN_BLOCK], '', 'run-2');
    expect(refused(2, 'run-2')).toEqual([4, 'RUN_EXISTS']);
    expect(refused(2, 'run-1')).toEqual([4, 'RUN_EXISTS']);
    acknowledge(project, other);
    expect(refused(2, 'run-2')).toEqual([4, 'RUN_EXISTS']);
  });

  it('into a directory where somebody has put other documents', () => {
    startTiny(project, [PLAIN_BLOCK]);
    writeProjectFile(project, '.dev/specs/plans/recipe.json', '{}');
    expect(refused(2, 'plans')).toEqual([4, 'RUN_EXISTS']);
  });

  it('at an entry where the run had ended; before it, it goes on', () => {
    acknowledge(project, startTiny(project, [PLAIN_BLOCK]));
    expect(refused(lastSeq())).toEqual([4, 'RUN_ENDED']);
    expect(nextOf(forked(2))).toMatchObject({ block: 'think' });
  });

  it('when contents are missing, or are not what their names say', () => {
    startTiny(project, [PLAIN_BLOCK]);
    project.replay = false;
    const changeTexts = (change: (text: StoredText) => StoredText) =>
      rewriteEntries(project, 'run-1', (entries) =>
        entries.map(({ texts = {}, ...entry }) => ({
          ...entry,
          texts: Object.fromEntries(Object.entries(texts).map(([digest, text]) => [digest, change(text)])),
        })),
      );
    changeTexts((text) => (typeof text === 'string' ? text : { deflated: text.deflated.slice(0, -8) }));
    expect(refused(2)).toEqual([1, 'CONTENT_MISSING']);
    changeTexts(() => 'else');
    expect(refused(2)).toEqual([1, 'CONTENT_MISSING']);
    rewriteEntries(project, 'run-1', (entries) => entries.map(({ texts, ...entry }) => entry));
    expect(refused(2)).toEqual([1, 'CONTENT_MISSING']);
  });

  it('from the journal of another name, and from a damaged one', () => {
    startTiny(project, [PLAIN_BLOCK]);
    startTiny(project, [PLAIN_BLOCK], '', 'run-2');
    project.replay = false;
    const journal = join(runDir(project, 'run-1'), 'events.jsonl');
    writeFileSync(journal, readFileSync(join(runDir(project, 'run-2'), 'events.jsonl')));
    expect(refused(2)).toEqual([1, 'JOURNAL_CORRUPT']);
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"init"', '"Init"'));
    expect(refused(2)).toEqual([1, 'JOURNAL_CORRUPT']);
  });
});
