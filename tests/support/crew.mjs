import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CHECKOUT } from './project.mjs';

/**
 * Scripted workers, verifiers and reviewers of an execution. Like the agents they stand for, they know only their task
 * and the work tree, so a replacement that repeats a task does the same work.
 */

/**
 * @typedef {object} Task a task as an `engine-dispatch` action lists it
 * @property {string} actionId
 * @property {string | null} todoId
 * @property {string} substep
 * @property {number} attempt
 * @property {string} [why]
 * @property {string} type
 * @property {string} promptFile
 * @property {string} output
 * @property {boolean} readOnly
 * @property {string} ack
 */

/**
 * @typedef {object} Work what a worker writes
 * @property {Record<string, string>} files the text of each file, by path in the work tree
 * @property {object} result
 */

/**
 * @typedef {object} Crew
 * @property {(task: Task, root: string) => Work} worker
 * @property {(task: Task, root: string, prompt: string) => object} judge returns the result of a verifier or of a
 * handler that the recipe defines
 * @property {(root: string, prompt: string) => object} review
 */

/** The directory of the files that the stand-in's workers write, by change and todo. */
const OVERLAYS = join(CHECKOUT, 'samples');

/**
 * What workers report on the todos of the sample plan.
 * @type {Record<string, { outputs?: Record<string, unknown>, learnings: string[], issues: string[], summary: string }>}
 */
const REPORTS = {
  'todo-1': {
    outputs: { token_module: 'src/token.js', config_keys: 'authSecret, authMode' },
    learnings: [
      'verifyToken(token, { secret, now }) gives { ok, claims } or { ok: false, reason }; reasons: malformed, forged, expired, early. now is in milliseconds.',
      'signToken(claims, { secret }) makes tokens for tests; exp is in seconds.',
      'readConfig throws without AUTH_SECRET: src/main.js does not start without one from here on.',
    ],
    issues: ['A secret cannot be rotated without a moment of refusals; the plan leaves that out on purpose.'],
    summary:
      'HS256 verification with node:crypto behind one function, and AUTH_SECRET and AUTH_MODE in the configuration.',
  },
  'todo-2': {
    outputs: { public_field: 'access' },
    learnings: [
      'createApp takes guard(request), which gives the caller or throws an HttpError; without one every route but /health answers 401.',
      'An HttpError may carry headers; app.js sends them.',
      'startApi() of test/support.js signs a token by default; startApi({ token: null }) sends none.',
    ],
    issues: [],
    summary:
      'Every route is closed unless it says access: public; the guard is asked before routing and before the body is read.',
  },
  'todo-3': {
    learnings: [
      'refusal(reason) gives an HttpError with its WWW-Authenticate header; the reason missing is for requests without a token.',
    ],
    issues: [],
    summary:
      'One function turns a reason into a 401 with code, message and header; only an expired token is told apart.',
  },
  'todo-4': {
    learnings: ['audit(log) gives note(request, reason); it leaves the query out, since that may hold a token.'],
    issues: ['Nothing limits how many lines are logged in warn mode.'],
    summary: 'One line per request that would have been refused, with method, path and reason.',
  },
  'todo-5': {
    learnings: ['test/main.test.js starts the real process on port 0 and waits for its first line.'],
    issues: [],
    summary:
      'Guard, refusal and audit are wired in src/main.js; the README says how to try it, and the whole suite passes.',
  },
};

/**
 * Creates a crew that carries out the plan of content.mjs on the sample project.
 * @param {object} [trouble] what goes wrong the first time
 * @param {boolean} [trouble.red] the first attempt at todo-2 has a mistake that its tests find
 * @param {boolean} [trouble.adapt] the verifier of todo-4 asks for another todo
 * @param {boolean} [trouble.needsFixes] the first code review finds something
 * @returns {Crew}
 */
export function jwtCrew({ red = false, adapt = false, needsFixes = false } = {}) {
  return {
    worker({ todoId, attempt }, root) {
      const id = todoId ?? '';
      if (id === 'todo-4-d1') return edited(root, 'src/audit.js', CUT, 'A path is logged up to 200 characters.');
      if (id.startsWith('fix-')) return edited(root, 'src/guard.js', STRING, 'A subject that is no text is none.');
      const first = red && id === 'todo-2' && attempt === 1;
      const files = { ...overlay('add-jwt-auth', id), ...(first ? overlay('add-jwt-auth', `${id}-first`) : {}) };
      return { files, result: done(Object.keys(files), REPORTS[id]) };
    },
    judge({ todoId, attempt }, _root, prompt) {
      const verdict = verified(prompt);
      return adapt && todoId === 'todo-4' && attempt === 1 ? { ...verdict, suggestedAdaptation: ADAPTATION } : verdict;
    },
    review(root) {
      const mended = readFileSync(join(root, 'src/guard.js'), 'utf8').includes(STRING[1]);
      return needsFixes && !mended ? FINDING : SHIP;
    },
  };
}

/**
 * Creates a crew that carries out a change's plan: workers write the files that samples/ has for each todo, and no
 * verifier or reviewer finds anything wrong.
 * @param {string} change the change's directory below samples/
 * @param {Record<string, object>} reports what workers report, by todo
 * @returns {Crew}
 */
export function overlayCrew(change, reports) {
  return {
    worker({ todoId }) {
      const files = overlay(change, todoId ?? '');
      return { files, result: done(Object.keys(files), reports[todoId ?? '']) };
    },
    judge: (_task, _root, prompt) => verified(prompt),
    review: (_root, prompt) => ({
      verdict: 'SHIP',
      issues: [],
      ...answered(prompt),
      summary: 'It does what was asked, and nothing else.',
    }),
  };
}

/**
 * Creates a crew for any plan: the worker of todo-1, for example, writes made/todo-1.txt, and verifiers and reviewers
 * accept everything.
 * @param {Partial<Crew>} [other] members that replace the default ones
 * @param {object} [report] members that are added to every worker's result
 * @returns {Crew}
 */
export function simpleCrew(other = {}, report = {}) {
  return {
    worker({ todoId, attempt, readOnly }) {
      const files = readOnly ? [] : [`made/${todoId}.txt`];
      return {
        files: Object.fromEntries(files.map((file) => [file, `attempt ${attempt}\n`])),
        result: done(files, report),
      };
    },
    judge: (_task, _root, prompt) => verified(prompt),
    review: () => SHIP,
    ...other,
  };
}

/**
 * Builds a plan in four lanes, so that four todos can run at the same time; `simpleCrew` carries it out.
 * @param {number} count how many todos the plan has
 */
export function planInLanes(count) {
  return {
    context: { originalRequest: 'Do it all', interviewSummary: 'Asked', researchFindings: 'Found' },
    objectives: { core: 'All is done', deliverables: ['made/'], definitionOfDone: ['it holds'], mustNotDo: [] },
    todos: Array.from({ length: count }, (_, index) => ({
      id: `todo-${index + 1}`,
      title: `Write part ${index + 1}`,
      type: 'work',
      risk: 'low',
      dependsOn: index < 4 ? [] : [`todo-${index - 3}`],
      inputs: [],
      outputs: [],
      files: [`made/todo-${index + 1}.txt`],
      steps: ['Write it.'],
      mustNotDo: [],
      references: [],
      acceptance: [{ id: 'as-1', kind: 'assertion', text: 'It is written.' }],
    })),
  };
}

/**
 * Builds the result of a worker that has finished its todo.
 * @param {string[]} filesChanged
 * @param {Partial<{ outputs: Record<string, unknown>, learnings: string[], issues: string[], summary: string }>}
 * [report]
 */
function done(filesChanged, report = {}) {
  return {
    status: 'DONE',
    outputs: {},
    filesChanged,
    learnings: [],
    issues: [],
    summary: 'Written as asked.',
    ...report,
  };
}

/**
 * Builds the result of a verifier that found nothing wrong, by filling in the form in its prompt.
 * @param {string} prompt
 */
function verified(prompt) {
  const [, form = '{}'] = /^```json\n([\s\S]*?)^```$/m.exec(prompt) ?? [];
  const { criteria = [] } = JSON.parse(form);
  const [, rules = ''] = /^## Must not have been done\n([\s\S]*?)^## /m.exec(prompt) ?? [];
  return {
    status: 'VERIFIED',
    criteria: criteria.map((/** @type {{ id: string }} */ { id }) => ({ id, pass: true, evidence: SEEN })),
    mustNotDoViolations: [...rules.matchAll(/^- (.*)$/gm)].map(([, rule]) => ({
      rule,
      violated: false,
      evidence: 'Searched the diff of this todo for it and read what calls it: not there.',
    })),
    sideEffects: [],
    environmentError: null,
    suggestedAdaptation: null,
    summary: 'Every criterion holds; nothing was done that must not be.',
  };
}

/**
 * Builds a reviewer's answers about criteria and requirements, by filling in the form in its prompt.
 * @param {string} prompt
 */
function answered(prompt) {
  const [, form = '{}'] = /^```json\n([\s\S]*?)^```$/m.exec(prompt) ?? [];
  const { criteria, requirements } = JSON.parse(form);
  return {
    ...(criteria && {
      criteria: criteria.map((/** @type {{ id: string }} */ { id }) => ({ id, pass: true, evidence: SEEN })),
    }),
    ...(requirements && {
      requirements: requirements.map((/** @type {{ id: string }} */ { id }) => ({ id, met: true, why: SEEN })),
    }),
  };
}

const SEEN =
  'Read the files of the todo and the code around them, line by line; it is so at each place where it could be otherwise.';

const SHIP = {
  verdict: 'SHIP',
  issues: [
    {
      file: 'src/audit.js',
      line: 8,
      severity: 'minor',
      description:
        'In warn mode a client without a token can fill the log; a limit per minute would be kind to the operator.',
    },
  ],
  summary: 'The change does what the plan says, every branch has a test, and nothing else is touched.',
};

const FINDING = {
  verdict: 'NEEDS_FIXES',
  issues: [
    {
      file: 'src/guard.js',
      line: 17,
      severity: 'major',
      description:
        'The subject of a token is handed to handlers whatever it is: a list or an object signed by a careless issuer reaches code that expects a text.',
    },
  ],
  summary: 'One finding: the type of the subject is not checked before it is handed on.',
};

/** @type {[string, string]} */
const STRING = ['found.claims.sub ?? null', "typeof found.claims.sub === 'string' ? found.claims.sub : null"];
/** @type {[string, string]} */
const CUT = ["url.split('?')[0]", "url.split('?')[0].slice(0, 200)"];

const ADAPTATION = {
  reason: 'A path may have thousands of characters, and each goes into the log whole; the plan says nothing about it.',
  category: 'robustness',
  todo: {
    title: 'Log a path up to a bound',
    files: ['src/audit.js', 'test/warn.test.js'],
    steps: ['src/audit.js: cut the path in the line at 200 characters.'],
    mustNotDo: ['Change what is logged of a shorter path.'],
    acceptance: [{ kind: 'assertion', text: 'No line of src/audit.js holds more than 200 characters of a path.' }],
  },
};

/**
 * Builds the work that replaces one text in one file; doing it again changes nothing.
 * @param {string} root
 * @param {string} path
 * @param {[string, string]} change
 * @param {string} summary
 * @returns {Work}
 */
function edited(root, path, [from, to], summary) {
  const text = readFileSync(join(root, path), 'utf8');
  return { files: { [path]: text.includes(to) ? text : text.replace(from, to) }, result: done([path], { summary }) };
}

/**
 * @param {string} change
 * @param {string} todo
 * @returns {Record<string, string>}
 */
function overlay(change, todo) {
  const directory = join(OVERLAYS, change, todo);
  if (!existsSync(directory)) throw new Error(`the crew does not know how to do ${todo}`);
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [relative(directory, path), readFileSync(path, 'utf8')]));
}
