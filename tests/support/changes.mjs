import { ANSWERS, GOAL, planContent, review } from './content.mjs';
import { jwtCrew, overlayCrew } from './crew.mjs';

/**
 * Three changes to samples/todo-api, of three sizes, with everything that a scripted agent, its subagents and its user
 * say and write about them. `npm run quickstart` shows them; bench/ measures their cost.
 */

/**
 * @typedef {object} Change
 * @property {string} name the run's name
 * @property {string} goal
 * @property {string} intent
 * @property {object | null} size the data that the agent hands in with the intent; null for none
 * @property {(revision: number) => object} plan
 * @property {Record<string, { summary: string, body: string }>} [findings] by agent, if they differ from content.mjs
 * @property {(verdict: 'OKAY' | 'REJECT') => { summary: string, body: string }} review
 * @property {Record<string, string>} answers the user's answers, by section
 * @property {() => import('./crew.mjs').Crew} crew
 */

const SMALL_GOAL =
  'PATCH /todos/0x1 and PATCH /todos/1.0 change to-do 1. An id counts only as it was handed out. Any other spelling answers 404 not_found and changes nothing.';

/** @type {Change} */
const small = {
  name: 'fix-todo-id',
  goal: SMALL_GOAL,
  intent: 'Bug',
  size: { size: 'small', because: { files: ['src/routes.js'], interfaces: false, data: false, unknowns: [] } },
  plan: () => ({
    size: 'small',
    context: {
      interviewSummary: 'Nothing was asked: the request says what is wanted.',
      researchFindings:
        'src/routes.js:27 turns the id of the path into a number with Number(), which reads 0x1, 1.0 and 1e0 as 1.',
    },
    requirements: [
      {
        id: 'r-1',
        quote:
          'PATCH /todos/0x1 and PATCH /todos/1.0 change to-do 1. An id counts only as it was handed out. Any other spelling answers 404 not_found and changes nothing.',
        from: 'request',
        text: 'PATCH with an id in any other spelling than 1, 2, … answers 404 not_found and changes nothing.',
      },
    ],
    decisions: [
      {
        text: 'A leading zero or a sign is another spelling, too.',
        by: 'agent',
        reason: 'POST hands ids out without either.',
      },
    ],
    objectives: {
      core: 'An id counts only as it was handed out.',
      deliverables: ['src/routes.js', 'test/ids.test.js'],
      definitionOfDone: ['Other spellings of an id answer 404.'],
      mustNotDo: [],
    },
    todos: [
      {
        id: 'todo-1',
        title: 'Take an id only as it was handed out',
        type: 'work',
        risk: 'low',
        dependsOn: [],
        inputs: [],
        outputs: [],
        files: ['src/routes.js', 'test/ids.test.js'],
        steps: [
          'Write test/ids.test.js: a table of spellings that answer 404 and change nothing; see it red.',
          'src/routes.js: read the id by its form, not with Number() alone.',
        ],
        mustNotDo: [],
        serves: ['r-1'],
        references: ['src/routes.js:27', 'test/api.test.js:47'],
        acceptance: [
          { id: 'ac-1', kind: 'command', run: ['node', '--test', 'test/ids.test.js'], proves: ['r-1'] },
          { id: 'ac-2', kind: 'command', run: ['npm', 'test'] },
        ],
      },
    ],
  }),
  review,
  answers: ANSWERS,
  crew: () =>
    overlayCrew('fix-todo-id', {
      'todo-1': {
        learnings: [],
        issues: [],
        summary: 'An id in another spelling than it was handed out answers 404; a table of spellings holds it there.',
      },
    }),
};

const MIDDLE_GOAL = `Let clients remove to-dos.
- DELETE /todos/:id answers 204 without a body, and 404 when there is no such to-do.
- DELETE /todos?done=true removes all that are done and answers how many. It never removes open ones.
- An id is never given again.
The README names the new routes.`;

/** @type {Change} */
const middle = {
  name: 'delete-todos',
  goal: MIDDLE_GOAL,
  intent: 'Feature',
  size: {
    size: 'middle',
    because: {
      files: ['src/store.js', 'src/routes.js', 'src/app.js', 'README.md'],
      interfaces: true,
      data: false,
      unknowns: [],
    },
  },
  plan: () => ({
    size: 'middle',
    context: {
      interviewSummary: 'DELETE /todos without done=true is refused (user).',
      researchFindings: [
        'src/app.js:25 reads a JSON body of every request but GET: DELETE would need a content type.',
        'src/app.js:70 send() always writes a body; 204 must have none.',
        'test/api.test.js:78 expects 405 for DELETE /todos.',
      ],
    },
    requirements: [
      {
        id: 'r-1',
        quote: 'DELETE /todos/:id answers 204 without a body, and 404 when there is no such to-do.',
        from: 'request',
        text: 'DELETE /todos/:id removes the to-do with 204 and an empty body; an unknown id is 404 not_found.',
      },
      {
        id: 'r-2',
        quote: 'DELETE /todos?done=true removes all that are done and answers how many. It never removes open ones.',
        from: 'request',
        text: 'DELETE /todos?done=true answers 200 {"removed": N}; without done=true it answers 400 and removes nothing.',
      },
      { id: 'r-3', quote: 'An id is never given again.', from: 'request', text: 'A to-do added later gets a new id.' },
      {
        id: 'r-4',
        quote: 'The README names the new routes.',
        from: 'request',
        text: 'The table in README.md has a row for each of the two routes.',
      },
    ],
    decisions: [
      {
        text: 'DELETE /todos without done=true is 400 and removes nothing.',
        by: 'user',
        reason: 'Removing everything by a forgotten parameter was turned down.',
        serves: ['r-2'],
      },
      { text: 'DELETE reads no body.', by: 'agent', reason: 'src/app.js would ask for a content type.' },
    ],
    objectives: {
      core: 'Clients can remove one to-do, or all that are done.',
      deliverables: ['remove and removeDone in src/store.js', 'two routes', 'two rows in README.md'],
      definitionOfDone: ['Both routes answer as documented.'],
      mustNotDo: [{ text: 'Change how the configuration is read.', paths: ['src/config.js'] }],
    },
    todos: [
      {
        id: 'todo-1',
        title: 'The store removes one to-do, or all that are done',
        type: 'work',
        risk: 'low',
        dependsOn: [],
        inputs: [],
        outputs: [{ name: 'methods', description: 'names of the two methods, with what they return' }],
        files: ['src/store.js', 'test/store.test.js'],
        steps: [
          'Write test/store.test.js: one, all done, an id never given again; see it red.',
          'src/store.js: remove(id) gives whether it was there, removeDone() how many went.',
        ],
        mustNotDo: [],
        serves: ['r-2', 'r-3'],
        references: ['src/store.js:31'],
        acceptance: [{ id: 'ac-1', kind: 'command', run: ['node', '--test', 'test/store.test.js'], proves: ['r-3'] }],
      },
      {
        id: 'todo-2',
        title: 'Two DELETE routes, and the README',
        type: 'work',
        risk: 'medium',
        dependsOn: ['todo-1'],
        inputs: [{ name: 'methods', from: '${todo-1.outputs.methods}' }],
        outputs: [],
        files: ['src/app.js', 'src/routes.js', 'test/delete.test.js', 'test/api.test.js', 'README.md'],
        steps: [
          'Write test/delete.test.js for both routes, with what they refuse; see it red.',
          'src/app.js: no body is read of DELETE, and none is written with 204.',
          'src/routes.js: DELETE /todos/:id and DELETE /todos?done=true.',
          'test/api.test.js: the wrong method on a known path is PUT now. README.md: a row for each route.',
        ],
        mustNotDo: [],
        serves: ['r-1', 'r-2', 'r-4'],
        references: ['src/app.js:25', 'src/app.js:70', 'src/routes.js:23', 'test/api.test.js:78'],
        acceptance: [
          { id: 'ac-1', kind: 'command', run: ['node', '--test', 'test/delete.test.js'], proves: ['r-1', 'r-2'] },
          { id: 'ac-2', kind: 'command', run: ['npm', 'test'] },
          {
            id: 'ac-3',
            kind: 'assertion',
            text: 'The table of routes in README.md names both DELETE routes with the answers that they give.',
            proves: ['r-4'],
          },
        ],
      },
    ],
  }),
  findings: {
    'code-explorer': {
      summary: 'PATCH /todos/:id is the precedent through store, routes and tests; one file by node --test FILE.',
      body: `## Cause or precedent
- src/routes.js:23: PATCH /todos/:id, the only route with an id; a to-do that is not there is HttpError 404 not_found.

## Places
- src/store.js:31: the store has list, add and change; removing is new. Ids count up in #lastId and would not come again.
- src/routes.js:34: two entries at the end of the table. A path matches segment by segment, the query is handed over as URLSearchParams.
- src/app.js:25: every method but GET must bring JSON; a DELETE without a body would answer 415.
- src/app.js:70: send() always serialises a body and its length; 204 must have neither.

## Consumers
- test/api.test.js:78: expects 405 for DELETE /todos; needs another method.
- README.md:8: the table of routes.

## Traps
- todoFilter in src/validate.js refuses anything but true and false; no parameter at all gives {}: without a check DELETE /todos would remove by no filter.

## Rules
- Errors are HttpError with a lower-case sentence; the shape {"error": {code, message}} is promised in README.md:15.

## Commands
- npm test: node --test, 17 tests, 2 s. One file: node --test test/FILE.test.js, exits 1 while the file is missing. No linter. Ran both.
`,
    },
  },
  review: (verdict) => ({
    summary: verdict === 'OKAY' ? 'No blocking points.' : 'One blocking point: DELETE /todos without a filter.',
    body: `## Blocking\n\n${
      verdict === 'OKAY'
        ? 'None.'
        : '1. todo-2: nothing demands that DELETE /todos without done=true removes nothing. Evidence: `src/validate.js:40`.'
    }\n\n## Earlier points\n\nThis is the first round.\n\n## Notes\n- todo-2: a case with its input: DELETE /todos?done=maybe is 400 by todoFilter, DELETE /todos?done=false by the new check; both are in the test.\n`,
  }),
  answers: {
    ...ANSWERS,
    purpose: '- Let clients remove to-dos: today a list only grows. (user)',
    boundaries: '- The configuration stays as it is. (user)\n- No undo, no archive. (user)',
    criteria: '- Both routes answer as the request says (a command checks it). (user)',
    decisions:
      '- DELETE /todos without done=true is refused; removing everything by a forgotten parameter was turned down. (user)',
  },
  crew: () =>
    overlayCrew('delete-todos', {
      'todo-1': {
        outputs: { methods: 'remove(id) → boolean, removeDone() → number' },
        learnings: ['#lastId is never lowered, so an id is not given again.'],
        issues: [],
        summary: 'The store removes one to-do, or all that are done.',
      },
      'todo-2': {
        learnings: [],
        issues: ['DELETE ignores a body that a client sends all the same.'],
        summary: 'DELETE /todos/:id and DELETE /todos?done=true answer as the request says, and the README names them.',
      },
    }),
};

/** @type {Change} */
const large = {
  name: 'add-jwt-auth',
  goal: GOAL,
  intent: 'Feature',
  size: null,
  plan: planContent,
  review,
  answers: ANSWERS,
  crew: () => jwtCrew({ red: true }),
};

/** @type {Readonly<Record<'small' | 'middle' | 'large', Change>>} */
export const CHANGES = { small, middle, large };
