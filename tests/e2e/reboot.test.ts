import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../support/agent.mjs';
import { devCli, journalOf, runDir } from '../support/cli.js';
import { project, useProject } from '../support/each-project.js';
import { readEntries } from '../support/entries.js';
import { generatePlan, RUN } from '../support/executing.js';
import { contentOf } from '../support/journal.js';
import { committedDocuments, LOSSES, type Loss, lose, reboot } from '../support/reboot.js';
import { SMALL_CREW, smallPlan } from '../support/small.mjs';

/**
 * The machine stops without warning in the middle of a run, and restarts with only the synced data (storage.md, After
 * another boot).
 */

const LONG = { timeout: 240_000 };

useProject();

const inRun = (path: string): string => join(runDir(project, RUN), path);
const recovered = (): string => JSON.stringify(journalOf(project, RUN).filter(({ type }) => type === 'recovered'));

function agentThat(before: (action: Action, agent: StandIn) => void = () => {}): StandIn {
  return new StandIn({ project, name: RUN, crew: SMALL_CREW, scenario: { plan: smallPlan(), before } });
}

/** Damages each of the run's documents and the snapshot, in ways that vary from round to round, and reboots. */
function stop(round: number): Map<string, Buffer[]> {
  const documents = new Map([...committedDocuments(project, RUN), ...renderings()]);
  [...documents].forEach(([path, contents], n) => {
    lose(inRun(path), LOSSES[(n + round) % LOSSES.length] as Loss, contents);
  });
  const state = readFileSync(inRun('state.json'));
  lose(inRun('state.json'), LOSSES[round % LOSSES.length] as Loss, [state]);
  reboot(project, RUN);
  return documents;
}

/** Contents of the documents that no journal entry contains, by path. */
let rendered: Map<string, Buffer[]>;
beforeEach(() => {
  rendered = new Map();
});

function renderings(): Map<string, Buffer[]> {
  for (const path of new Set(
    readEntries(readFileSync(inRun('events.jsonl'))).flatMap(({ rendered = [] }) => rendered),
  )) {
    const [known, content] = [rendered.get(path) ?? [], readFileSync(inRun(path))];
    if (!known.at(-1)?.equals(content)) rendered.set(path, [...known, content]);
  }
  return rendered;
}

/** Drives a run to its end; before each action, stops the machine and checks that `next` still returns the action. */
function driven(start: (agent: StandIn) => Action): Action {
  let round = 0;
  const agent = agentThat((action) => {
    const documents = stop(round++);
    const again = devCli(project, ['next', RUN]);
    expect(again.json, again.stdout).toEqual(action);
    for (const [path, contents] of documents) expect(readFileSync(inRun(path)), path).toEqual(contents.at(-1));
  });
  const done = agent.drive(start(agent));
  expect(round).toBeGreaterThan(3);
  return done;
}

describe('a machine that stops before every action', () => {
  it.each(['specify-quick-autopilot', 'specify-standard-interactive'])('keeps nothing of %s', LONG, (recipe) => {
    const done = driven((agent) => agent.start(`--recipe ${recipe}`));
    expect(done).toMatchObject({ done: true, outcome: 'completed' });
    expect(devCli(project, ['replay', RUN, '--check', '--json']).json).toMatchObject({ ok: true, differences: [] });
    expect(recovered()).toContain('after the machine had stopped');
  });

  it('keeps nothing of an execution', LONG, () => {
    generatePlan(project);
    const done = driven((agent) => agent.start('--recipe execute-standard'));
    expect(done).toMatchObject({ done: true, outcome: 'completed' });
    expect([...rendered.keys()].sort()).toEqual(['PLAN.md', 'context/audit.md', 'context/outputs.json']);
    expect(devCli(project, ['replay', RUN, '--check', '--json']).json).toMatchObject({ ok: true, differences: [] });
  });
});

describe('after another boot', () => {
  /** Returns the pending action of a run that has already committed its draft and other documents. */
  function begun(): Action {
    const agent = agentThat();
    let action = agent.start('--recipe specify-quick-autopilot');
    for (let n = 0; n < 2; n += 1) action = agent.step(action);
    return action;
  }

  it('an edited document stays, and is named once', () => {
    const action = begun();
    const draft = `${readFileSync(inRun('DRAFT.md'), 'utf8')}\nMine.\n`;
    writeFileSync(inRun('DRAFT.md'), draft);
    reboot(project, RUN);
    expect(devCli(project, ['next', RUN]).json).toEqual(action);
    expect(readFileSync(inRun('DRAFT.md'), 'utf8')).toBe(draft);
    expect(recovered()).toMatch(/the machine has stopped.*DRAFT\.md is not as recorded.*was left/);
    const entries = journalOf(project, RUN).length;
    expect(devCli(project, ['next', RUN]).json).toEqual(action);
    expect(journalOf(project, RUN)).toHaveLength(entries);
  });

  it('a plan that somebody edited stays, with its boxes ticked, and is never lost', LONG, () => {
    generatePlan(project);
    const agent = agentThat();
    // The commands are approved before the edit, because the approval is for the unedited plan.
    let action = agent.step(agent.start('--recipe execute-quick'));
    const edited = readFileSync(inRun('PLAN.md'), 'utf8').replace(/^## .*/m, '$&, and mine');
    writeFileSync(inRun('PLAN.md'), edited);
    reboot(project, RUN);
    expect(devCli(project, ['next', RUN]).code).toBe(0);
    expect(readFileSync(inRun('PLAN.md'), 'utf8')).toBe(edited);
    while (!readFileSync(inRun('PLAN.md'), 'utf8').includes('[x]')) action = agent.step(action);
    const ticked = readFileSync(inRun('PLAN.md'));
    expect(ticked.toString()).toContain(', and mine');
    // Once dev-cli has written the file again, a journal entry contains the person's edit.
    expect(committedDocuments(project, RUN).get('PLAN.md')?.at(-1)).toEqual(ticked);
    lose(inRun('PLAN.md'), 'zeros', [ticked]);
    reboot(project, RUN);
    expect(devCli(project, ['next', RUN]).code).toBe(0);
    expect(readFileSync(inRun('PLAN.md'))).toEqual(ticked);
  });

  it.each([
    ['grew too large to be one', (path: string) => truncateSync(path, 9 * 1024 * 1024)],
    [
      'gave way to a directory',
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('a document that %s stays, and keeps no call from its answer', (_what, change) => {
    const action = begun();
    const path = [...committedDocuments(project, RUN).keys()].find((one) => /^(findings|analysis)\//.test(one)) ?? '';
    expect(path).not.toBe('');
    change(inRun(path));
    reboot(project, RUN);
    expect(devCli(project, ['manifest', RUN]).code).toBe(0);
    expect(devCli(project, ['next', RUN]).json).toEqual(action);
    expect(recovered()).toContain(`${path} is not as recorded, as if edited, and was left`);
    project.replay = false;
  });

  it('nothing is written where nothing is lost', () => {
    const action = begun();
    reboot(project, RUN);
    const before = readFileSync(inRun('events.jsonl'), 'utf8');
    for (let n = 0; n < 2; n += 1) expect(devCli(project, ['next', RUN]).json).toEqual(action);
    expect(readFileSync(inRun('events.jsonl'), 'utf8')).toBe(before);
  });

  it('questions show documents as they will be, and write nothing', () => {
    begun();
    const [path, contents] = ['DRAFT.md', committedDocuments(project, RUN).get('DRAFT.md') ?? []] as const;
    const before = devCli(project, ['manifest', RUN]).stdout;
    lose(inRun(path), 'zeros', contents);
    const recipe = readFileSync(inRun('recipe.json'));
    lose(inRun('recipe.json'), 'zeros', [recipe]);
    reboot(project, RUN);
    const entries = journalOf(project, RUN).length;
    expect(devCli(project, ['manifest', RUN]).stdout).toBe(before);
    expect(journalOf(project, RUN)).toHaveLength(entries);
    const replayed = devCli(project, ['replay', RUN, '--check', '--json']).json as { ok: boolean; notes?: object[] };
    expect(replayed).toMatchObject({ ok: true });
    const problem = 'has lost a part; the next call restores it';
    for (const lost of ['recipe.json', path])
      expect(replayed.notes).toContainEqual(expect.objectContaining({ path: lost, problem }));
    expect(readFileSync(inRun(path)).every((byte) => byte === 0)).toBe(true);
    // An edited file is not restored; if only dev-cli may write it, `replay --check` reports a difference.
    writeFileSync(inRun('recipe.json'), `${recipe} `);
    const edited = devCli(project, ['replay', RUN, '--check', '--json']);
    expect([edited.code, edited.json['differences']]).toMatchObject([
      3,
      [{ path: 'recipe.json', problem: 'was changed since' }],
    ]);
    writeFileSync(inRun('recipe.json'), recipe);
  });

  it('a document that is back is no new evidence', () => {
    const agent = agentThat();
    let action = agent.start('--recipe specify-standard-autopilot');
    while (action.action !== 'dispatch-subagents') action = agent.step(action);
    const outputs = (action.agents ?? []).flatMap(({ output }) => output ?? []);
    expect(outputs.length).toBeGreaterThan(0);
    reboot(project, RUN);
    const refused = devCli(project, (action.ack ?? '').split(' ').slice(1));
    expect(refused.json.error?.code).toBe('EVIDENCE_MISSING');
  });

  it('a document that a commit removed goes again', LONG, () => {
    const agent = agentThat();
    agent.drive(agent.start('--recipe specify-quick-autopilot'));
    const files = journalOf(project, RUN).flatMap(
      (entry) => entry['files'] as { path: string; before: string | null; after: string | null }[],
    );
    const removed = files.filter(({ before, after }) => before !== null && after === null);
    expect(removed.length).toBeGreaterThan(0);
    for (const { path, before } of removed) {
      mkdirSync(dirname(inRun(path)), { recursive: true });
      writeFileSync(inRun(path), contentOf(project, RUN, before ?? '') ?? '');
    }
    reboot(project, RUN);
    expect(devCli(project, ['next', RUN]).json['done']).toBe(true);
    for (const { path } of removed) expect(existsSync(inRun(path)), path).toBe(false);
  });

  it('an abort puts back what is lost, and says so', () => {
    begun();
    const documents = committedDocuments(project, RUN);
    for (const path of ['DRAFT.md', 'recipe.json']) lose(inRun(path), 'zeros', documents.get(path) ?? []);
    reboot(project, RUN);
    const aborted = devCli(project, ['abort', RUN, '--reason', 'x']);
    expect(aborted.json).toMatchObject({ status: 'aborted' });
    expect(JSON.stringify(aborted.json.warnings)).toContain('DRAFT.md, recipe.json were not as recorded');
    expect(recovered()).toContain('DRAFT.md, recipe.json were not as recorded');
    for (const [path, contents] of documents) expect(readFileSync(inRun(path)), path).toEqual(contents.at(-1));
  });

  it('the plan of a run that has ended is put back before it is executed', LONG, () => {
    const agent = agentThat();
    expect(agent.drive(agent.start('--recipe specify-quick-autopilot')).done).toBe(true);
    const documents = committedDocuments(project, RUN);
    for (const path of ['PLAN.md', 'plan-content.json']) lose(inRun(path), 'zeros', documents.get(path) ?? []);
    reboot(project, RUN);
    const other = agentThat();
    const action = other.start('--recipe execute-quick');
    expect(action.done).toBeUndefined();
    expect(readFileSync(inRun('plan-content.json'))).toEqual(documents.get('plan-content.json')?.at(-1));
  });
});
