// A scripted stand-in for a coding agent that carries out a run: `node run-tool.mjs PROMPT GOAL RUN ROOT STEPS` carries
// out STEPS actions of the run, then writes its handoff, like a session whose context is full. It also prints whether
// the guard refuses a write in the current directory and in ROOT.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StandIn } from './agent.mjs';
import { simpleCrew } from './crew.mjs';
import { BINARY } from './project.mjs';
import { bareTodo, smallPlan } from './small.mjs';

const [, , promptFile = '', goal = '', run = '', root = '', steps = '1'] = process.argv;
const prompt = readFileSync(promptFile, 'utf8');
const todos = [
  bareTodo('todo-1', { acceptance: [{ id: 'ac-1', kind: 'command', run: ['test', '-f', 'made/todo-1.txt'] }] }),
];
const agent = new StandIn({
  project: { root: process.cwd(), home: '', env: process.env, replay: false, remove: () => {} },
  name: run,
  crew: simpleCrew(),
  scenario: { plan: { ...smallPlan(), todos } },
  goal: / one goal: \S+: (.*)/.exec(prompt)?.[1] ?? '',
});
for (const cwd of [process.cwd(), root]) {
  const { DEV_CLI_AGENT: _, ...env } = process.env;
  const input = JSON.stringify({
    session_id: cwd,
    cwd,
    tool_name: 'Write',
    tool_input: { file_path: `${cwd}/src/x.js` },
  });
  const { status } = spawnSync(process.execPath, [BINARY, 'hook', 'pre-tool-use', '--harness', 'claude'], {
    cwd,
    env,
    input,
  });
  console.log(`guard: ${status === 0 ? 'quiet' : 'refused'}`);
}
let action = agent.recall();
for (let left = Number(steps); left > 0 && action.done !== true && action.human !== 'required'; left -= 1)
  action = agent.step(action);
const path = /into (\.ai\/handoffs\/\S+\.md)/.exec(prompt)?.[1] ?? '';
mkdirSync(dirname(path), { recursive: true });
writeFileSync(
  path,
  `---\ntimestamp: ${new Date().toISOString()}\nstatus: complete\ngoal_id: ${goal}\n---\n\n## Done\n\n- ${action.block ?? 'all'}\n`,
);
