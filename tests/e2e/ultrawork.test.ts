import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../support/agent.mjs';
import { init, nextOf, runDir, runPrinted, stateOf, writeProjectFile } from '../support/cli.js';
import { simpleCrew } from '../support/crew.mjs';
import { createProject, type Project } from '../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

/** A workflow from the goal to committed work, through the binary (recipes.md §4). */

let project: Project;
afterEach(() => project.remove());

const acceptance = (file: string) => [{ id: 'ac-1', kind: 'command', run: ['test', '-f', file] }];
const todo = (id: string, dependsOn: string[]) => ({
  id,
  title: `Write ${id}`,
  type: 'work',
  risk: 'low',
  dependsOn,
  inputs: [],
  outputs: [],
  files: [`made/${id}.txt`],
  steps: [`Write made/${id}.txt.`],
  mustNotDo: [],
  references: [],
  acceptance: acceptance(`made/${id}.txt`),
});

/** Two todos in place of the plan that the stand-in knows. */
function smallPlan(action: Action, agent: StandIn): void {
  if (action.block !== 'generate-plan' || action.data === undefined) return;
  const plan = JSON.parse(readFileSync(agent.path(action.data.write), 'utf8'));
  plan.todos = [todo('todo-1', []), todo('todo-2', ['todo-1'])];
  delete plan.commits;
  agent.write(action.data.write, JSON.stringify(plan));
}

function drive(agent: StandIn, first: Action): { seen: string[]; gates: string[]; done: Action } {
  const seen: string[] = [];
  const gates: string[] = [];
  let action = first;
  for (let left = 60; action.done !== true && left > 0; left -= 1) {
    if (action.block !== seen.at(-1)) seen.push(action.block);
    if (action.action === 'wait-for-user') gates.push(action.block);
    action = agent.step(action);
  }
  return { seen, gates, done: action };
}

describe.each(['ultrawork', 'ultrawork-autopilot'])('%s', (name) => {
  const asks = name === 'ultrawork';
  const skipped = asks && findTerminal() === null;

  it.skipIf(skipped)(
    `goes from the goal to committed work in one run${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    () => {
      project = createProject();
      const agent = new StandIn({ project, crew: simpleCrew(), scenario: { beforeAck: smallPlan } });
      const { seen, gates, done } = drive(agent, agent.start(`--workflow ${name} --set pull_request=false`));

      expect(seen.slice(0, 2)).toEqual(['classify-intent', 'explore-full']);
      expect(seen.at(-1)).toBe('execution-engine');
      // Whoever approved the plan has approved its commands.
      expect(gates).toEqual(asks ? ['decision-confirm', 'approve-plan'] : []);
      expect(done).toMatchObject({ outcome: 'completed', failed: [] });
      const results = (done as Action & { results: Record<string, string> }).results;
      expect(results).toMatchObject({ plan: 'done', pr: 'skipped', implement: 'done', 'implement/codeReview': 'SHIP' });
      if (asks) expect(results['plan/approve-plan']).toBe('approve');
      expect(done.artifacts?.map((path) => path.split('/').at(-1))).toEqual(['PLAN.md', 'report.md', 'summary.md']);
      expect(agent.calls.filter(({ exit }) => exit !== 0)).toEqual([]);

      const state = stateOf(project, agent.name);
      expect(state).toMatchObject({
        status: 'completed',
        preferences: { pull_request: false },
        workflow: {
          name,
          currentPhase: null,
          phases: [{ status: 'done' }, { status: 'skipped' }, {}],
        },
      });
      const log = execFileSync('git', ['log', '--format=%s'], {
        cwd: project.root,
        env: project.env,
        encoding: 'utf8',
      });
      expect(log).toMatch(/^Write todo-2\nWrite todo-1\n/);
      expect(readFileSync(join(runDir(project, agent.name), 'PLAN.md'), 'utf8')).toMatch(/^### \[x\] todo-2/m);
      const manifest = agent.run(`dev-cli manifest ${agent.name}`);
      expect(manifest.stdout).toContain(`Phases of ${name} · plan done · pr skipped · implement done`);
      const history = agent.run(`dev-cli history ${agent.name}`);
      expect(history.stdout).toContain('phase implement');
      const replay = agent.run(`dev-cli replay ${agent.name} --check`);
      expect(replay.exit, replay.stdout).toBe(0);
    },
  );
});

describe('a planning phase after one that worked on sources', () => {
  const recipe = (name: string, skill: string, block: string) =>
    `name: ${name}\ntype: sequential\nskill: ${skill}\nblocks:\n  - ${block}\n`;

  it('is not blamed for that work, and for its own all the same', () => {
    project = createProject();
    writeProjectFile(
      project,
      '.dev/recipes/work.yaml',
      recipe('work', 'build', '{ id: w, type: llm, instruction: W. }'),
    );
    const tell = '{ id: tell, type: llm+cli, instruction: T., write: t.json }';
    writeProjectFile(project, '.dev/recipes/tell.yaml', recipe('tell', 'open', tell));
    const phases = '  - { name: a, recipe: work }\n  - { name: b, recipe: tell }\n';
    writeProjectFile(project, '.dev/workflows/both.yaml', `name: both\ntype: meta\nphases:\n${phases}`);
    const first = nextOf(init(project, 'run-1', '--workflow', 'both'));
    writeProjectFile(project, 'src/made.js', 'export {};\n');
    const second = nextOf(runPrinted(project, first.ack ?? '').json);
    writeProjectFile(project, second.data?.write ?? '', '{}');
    writeProjectFile(project, 'src/stray.js', 'export {};\n');
    const refused = runPrinted(project, second.ack ?? '');
    expect(refused.json.error).toMatchObject({ code: 'SOURCES_CHANGED', details: [{ target: 'src/stray.js' }] });
    execFileSync('rm', [join(project.root, 'src/stray.js')]);
    expect(nextOf(runPrinted(project, second.ack ?? '').json)).toMatchObject({ done: true, outcome: 'completed' });
  });
});
