import { StandIn } from './agent.mjs';
import { runLine } from './line.mjs';

/**
 * A model that does not think: it does what the stand-in of agent.mjs would, by the tools of the runtime. provider.mjs serves it.
 */

/**
 * @typedef {{ name: string, input: Record<string, unknown> }} Call
 */

/**
 * Makes what answers for a run.
 * @param {import('./project.mjs').Project} project
 * @param {string} name the run
 * @param {Partial<ConstructorParameters<typeof StandIn>[0]>} [how]
 * @returns {(request: import('./provider.mjs').Request) => { calls: Call[] }}
 */
export function createModel(project, name, how = {}) {
  const agent = new StandIn({ project, name, ...how });
  /** @type {Call[]} */
  let writes = [];
  agent.write = (path, content) => {
    writes.push({ name: 'write_file', input: { path, content } });
  };
  return ({ messages }) => {
    const told = messages.find(({ role }) => role === 'user')?.texts.join('\n') ?? '';
    // Results: the files are written.
    if (messages.at(-1)?.role === 'tool') return { calls: [{ name: 'finish', input: finishOf(told) }] };
    writes = [];
    /** @type {import('./agent.mjs').Action} */
    const action = JSON.parse(runLine(`dev-cli next ${name} --full`, { cwd: project.root, env: project.env }).stdout);
    perform(agent, action, told);
    return writes.length > 0 ? { calls: writes } : { calls: [{ name: 'finish', input: finishOf(told) }] };
  };

  /** @param {string} message what the session was told */
  function finishOf(message) {
    const choices = [...message.matchAll(/^- (\S+): /gm)].map(([, id]) => id);
    const wanted = [agent.change.intent, 'approve', 'confirm', 'pass', 'continue'].find((id) => choices.includes(id));
    return { reason: 'As the request says.', ...(message.includes('Choose one') ? { choice: wanted } : {}) };
  }
}

/**
 * Does an action, or the part of it that a message is about.
 * @param {StandIn} agent
 * @param {import('./agent.mjs').Action} action
 * @param {string} message
 */
function perform(agent, action, message) {
  const mine = [...(action.agents ?? [])].find(({ id }) => message.startsWith(`# ${id},`));
  if (mine !== undefined) return agent.subagent(mine);
  const tasks = [...(action.tasks ?? []), ...(action.running ?? [])];
  const task = tasks.find(({ output }) => message.includes(agent.path(output)));
  if (task !== undefined) return agent.task(task);
  // The command that would acknowledge it is the runtime's.
  agent.run = () => {
    throw new Stop();
  };
  try {
    agent.step({ ...action, read: [] });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
}

class Stop extends Error {}
