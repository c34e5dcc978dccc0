import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { aCommand, aPlan, aTodo } from '../core/plan/fixture.js';
import { type Action, StandIn } from '../support/agent.mjs';
import { devCli, init, nextOf, runDir, runPrinted, stateOf, writeProjectFile } from '../support/cli.js';
import { simpleCrew } from '../support/crew.mjs';
import { addRemote, askedOfGh, commitsAtRemote, installGh, requestsOf } from '../support/forge.mjs';
import { createProject, type Project } from '../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

/** A workflow from the goal to committed work, through the binary (recipes.md §4). */

let project: Project;
afterEach(() => project.remove());

const todo = (id: string, dependsOn: string[]) =>
  aTodo(id, {
    title: `Write ${id}`,
    dependsOn,
    files: [`made/${id}.txt`],
    acceptance: [aCommand('ac-1', ['test', '-f', `made/${id}.txt`])],
  });
const PLAN = aPlan({ todos: [todo('todo-1', []), todo('todo-2', ['todo-1'])] });

/** @param until the block before which to stop */
function drive(agent: StandIn, first: Action, until?: string): { seen: string[]; gates: string[]; done: Action } {
  const seen: string[] = [];
  const gates: string[] = [];
  let action = first;
  for (let left = 60; action.done !== true && left > 0; left -= 1) {
    const { stdout } = devCli(agent.project, ['manifest', agent.name]);
    expect(Math.ceil(stdout.length / 4), `manifest at ${action.block}`).toBeLessThanOrEqual(1500);
    if (action.block === until) break;
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
    `has a manifest that fits also with 200 todos${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    { timeout: 240_000 },
    () => {
      project = createProject();
      const plan = aPlan({ todos: Array.from({ length: 200 }, (_, n) => todo(`todo-${n + 1}`, [])) });
      const agent = new StandIn({ project, crew: simpleCrew(), scenario: { plan } });
      const flags = `--workflow ${name} --set pull_request=false`;
      const { done: dispatch } = drive(agent, agent.start(flags), 'execution-engine');
      expect(dispatch.action).toBe('engine-dispatch');
      expect(devCli(project, ['manifest', agent.name]).stdout).toContain('Todos: 0/200 done, 4 at work');
    },
  );

  it.skipIf(skipped)(
    `goes from the goal to committed work in one run${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    { timeout: 240_000 },
    () => {
      project = createProject();
      if (!asks) {
        addRemote(project);
        installGh(project);
      }
      const agent = new StandIn({ project, crew: simpleCrew(), scenario: { plan: PLAN } });
      const { seen, gates, done } = drive(
        agent,
        agent.start(`--workflow ${name}${asks ? ' --set pull_request=false' : ''}`),
      );

      expect(seen.slice(0, 2)).toEqual(['classify-intent', 'explore-full']);
      expect(seen.at(-1)).toBe('execution-engine');
      // Approving the plan includes approving its commands.
      expect(gates).toEqual(asks ? ['decision-confirm', 'approve-plan'] : []);
      expect(done).toMatchObject({ outcome: 'completed', failed: [] });
      const results = (done as Action & { results: Record<string, string> }).results;
      expect(results).toMatchObject({
        plan: 'done',
        pr: asks ? 'skipped' : 'done',
        implement: 'done',
        'implement/codeReview': 'SHIP',
      });
      if (asks) expect(results['plan/approve-plan']).toBe('approve');
      expect(done.artifacts?.map((path) => path.split('/').at(-1))).toEqual([
        'PLAN.md',
        'report.md',
        'summary.md',
        ...(asks ? [] : ['pr.json']),
      ]);
      expect(agent.calls.filter(({ exit }) => exit !== 0)).toEqual([]);

      const state = stateOf(project, agent.name);
      expect(state).toMatchObject({
        status: 'completed',
        preferences: { pull_request: !asks },
        workflow: {
          name,
          currentPhase: null,
          phases: [{ status: 'done' }, { status: asks ? 'skipped' : 'done' }, {}],
        },
      });
      const log = execFileSync('git', ['log', '--format=%s'], {
        cwd: project.root,
        env: project.env,
        encoding: 'utf8',
      });
      expect(log).toMatch(/^Write todo-2\nWrite todo-1\n/);
      expect(readFileSync(join(runDir(project, agent.name), 'PLAN.md'), 'utf8')).toMatch(/^### \[x\] todo-2/m);
      const [report, summary] = ['report.md', 'summary.md'].map((file) =>
        readFileSync(join(runDir(project, agent.name), file), 'utf8'),
      );
      // The half-page summary links to the report instead of repeating it.
      expect(summary).toMatch(/^\d+ of \d+ requirements? met, .*2 commits\. All of it: \[report\.md\]\(report\.md\)$/m);
      expect(summary).toContain('- todo-2: Write todo-2');
      expect(summary?.split('\n').length).toBeLessThan(40);
      expect(report).toContain('## Verification');
      expect(summary).not.toMatch(/^## (?:Verification|Requirements|Changed files|On the way)/m);
      // The pull request is opened before the work, gets a comment when it begins, and is marked ready at the end.
      const asked = askedOfGh(project).map((call) => call.split('|').slice(0, 2).join(' '));
      const told = ['auth status', 'pr list', 'pr create', 'pr comment', 'pr edit', 'pr ready'];
      expect(asked.filter((call, at) => told.includes(call) && asked.indexOf(call) === at)).toEqual(asks ? [] : told);
      if (!asks) {
        // A reviewer finds the work in the branch, and the report's content in the pull request.
        expect(commitsAtRemote(project, `dev/${agent.name}`).slice(1)).toEqual(['Write todo-1', 'Write todo-2']);
        const [request] = requestsOf(project);
        expect(request).toMatchObject({ isDraft: false });
        expect(request?.body).toContain('- todo-2: Write todo-2');
        expect(results).toMatchObject({ pullRequest: `${request?.url} (ready for review)` });
      }
      const manifest = agent.run(`dev-cli manifest ${agent.name}`);
      expect(manifest.stdout).toContain(
        `Phases of ${name} · plan done · pr ${asks ? 'skipped' : 'done'} · implement done`,
      );
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
