// @ts-nocheck
// A stranger's server for the neutral contract: correct but naive, without a lock, and with its own wording where the
// contract leaves the wording open. `node stranger.mjs` speaks the Model Context Protocol on stdio; `node stranger.mjs
// CALL JSON` answers one call.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = process.env.NEXUS_PROJECT_ROOT ?? process.cwd();
const at = (name) => join(root, '.nexus', name);
const [PLAN, TASKS, HISTORY] = ['state/plan.json', 'state/tasks.json', 'history.json'];
const [RUNTIME, AGENTS] = ['state/runtime.json', 'state/agent-tracker.json'];
const read = (name, otherwise = null) =>
  existsSync(at(name)) ? JSON.parse(readFileSync(at(name), 'utf8')) : otherwise;
const write = (name, value) => put(at(name), JSON.stringify(value));
const put = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const fail = (message) => {
  throw new Error(message);
};
const need = (given, ...names) => names.map((name) => given[name] ?? fail(`I need ${name}`));
const next = (list) => list.reduce((most, { id }) => Math.max(most, typeof id === 'number' ? id : 0), 0) + 1;
const now = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z');
const decided = (plan) => (plan?.issues ?? []).filter(({ status }) => status === 'decided');
const branch = () => {
  if (!existsSync(join(root, '.git/HEAD'))) return 'unknown';
  const head = readFileSync(join(root, '.git/HEAD'), 'utf8').trim();
  return head.startsWith('ref: refs/heads/') ? head.slice(16) : 'HEAD';
};
const archive = (plan, tasks) => {
  const history = read(HISTORY, { cycles: [] });
  const cycle = { completed_at: now(), branch: branch(), plan, tasks };
  history.cycles.push(cycle);
  write(HISTORY, history);
  return { cycle, total: history.cycles.length };
};
const plan = () => read(PLAN) ?? fail('No active plan session');
const issueOf = ({ issues }, id) => issues.find((one) => one.id === id) ?? fail(`Issue ${id} not found`);
const agent = (id, change) => {
  const agents = read(AGENTS, []);
  const one = agents.find(({ agent_id }) => agent_id === id);
  if (one)
    write(
      AGENTS,
      agents.map((other) => (other === one ? change(one) : other)),
    );
  return {};
};

const ACTIONS = {
  add(it, { title }) {
    const issue = { id: next(it.issues), title: title ?? fail('title is required for add'), status: 'pending' };
    it.issues.push(issue);
    return { added: true, issue };
  },
  remove(it, { issue_id }) {
    const issue = issueOf(it, issue_id ?? fail('issue_id is required for remove'));
    it.issues = it.issues.filter((one) => one !== issue);
    return { removed: true, issue };
  },
  edit(it, { issue_id, title }) {
    if (issue_id === undefined || title === undefined) fail('issue_id and title are required for edit');
    return { edited: true, issue: Object.assign(issueOf(it, issue_id), { title }) };
  },
  reopen(it, { issue_id }) {
    const issue = issueOf(it, issue_id ?? fail('issue_id is required for reopen'));
    for (const name of Object.keys(issue)) if (!['id', 'title'].includes(name)) delete issue[name];
    return { reopened: true, issue: Object.assign(issue, { status: 'pending' }) };
  },
};

const CALLS = {
  plan_start(given) {
    need(given, 'research_summary', 'topic', 'issues');
    const { topic, research_summary } = given;
    const old = read(PLAN);
    const id = next([...read(HISTORY, { cycles: [] }).cycles.map((one) => one.plan ?? {}), old ?? {}]);
    if (old) archive(old, []);
    const issues = given.issues.map((title, n) => ({ id: n + 1, title, status: 'pending' }));
    write(PLAN, { id, topic, issues, research_summary, created_at: now() });
    return { created: true, plan_id: id, topic, issueCount: issues.length, previousArchived: old !== null };
  },
  plan_status() {
    const it = read(PLAN);
    if (!it) return { active: false };
    const { id: plan_id, topic, issues, research_summary } = it;
    const summary = { total: issues.length, pending: issues.length - decided(it).length, decided: decided(it).length };
    return { active: true, plan_id, topic, issues, research_summary, summary };
  },
  plan_update(given) {
    const it = plan();
    const reply = (ACTIONS[given.action] ?? fail('Unknown action'))(it, given);
    write(PLAN, it);
    return reply;
  },
  plan_decide({ issue_id, summary, ...how }) {
    const it = plan();
    const issue = issueOf(it, issue_id);
    if (issue.status === 'decided') fail('That is decided.');
    Object.assign(issue, { status: 'decided', decision: summary, ...how });
    write(PLAN, it);
    const remaining = it.issues
      .filter((one) => one.status === 'pending')
      .map(({ id, title, status }) => ({ id, title, status }));
    const allComplete = remaining.length === 0;
    return {
      decided: true,
      issue: issue.title,
      allComplete,
      ...(allComplete ? { message: 'Nothing is left.' } : { remaining }),
    };
  },
  task_add({ goal, decisions = [], deps = [], ...given }) {
    need(given, 'title', 'context');
    const it = read(TASKS, { goal: read(PLAN)?.topic ?? given.title, decisions: [], tasks: [] });
    const task = { id: next(it.tasks), ...given, status: 'pending', deps, created_at: now() };
    write(TASKS, { goal: goal ?? it.goal, decisions: [...it.decisions, ...decisions], tasks: [...it.tasks, task] });
    return { task };
  },
  task_list() {
    const it = read(TASKS);
    if (!it) return { exists: false };
    const count = (status) => it.tasks.filter((one) => one.status === status).length;
    const done = (id) => it.tasks.some((one) => one.id === id && one.status === 'completed');
    const ready = it.tasks.filter(({ status, deps }) => status === 'pending' && deps.every(done)).map(({ id }) => id);
    const summary = {
      total: it.tasks.length,
      completed: count('completed'),
      pending: count('pending'),
      blocked: count('in_progress'),
      ready,
    };
    return { exists: true, goal: it.goal, tasks: it.tasks, summary };
  },
  task_update({ id, status }) {
    const it = read(TASKS) ?? fail('tasks.json not found');
    const task = it.tasks.find((one) => one.id === id) ?? fail(`Task id ${id} not found`);
    task.status = status;
    write(TASKS, it);
    return { task };
  },
  task_close() {
    const [it, list] = [read(PLAN), read(TASKS)];
    const tasks = list?.tasks ?? [];
    const { cycle, total } = archive(it, tasks);
    const names = ['plan.json', 'tasks.json', 'edit-tracker.json', 'reopen-tracker.json'];
    const deleted = names.filter((name) => existsSync(at(`state/${name}`)));
    for (const name of deleted) rmSync(at(`state/${name}`));
    const counts = { plan: it !== null, decisions: decided(it).length, tasks: tasks.length };
    const cycleTopics = [it?.topic, list?.goal].filter(Boolean);
    const memoryHint = {
      taskCount: tasks.length,
      decisionCount: counts.decisions,
      hadLoopDetection: false,
      cycleTopics,
    };
    return {
      closed: true,
      cycle: cycle.completed_at,
      branch: cycle.branch,
      archived: counts,
      deleted,
      total_cycles: total,
      memoryHint,
    };
  },
  history_search({ query = '', last_n = 10 }) {
    const found = read(HISTORY, { cycles: [] }).cycles.filter((one) =>
      JSON.stringify(one).toLowerCase().includes(query.toLowerCase()),
    );
    const cycles = found.slice(-last_n).map(({ completed_at, branch: name, plan: it, tasks }) => ({
      completed_at,
      branch: name,
      ...(it && { topic: it.topic, decisions: decided(it).map(({ title, decision }) => ({ title, decision })) }),
      task_count: tasks.length,
    }));
    return { total: found.length, showing: cycles.length, cycles };
  },
  context() {
    const it = read(TASKS);
    if (!it) return { branch: branch(), activeMode: null, decisions: [] };
    const count = (status) => it.tasks.filter((one) => one.status === status).length;
    const tasksSummary = { total: it.tasks.length, completed: count('completed'), pending: count('pending') };
    return { branch: branch(), activeMode: 'team', goal: it.goal, tasksSummary, decisions: it.decisions };
  },
  artifact_write({ filename, content }) {
    const path = resolve(at('state/artifacts'), filename);
    put(path, content);
    return { success: true, path };
  },
  session_start({ teams_enabled = false, plugin_version = 'stranger' }) {
    write(RUNTIME, { teams_enabled, session_started_at: now(), plugin_version });
    write(AGENTS, []);
    return {};
  },
  session_end() {
    for (const name of [RUNTIME, AGENTS]) rmSync(at(name), { force: true });
    return {};
  },
  agent_spawn(given) {
    write(AGENTS, [...read(AGENTS, []), { ...given, started_at: now(), resume_count: 0, status: 'running' }]);
    return {};
  },
  agent_complete: ({ agent_id, files_touched = [], ...said }) =>
    agent(agent_id, (one) => ({
      ...one,
      ...said,
      status: 'completed',
      stopped_at: now(),
      files_touched: [...new Set([...files_touched, ...(one.files_touched ?? [])])],
    })),
  agent_resume: ({ agent_id }) =>
    agent(agent_id, (one) => ({
      ...one,
      status: 'running',
      resume_count: one.resume_count + 1,
      last_resumed_at: now(),
    })),
};

const call = (name, given) => {
  try {
    return CALLS[name](given);
  } catch (error) {
    return { error: error.message };
  }
};

const answer = ({ method, params }) => {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'stranger', version: '1' },
    };
  if (method === 'tools/list')
    return { tools: Object.keys(CALLS).map((name) => ({ name, inputSchema: { type: 'object' } })) };
  return { content: [{ type: 'text', text: JSON.stringify(call(params.name, params.arguments ?? {})) }] };
};

const [name, given] = process.argv.slice(2);
if (name !== undefined) console.log(JSON.stringify(call(name, JSON.parse(given))));
else {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line);
    if (request.id !== undefined)
      console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: answer(request) }));
  });
}
