// The main job on a real project, call by call. The agent and the person at the gate are played by a script
// (tests/support/agent.mjs); everything else is what a user gets.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pc from 'picocolors';
import { inShort, StandIn, StandInError } from '../tests/support/agent.mjs';
import { GOAL } from '../tests/support/content.mjs';
import { createProject } from '../tests/support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../tests/support/terminal.mjs';

const RECIPE = 'specify-standard-interactive';
const NAME = 'add-jwt-auth';
const WIDTH = 110;

const project = createProject({ prefix: 'dev-cli-quickstart-' });
const agent = new StandIn({
  project,
  name: NAME,
  onCall: show,
  scenario: { before: (action) => (action.human === 'required' && findTerminal() === null ? 'stop' : undefined) },
});

introduce();
try {
  const last = agent.drive(agent.start(`--recipe ${RECIPE}`));
  if (last.done === true) finish(last);
  else leaveAtGate(last);
} catch (error) {
  if (!(error instanceof StandInError)) throw error;
  console.log(`\n${pc.red('It went wrong:')} ${error.message}\nThe project is still there: ${project.root}`);
  process.exitCode = 1;
}

function introduce() {
  console.log(`${pc.bold('dev-cli quickstart')}: plan ${pc.bold(`“${GOAL}”`)} on a small HTTP API with tests.

  project  ${project.root} (a copy of samples/todo-api in a git repository of its own)
  recipe   ${RECIPE}
  agent    ${pc.yellow('a scripted stand-in')}: no model is called. It knows the twenty lines of skills/specify/SKILL.md,
           and what it and its subagents write was written beforehand. So was the user in the interview
           and ${pc.yellow('the person at the gate')}, who types at a real terminal of its own.
`);
}

/** One call: the command, what came back in short, and what an agent has read by now. */
function show(call, action) {
  const number = String(agent.totals().calls).padStart(2);
  const who = call.terminal ? pc.yellow('person') : pc.cyan('agent ');
  console.log(`${pc.bold(number)} ${who} ${pc.bold(`$ ${call.command.split('\n').join(pc.dim(' ⏎ '))}`)}`);
  const error = call.answer?.error;
  if (error !== undefined) console.log(`          ${pc.red(`exit ${call.exit} ${error.code}`)} ${cut(error.message)}`);
  for (const { block, ok, summary } of call.answer?.ran ?? []) {
    console.log(`          ${pc.dim(`dev-cli ran ${block}: ${ok ? '' : 'failed, '}${cut(summary)}`)}`);
  }
  for (const warning of call.answer?.warnings ?? []) console.log(`          ${pc.yellow(cut(`warning: ${warning}`))}`);
  if (action !== null) describe(action);
  const { calls, answers, files, tokens } = agent.totals();
  console.log(
    pc.dim(
      `          so far ${calls} calls, ${kilobytes(answers)} of answers, ${kilobytes(files)} of files, about ${tokens} tokens\n`,
    ),
  );
}

function describe(action) {
  const { where, details } = inShort(action);
  console.log(`       ${pc.green('→')}  ${pc.green(where)}`);
  console.log(`          ${cut(action.instruction)}`);
  if (details.length > 0) console.log(`          ${pc.dim(cut(details))}`);
}

function finish(done) {
  if (done.outcome !== 'completed') throw new StandInError(`the run ended as ${done.outcome}: ${done.summary}`);
  const plan = join(project.root, '.dev/specs', NAME, 'PLAN.md');
  const text = readFileSync(plan, 'utf8');
  const { calls, answers, files, tokens, subagents } = agent.totals();
  console.log(`${pc.bold('The plan')}, as it lies in ${plan}\n`);
  console.log(text.replace(/^/gm, '    ').trimEnd());
  console.log(`
${pc.bold('Done.')} ${done.summary}
  The agent made ${calls} calls and read ${kilobytes(answers)} of answers and ${kilobytes(files)} of files: about ${tokens} tokens.
  Its subagents read ${kilobytes(subagents)} of prompts, each its own.
  Look around: ${pc.bold(lookAround())}`);
}

/** Without a pseudo terminal nobody here can play the person: hand over. */
function leaveAtGate(action) {
  console.log(`${pc.yellow(`Stopped at ${action.block}:`)} this gate wants a person at a terminal, and ${NO_TERMINAL}.
  You can be that person. In ${project.root}, type:
`);
  for (const { id, ack } of action.choices ?? [])
    console.log(`    ${ack.replace(/^dev-cli/, binary())}   ${pc.dim(`# ${id}`)}`);
  console.log(`\n  Look around: ${pc.bold(lookAround())}`);
}

function lookAround() {
  return `cd ${project.root} && ${binary()} status ${NAME}`;
}

function binary() {
  return `node ${join(import.meta.dirname, '../bin/dev-cli.js')}`;
}

function cut(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
