import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { StandIn } from './agent.mjs';
import { jwtCrew } from './crew.mjs';
import { runLine } from './line.mjs';

/**
 * A fake model: it does what the stand-in of agent.mjs would, with the runtime's tools. provider.mjs serves it. Its
 * answers depend only on the request, so a process that takes over a session gets the same answers as the one that
 * began it.
 */

/**
 * @typedef {{ name: string, input: Record<string, unknown> }} Call
 * @typedef {{ thinking?: string, calls: Call[] }} Said
 * @typedef {import('./provider.mjs').Request} Request
 *
 * @typedef {(Said & { slip?: Slip })[]} Course a session's answers before it calls `finish`
 * @typedef {'argument' | 'outside' | 'test'} Slip a mistake: a call that breaks its schema, an edit outside the task,
 * or a version that fails its test
 *
 * @typedef {object} Habits if given, the model reads before it writes, tests before it finishes, and makes each mistake
 * once
 * @property {string} counter absolute path of a file outside the project; each test command that the model runs adds a
 * line to it
 * @property {(slip: Slip, output: string) => void} [onSlip] called with the tool's output for a mistake, each time the
 * model gets it
 */

/** The todo in which the worker makes each mistake. */
const SLIPS = { argument: 'todo-1', test: 'todo-2', outside: 'todo-3' };
/** A file that belongs to no todo of the sample plan. */
const OUTSIDE = 'src/store.js';

/**
 * Creates the function that answers the requests of a run.
 * @param {import('./project.mjs').Project} project
 * @param {string} name the run's name
 * @param {Partial<ConstructorParameters<typeof StandIn>[0]> & { habits?: Habits }} [how]
 * @returns {(request: Pick<Request, 'messages'>) => Said}
 */
export function createModel(project, name, { habits, ...how } = {}) {
  const agent = new StandIn({ project, name, ...how });
  /** @type {Call[]} */
  let writes = [];
  agent.write = (path, content) => {
    writes.push({ name: 'write_file', input: { path, content } });
  };
  /** @type {Map<string, Course>} */
  const courses = new Map();
  return ({ messages }) => {
    const told = messages.find(({ role }) => role === 'user')?.texts.join('\n') ?? '';
    const said = messages.filter(({ role }) => role === 'assistant').length;
    const course = (said > 0 ? courses.get(told) : undefined) ?? plan(told);
    courses.set(told, course);
    const slip = course[said - 1]?.slip;
    const output = messages.at(-1)?.results.at(-1)?.output;
    if (slip !== undefined && output !== undefined) habits?.onSlip?.(slip, output);
    const { slip: _, ...next } = course[said] ?? finishOf(told);
    return next;
  };

  /** @type {(message: string) => Course[0]} */
  function finishOf(message) {
    const choices = [...message.matchAll(/^- (\S+): /gm)].map(([, id]) => id);
    const wanted = [agent.change.intent, 'approve', 'confirm', 'pass', 'continue'].find((id) => choices.includes(id));
    const input = { reason: 'As the request says.', ...(message.includes('Choose one') ? { choice: wanted } : {}) };
    return { calls: [{ name: 'finish', input }] };
  }

  /** @type {(told: string) => Course} */
  function plan(told) {
    writes = [];
    /** @type {import('./agent.mjs').Action} */
    const action = JSON.parse(runLine(`dev-cli next ${name} --full`, { cwd: project.root, env: project.env }).stdout);
    const task = perform(agent, action, told);
    if (writes.length === 0) return [];
    if (habits === undefined) return [{ calls: writes }];
    return task?.substep === 'worker'
      ? workThoroughly(project.root, task, { writes, habits })
      : [look(project.root, ['README.md']), { calls: writes }];
  }
}

/**
 * Does an action, or the part of it that a message is about.
 * @param {StandIn} agent
 * @param {import('./agent.mjs').Action} action
 * @param {string} message
 * @returns {import('./crew.mjs').Task | null} the task that the message is about; null if it is about none
 */
function perform(agent, action, message) {
  const mine = [...(action.agents ?? [])].find(({ id }) => message.startsWith(`# ${id},`));
  if (mine !== undefined) {
    agent.subagent(mine);
    return null;
  }
  const tasks = [...(action.tasks ?? []), ...(action.running ?? [])];
  const task = tasks.find(({ output }) => message.includes(agent.path(output)));
  if (task !== undefined) {
    agent.task(task);
    return task;
  }
  // Stops before the acknowledgement, because the runtime runs that command itself.
  agent.run = () => {
    throw new Stop();
  };
  try {
    agent.step({ ...action, read: [] });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return null;
}

class Stop extends Error {}

/**
 * Returns the answers of a worker that reads, writes, tests, corrects and reports.
 * @param {string} root
 * @param {import('./crew.mjs').Task} task
 * @param {{ writes: Call[], habits: Habits }} how `writes`: the calls that write its files; the last one writes its
 * result
 * @returns {Course}
 */
function workThoroughly(root, task, { writes, habits }) {
  const todo = task.todoId ?? '';
  const files = writes.slice(0, -1).map(({ input }) => relative(root, String(input['path'])));
  const right = writes.slice(0, -1);
  const first = todo === SLIPS.test ? jwtCrew({ red: true }).worker(task, root).files : {};
  const wrong = files.filter((path) => path in first && first[path] !== right[files.indexOf(path)]?.input['content']);
  const tests =
    todo === 'todo-5' ? 'npm test' : `node --test ${files.filter((path) => /\.test\.js$/.test(path)).join(' ')}`;
  let times = 0;
  /** @returns {Said} */
  const test = () => {
    times += 1;
    return {
      calls: [{ name: 'bash', input: { command: `echo ${todo}-${times} >> '${habits.counter}' && ${tests}` } }],
    };
  };
  const begun = right.map((call, at) => {
    const path = files[at] ?? '';
    return wrong.includes(path) ? { ...call, input: { ...call.input, content: first[path] } } : call;
  });
  return [
    look(root, [...files, ...(todo === SLIPS.outside ? [OUTSIDE] : [])]),
    ...(todo === SLIPS.argument ? [{ slip: /** @type {const} */ ('argument'), calls: [misspell(right[0])] }] : []),
    ...(todo === SLIPS.outside ? [{ slip: /** @type {const} */ ('outside'), calls: [trespass(root)] }] : []),
    { calls: begun },
    ...(wrong.length > 0
      ? [
          { slip: /** @type {const} */ ('test'), ...test() },
          {
            calls: wrong.map((path) =>
              mend(path, first[path] ?? '', String(right[files.indexOf(path)]?.input['content'])),
            ),
          },
        ]
      : []),
    test(),
    { calls: writes.slice(-1) },
  ];
}

/** @type {(root: string, files: string[]) => Said} */
const look = (root, files) => ({
  thinking: 'First I look at what is there.',
  calls: [
    ...files.filter((path) => existsSync(join(root, path))).map((path) => ({ name: 'read_file', input: { path } })),
    { name: 'glob_search', input: { pattern: 'test/*.js' } },
    { name: 'grep_search', input: { pattern: 'export', path: 'src', output_mode: 'count' } },
  ],
});

/** @type {(call: Call | undefined) => Call} */
const misspell = (call) => ({
  name: 'write_file',
  input: { file: call?.input['path'], content: call?.input['content'] },
});

/** @type {(root: string) => Call} */
function trespass(root) {
  const [line = ''] = readFileSync(join(root, OUTSIDE), 'utf8').split('\n');
  return { name: 'edit_file', input: { path: OUTSIDE, old_string: line, new_string: `${line} // mine` } };
}

/**
 * Builds one edit that turns a text into another. It covers the lines that differ and one line before and after them.
 * @type {(path: string, from: string, to: string) => Call}
 */
function mend(path, from, to) {
  const [before, after] = [from.split('\n'), to.split('\n')];
  const head = Math.max(0, before.findIndex((line, at) => line !== after[at]) - 1);
  let tail = 0;
  while (before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const cut = (/** @type {string[]} */ lines) => lines.slice(head, lines.length - Math.max(0, tail - 1)).join('\n');
  return { name: 'edit_file', input: { path, old_string: cut(before), new_string: cut(after) } };
}
