import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { CHANGES } from './changes.mjs';
import { ANALYSES, complete, FINDINGS, PULL_REQUEST, SYNTHESIS } from './content.mjs';
import { jwtCrew } from './crew.mjs';
import { runLine } from './line.mjs';

/**
 * A scripted stand-in for a coding agent, its subagents and its user. All it knows about dev-cli is what the SKILL.md
 * files of specify, execute and ultrawork say. It runs printed commands exactly as printed, carries out each kind of
 * action with canned content, and follows `ack`, `choices`, `poll` and `fix`. It counts everything that it has to read.
 */

/**
 * @typedef {object} Action the document that `dev-cli next` prints
 * @property {string} run
 * @property {string} block
 * @property {string} action
 * @property {string} actionId
 * @property {string} instruction
 * @property {string[]} [read]
 * @property {string[]} [consult]
 * @property {'user'} [asks]
 * @property {{ write: string, form: 'sections' | 'json', schema?: string, need?: Record<string, string> }} [data]
 * @property {{ id: string, label: string, ack?: string, reason?: 'required' }[]} [choices]
 * @property {string} [answer] the command that the person runs at a gate that only a person can answer
 * @property {string} [ack]
 * @property {string} [poll]
 * @property {string} [tell]
 * @property {{ id: string, type: string, promptFile: string, output?: string }[]} [agents]
 * @property {import('./crew.mjs').Task[]} [tasks]
 * @property {import('./crew.mjs').Task[]} [running]
 * @property {{ todoId?: string | null, id: string, run: string[], log: string }[]} [commands]
 * @property {string} [message]
 * @property {string} [todoId]
 * @property {string} [resume]
 * @property {string} [ruling]
 * @property {'required'} [human]
 * @property {number} [round]
 * @property {boolean} [done]
 * @property {string} [outcome]
 * @property {string} [summary]
 * @property {string[]} [artifacts]
 * @property {string} [progress]
 */

/**
 * @typedef {object} Answer an envelope, an error, or an action without an envelope
 * @property {boolean} [ok]
 * @property {Action} [next]
 * @property {string[]} [warnings]
 * @property {{ code: string, message: string, fix?: string, instead?: string, details?: { agent?: string, target?: string, pointer?: string, problem: string }[] }} [error]
 */

/**
 * @typedef {object} Call one call of dev-cli
 * @property {string} command the command line as it was run
 * @property {number} exit
 * @property {string} stdout the output that the agent read, without the indentation for terminals
 * @property {string[] | null} typed what the person typed at a terminal; null if the agent made the call
 * @property {boolean} injected whether a harness with hooks would add the output to the context without this call
 * @property {Answer | null} answer null if the output was text
 * @property {{ path: string, bytes: number, characters: number }[]} read files the main agent read because of this
 * answer
 */

/**
 * What differs from a run in which everything goes well.
 * @typedef {object} Scenario
 * @property {object} [plan] the plan content to write in place of the sample's
 * @property {string} [leaveOut] the id of the agent whose output is missing the first time
 * @property {boolean} [rejectFirstReview]
 * @property {boolean} [rejectPlan] the person at the gate asks for a different plan once
 * @property {boolean} [twoRounds] the interview takes two rounds
 * @property {boolean} [forgetful] the agent forgets everything before each step and continues from `manifest` and
 * `next` alone
 * @property {string} [compactedAt] the block before which the context is compacted once
 * @property {(action: Action, agent: StandIn) => void | 'stop'} [before] called before each action is carried out
 * @property {(action: Action, agent: StandIn) => void} [beforeAck] called when the work is done but not yet
 * acknowledged
 */

/** Thrown when the stand-in cannot continue: the protocol was broken, or the same error occurred twice. */
export class StandInError extends Error {}

const MAX_STEPS = 60;

/** The reason that the agent and the person give for every choice that requires one. */
const REASON = 'Read tokens from the Authorization header only, and say so in the todo that wires the routes.';

export class StandIn {
  /** @type {Call[]} */
  calls = [];
  /** Bytes of the prompt files that subagents read; the main agent does not read them. */
  subagentBytes = 0;
  /** How many subagents were started. */
  started = 0;
  #leftOut = false;
  #planRejected = false;
  #compacted = false;

  /**
   * @param {object} options
   * @param {import('./project.mjs').Project} options.project
   * @param {import('./changes.mjs').Change} [options.change] the change that the run makes
   * @param {string} [options.name] the run's name
   * @param {string} [options.cwd] the directory in which commands are run; default: the root
   * @param {Scenario} [options.scenario]
   * @param {(call: Call, action: Action | null) => void} [options.onCall] called after each call, with the action that
   * the call returned
   * @param {(task: import('./crew.mjs').Task, files: string[], result: string) => void} [options.onTask] called after
   * each task of an execution, with the files and the result that the task wrote
   * @param {import('./crew.mjs').Crew} [options.crew] the workers and reviewers that carry out a plan
   * @param {string} [options.goal]
   * @param {string} [options.formerRoot] the root in which the run began, if the project has moved since: prompt files
   * still name it
   */
  constructor({
    project,
    change = CHANGES.large,
    name = change.name,
    cwd = project.root,
    scenario = {},
    onCall = () => {},
    onTask = () => {},
    crew = jwtCrew(),
    goal = change.goal,
    formerRoot = project.root,
  }) {
    this.project = project;
    this.change = change;
    this.formerRoot = formerRoot;
    this.name = name;
    this.cwd = cwd;
    this.scenario = scenario;
    this.onCall = onCall;
    this.onTask = onTask;
    this.crew = crew;
    this.goal = goal;
  }

  /**
   * Starts a run as SKILL.md says.
   * @param {string} [flags] flags for `init`
   * @returns {Action}
   */
  start(flags = '') {
    const blank = flags === '' ? '' : ` ${flags}`;
    return this.#nextOf(this.run(`dev-cli init ${this.name}${blank} --goal - <<'GOAL'\n${this.goal}\nGOAL`));
  }

  /**
   * Begins to carry out the run's plan, as SKILL.md says.
   * @param {string} [flags] flags for `init`
   * @returns {Action}
   */
  execute(flags = '--execute') {
    return this.#nextOf(this.run(`dev-cli init ${this.name} ${flags}`));
  }

  /**
   * Carries out one action after another until the run is done or `before` returns `stop`.
   * @param {Action} [first] the first action; without it, the agent calls `manifest` and `next`, as after a compaction
   * @returns {Action} the last action: `done`, or the action at which `before` stopped
   */
  drive(first) {
    let action = first ?? this.recall();
    for (let step = 0; step < MAX_STEPS; step += 1) {
      if (action.done === true) return action;
      if (this.scenario.forgetful === true && step > 0) action = this.recall();
      if (this.scenario.compactedAt === action.block && !this.#compacted) {
        this.#compacted = true;
        this.#record(this.run(`dev-cli manifest ${this.name}`, { injected: true }));
      }
      if (this.scenario.before?.(action, this) === 'stop') return action;
      action = this.step(action);
    }
    throw new StandInError(`not done after ${MAX_STEPS} actions; last: ${action.block}`);
  }

  /**
   * Recovers after a compaction: reads the manifest for the background, then asks for the next action.
   * @returns {Action}
   */
  recall() {
    const manifest = this.run(`dev-cli manifest ${this.name}`);
    if (manifest.exit !== 0) throw new StandInError(`manifest: exit ${manifest.exit} ${manifest.stdout}`);
    const call = this.run(`dev-cli next ${this.name}`);
    if (call.exit !== 0) throw new StandInError(`next: exit ${call.exit} ${call.stdout}`);
    return this.#actionOf(call);
  }

  /**
   * Carries out one action and acknowledges it. If the acknowledgement is refused, repairs the work and repeats it.
   * @param {Action} action
   * @returns {Action} the next action
   */
  step(action) {
    this.#read([...(action.read ?? [])]);
    if (action.human === 'required') {
      const choice = this.#choiceAtGate(action);
      this.scenario.beforeAck?.(action, this);
      return this.decide(action, choice);
    }
    const command = this.#perform(action);
    this.scenario.beforeAck?.(action, this);
    let call = this.run(command);
    let lastCode = '';
    while (call.exit === 3) {
      const error = call.answer?.error;
      if (error === undefined) throw new StandInError(`exit 3 without an error: ${call.stdout}`);
      if (error.code === lastCode) throw new StandInError(`the same error twice: ${call.stdout}`);
      lastCode = error.code;
      this.#repair(action, error);
      call = this.run(command);
    }
    if (action.action === 'running' && call.exit === 0) return this.#actionOf(call);
    if (call.exit === 4) return this.#actionOf(this.run(`dev-cli next ${this.name}`));
    return this.#nextOf(call);
  }

  /**
   * Types the choice, as the person, at a gate that only a person can answer; then asks for the next action, as the
   * agent.
   * @param {Action} action
   * @param {string} choice
   * @param {string} [reason] typed if the choice requires a reason
   * @returns {Action} the next action
   */
  decide(action, choice, reason = REASON) {
    const chosen = (action.choices ?? []).find(({ id }) => id === choice);
    if (chosen === undefined) throw new StandInError(`${action.block}: no choice ${choice}`);
    const typed = chosen.reason === undefined ? [choice] : [choice, reason];
    const call = this.run(action.answer ?? `dev-cli approve ${this.name}`, { typed });
    if (call.exit !== 0) throw new StandInError(`${call.command}: exit ${call.exit} ${call.stdout}`);
    return this.#actionOf(this.run(`dev-cli next ${this.name}`));
  }

  /**
   * Runs a command line exactly as printed (line.mjs) and records the result.
   * @param {string} command
   * @param {{ typed?: string[], injected?: boolean }} [how] `typed`: the person runs the command at a terminal and
   * types these lines
   * @returns {Call}
   */
  run(command, { typed, injected = false } = {}) {
    const around = { cwd: this.cwd, env: this.project.env, ...(typed === undefined ? {} : { typed }) };
    const { exit, stdout, stderr } = runLine(command, around);
    if (stderr !== '' && !(exit !== 0 && stdout === '')) throw new StandInError(`${command}: on stderr: ${stderr}`);
    /** @type {Answer | null} */
    let answer = null;
    try {
      answer = JSON.parse(stdout);
    } catch {
      // The output is text for people; a caller that needs a document fails later.
    }
    const text = stdout === '' ? stderr : stdout;
    /** @type {Call} */
    const call = { command, exit, stdout: text, typed: typed ?? null, injected, answer, read: [] };
    this.calls.push(call);
    this.onCall(call, answer === null ? null : actionIn(answer));
    return call;
  }

  /** Returns the totals of everything that the main agent has had to read so far. */
  totals() {
    const read = this.calls.filter(({ typed }) => typed === null);
    const made = read.filter((call) => !call.injected);
    const answers = sum(made, (call) => Buffer.byteLength(call.stdout));
    const injected = sum(
      read.filter((call) => call.injected),
      (call) => Buffer.byteLength(call.stdout),
    );
    const files = sum(read, (call) => sum(call.read, (file) => file.bytes));
    const characters = sum(read, (call) => call.stdout.length + sum(call.read, (file) => file.characters));
    return {
      calls: made.length,
      answers,
      injected,
      files,
      all: answers + injected + files,
      tokens: Math.ceil(characters / 4),
      subagents: this.subagentBytes,
    };
  }

  /** @param {string} path as printed: absolute, or relative to the agent's current directory */
  path(path) {
    return isAbsolute(path) ? path : join(this.cwd, path);
  }

  /** @param {Call} call */
  #nextOf(call) {
    if (call.exit !== 0) throw new StandInError(`${call.command}: exit ${call.exit} ${call.stdout}`);
    const action = call.answer?.next;
    if (action === undefined) throw new StandInError(`${call.command}: no action in ${call.stdout}`);
    return action;
  }

  /**
   * @param {Call} call
   * @returns {Action}
   */
  #actionOf(call) {
    if (call.exit !== 0 || call.answer === null)
      throw new StandInError(`${call.command}: exit ${call.exit} ${call.stdout}`);
    return /** @type {Action} */ (call.answer);
  }

  /** @param {Call} call */
  #record(call) {
    if (call.exit !== 0) throw new StandInError(`${call.command}: exit ${call.exit} ${call.stdout}`);
  }

  /** @param {string[]} paths */
  #read(paths) {
    for (const path of paths) {
      const text = readFileSync(this.path(path), 'utf8');
      this.calls.at(-1)?.read.push({ path, bytes: Buffer.byteLength(text), characters: text.length });
    }
  }

  /**
   * @param {Action} action
   * @returns {string} the command that acknowledges it
   */
  #perform(action) {
    switch (action.action) {
      case 'llm':
        if (action.choices !== undefined) return this.#classify(action);
        if (action.data !== undefined) this.#writeData(action, action.data);
        return ackOf(action);
      case 'llm-loop':
      case 'llm+cli':
        if (action.data === undefined) throw new StandInError(`${action.block}: no data wanted`);
        this.#writeData(action, action.data);
        return ackOf(action);
      case 'dispatch-subagents':
        for (const agent of action.agents ?? []) {
          if (this.scenario.leaveOut === agent.id && !this.#leftOut) {
            this.#leftOut = true;
            continue;
          }
          this.subagent(agent);
        }
        return this.#withTexts(ackOf(action));
      case 'engine-dispatch':
        for (const task of action.tasks ?? []) this.task(task);
        return ackOf(action);
      case 'wait-for-user':
        return this.#choose(action, this.#choiceAtGate(action));
      case 'running':
        if (action.poll === undefined) throw new StandInError(`${action.block}: running without a poll`);
        return action.poll;
      default:
        throw new StandInError(`unknown kind of action ${JSON.stringify(action.action)}`);
    }
  }

  /**
   * Decides what the user wants at a gate.
   * @param {Action} action
   */
  #choiceAtGate(action) {
    const ids = (action.choices ?? []).map((choice) => choice.id);
    if (
      ids.includes('revise') &&
      action.human === 'required' &&
      this.scenario.rejectPlan === true &&
      !this.#planRejected
    ) {
      this.#planRejected = true;
      return 'revise';
    }
    for (const wanted of ['approve', 'confirm', 'pass', 'continue']) if (ids.includes(wanted)) return wanted;
    throw new StandInError(`${action.block}: the person does not know what to choose among ${ids.join(', ')}`);
  }

  /**
   * @param {Action} action
   * @param {string} id
   */
  #choose(action, id) {
    const choice = (action.choices ?? []).find((candidate) => candidate.id === id);
    if (choice?.ack === undefined) throw new StandInError(`${action.block}: no choice ${id} with an ack`);
    return this.#withTexts(choice.ack);
  }

  /**
   * Answers with the kind of work. Also writes the size of the work if the action asks for it; a change that names no
   * size leaves this optional data out.
   * @param {Action} action
   */
  #classify(action) {
    if (action.data?.schema === 'size' && this.change.size !== null) {
      this.write(action.data.write, `${JSON.stringify(this.change.size)}\n`);
    }
    return this.#choose(action, this.change.intent);
  }

  /**
   * Writes the reason, note and result files that a command names after `@`.
   * @param {string} command
   */
  #withTexts(command) {
    for (const [, path = ''] of command.matchAll(/@'?([^\s']+\/(?:reason|note|result)\.md)/g)) {
      this.write(path, `${REASON}\n`);
    }
    return command;
  }

  /**
   * @param {Action} action
   * @param {NonNullable<Action['data']>} data
   */
  #writeData(action, data) {
    if (data.form === 'json') {
      this.write(data.write, `${JSON.stringify(this.#contentFor(data.write), null, 2)}\n`);
      return;
    }
    const wanted = Object.keys(data.need ?? {});
    if (wanted.length === 0) throw new StandInError(`${action.block}: data without need`);
    const open = this.scenario.twoRounds === true && action.round === 1 ? firstRound(wanted) : wanted;
    this.write(
      data.write,
      open.map((id) => `## ${id}\n\n${this.change.answers[id] ?? '- As the request says. (user)'}\n`).join('\n'),
    );
  }

  /** @param {string} path the file to write */
  #contentFor(path) {
    return path.endsWith('/pr.json')
      ? PULL_REQUEST
      : complete(this.scenario.plan ?? this.change.plan(this.#revision(path)), this.goal);
  }

  /**
   * Returns the number of the plan's next revision: one more than the rendered plan has. It is read from the files, so
   * that an agent that has forgotten everything writes the same plan.
   * @param {string} planContentPath
   */
  #revision(planContentPath) {
    const plan = join(dirname(this.path(planContentPath)), 'PLAN.md');
    if (!existsSync(plan)) return 0;
    const revisions = [...readFileSync(plan, 'utf8').matchAll(/Revision (\d+):/g)].map(([, n]) => Number(n));
    return Math.max(0, ...revisions) + 1;
  }

  /**
   * Plays a subagent: reads the prompt file and writes the output in one go.
   * @param {{ id: string, type: string, promptFile: string, output?: string }} agent
   */
  subagent(agent) {
    const prompt = this.#promptOf(agent);
    if (agent.output === undefined) return;
    this.write(agent.output, this.document(agent, prompt));
  }

  /**
   * Plays a worker, a verifier or a reviewer: reads the prompt file, does the work in the work tree, and writes the
   * result in one go.
   * @param {import('./crew.mjs').Task} task
   */
  task(task) {
    const prompt = this.#promptOf(task);
    const { root } = this.project;
    const worker = task.substep === 'worker';
    const { files, result } = worker
      ? this.crew.worker(task, root)
      : {
          files: {},
          result: task.todoId === null ? this.crew.review(root, prompt) : this.crew.judge(task, root, prompt),
        };
    for (const [path, text] of Object.entries(files)) this.write(join(root, path), text);
    const text = `${JSON.stringify(result, null, 2)}\n`;
    this.write(task.output, text);
    this.onTask(task, Object.keys(files), text);
  }

  /**
   * Reads a subagent's prompt, and checks that it names the output by an absolute path.
   * @param {{ promptFile: string, output?: string }} task
   */
  #promptOf({ promptFile, output: printed }) {
    const prompt = readFileSync(this.path(promptFile), 'utf8');
    this.started += 1;
    this.subagentBytes += Buffer.byteLength(prompt);
    if (printed === undefined) return prompt;
    const output = this.path(printed);
    const former = join(this.formerRoot, relative(this.project.root, output));
    if (!prompt.includes(output) && !prompt.includes(former))
      throw new StandInError(`${promptFile} does not name the absolute path ${output}`);
    return prompt;
  }

  /**
   * Returns the output of a subagent, with the front matter block copied from its prompt.
   * @param {{ id: string, type: string, output?: string }} agent
   * @param {string} prompt
   */
  document(agent, prompt) {
    const content = this.#contentOf(agent);
    const frontMatter = frontMatterOf(prompt);
    if (frontMatter === null) throw new StandInError(`the prompt of ${agent.id} shows no front matter to copy`);
    const filled = frontMatter.map((line) => {
      if (line.startsWith('summary:')) return `summary: ${JSON.stringify(content.summary)}`;
      if (line.startsWith('verdict:')) return `verdict: ${content.verdict ?? 'OKAY'}`;
      return line;
    });
    if (!filled.some((line) => line.startsWith('summary:'))) filled.push(`summary: ${JSON.stringify(content.summary)}`);
    if (content.verdict !== undefined && !filled.some((line) => line.startsWith('verdict:')))
      filled.push(`verdict: ${content.verdict}`);
    return `---\n${filled.join('\n')}\n---\n\n${content.body}`;
  }

  /**
   * @param {{ id: string, type: string, output?: string }} agent
   * @returns {{ summary: string, body: string, verdict?: 'OKAY' | 'REJECT' }}
   */
  #contentOf(agent) {
    const role = agent.type.replace(/^.*:/, '');
    if (role === 'plan-reviewer') {
      const first = agent.output?.endsWith('/1.md') === true;
      const verdict = this.scenario.rejectFirstReview === true && first ? 'REJECT' : 'OKAY';
      return { ...this.change.review(verdict), verdict };
    }
    if (role === 'codex-strategist') return SYNTHESIS;
    const findings = { ...FINDINGS, ...this.change.findings };
    const known = findings[agent.id] ?? ANALYSES[agent.id] ?? findings[role] ?? ANALYSES[role];
    return known ?? { summary: 'Nothing that bears on the goal was found.', body: '## Found\n\nNothing.\n' };
  }

  /**
   * @param {Action} action
   * @param {NonNullable<Answer['error']>} error
   */
  #repair(action, error) {
    if (error.fix?.startsWith('dev-cli ') === true) {
      this.run(error.fix);
      return;
    }
    const missing = new Set((error.details ?? []).map((detail) => detail.agent));
    const again = (action.agents ?? []).filter((agent) => missing.has(agent.id));
    const refused = new Set((error.details ?? []).map((detail) => detail.target));
    const tasks = [...(action.tasks ?? []), ...(action.running ?? [])].filter(({ output }) => refused.has(output));
    if (again.length + tasks.length === 0) throw new StandInError(`nothing to repair with: ${JSON.stringify(error)}`);
    for (const agent of again) this.subagent(agent);
    for (const task of tasks) this.task(task);
  }

  /**
   * Writes a file in one go: to a temporary name beside it, then renamed.
   * @param {string} path as printed
   * @param {string} text
   */
  write(path, text) {
    const target = this.path(path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(`${target}.tmp`, text);
    renameSync(`${target}.tmp`, target);
  }
}

/**
 * Finds the lines between the fences of the first front matter block in a prompt file.
 * @param {string} prompt
 * @returns {string[] | null}
 */
export function frontMatterOf(prompt) {
  const lines = prompt.split('\n').map((line) => line.trim());
  for (let from = 0; from < lines.length; from += 1) {
    if (lines[from] !== '---') continue;
    const to = lines.indexOf('---', from + 1);
    if (to === -1) return null;
    const block = lines.slice(from + 1, to);
    if (block.some((line) => line.startsWith('agent:'))) return block;
  }
  return null;
}

/**
 * Returns the sections that the first of two interview rounds fills.
 * @param {string[]} wanted
 */
function firstRound(wanted) {
  const brought = wanted.filter((id) => id !== 'boundaries' && id !== 'criteria');
  return brought.length > 0 ? brought : wanted.slice(0, 1);
}

/**
 * Finds the action in an answer, whether or not it has an envelope.
 * @param {Answer} answer
 * @returns {Action | null}
 */
function actionIn(answer) {
  return answer.next ?? ('action' in answer ? /** @type {Action} */ (answer) : null);
}

/** @param {Action} action */
function ackOf(action) {
  if (action.ack === undefined) throw new StandInError(`${action.block}: no ack`);
  return action.ack;
}

/**
 * @template T
 * @param {T[]} items
 * @param {(item: T) => number} measure
 */
function sum(items, measure) {
  return items.reduce((total, item) => total + measure(item), 0);
}

/**
 * Describes an action in two lines, as the quickstart shows it: the run's position, and what the action asks for.
 * @param {Action} action
 */
export function inShort(action) {
  const where =
    action.done === true ? `done, ${action.outcome}` : `${action.block} · ${action.action} · ${action.progress}`;
  const details = [
    action.agents && `start together: ${action.agents.map(({ id }) => id).join(', ')}`,
    action.tasks && `start together: ${action.tasks.map(taskInShort).join(', ')}`,
    action.todoId && `about ${action.todoId}`,
    action.commands &&
      action.commands.length > 0 &&
      `at work: ${action.commands.map(({ run }) => run.join(' ')).join(', ')}`,
    action.choices && `choices: ${action.choices.map(({ id }) => id).join(', ')}`,
    action.data && `write: ${action.data.write}`,
    action.asks && 'asks the user',
  ];
  return { where, details: details.filter(Boolean).join(' · ') };
}

/**
 * Describes a task in a few words: `worker of todo-2, attempt 2`.
 * @param {import('./crew.mjs').Task} task
 */
export function taskInShort({ todoId, substep, attempt }) {
  const who = { worker: 'worker', verify: 'verifier', codeReview: 'code reviewer' }[substep] ?? substep;
  return [who, todoId && `of ${todoId}`, attempt > 1 && `(attempt ${attempt})`].filter(Boolean).join(' ');
}
