// Shows dev-cli's main job on a real project, call by call: a plan, its approval, and its execution to committed work.
// A script plays the agent, its subagents and the person at the gates (tests/support/); everything else is what a user
// gets. Run it with `npm run quickstart` in a clone, or with `dev-cli demo` if installed: all files that it needs are
// listed under `files` in package.json.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { inShort, StandIn, StandInError, taskInShort } from '../tests/support/agent.mjs';
import { CHANGES } from '../tests/support/changes.mjs';
import { createProject } from '../tests/support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../tests/support/terminal.mjs';

/** Whether the terminal shows colours. */
const isColoured = process.stdout.isTTY === true && !process.env['NO_COLOR'];
const STYLES = ['bold', 'inverse', 'dim', 'red', 'green', 'yellow', 'cyan', 'magenta'];
const pc = Object.fromEntries(
  STYLES.map((style) => [style, (/** @type {string} */ text) => (isColoured ? styleText(style, text) : text)]),
);

const WIDTH = 110;
const GAP = ' '.repeat(10);

const [wanted = 'middle'] = process.argv.slice(2);
if (wanted === 'handoff') {
  const { playHandoff } = await import('./quickstart-handoff.mjs');
  process.exit(await playHandoff());
}
if (wanted === 'nexus') {
  const { playNexus } = await import('./quickstart-nexus.mjs');
  process.exit(await playNexus());
}
if (wanted === 'loop') {
  const { playLoop } = await import('./quickstart-loop.mjs');
  process.exit(await playLoop());
}
if (wanted === 'operations') {
  const { playOperations } = await import('./quickstart-operations.mjs');
  process.exit(await playOperations());
}
if (wanted === 'drive') {
  const { playDrive } = await import('./quickstart-drive.mjs');
  process.exit(await playDrive(process.argv[3]));
}
if (wanted === 'view') {
  const { playView } = await import('./quickstart-view.mjs');
  process.exit(await playView());
}
if (wanted === 'fleet') {
  const { playFleet } = await import('./quickstart-fleet.mjs').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    console.error('A fleet needs two packages: npm i -g @dbos-inc/dbos-sdk@5 pg@8');
    process.exit(1);
  });
  process.exit(await playFleet());
}
const oneRun = wanted === 'ultrawork';
const change = CHANGES[oneRun ? 'large' : wanted];
if (change === undefined) {
  console.error(
    'Usage: dev-cli demo [small | middle | large | handoff | nexus | loop | operations | drive | view | fleet]',
  );
  process.exit(2);
}
const person = findTerminal() !== null;
const flags = {
  plan: `--recipe specify-standard-${person ? 'interactive' : 'autopilot'}`,
  execute: person ? '--execute' : '--execute --autopilot',
  both: `--workflow ${person ? 'ultrawork' : 'ultrawork-autopilot'} --set pull_request=false`,
};

const project = createProject({ prefix: 'dev-cli-demo-' });
const run = join(project.root, '.dev/specs', change.name);
const agent = new StandIn({ project, change, crew: change.crew(), onCall: show, onTask: showTask });
let told = 0;

introduce();
try {
  if (oneRun) {
    completed(agent.drive(agent.start(flags.both)));
  } else {
    heading(1, 'The plan', 'skills/specify/SKILL.md');
    showPlan(completed(agent.drive(agent.start(flags.plan))));
    heading(2, 'The execution', 'skills/execute/SKILL.md');
    completed(agent.drive(agent.execute(flags.execute)));
  }
  finish();
} catch (error) {
  if (!(error instanceof StandInError)) throw error;
  console.log(`\n${pc.red('It went wrong:')} ${error.message}\nThe project is still there: ${project.root}`);
  process.exitCode = 1;
}

function introduce() {
  console.log(`${pc.bold('dev-cli demo')}: ${pc.bold(`“${cut(change.goal)}”`)} on a small HTTP API with tests, from the request to commits.

  project  ${project.root} (a copy of samples/todo-api in a git repository of its own)
  agent    ${pc.yellow('a scripted stand-in')}: no model is called. It knows what the skills say and nothing else of dev-cli.
           What it, its subagents and ${pc.yellow('the person at the gates')} say was written beforehand; the code that the
           workers write is real, so are its tests and the commits.
  ${person ? '         The person types at a real terminal of its own.' : `${pc.yellow('autopilot')}: there is no person at the gates, since ${NO_TERMINAL}.`}
`);
}

/**
 * @param {number} part
 * @param {string} title
 * @param {string} skill
 */
function heading(part, title, skill) {
  console.log(`${pc.bold(pc.inverse(` ${part} ${title} `))} ${pc.dim(`as ${skill} says`)}\n`);
}

/** Prints one call: the command, its answer in short, and how much the agent has read so far. */
function show(call, action) {
  const number = call.typed === null ? String(agent.totals().calls).padStart(2) : '  ';
  const who = call.typed !== null ? pc.yellow('person') : pc.cyan('agent ');
  console.log(`${pc.bold(number)} ${who} ${pc.bold(`$ ${call.command.split('\n').join(pc.dim(' ⏎ '))}`)}`);
  for (const line of call.typed ?? []) console.log(`${GAP}${pc.yellow(`types: ${cut(line)}`)}`);
  const error = call.answer?.error;
  if (error !== undefined) console.log(`${GAP}${pc.red(`exit ${call.exit} ${error.code}`)} ${cut(error.message)}`);
  showWork();
  for (const { block, ok, summary } of call.answer?.ran ?? []) {
    const line = `${block}: ${cut(summary)}`;
    console.log(`${GAP}${ok ? pc.dim(`dev-cli ran ${line}`) : pc.red(line)}`);
  }
  for (const warning of call.answer?.warnings ?? []) console.log(`${GAP}${pc.yellow(cut(`warning: ${warning}`))}`);
  if (action !== null) describe(action);
  const { calls, answers, files, tokens } = agent.totals();
  const sums = `${calls} calls, ${kilobytes(answers)} of answers, ${kilobytes(files)} of files, about ${tokens} tokens`;
  console.log(pc.dim(`${GAP}so far ${sums}\n`));
}

/** Prints the tests and commits that dev-cli itself made meanwhile, from the journal; they cost the agent nothing. */
function showWork() {
  const entries = readFileSync(join(run, 'events.jsonl'), 'utf8').trimEnd().split('\n').slice(told);
  told += entries.length;
  for (const { type, data } of entries.map((line) => JSON.parse(line))) {
    if (type === 'command-finished' && data.argv !== undefined) {
      const about = `${data.todoId ?? ''} ${data.id ?? data.block}`.trim();
      const line = `dev-cli ran ${about}: ${data.argv.join(' ')}: ${data.outcome}${data.reused ? ', reused' : ''}`;
      console.log(`${GAP}${data.outcome === 'exit 0' ? pc.dim(line) : pc.red(line)}`);
    }
    if (type === 'committed' && data.commit !== null)
      console.log(`${GAP}${pc.dim(`dev-cli committed ${data.todoId ?? 'the rest'}: ${data.commit.slice(0, 7)}`)}`);
  }
}

/** Prints what an execution's subagent has written; the main agent reads none of it. */
function showTask(task, files) {
  const wrote = files.length === 0 ? 'its result' : `${files.join(', ')} and its result`;
  console.log(`   ${pc.magenta('agent')}  ${taskInShort(task)} writes ${wrote}`);
}

function describe(action) {
  const { where, details } = inShort(action);
  console.log(`       ${pc.green('→')}  ${pc.green(where)}`);
  console.log(`${GAP}${cut(action.instruction)}`);
  if (details.length > 0) console.log(`${GAP}${pc.dim(cut(details))}`);
}

/** @throws StandInError if the run has not completed */
function completed(done) {
  if (done.outcome !== 'completed') throw new StandInError(`the run ended as ${done.outcome}: ${done.summary}`);
  return done;
}

function showPlan({ summary }) {
  const todos = readFileSync(join(run, 'PLAN.md'), 'utf8').match(/^### .*$/gm) ?? [];
  console.log(`${pc.bold('The plan')}: ${summary}, in ${join(run, 'PLAN.md')}\n`);
  for (const todo of todos) console.log(`    ${todo.replace(/^### /, '')}`);
  console.log();
}

function finish() {
  const log = ['log', '--stat', '--format=%n%h %s%n    %(trailers:key=Dev-Cli-Task,separator=%x2c)', `-${commits()}`];
  const { calls, answers, files, tokens, subagents } = agent.totals();
  console.log(`${pc.bold('The report')}, as it lies in ${join(run, 'report.md')}

${indented(readFileSync(join(run, 'report.md'), 'utf8'))}

${pc.bold('git log --stat')}, each commit with the key by which dev-cli makes it only once
${indented(execFileSync('git', log, { cwd: project.root, env: project.env, encoding: 'utf8' }))}

${pc.bold('Done.')} ${countDone()} carried out.
  The agent made ${calls} calls and read ${kilobytes(answers)} of answers and ${kilobytes(files)} of files: about ${tokens} tokens.
  Its subagents read ${kilobytes(subagents)} of prompts, each its own.
  Look around: ${pc.bold(`cd ${project.root} && node ${join(import.meta.dirname, '../bin/dev-cli.js')} status ${change.name}`)}`);
}

function countDone() {
  const count = readFileSync(join(run, 'PLAN.md'), 'utf8').match(/^### \[x\]/gm)?.length ?? 0;
  return `${count} ${count === 1 ? 'todo' : 'todos'}`;
}

/** Counts the commits after the project's first. */
function commits() {
  const count = execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: project.root, env: project.env });
  return Number(count.toString()) - 1;
}

function indented(text) {
  return text.trimEnd().replace(/^(?=.)/gm, '    ');
}

function cut(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
