// Plays an agent in a harness: yields the scripted model's turns, which follow a skill and use the harness's own tools.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '../support/project.mjs';

/** Returns the files that a worker writes for a todo of a sample (samples/NAME/TODO), by path. */
export function readOverlay(name, todo = 'todo-1') {
  const base = join(CHECKOUT, 'samples', name, todo);
  const walk = (directory) =>
    readdirSync(join(base, directory)).flatMap((entry) => {
      const path = join(directory, entry);
      return statSync(join(base, path)).isDirectory() ? walk(path) : [path];
    });
  return Object.fromEntries(walk('.').map((path) => [path, readFileSync(join(base, path), 'utf8')]));
}

/** Runs a command line and returns its JSON document. */
export async function* call(ctx, line) {
  const [result] = yield ctx.sh(line);
  if (result.json === undefined) throw new Error(`${line}: no JSON in ${result.text}`);
  return result.json;
}

/**
 * Carries out one action after another, as the skills say, until the run is done.
 * @param {object} change one of those in tests/support/changes.mjs
 * @param {object} begun the answer to `init`
 * @returns the last action
 */
export async function* drive(ctx, change, begun) {
  let action = begun.next;
  for (let left = 40; left > 0; left -= 1) {
    if (action.done === true) return action;
    const ack = yield* perform(ctx, change, action);
    const answer = yield* call(ctx, ack);
    action = answer.next ?? answer;
    if (action.action === undefined) throw new Error(`no action in ${JSON.stringify(answer)}`);
  }
  throw new Error(`not done; last: ${action.block}`);
}

async function* perform(ctx, change, action) {
  switch (action.action) {
    case 'llm':
      if (action.data !== undefined) yield ctx.write(action.data.write, `${JSON.stringify(change.size)}\n`);
      return (action.choices ?? []).find(({ id }) => id === change.intent)?.ack ?? action.ack;
    case 'llm+cli':
      yield ctx.write(action.data.write, `${JSON.stringify(change.plan(1), null, 2)}\n`);
      return action.ack;
    case 'dispatch-subagents':
      for (const agent of action.agents) yield* delegate(ctx, agent, `AGENT ${agent.id}`, action.tell);
      return action.ack;
    case 'engine-dispatch':
      for (const task of action.tasks)
        yield* delegate(ctx, task, `TASK ${task.todoId ?? 'run'}/${task.substep}`, action.tell);
      return action.ack;
    case 'running':
      return action.poll;
    default:
      throw new Error(`cannot do ${action.action}`);
  }
}

async function* delegate(ctx, { type, promptFile, output }, mark, tell) {
  const words = `${mark} output=${output} ${tell.replace('<promptFile>', promptFile)}`;
  yield* ctx.delegate(`dev-cli-${type}`, words);
}

/**
 * Returns a function that plays a worker: it reads its prompt, writes these files with the harness's tools, and hands
 * in its result.
 */
export function worker(files) {
  return async function* work(ctx) {
    const said = ctx.request().firstUser;
    const [, prompt = ''] = /Read (\S+?)[:,]/.exec(said) ?? [];
    const [, output = ''] = /output=(\S+)/.exec(said) ?? [];
    yield ctx.read(prompt);
    for (const [path, text] of Object.entries(files)) yield ctx.write(path, text);
    const result = {
      status: 'DONE',
      outputs: {},
      filesChanged: Object.keys(files),
      learnings: [],
      issues: [],
      summary: 'Done as written.',
    };
    yield ctx.write(output, `${JSON.stringify(result, null, 2)}\n`);
    yield `${output}\nDone as written.`;
  };
}

/** Returns whether a path exists in a project. */
export const isThere = (project, path) => existsSync(join(project.root, path));
