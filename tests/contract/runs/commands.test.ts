import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { StandIn } from '../../support/agent.mjs';
import { devCli, imageOf, init, journalOf, nextOf, runDir, stateOf, writeProjectFile } from '../../support/cli.js';
import { planContent } from '../../support/content.mjs';
import { project, useProject } from '../../support/each-project.js';
import { SPECIFY_RECIPES } from '../../support/recipes.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import {
  AGENTS_BLOCK,
  CHOICE_BLOCK,
  choose,
  deliver,
  END_BLOCK,
  LOOP_BLOCK,
  PLAIN_BLOCK,
  PLAN_BLOCK,
  startTiny,
  tiny,
} from '../../support/tiny.js';

useProject();

const GOAL = ['--goal', 'Add JWT auth'];

describe('init (protocol.md §5)', () => {
  it.each([
    [[], 'specify-standard-interactive'],
    [['--quick'], 'specify-quick-interactive'],
    [['--autopilot'], 'specify-standard-autopilot'],
    [['--quick', '--autopilot'], 'specify-quick-autopilot'],
    [['--standard', '--interactive'], 'specify-standard-interactive'],
  ])('without --recipe, flags %j choose %s', (flags, recipe) => {
    const answer = init(project, 'one', ...flags, ...GOAL);
    expect(answer).toMatchObject({
      ok: true,
      run: 'one',
      status: 'initialized',
      next: { block: 'classify-intent', actionId: 'a1' },
    });
    const state = stateOf(project, 'one');
    expect(state.recipe).toBe(recipe);
    expect(state.mode).toMatchObject({
      depth: recipe.includes('quick') ? 'quick' : 'standard',
      interaction: recipe.split('-')[2],
    });
  });

  it('a flag that contradicts the recipe, or another flag, is exit 2', () => {
    const recipe = devCli(project, ['init', 'one', '--recipe', 'specify-quick-autopilot', '--standard', ...GOAL]);
    expect([recipe.code, recipe.json.error?.code]).toEqual([2, 'MODE_CONTRADICTION']);
    expect(devCli(project, ['init', 'one', '--quick', '--standard', ...GOAL]).code).toBe(2);
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
  });

  it('again with the same recipe: resumed, the same action; another goal is a warning and changes nothing', () => {
    const first = init(project, 'one', '--quick', ...GOAL);
    const again = init(project, 'one', '--quick', ...GOAL);
    expect(again).toMatchObject({ status: 'resumed', next: first.next });
    const other = init(project, 'one', '--quick', '--goal', 'Remove JWT auth');
    expect(other).toMatchObject({ status: 'resumed', next: first.next, warnings: [expect.stringContaining('goal')] });
    expect(stateOf(project, 'one').goal).toBe('Add JWT auth');
    expect(init(project, 'one').status).toBe('resumed');
  });

  it('another recipe while live: RUN_EXISTS; --force aborts the live one in the same commit', () => {
    const first = init(project, 'one', '--quick', ...GOAL);
    const conflict = devCli(project, ['init', 'one', '--recipe', 'specify-standard-autopilot', ...GOAL]);
    expect([conflict.code, conflict.json.error?.code]).toEqual([4, 'RUN_EXISTS']);
    const before = stateOf(project, 'one').runId;
    const forced = init(project, 'one', '--recipe', 'specify-standard-autopilot', ...GOAL, '--force');
    expect(forced.status).toBe('initialized');
    expect(stateOf(project, 'one').runId).not.toBe(before);
    expect(nextOf(forced).actionId).not.toBe(nextOf(first).actionId);
    expect(
      devCli(project, ['step', 'complete', 'one', '--action', nextOf(first).actionId, '--choice', 'Bug']).code,
    ).not.toBe(1);
    expect(devCli(project, ['next', 'one']).json.actionId).toBe(nextOf(forced).actionId);
  });

  it('an ended run never blocks a new one; a completed one is not resumed', () => {
    const action = startTiny(project, [CHOICE_BLOCK]);
    choose(project, action, 'red');
    const first = stateOf(project, 'run-1').runId;
    expect(init(project, 'run-1', '--recipe', 'specify-quick-autopilot', ...GOAL).status).toBe('initialized');
    expect(stateOf(project, 'run-1').runId).not.toBe(first);
  });

  it('leaves nothing behind when it fails', () => {
    const goal = devCli(project, ['init', 'one', '--quick', '--goal', ' ']);
    expect([goal.code, goal.json.error?.code]).toEqual([2, 'DATA_MISSING']);
    const recipe = devCli(project, ['init', 'one', '--recipe', 'specify-quik-autopilot', ...GOAL]);
    expect([recipe.code, recipe.json.error?.code]).toEqual([2, 'UNKNOWN_RECIPE']);
    expect(JSON.stringify(recipe.json.error)).toContain('specify-quick-autopilot');
    const set = devCli(project, ['init', 'one', '--quick', ...GOAL, '--set', 'colour=red']);
    expect([set.code, set.json.error?.code]).toEqual([2, 'UNKNOWN_PREFERENCE']);
    const value = devCli(project, ['init', 'one', ...GOAL, '--set', 'external_research=perhaps']);
    expect(value.code).toBe(2);
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
  });

  it('--set and preferences.yaml reach the run; --set wins', () => {
    writeProjectFile(project, '.dev/preferences.yaml', 'external_research: true\n');
    init(project, 'one', ...GOAL);
    expect(stateOf(project, 'one').preferences).toMatchObject({ external_research: true });
    init(project, 'two', ...GOAL, '--set', 'external_research=false');
    expect(stateOf(project, 'two').preferences).toMatchObject({ external_research: false });
    writeProjectFile(project, '.dev/preferences.yaml', 'external_research: [\n');
    const broken = devCli(project, ['init', 'three', ...GOAL]);
    expect([broken.code, broken.json.error?.code]).toEqual([3, 'PREFERENCES_INVALID']);
    expect(existsSync(runDir(project, 'three'))).toBe(false);
  });

  it('with external_research the fourth analyst is asked', () => {
    const agent = new StandIn({
      project,
      scenario: { before: ({ block }) => (block === 'analyze-full' ? 'stop' : undefined) },
    });
    const action = agent.drive(agent.start('--recipe specify-standard-autopilot --set external_research=true'));
    expect(action.agents?.map(({ id }) => id)).toEqual([
      'gap-analyzer',
      'tradeoff-analyzer',
      'verification-planner',
      'external-researcher',
    ]);
  });

  it('adopts a directory from elsewhere and overwrites nothing', () => {
    writeProjectFile(project, '.dev/specs/one/PLAN.md', '# A plan of my own\n');
    writeProjectFile(project, '.dev/specs/one/notes/a.txt', 'mine\n');
    expect(init(project, 'one', '--quick', ...GOAL).status).toBe('initialized');
    expect(readFileSync(join(runDir(project, 'one'), 'PLAN.md'), 'utf8')).toBe('# A plan of my own\n');
    expect(readFileSync(join(runDir(project, 'one'), 'notes/a.txt'), 'utf8')).toBe('mine\n');
  });

  it('writes the goal word for word into the draft and makes the whitelist for git', () => {
    init(project, 'one', '--quick', ...GOAL);
    expect(readFileSync(join(runDir(project, 'one'), 'DRAFT.md'), 'utf8')).toContain('Add JWT auth');
    const ignore = readFileSync(join(project.root, '.dev/.gitignore'), 'utf8');
    for (const kept of ['PLAN.md', 'plan-content.json', 'summary.md', 'report.md', 'recipes/'])
      expect(ignore).toContain(kept);
  });
});

describe('manifest', () => {
  it('names step, mode, draft, agents, failures and the pending action; text and JSON', () => {
    const action = startTiny(
      project,
      [AGENTS_BLOCK, LOOP_BLOCK, END_BLOCK],
      'draft:\n  required: [boundaries, criteria]\n',
    );
    deliver(project, action, ['one']);
    const answer = devCli(project, [
      'step',
      'complete',
      'run-1',
      '--action',
      'a1',
      '--without',
      'two',
      '--reason',
      'it crashed',
    ]);
    const text = devCli(project, ['manifest', 'run-1']).stdout;
    for (const part of ['Step', 'Mode', 'DRAFT', 'Agents', 'Failed', 'it crashed', 'boundaries'])
      expect(text).toContain(part);
    expect(text).toContain(JSON.stringify(answer.json.next));
    const json = devCli(project, ['manifest', 'run-1', '--json']);
    expect(JSON.stringify(json.json)).toContain('interview');
  });
});

describe('status, list, use', () => {
  it('status opens with who waits for whom and what the reader can do', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const { stdout } = devCli(project, ['status', 'run-1']);
    expect(stdout.split('\n')[0]).toMatch(/^run-1 +tiny-run-1 /);
    expect(stdout).toMatch(/^now /m);
    expect(stdout).toMatch(/^you /m);
    expect(stdout).toContain('think');
    const json = devCli(project, ['status', 'run-1', '--json']).json;
    expect(JSON.stringify(json)).toContain('think');
  });

  it('list shows every run with where it stands', () => {
    expect(devCli(project, ['list']).code).toBe(0);
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    startTiny(project, [CHOICE_BLOCK], '', 'run-2');
    const { stdout } = devCli(project, ['list']);
    expect(stdout.split('\n')[0]).toMatch(/NAME +SKILL +RECIPE +STATE +WHERE +WAITS FOR +UPDATED/);
    expect(stdout).toMatch(/^run-1 .*think/m);
    expect(stdout).toMatch(/^run-2 .*colour/m);
  });

  it('use makes a run the active one; a run that is none is exit 2', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    startTiny(project, [CHOICE_BLOCK], '', 'run-2');
    expect(devCli(project, ['use', 'run-1']).code).toBe(0);
    expect(readFileSync(join(project.root, '.dev/active-spec'), 'utf8').trim()).toBe('run-1');
    expect(devCli(project, ['use', 'run-3']).json.error?.code).toBe('NO_SUCH_RUN');
  });
});

describe('draft', () => {
  beforeEach(() => {
    startTiny(project, [LOOP_BLOCK, END_BLOCK], 'draft:\n  required: [boundaries, criteria]\n');
  });
  const draft = (): string => readFileSync(join(runDir(project, 'run-1'), 'DRAFT.md'), 'utf8');

  it('update replaces one section and nothing else, byte for byte', () => {
    const before = draft();
    writeFileSync(join(runDir(project, 'run-1'), 'DRAFT.md'), before.replace('## ', '<!-- a note -->\n\n##  '));
    const renamed = draft();
    expect(
      devCli(project, ['draft', 'update', 'run-1', '--section', 'criteria', '--data', '{"why":"x","list":["a","b"]}'])
        .code,
    ).toBe(0);
    const after = draft();
    expect(after).toContain('- **why**: x');
    expect(after.startsWith(renamed.slice(0, renamed.indexOf('criteria')))).toBe(true);
    devCli(project, ['draft', 'update', 'run-1', '--section', 'criteria', '--data', '"y"', '--append']);
    expect(draft()).toMatch(/\*\*why\*\*: x[\s\S]*y/);
  });

  it('given again, because the answer was lost, changes nothing and is recorded once', () => {
    const report = '---\nagent: helper\ntimestamp: 2026-01-31T09:30:00Z\nsummary: Two keys.\n---\n\nSo it is.\n';
    writeProjectFile(project, '.dev/specs/run-1/plan.json', JSON.stringify(planContent(0)));
    for (const [args, stdin] of [
      [['draft', 'update', 'run-1', '--section', 'criteria', '--data', '["z"]', '--append']],
      [['analysis', 'save', 'run-1', '--agent', 'helper'], report],
      [['plan', 'generate', 'run-1', '--data', '@.dev/specs/run-1/plan.json']],
    ] as const) {
      const give = () => devCli(project, [...args], stdin === undefined ? {} : { stdin });
      const before = journalOf(project, 'run-1').length;
      expect(give().code, args.join(' ')).toBe(0);
      expect(journalOf(project, 'run-1'), args.join(' ')).toHaveLength(before + 1);
      const image = imageOf(project);
      expect(give().code, args.join(' ')).toBe(0);
      expect(imageOf(project), args.join(' ')).toEqual(image);
    }
  });

  it('content that looks like a heading or marker of a section stays inside its section', () => {
    const marker = /<!--.*boundaries.*-->/.exec(draft())?.[0] ?? '';
    expect(marker).not.toBe('');
    const data = JSON.stringify(`one\n\n## Boundaries\n${marker}\nnot a boundary`);
    expect(devCli(project, ['draft', 'update', 'run-1', '--section', 'criteria', '--data', data]).code).toBe(0);
    const report = devCli(project, ['draft', 'validate', 'run-1']);
    expect([report.code, report.json]).toEqual([3, expect.objectContaining({ ready: false, missing: ['boundaries'] })]);
  });

  it('validate counts; an unknown section is exit 2 with the valid ones', () => {
    const report = devCli(project, ['draft', 'validate', 'run-1']);
    expect(report.code).toBe(3);
    expect(report.json).toMatchObject({ ready: false, total: 8, missing: ['boundaries', 'criteria'] });
    devCli(project, ['draft', 'update', 'run-1', '--data', '{"criteria":"x","boundaries":"y"}']);
    const ready = devCli(project, ['draft', 'validate', 'run-1']);
    expect([ready.code, ready.json]).toEqual([0, expect.objectContaining({ ready: true, missing: [] })]);
    const unknown = devCli(project, ['draft', 'update', 'run-1', '--section', 'purpos', '--data', '"x"']);
    expect([unknown.code, unknown.json.error?.code]).toEqual([2, 'UNKNOWN_SECTION']);
    expect(JSON.stringify(unknown.json.error)).toContain('assumptions');
  });

  it('validate asks a quick recipe for boundaries and criteria where it makes a plan, and only there', () => {
    const loop = LOOP_BLOCK.replace('sections: [boundaries, criteria]\n', 'sections: [intent, boundaries, criteria]\n');
    const missing = (name: string, blocks: string[]) => {
      startTiny(project, blocks, '', name);
      const { code, json } = devCli(project, ['draft', 'validate', name]);
      return [code, json['missing']];
    };
    expect(missing('plans', [loop, PLAN_BLOCK])).toEqual([3, ['intent', 'boundaries', 'criteria']]);
    expect(missing('asks', [loop, END_BLOCK])).toEqual([3, ['intent']]);
  });

  it('auto-assume fills what is missing and marks it', () => {
    expect(devCli(project, ['draft', 'auto-assume', 'run-1']).code).toBe(0);
    expect(devCli(project, ['draft', 'validate', 'run-1']).code).toBe(0);
    expect(draft()).toContain('(assumed)');
  });

  it('show prints it; import takes findings in; a name without a run is exit 2', () => {
    expect(JSON.stringify(devCli(project, ['draft', 'show', 'run-1']).json)).toContain('purpose');
    const report = (agent: string, summary: string) =>
      `---\nagent: ${agent}\ntimestamp: 2026-01-01T00:00:00Z\nsummary: ${summary}\n---\n\nbody\n`;
    writeProjectFile(project, '.dev/specs/run-1/findings/old.md', report('old', 'of another goal'));
    writeProjectFile(project, 'x.md', report('x', 'found a thing'));
    expect(devCli(project, ['analysis', 'save', 'run-1', '--agent', 'x', '--data', '@x.md']).code).toBe(0);
    const imported = devCli(project, ['draft', 'import', 'run-1']);
    expect(imported.code).toBe(0);
    expect(JSON.stringify(imported.json)).toContain('findings/old.md: not from an agent of this run');
    expect(draft()).toContain('found a thing');
    expect(draft()).not.toContain('of another goal');
    expect(devCli(project, ['draft', 'show', 'nothing']).json.error?.code).toBe('NO_SUCH_RUN');
    // The new summary, "found", is how the old one, "found a thing", begins; the draft's line must change all the same.
    writeProjectFile(project, 'x.md', report('x', 'found'));
    devCli(project, ['analysis', 'save', 'run-1', '--agent', 'x', '--data', '@x.md']);
    devCli(project, ['draft', 'import', 'run-1']);
    expect(draft()).toMatch(/\[x\]\(analysis\/x\.md\): found$/m);
  });
});

describe('plan', () => {
  const content = (change: (plan: { todos: Record<string, unknown>[] }) => void = () => {}): string => {
    const plan = planContent(0) as { todos: Record<string, unknown>[] };
    change(plan);
    writeProjectFile(project, 'plan.json', JSON.stringify(plan));
    return '@plan.json';
  };

  it('generate works on a name without a run, validate and summary read', () => {
    const result = devCli(project, ['plan', 'generate', 'one', '--data', content()]);
    expect(result.code).toBe(0);
    expect(existsSync(join(runDir(project, 'one'), 'PLAN.md'))).toBe(true);
    expect(existsSync(join(runDir(project, 'one'), 'state.json'))).toBe(false);
    expect(devCli(project, ['plan', 'validate', 'one']).code).toBe(0);
    expect(devCli(project, ['plan', 'summary', 'one']).code).toBe(0);
    expect(init(project, 'one', '--quick', ...GOAL).status).toBe('initialized');
  });

  it.each([
    [
      'a duplicate id',
      (todos: Record<string, unknown>[]) => Object.assign(todos[1] ?? {}, { id: 'todo-1' }),
      '/todos/1/id',
    ],
    [
      'a cycle',
      (todos: Record<string, unknown>[]) => Object.assign(todos[0] ?? {}, { dependsOn: ['todo-2'] }),
      'todo-1 → todo-2',
    ],
    [
      'a self-dependency',
      (todos: Record<string, unknown>[]) => Object.assign(todos[0] ?? {}, { dependsOn: ['todo-1'] }),
      'todo-1',
    ],
    [
      'an unknown dependency',
      (todos: Record<string, unknown>[]) => Object.assign(todos[3] ?? {}, { dependsOn: ['todo-9'] }),
      'todo-9',
    ],
    [
      'an unknown reference',
      (todos: Record<string, unknown>[]) =>
        Object.assign(todos[1] ?? {}, { inputs: [{ name: 'x', from: '${todo-1.outputs.nothing}' }] }),
      '/todos/1/inputs/0',
    ],
    [
      'no acceptance',
      (todos: Record<string, unknown>[]) => Object.assign(todos[0] ?? {}, { acceptance: [] }),
      '/todos/0/acceptance',
    ],
    [
      'a glob that leaves',
      (todos: Record<string, unknown>[]) => Object.assign(todos[0] ?? {}, { files: ['../other/**'] }),
      '/todos/0/files/0',
    ],
    [
      'a glob into .dev',
      (todos: Record<string, unknown>[]) => Object.assign(todos[0] ?? {}, { files: ['.dev/specs/**'] }),
      '/todos/0/files/0',
    ],
    [
      'an unknown key',
      (todos: Record<string, unknown>[]) => Object.assign(todos[0] ?? {}, { colour: 'red' }),
      '/todos/0',
    ],
    ['no todos', (todos: Record<string, unknown>[]) => todos.splice(0), '/todos'],
  ])('%s is found, and nothing is written', (_what, change, found) => {
    const result = devCli(project, ['plan', 'generate', 'one', '--data', content((plan) => change(plan.todos))]);
    expect([result.code, result.json.error?.code]).toEqual([3, 'SCHEMA_INVALID']);
    expect(JSON.stringify(result.json.error)).toContain(found);
    expect(existsSync(runDir(project, 'one'))).toBe(false);
  });

  it('an input from a todo implies the dependency', () => {
    const data = content(({ todos }) => Object.assign(todos[1] ?? {}, { dependsOn: [] }));
    expect(devCli(project, ['plan', 'generate', 'one', '--data', data]).code).toBe(0);
  });

  it('template is an example that is valid itself', () => {
    const template = devCli(project, ['plan', 'template']);
    expect(template.code).toBe(0);
    expect(JSON.stringify(template.json)).toContain('acceptance');
  });

  it('generating again keeps the boxes of unchanged todos', () => {
    devCli(project, ['plan', 'generate', 'one', '--data', content()]);
    const path = join(runDir(project, 'one'), 'PLAN.md');
    writeFileSync(
      path,
      readFileSync(path, 'utf8')
        .replace('### [ ] todo-1:', '### [x] todo-1:')
        .replace('### [ ] todo-3:', '### [x] todo-3:'),
    );
    devCli(project, [
      'plan',
      'generate',
      'one',
      '--data',
      content(({ todos }) => Object.assign(todos[2] ?? {}, { title: 'Another refusal' })),
    ]);
    const plan = readFileSync(path, 'utf8');
    expect(plan).toContain('### [x] todo-1:');
    expect(plan).toContain('### [ ] todo-3: Another refusal');
  });
});

describe('check, analysis save, cleanup', () => {
  it('check says what is wrong with any promised output', () => {
    const action = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    deliver(project, action);
    expect(devCli(project, ['check', '.dev/specs/run-1/findings/one.md']).code).toBe(0);
    writeProjectFile(project, '.dev/specs/run-1/findings/two.md', '# nothing\n');
    const bad = devCli(project, ['check', '.dev/specs/run-1/findings/two.md']);
    expect(bad.code).toBe(3);
    expect(bad.json.ok).toBe(false);
    expect(JSON.stringify(bad.json)).toMatch(/front matter/i);
    expect(devCli(project, ['check', 'nothing.md'])).toMatchObject({
      code: 3,
      json: { problems: [{ target: 'nothing.md', problem: 'not written' }] },
    });
  });

  it('analysis save takes standard input', () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const text = '---\nagent: gap-analyzer\ntimestamp: 2026-01-01T00:00:00Z\nsummary: one gap\n---\n\nA gap.\n';
    const saved = devCli(project, ['analysis', 'save', 'run-1', '--agent', 'gap-analyzer'], { stdin: text });
    expect(saved.code, saved.stdout).toBe(0);
    expect(Object.keys(imageOf(project, '.dev/specs/run-1/analysis'))).toHaveLength(1);
    expect(devCli(project, ['analysis', 'save', 'run-1', '--agent', '../x'], { stdin: text }).code).toBe(2);
    expect(devCli(project, ['analysis', 'save', 'run-1', '--agent', 'gap-analyzer'], { stdin: '' }).code).toBe(2);
  });

  it('cleanup by hand leaves a run that goes on its draft, and tidies up behind one that was aborted', () => {
    const [draft, summary] = ['DRAFT.md', 'summary.md'].map((file) => join(runDir(project, 'run-1'), file));
    const there = () => [existsSync(draft ?? ''), existsSync(summary ?? '')];
    startTiny(project, [LOOP_BLOCK, END_BLOCK], 'draft:\n  required: [boundaries, criteria]\n');
    const image = imageOf(project);
    const refused = devCli(project, ['cleanup', 'run-1']);
    expect([refused.code, refused.json.error?.code]).toEqual([4, 'RUN_ACTIVE']);
    expect(refused.json.error?.fix).toBe('dev-cli next run-1');
    expect([imageOf(project), there()]).toEqual([image, [true, false]]);
    devCli(project, ['abort', 'run-1', '--reason', 'not wanted']);
    expect(devCli(project, ['cleanup', 'run-1']).code).toBe(0);
    expect(there()).toEqual([false, true]);
    const tidied = imageOf(project);
    expect(devCli(project, ['cleanup', 'run-1']).code).toBe(0);
    expect(imageOf(project)).toEqual(tidied);
  });
});

describe('human gates', () => {
  const GATE =
    '\n  - id: approve\n    type: wait-for-user\n    human: required\n    message: Shall it be?\n    choices: [{ id: approve, label: go, goto: next }, { id: stop, label: no, goto: halt }]\n';

  it('a choice without a person is refused, however often; nothing changes', () => {
    const gate = startTiny(project, [GATE, END_BLOCK]);
    const image = imageOf(project);
    expect(gate).toMatchObject({
      answer: 'dev-cli approve run-1',
      choices: [{ id: 'approve', label: 'go' }, { id: 'stop' }],
    });
    expect(JSON.stringify(gate)).not.toContain('step complete');
    for (const id of ['approve', 'stop', 'approve']) {
      const result = devCli(project, ['step', 'complete', 'run-1', '--action', gate.actionId, '--choice', id]);
      expect([result.code, result.json.error?.code]).toEqual([3, 'HUMAN_REQUIRED']);
      expect(result.json.error).toMatchObject({ answer: 'dev-cli approve run-1' });
      expect(result.json.error?.fix).not.toMatch(/approve|trust/);
    }
    expect(imageOf(project)).toEqual(image);
  });

  it('approve needs a terminal', () => {
    startTiny(project, [GATE, END_BLOCK]);
    const result = devCli(project, ['approve', 'run-1']);
    expect([result.code, result.json.error?.code]).toEqual([3, 'TERMINAL_REQUIRED']);
  });

  const terminal = findRealTerminal();
  it.skipIf(terminal === null)(
    `a person at a terminal opens it, asked for the choice or naming it${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    () => {
      startTiny(project, [GATE, END_BLOCK]);
      const chosen = terminal?.('dev-cli approve run-1', { cwd: project.root, env: project.env, answers: ['approve'] });
      expect(chosen?.exit, chosen?.output).toBe(0);
      expect(devCli(project, ['next', 'run-1']).json.block).toBe('last');
      expect(stateOf(project, 'run-1').gates['approve']).toMatchObject({
        choice: 'approve',
        by: expect.stringContaining('human'),
      });

      startTiny(project, [GATE, END_BLOCK], '', 'run-2');
      const approved = terminal?.('dev-cli approve run-2 --choice approve', {
        cwd: project.root,
        env: project.env,
        answers: ['yes'],
      });
      expect(approved?.exit, approved?.output).toBe(0);
      expect(devCli(project, ['next', 'run-2']).json.block).toBe('last');
    },
  );

  it.skipIf(terminal === null)(
    `approve asks, and takes for an answer only what is typed after the question${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    () => {
      startTiny(project, [GATE, END_BLOCK]);
      const around = { cwd: project.root, env: project.env };
      const left = terminal?.('dev-cli approve run-1', { ...around, ahead: 'approve\n1\n', answers: [''] });
      expect(left?.output).toContain('Text typed before this question was ignored.');
      expect(left?.output).toContain('UNKNOWN_CHOICE: Nothing was chosen.');
      expect(devCli(project, ['next', 'run-1']).json.block).toBe('approve');
      const taken = terminal?.('dev-cli approve run-1', { ...around, answers: ['1'] });
      expect(taken?.exit, taken?.output).toBe(0);
      expect(taken?.output).not.toContain('typed before');
      expect(devCli(project, ['next', 'run-1']).json.block).toBe('last');
    },
  );
});

describe('recipe, schema', () => {
  it('recipe list names every recipe and the file that won', () => {
    tiny(project, 'specify-quick-autopilot', [PLAIN_BLOCK]);
    const { stdout } = devCli(project, ['recipe', 'list']);
    for (const recipe of SPECIFY_RECIPES) expect(stdout).toContain(recipe);
    expect(stdout).toContain('.dev/recipes/specify-quick-autopilot.yaml');
    expect(init(project, 'one', '--recipe', 'specify-quick-autopilot').next).toMatchObject({ block: 'think' });
  });

  it('recipe list --json names the variables that --set takes, with their defaults', () => {
    tiny(
      project,
      'own',
      [PLAIN_BLOCK],
      'vars: { rounds: 3 }\npreferences:\n  fast: { type: bool, description: Faster. }\n',
    );
    const { recipes } = devCli(project, ['recipe', 'list', '--json']).json as { recipes?: { name: string }[] };
    const of = (name: string) => recipes?.find((recipe) => recipe.name === name);
    expect(of('own')).toMatchObject({ variables: { rounds: 3, fast: null } });
    expect(of('specify-standard-interactive')).toMatchObject({ variables: { external_research: false } });
  });

  it('recipe lint: the shipped ones are clean, a faulty one has every fault with its place', () => {
    expect(devCli(project, ['recipe', 'lint']).code).toBe(0);
    writeProjectFile(
      project,
      '.dev/recipes/bad.yaml',
      'name: other\ntype: sequential\nblocks:\n  - id: a\n    typ: llm\n  - id: a\n    type: llm\n    instruktion: x\n',
    );
    const result = devCli(project, ['recipe', 'lint', '.dev/recipes/bad.yaml', '--json']);
    expect(result.code).toBe(3);
    expect(result.json.ok).toBe(false);
    const text = JSON.stringify(result.json);
    expect(text).toContain('bad.yaml:5:');
    expect(text).toContain('bad.yaml:8:');
    expect(text).toContain('instruction');
    const shown = devCli(project, ['recipe', 'lint', '.dev/recipes/bad.yaml']);
    expect(shown.code).toBe(3);
    expect(shown.stdout).toContain('^');
  });

  it('recipe show fills in every default', () => {
    tiny(project, 'tiny', [PLAIN_BLOCK]);
    const { stdout } = devCli(project, ['recipe', 'show', 'tiny']);
    expect(stdout).toContain('onError');
    expect(devCli(project, ['recipe', 'show', 'nothing']).code).toBe(2);
  });

  it.each(['recipe', 'plan-content', 'state', 'action', 'memory-book'])('schema %s is a JSON Schema', (name) => {
    const result = devCli(project, ['schema', name]);
    expect(result.code).toBe(0);
    expect(result.json['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(devCli(project, ['schema', 'colour']).code).toBe(2);
  });

  it('nothing of all this writes into the project', () => {
    mkdirSync(join(project.root, '.dev/recipes'), { recursive: true });
    for (const args of [
      ['recipe', 'list'],
      ['recipe', 'lint'],
      ['recipe', 'show', 'specify-quick-autopilot'],
      ['schema', 'action'],
      ['list'],
      ['plan', 'template'],
    ]) {
      devCli(project, args);
    }
    expect(imageOf(project)).toEqual({});
  });
});
