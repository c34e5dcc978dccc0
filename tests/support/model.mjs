import { createServer } from 'node:http';
import { StandIn } from './agent.mjs';
import { runLine } from './line.mjs';

/**
 * A model that does not think: it does what the stand-in of agent.mjs would, by the tools of the runtime, behind a loopback server that
 * speaks as one for chat completions does. What of other services is particular, tests/wings/runtime/wires.test.ts has.
 */

/**
 * @typedef {{ name: string, input: object }} Call
 * @typedef {{ text?: string, calls?: Call[] }} Step
 * @typedef {{ role: string, content: string }} Message
 */

/**
 * Makes what answers for a run.
 * @param {import('./project.mjs').Project} project
 * @param {string} name the run
 * @param {Partial<ConstructorParameters<typeof StandIn>[0]>} [how]
 * @returns {(messages: Message[]) => Step}
 */
export function createModel(project, name, how = {}) {
  const agent = new StandIn({ project, name, ...how });
  /** @type {Call[]} */
  let writes = [];
  agent.write = (path, content) => {
    writes.push({ name: 'write_file', input: { path, content } });
  };
  return (messages) => {
    const given = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content));
    // Results: the files are written.
    if (messages.at(-1)?.role === 'tool') return { calls: [{ name: 'finish', input: finishOf(given[0] ?? '') }] };
    writes = [];
    /** @type {import('./agent.mjs').Action} */
    const action = JSON.parse(runLine(`dev-cli next ${name} --full`, { cwd: project.root, env: project.env }).stdout);
    perform(agent, action, given[0] ?? '');
    return writes.length > 0 ? { calls: writes } : { calls: [{ name: 'finish', input: finishOf(given[0] ?? '') }] };
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

/** @param {unknown} content */
const textOf = (content) =>
  typeof content === 'string'
    ? content
    : /** @type {{ text?: string }[]} */ (content).map(({ text = '' }) => text).join('\n');

/**
 * Serves a model on this machine.
 * @param {(messages: Message[]) => Step | number} answer a number is the status of a refusal
 * @returns {Promise<{ url: string, requests: any[], billed: { input: number, output: number }, close: () => void }>}
 */
export async function serveModel(answer) {
  /** @type {any[]} */
  const requests = [];
  const billed = { input: 0, output: 0 };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const asked = JSON.parse(body);
    requests.push(asked);
    const step = answer(asked.messages);
    if (typeof step === 'number') {
      response.writeHead(step, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end(JSON.stringify({ error: { message: 'try again' } }));
      return;
    }
    const [input, output] = [Math.ceil(body.length / 4), 20];
    billed.input += input;
    billed.output += output;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of listEvents(step, requests.length, { prompt_tokens: input, completion_tokens: output }))
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, requests, billed, close: () => server.close() };
}

/**
 * @param {Step} step
 * @param {number} n
 * @param {object} usage
 */
function listEvents({ text, calls = [] }, n, usage) {
  const common = { id: `answer-${n}`, object: 'chat.completion.chunk', created: 1, model: 'tiny' };
  const event = (/** @type {object} */ delta, /** @type {string | null} */ finish = null) => ({
    ...common,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const toCall = (/** @type {Call} */ { name, input }, /** @type {number} */ index) =>
    event({
      tool_calls: [
        { index, id: `call_${n}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
      ],
    });
  return [
    ...(text === undefined ? [] : [event({ role: 'assistant', content: text })]),
    ...calls.map(toCall),
    event({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { ...common, choices: [], usage },
  ];
}
