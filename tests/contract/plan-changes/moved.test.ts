import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { printAnew } from '../../core/plan/rich.js';
import { type Action, StandIn } from '../../support/agent.mjs';
import {
  type Document,
  devCli,
  runDir,
  runPrinted,
  spawnDevCli,
  stateOf,
  writeProjectFile,
} from '../../support/cli.js';
import { simpleCrew } from '../../support/crew.mjs';
import { project, useProject } from '../../support/each-project.js';
import { generatePlan, RUN, reportOf } from '../../support/executing.js';
import { callHook } from '../../support/hooks.js';
import { COUNTER, takeLoaded } from '../../support/loaded.js';
import { bareTodo, smallPlan } from '../../support/small.mjs';

// A change to a plan during its execution is always reported (issues 8 and 18; protocol.md §2).

let agent: StandIn;
useProject();
beforeEach(() => {
  agent = new StandIn({ project, crew: simpleCrew() });
});

const made = (id: string, change: object = {}) =>
  bareTodo(id, { acceptance: [{ id: 'ac-1', kind: 'command', run: ['test', '-f', `made/${id}.txt`] }], ...change });
const planOf = (...todos: object[]) => ({ ...smallPlan(), todos });
const BEFORE = planOf(
  made('todo-1'),
  made('todo-2', { dependsOn: ['todo-1'] }),
  made('todo-3', { dependsOn: ['todo-2'] }),
);
const AFTER = planOf(
  made('todo-1'),
  made('todo-2', { dependsOn: ['todo-1'], steps: ['Do it otherwise'] }),
  made('todo-4', { dependsOn: ['todo-2'] }),
);

/** Begins a plan of three todos, the first of which is handed out. */
function begun(): Action {
  generatePlan(project, BEFORE);
  return agent.execute('--execute --autopilot');
}

const next = () => devCli(project, ['next', RUN]);
const warningsOf = (document: Document): string[] => (document['warnings'] ?? []) as string[];
const movedIn = (document: Document): string[] => warningsOf(document).filter((line) => line.includes('not applied'));

function generate(plan: object): Document {
  writeProjectFile(project, '.dev/plan.json', JSON.stringify(plan));
  return devCli(project, ['plan', 'generate', RUN, '--data', '@.dev/plan.json']).json;
}

describe('plan generate while the plan is carried out', () => {
  it('says todo by todo what does not apply, and how it is taken up', () => {
    begun();
    const [line = ''] = movedIn(generate(AFTER));
    expect(line).toContain('continues with the plan that it captured');
    expect(line).toContain('1 added (todo-4); 1 changed (todo-2); 1 removed (todo-3)');
    expect(line).toContain(`dev-cli plan apply ${RUN}`);
  });

  it('is silent where nothing differs but how it is written', () => {
    begun();
    expect(movedIn(generate(JSON.parse(JSON.stringify(BEFORE, null, 4))))).toEqual([]);
    writeFileSync(join(runDir(project, RUN), 'plan-content.json'), JSON.stringify(BEFORE, null, 4));
    expect(movedIn(next().json)).toEqual([]);
  });

  it('names at most ten todos of a kind', () => {
    begun();
    const more = Array.from({ length: 40 }, (_, n) => made(`more-${n}`));
    const [line = ''] = movedIn(generate(planOf(...(BEFORE.todos as object[]), ...more)));
    expect(line).toContain('40 added (more-0, more-1, ');
    expect(line).toContain('more-9 and 30 more)');
    expect(line.length).toBeLessThan(600);
  });
});

describe('next', () => {
  it('is the action to the byte, with a warning beside it as long as the plan differs', () => {
    begun();
    const before = next().stdout;
    generate(AFTER);
    const during = next();
    expect(movedIn(during.json)).toHaveLength(1);
    const { warnings: _, ...action } = during.json;
    expect(`${JSON.stringify(action)}\n`).toBe(before);
    expect(next().stdout).toBe(during.stdout);
    expect(devCli(project, ['next', RUN, '--text']).stdout).toContain('warning: the execution of');
    generate(BEFORE);
    expect(next().stdout).toBe(before);
  });

  it('names a PLAN.md that was edited by hand, and no box', () => {
    begun();
    const path = join(runDir(project, RUN), 'PLAN.md');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('### [ ] todo-3', '### [x] todo-3'));
    expect(movedIn(next().json)).toEqual([]);
    writeFileSync(path, text.replace('Do it', 'Do it twice'));
    expect(movedIn(next().json).join()).toContain('PLAN.md, which was edited by hand');
  });

  it.each([
    ['no JSON', 'nothing {'],
    ['no plan', '[]'],
    ['bytes that are no text', '\uFFFD\u0000\u001b[31m'],
  ])('answers with the warning where plan-content.json is %s', (_what, text) => {
    begun();
    writeFileSync(join(runDir(project, RUN), 'plan-content.json'), text);
    const line = movedIn(next().json).join();
    expect(line).toContain('plan-content.json, which is not valid');
    expect(line).not.toMatch(/\p{Cc}/u);
  });

  it('gives the action where a document of the plan is something else, or gone', () => {
    begun();
    const before = next().stdout;
    for (const name of ['plan-content.json', 'PLAN.md', 'context/plan.json']) {
      const path = join(runDir(project, RUN), name);
      const text = readFileSync(path);
      rmSync(path);
      expect(next().stdout, name).toBe(before);
      // `next` has restored the removed file.
      expect(readFileSync(path), name).toEqual(text);
      rmSync(path);
      mkdirSync(path);
      expect(next().stdout, name).toBe(before);
      rmSync(path, { recursive: true });
      execFileSync('mkfifo', [path]);
      expect(next().stdout, name).toBe(before);
      rmSync(path);
      writeFileSync(path, Buffer.alloc(9 * 1024 * 1024, ' '));
      const { warnings: _, ...action } = next().json;
      expect(`${JSON.stringify(action)}\n`, name).toBe(before);
      writeFileSync(path, text);
    }
    expect(next().stdout).toBe(before);
  });
});

describe('what was found out about an edit', () => {
  const shown = () => join(runDir(project, RUN), 'PLAN.md');
  const kept = () => join(runDir(project, RUN), 'context/plan-move.json');
  const retitle = (title: string) =>
    writeFileSync(shown(), readFileSync(shown(), 'utf8').replace(/^### (.*)todo-3: .*/m, `### $1todo-3: ${title}`));

  /**
   * Lists the files that a question loads besides its start files. A question that has to compare an edited PLAN.md
   * with the plan loads the whole program.
   */
  function loadedBy(...words: string[]): string[] {
    const notes = join(project.home, 'loaded.jsonl');
    const env = { NODE_OPTIONS: `--require ${COUNTER}`, DEV_CLI_TEST_LOADED: notes };
    expect(spawnDevCli(project, [...words, RUN], { env }).code).toBe(0);
    const files = takeLoaded(notes).flatMap((loaded) => loaded.files);
    return files.map((file) => basename(file)).filter((name) => !/^(dev-cli\.js|program\.cjs)$/.test(name));
  }

  const loadedByNext = () => loadedBy('next');

  it.each([
    ['an edit', () => retitle('By hand'), 1],
    ['a formatter', () => writeFileSync(shown(), printAnew(readFileSync(shown(), 'utf8'), '*', '_')), 0],
    [
      'a change of plan-content.json',
      () => writeFileSync(join(runDir(project, RUN), 'plan-content.json'), JSON.stringify(AFTER)),
      1,
    ],
  ])('is read once after %s, not at each call', (_, change, warnings) => {
    begun();
    change();
    expect(loadedByNext()).toContain('cli.cjs');
    for (const _again of [1, 2]) expect(loadedByNext()).toEqual(['next.cjs']);
    expect(movedIn(next().json)).toHaveLength(warnings);
    retitle('By hand, again');
    expect(loadedByNext()).toContain('cli.cjs');
    expect(loadedByNext()).toEqual(['next.cjs']);
  });

  it.each(['status', 'manifest'])('is kept by %s, too', (question) => {
    begun();
    retitle('By hand');
    expect(loadedBy(question)).toContain('cli-edits.cjs');
    expect(loadedBy(question)).not.toContain('cli-edits.cjs');
    expect(loadedByNext()).toEqual(['next.cjs']);
    expect(movedIn(next().json)).toHaveLength(1);
  });

  it('is kept by the hook that tells a session of its run, too', () => {
    begun();
    const payload = { session_id: 's-1', cwd: project.root, source: 'startup' };
    callHook(project, 'session-start', 'claude', payload);
    devCli(project, ['use', RUN], { env: { DEV_CLI_SESSION: 's-1' } });
    retitle('By hand');
    expect(callHook(project, 'session-start', 'claude', payload).stdout).toContain('PLAN.md, which was edited by hand');
    expect(loadedByNext()).toEqual(['next.cjs']);
  });

  it.each(['next', 'status', 'manifest'])('is not read back by %s where it cannot be kept', (question) => {
    begun();
    writeFileSync(shown(), printAnew(readFileSync(shown(), 'utf8'), '*', '_'));
    mkdirSync(kept());
    const { stdout } = spawnDevCli(project, [question, RUN]);
    expect(stdout).toContain('PLAN.md, which was edited by hand');
    rmSync(kept(), { recursive: true });
    expect(spawnDevCli(project, [question, RUN]).stdout).not.toContain('edited by hand');
  });

  it.each(['status', 'manifest', 'session-start'])('is nothing that a power cut did: %s', (question) => {
    begun();
    const whole = readFileSync(shown(), 'utf8');
    const payload = { session_id: 's-1', cwd: project.root, source: 'startup' };
    callHook(project, 'session-start', 'claude', payload);
    devCli(project, ['use', RUN], { env: { DEV_CLI_SESSION: 's-1' } });
    writeFileSync(shown(), whole.slice(0, whole.length / 2));
    if (question === 'session-start') callHook(project, question, 'claude', payload);
    else spawnDevCli(project, [question, RUN]);
    expect(movedIn(next().json)).toEqual([]);
    expect(readFileSync(shown(), 'utf8')).toBe(whole);
  });

  it('is kept by an acknowledgement, too', () => {
    const first = begun();
    retitle('By hand');
    const dispatch = first as unknown as { ack: string; tasks: { output: string }[] };
    writeFileSync(join(project.root, dispatch.tasks[0]?.output ?? ''), '{}');
    expect(runPrinted(project, dispatch.ack).code).toBe(3);
    expect(existsSync(kept())).toBe(true);
    expect(loadedByNext()).toEqual(['next.cjs']);
  });

  it('counts for these files alone, and for what becomes of them', () => {
    begun();
    const before = next().stdout;
    const text = readFileSync(shown(), 'utf8');
    retitle('By hand');
    expect(movedIn(next().json)).toHaveLength(1);
    writeFileSync(shown(), text);
    expect(next().stdout).toBe(before);
    retitle('By hand');
    writeFileSync(join(runDir(project, RUN), 'plan-content.json'), JSON.stringify(AFTER));
    expect(movedIn(next().json).join()).toContain('1 added (todo-4)');
  });

  it.each([
    ['damaged', () => writeFileSync(kept(), '{"key": ')],
    ['about another plan', () => writeFileSync(kept(), '{"key":"other","moved":null}')],
    ['gone', () => rmSync(kept())],
    [
      'something else',
      () => {
        rmSync(kept());
        mkdirSync(kept());
      },
    ],
  ])('is found out again where it is %s', (_, damage) => {
    begun();
    retitle('By hand');
    const { stdout } = next();
    expect(existsSync(kept())).toBe(true);
    damage();
    expect(next().stdout).toBe(stdout);
  });

  it('is no word on what a person decides at a gate', () => {
    begun();
    retitle('By hand');
    next();
    const { key } = JSON.parse(readFileSync(kept(), 'utf8')) as { key: string };
    writeFileSync(kept(), JSON.stringify({ key, moved: null }));
    expect(movedIn(next().json)).toEqual([]);
    expect(devCli(project, ['plan', 'apply', RUN, '--dry-run']).json['plan']).toMatchObject({
      verdicts: [{ todo: 'todo-3', verdict: 'taken up' }],
    });
  });
});

describe('status, manifest and the answers of acknowledgements', () => {
  it('say it; an acknowledgement once for each change', () => {
    const first = begun();
    generate(AFTER);
    const { json } = devCli(project, ['status', RUN, '--json']);
    expect(movedIn(json)).toHaveLength(1);
    expect(json['planMoved']).toMatchObject({ added: ['todo-4'], changed: ['todo-2'], removed: ['todo-3'] });
    expect(devCli(project, ['status', RUN]).stdout).toContain('1 changed (todo-2)');
    expect(devCli(project, ['manifest', RUN]).stdout).toContain('The plan has moved on');
    const seen: number[] = [];
    const watching = new StandIn({
      project,
      crew: simpleCrew(),
      onCall: ({ answer, command }) => {
        if (command.includes('step complete')) seen.push(movedIn((answer ?? {}) as Document).length);
      },
    });
    const done = watching.drive(first);
    expect(done).toMatchObject({ done: true, outcome: 'completed' });
    expect(seen[0]).toBe(1);
    expect(seen.length).toBeGreaterThan(2);
    expect(
      seen.slice(1, -1).every((count) => count === 0),
      seen.join(),
    ).toBe(true);
    // Todos that nobody did stay unticked, and the final action mentions the change.
    expect(JSON.stringify(done)).toContain('the plan was changed while it was carried out');
    expect(reportOf(project)).toContain('1 added (todo-4); 1 changed (todo-2); 1 removed (todo-3)');
    const plan = readFileSync(join(runDir(project, RUN), 'PLAN.md'), 'utf8');
    expect(plan.match(/^### \[.\] \S+/gm)).toEqual(['### [x] todo-1:', '### [ ] todo-2:', '### [ ] todo-4:']);
  });

  it('are as told: afterwards `init --execute` takes the new plan up', () => {
    const first = begun();
    generate(AFTER);
    agent.drive(first);
    const again = new StandIn({ project, crew: simpleCrew() });
    const dispatch = again.execute('--execute --autopilot');
    expect(dispatch.tasks?.map(({ todoId }) => todoId)).toEqual(['todo-2']);
    expect(again.drive(dispatch)).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(project.root, 'made/todo-4.txt'))).toBe(true);
    expect(movedIn(next().json)).toEqual([]);
  });

  it('init that resumes says it too', () => {
    begun();
    generate(AFTER);
    expect(movedIn(devCli(project, ['init', RUN, '--execute']).json)).toHaveLength(1);
  });
});

describe('a todo that an execution adds', () => {
  it('leaves a plan that was generated anew as it is', () => {
    const adaptation = {
      reason: 'The file needs a companion.',
      category: 'robustness',
      todo: {
        title: 'Write a companion',
        files: ['made/more.txt'],
        steps: ['Write it'],
        mustNotDo: [],
        acceptance: [{ kind: 'assertion', text: 'It is there.' }],
      },
    };
    const judged = made('todo-1', { acceptance: [{ id: 'as-1', kind: 'assertion', text: 'It is good.' }] });
    generatePlan(project, planOf(judged));
    const crew = simpleCrew();
    const adapting = new StandIn({
      project,
      crew: {
        ...crew,
        judge: (task, root, prompt) => ({
          ...(crew.judge(task, root, prompt) as object),
          suggestedAdaptation: task.todoId === 'todo-1' ? adaptation : null,
        }),
      },
    });
    const first = adapting.execute('--execute --autopilot');
    const anew = planOf(judged, made('todo-9'));
    generate(anew);
    const shown = readFileSync(join(runDir(project, RUN), 'PLAN.md'), 'utf8');
    expect(adapting.drive(first)).toMatchObject({ outcome: 'completed' });
    expect(stateOf(project, RUN)).toMatchObject({ engine: { order: ['todo-1', 'todo-1-d1'] } });
    const after = readFileSync(join(runDir(project, RUN), 'PLAN.md'), 'utf8');
    expect(after.replace('### [x] todo-1', '### [ ] todo-1')).toBe(shown);
    const again = runPrinted(project, `dev-cli init ${RUN} --execute --autopilot`);
    expect(again.code, again.stdout).toBe(0);
  });
});
