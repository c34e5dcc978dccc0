import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf, init, nextOf, runDir, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { CHECKOUT } from '../../support/project.mjs';
import { AGENTS_BLOCK, CHOICE_BLOCK, deliver, startTiny, tiny } from '../../support/tiny.js';

// protocol.md, init: work that is already under way is continued by whoever returns to it.

useProject();

const QUICK = ['--recipe', 'specify-quick-autopilot', '--goal'];

describe('a live run with the same goal under another name', () => {
  it.each([
    ['word for word', 'Add JWT auth, please!'],
    ['case, blanks, punctuation aside', '  add   jwt\nAUTH - please'],
    ['written in other characters', 'Ａdd JWT auth please'],
  ])('is refused with RUN_SAME_GOAL, and its next leads on: %s', (_what, goal) => {
    init(project, 'one', ...QUICK, 'Add JWT auth, please!');
    const before = imageOf(project);
    const refused = devCli(project, ['init', 'two', ...QUICK, goal]);
    expect([refused.code, refused.json.error?.code], refused.stdout).toEqual([4, 'RUN_SAME_GOAL']);
    expect(refused.json).toMatchObject({ run: 'one', error: { fix: 'dev-cli next one' } });
    expect(refused.json.error?.message).toContain('--new');
    expect(imageOf(project)).toEqual(before);
    expect(runPrinted(project, refused.json.error?.fix ?? '').json).toMatchObject({ run: 'one', actionId: 'a1' });
    expect(devCli(project, ['init', 'two', ...QUICK, goal, '--new']).json.status).toBe('initialized');
  });

  /** Checks that `init` begins a new run, although --new is not given. */
  function begun(name: string, goal: string): void {
    expect(devCli(project, ['init', name, ...QUICK, goal]).json).toMatchObject({ ok: true, status: 'initialized' });
  }

  it('another goal, an ended run, a run that cannot be read, and signs alone hold nobody back', () => {
    begun('one', 'Add JWT auth');
    begun('two', 'Add JWT auth for admins');
    expect(devCli(project, ['abort', 'one', '--reason', 'no']).code).toBe(0);
    begun('three', 'Add JWT auth');
    project.replay = false;
    writeProjectFile(project, '.dev/specs/three/state.json', '{');
    writeProjectFile(project, '.dev/specs/three/events.jsonl', 'nothing\n');
    begun('four', 'Add JWT auth');
    begun('five', '???');
    begun('six', '!!!');
  });
});

describe('who comes back', () => {
  it('with another goal is told the one that the run has, which does not change', () => {
    const goal = `Add JWT auth\u001b[8m ${'and more '.repeat(60)}`;
    init(project, 'one', ...QUICK, goal);
    const resumed = devCli(project, ['init', 'one', ...QUICK, 'Paint it red']);
    expect(resumed.json).toMatchObject({ ok: true, status: 'resumed' });
    const [warning = ''] = resumed.json.warnings ?? [];
    expect(warning).toContain('but the run keeps its own: "Add JWT auth and more');
    expect(warning.length).toBeLessThan(300);
    expect(stateOf(project, 'one').goal).toBe(goal.trim());
  });

  it('to a dispatch learns what is missing from the ack; what was delivered is not asked for again', () => {
    const first = startTiny(project, [AGENTS_BLOCK]);
    const [recipe, goal] = ['tiny-run-1', 'Add JWT auth'];
    const again = () => devCli(project, ['init', 'run-1', '--recipe', recipe, '--goal', goal]).json;
    expect(again().warnings).toBeUndefined();
    deliver(project, first, ['one']);
    const resumed = again();
    // The action itself is the same as before.
    expect(nextOf(resumed)).toEqual(first);
    expect(resumed.warnings).toEqual([expect.stringMatching(/^1 of 2 outputs .* run its ack before anything else/)]);
    const missing = runPrinted(project, first.ack ?? '');
    expect(missing.json.error?.details?.map(({ agent }) => agent)).toEqual(['two']);
    expect(again().warnings).toHaveLength(1);
    deliver(project, first, ['two']);
    expect(runPrinted(project, first.ack ?? '').json).toMatchObject({ ok: true, completed: 'look' });
  });

  it('of what has ended leads to the run that ended last', () => {
    init(project, 'two', ...QUICK, 'Add JWT auth');
    init(project, 'one', ...QUICK, 'Add JWT auth');
    for (const name of ['two', 'one']) expect(devCli(project, ['abort', name, '--reason', 'no']).code).toBe(0);
    const fixOf = (...words: string[]) => devCli(project, words).json.error;
    const last = (command: string) => ({
      code: 'NO_ACTIVE_RUN',
      fix: `The run that ended last: dev-cli ${command}. All: dev-cli list`,
    });
    expect(fixOf('status', '--json', '--full')).toMatchObject(last('status one --full'));
    expect(fixOf('plan', 'diff', '--json', '--round', '2')).toMatchObject(last('plan diff one --round 2'));
    init(project, 'three', ...QUICK, 'Add a flag');
    init(project, 'four', ...QUICK, 'Drop a flag');
    expect(devCli(project, ['abort', 'four', '--reason', 'no']).code).toBe(0);
    expect(fixOf('status', '--json')?.fix).toBe('A live run: dev-cli status three. All: dev-cli list');
  });

  it('without a name is led to the list of runs, and every skill says so', () => {
    init(project, 'one', ...QUICK, 'Add JWT auth');
    expect(devCli(project, ['abort', 'one', '--reason', 'no']).code).toBe(0);
    expect(devCli(project, ['next']).json.error).toMatchObject({ code: 'NO_ACTIVE_RUN', fix: 'dev-cli list' });
    for (const skill of ['specify', 'execute', 'ultrawork', 'open', 'bugfix']) {
      const text = readFileSync(join(CHECKOUT, 'skills', skill, 'SKILL.md'), 'utf8');
      expect(text, skill).toMatch(/in a new session: `dev-cli next <name>` .names: `dev-cli list`/);
      if (skill !== 'open') expect(text, skill).toContain('run its ack first');
    }
  });
});

describe('.dev/goal.md', () => {
  const there = (path = '.dev/goal.md') => existsSync(join(project.root, path));

  it('goes when a run has taken it, from a subdirectory too', () => {
    writeProjectFile(project, '.dev/goal.md', 'Add JWT auth\n');
    expect(init(project, 'one', ...QUICK, '@.dev/goal.md').status).toBe('initialized');
    expect([there(), stateOf(project, 'one').goal]).toEqual([false, 'Add JWT auth']);

    writeProjectFile(project, 'src/.dev/goal.md', 'Another\n');
    const begun = devCli(project, ['init', 'two', ...QUICK, '@.dev/goal.md'], { cwd: join(project.root, 'src') });
    expect(begun.code, begun.stdout).toBe(0);
    expect([there('src/.dev/goal.md'), stateOf(project, 'two').goal]).toEqual([false, 'Another']);
  });

  it('stays where init was refused, and where the run has another goal', () => {
    writeProjectFile(project, '.dev/goal.md', 'Add JWT auth\n');
    expect(devCli(project, ['init', 'one', '--recipe', 'unknown', '--goal', '@.dev/goal.md']).code).toBe(2);
    expect(there()).toBe(true);
    init(project, 'one', ...QUICK, 'Paint it red');
    expect(devCli(project, ['init', 'one', ...QUICK, '@.dev/goal.md']).json.status).toBe('resumed');
    expect(there()).toBe(true);
    // A caller that never got the answer to `init` repeats the call; the run has this goal, so the goal's file goes.
    init(project, 'two', ...QUICK, 'Add JWT auth');
    expect(devCli(project, ['init', 'two', ...QUICK, '@.dev/goal.md']).json.status).toBe('resumed');
    expect(there()).toBe(false);
  });

  it('no other file that the user names is touched', () => {
    const recipe = tiny(project, 'tiny', [CHOICE_BLOCK]);
    const names = ['goal.md', '.dev/request.md', '.dev/specs/goal.md', 'docs/.dev/goal.md', './.dev/goal.md'];
    for (const [index, name] of names.entries()) {
      writeProjectFile(project, name, `Goal ${index}\n`);
      init(project, `run-${index}`, '--recipe', recipe, '--goal', `@${name}`);
      expect(there(name), name).toBe(true);
    }
    expect(readFileSync(join(runDir(project, 'run-0'), 'state.json'), 'utf8')).toContain('Goal 0');
  });
});
