/**
 * What the stand-in writes about "Add JWT auth to the API" on samples/todo-api. The texts are as long as a real agent's
 * and name files and commands that exist there.
 */

export const GOAL = 'Add JWT auth to the API';

/**
 * Body of a findings file, about 2 KB.
 * @type {Record<string, { summary: string, body: string }>}
 */
export const FINDINGS = {
  'code-explorer-1': {
    summary:
      'Every request passes respond() in src/app.js:22; one check between find() and handle() covers all four routes.',
    body: `## Where the change goes
1. src/app.js:22 \`respond\` is the one path of every request: it finds the route, reads the body, calls the handler. A check between \`find\` and \`readJson\` runs before a single byte of the body is read, which also keeps unauthenticated clients from making the process buffer 10 KB each.
2. src/routes.js:10 The route table is data: \`{ method, path, handle }\`. A fourth field, \`access: 'public' | 'user'\`, can be read by the check; \`GET /health\` is the only one that must stay public, load balancers send no headers.
3. src/errors.js:2 \`HttpError(status, code, message)\` carries everything a 401 needs except a header: \`send\` in src/app.js:71 takes \`headers\`, the catch branch at src/app.js:15 does not pass any. \`WWW-Authenticate\` needs that.
4. src/config.js:6 \`readConfig\` is the only reader of environment variables and fails at start with the variable's name. A secret belongs there; its value must not be in that message.
5. src/main.js:6 builds the app; a new option reaches it here only.

## What uses it
- test/support.js:5 \`startApi\` makes every server of the suite: 13 of the 17 tests go through it and would all get a 401 once the check is on by default.
- test/api.test.js:77 asks for 405 on a known path. Whether 401 comes before 404 and 405 decides if outsiders can list routes.
- README.md:10 holds the route table that users read; README.md:15 describes errors.

## Not there
- No dependency at all in package.json; \`node:crypto\` has HMAC and \`timingSafeEqual\`, enough for HS256. RS256 can be verified with \`crypto.verify\` as well.
- No notion of a user anywhere: the store keeps one list for everybody (src/store.js:7).
`,
  },
  'code-explorer-2': {
    summary:
      'Node 20, ES modules, no dependencies, node:test; 17 tests green in about 2 s with npm test; no CI, no linter.',
    body: `## How the project works
- Node 20 or later (package.json:7), ES modules, no dependencies, no build step. \`npm start\` runs src/main.js, \`npm test\` runs \`node --test\` over test/.
- 17 tests, all green on a clean checkout, about two seconds. They start the server on port 0 and use the global \`fetch\`; no mocks. The clock is a parameter of the store (src/store.js:12), so that times in answers can be compared literally.
- Style: small modules with one noun each, JSDoc on what is exported, errors thrown as \`HttpError\`, configuration read once. New code that follows this needs no new convention.
- One test file per concern; a table of refused inputs as a loop (test/api.test.js:46). Tests of tokens fit that form: one row per broken token.

## What a check can rest on
- \`npm test\` exits non-zero on any failure. \`node --test --test-name-pattern=WORDS\` exits 0 when nothing matches, so a filter alone proves nothing: demand the name in the output.
- \`node --test test/auth.test.js\` exits 1 while that file does not exist: red before the work.
- There is no linter and no type check; nothing else to keep green.

## History and habits
- Single commit; no changelog, no CONTRIBUTING file, no issue templates. The README says in its last line that open access "is the next thing to fix".
- \`node_modules/\` and \`*.log\` are ignored. Secrets have no place yet: there is neither .env handling nor a sample of one.

## Risks seen on the way
- src/app.js:15 logs \`error.stack\` of unexpected errors with the request URL. A token in a query string would end up in that log; tokens must be accepted in the Authorization header only.
- \`BODY_LIMIT\` and \`PORT\` have defaults. A secret with a default would be a hole that every test passes through.
`,
  },
  'docs-researcher': {
    summary:
      'RFC 7519 and 8725 settle most choices: pin the algorithm, check exp, nbf, iss and aud, 401 with WWW-Authenticate: Bearer.',
    body: `## What the standards ask for
- RFC 7519: \`exp\` and \`nbf\` are seconds since the epoch; a small leeway (at most a few minutes) is allowed. An unknown claim is ignored, not refused.
- RFC 8725 §3.1: the verifier fixes the algorithm; the token's header never chooses. \`none\` is refused even in upper case letters. §3.9: check \`aud\` when more than one service shares keys. §3.11: explicit typing is optional.
- RFC 6750 §2.1: credentials in \`Authorization: Bearer …\`. §3: a 401 carries \`WWW-Authenticate: Bearer\`, with \`error="invalid_token"\` when a token was there and failed; without a token no error code is given away. The scheme name is compared without regard to case.
- RFC 2104 and NIST SP 800-107: an HMAC-SHA-256 key should have 32 bytes or more; shorter secrets can be guessed offline from a single token.

## What the documentation here says
- README.md:15 promises that every error is \`{"error": {"code", "message"}}\`. A 401 must keep that shape; the header comes on top.
- README.md:10 the table lists the answers per route: 401 belongs into three rows, not into that of \`/health\`.
- README.md says nothing about how clients get tokens. The API has no user base; issuing tokens here would be a second feature.

## What node:crypto offers
- \`createHmac('sha256', key)\`, \`timingSafeEqual(a, b)\` (throws on different lengths: compare lengths first), \`Buffer.from(text, 'base64url')\` (never throws; ignores bad characters, so a token should be matched against a pattern before decoding).

## Left open by all sources
- Whether tokens come from another service (then RS256 with a public key is the better fit) or from this one's operators (HS256 with a shared secret is enough).
`,
  },
  'ux-reviewer': {
    summary:
      'Clients need one predictable 401, a way to try a token by hand, and a rollout in which old clients are warned first.',
    body: `## Who is touched
- Programs that call \`/todos\` today without credentials: all of them break on the day of the switch. They learn it from a 401 whose body must say what to do: "send Authorization: Bearer <token>".
- The operator who starts the process: without a secret it must not start, and the message must name the variable and the minimum length, not the value (src/config.js:15 prints the value of PORT, fine there, wrong here).
- The developer who tries a route by hand with curl: needs one documented command that makes a token for ten minutes.
- Load balancers: \`GET /health\` without headers must answer 200 as before.

## What would hurt
1. Different answers for "no token", "expired" and "forged" in the body help an attacker little and a developer a lot: expired should be told apart, forged reasons should not. Proposal: codes \`unauthenticated\` and \`token_expired\`.
2. 404 before 401 lets anybody list routes; 401 for everything but \`/health\` is simpler to explain.
3. A flag day. Proposal: \`AUTH_MODE=warn\` logs what would be refused, \`enforce\` refuses; default \`enforce\`, so that forgetting the variable is safe.
4. A log line per refused request with method, path and reason, never the token, so that the operator sees who still has to move.

## Words
- Keep the voice of the existing messages: lower case, what is wrong, what is wanted ("done must be true or false", src/validate.js:19).
- README: a section "Authentication" before the route table; a line in the table per route; the curl example must work when pasted.
- No mention of JWT internals in client messages: "the token has expired", not "exp claim check failed".
`,
  },
};

/**
 * Body of an analysis, about 2.5 KB.
 * @type {Record<string, { summary: string, body: string }>}
 */
export const ANALYSES = {
  'gap-analyzer': {
    summary:
      'Four gaps: order of 401 and 404, secret without a floor, tests that turn red at once, and no way back in the rollout.',
    body: `## Gaps that change the plan
1. **Order of answers.** Nothing says whether an unknown path without a token is 401 or 404. test/api.test.js:77 expects 404 and 405 without a token. Proposed line: "Every request but GET /health is checked before routing; unknown paths answer 401 without a token and 404 with one; the existing test sends one."
2. **Strength of the secret.** "A secret from the environment" admits \`AUTH_SECRET=x\`. Proposed line: "AUTH_SECRET has at least 32 bytes; otherwise the process ends with exit 1 and names the variable, not its value."
3. **The suite turns red in one blow.** 13 of 17 tests use \`startApi\` without credentials (test/support.js:5). Proposed line: "startApi signs a token by default; a test can ask for none." That belongs to the todo that turns the check on, not to a later one.
4. **No way back.** Once enforced, an operator who finds a forgotten client must roll back the release. Proposed line: "AUTH_MODE=warn lets requests pass and logs what would have been refused."

## Gaps that change an acceptance
5. Clock skew: say 30 s of leeway and test both edges with a clock as parameter; src/store.js:12 shows how.
6. \`WWW-Authenticate\` is not sent by \`send\` on errors (src/app.js:15): the acceptance must look at the header, not only at the status.
7. A token in the query string must be ignored: one test, otherwise somebody adds it as a convenience.
8. \`alg: none\`, another algorithm, a changed payload, a missing part, four parts, an empty signature: rows of one table.

## Looked for and not found
- No route streams or upgrades, no CORS preflight: OPTIONS is answered 405 today, which stays so behind the check.
- No personal data in the store; per-user lists are not asked for.
- No proxy header is trusted anywhere.

## Contradictions
- The purpose says "only known clients"; the boundary says "no user management". Together they mean: one shared secret or key, subjects taken from \`sub\` for the log only. The plan should say so in one sentence.
`,
  },
  'tradeoff-analyzer': {
    summary:
      'HS256 with node:crypto behind one verify(token, now) function; RS256 later is a change of one module. No library.',
    body: `## Forks and their price
1. **Library or node:crypto.** A library brings key sets, RS256 and years of fixes, and is the first dependency of a project that has none. HS256 with \`createHmac\` and \`timingSafeEqual\` is about 60 lines, fully testable with a table. *Recommended: node:crypto, behind \`verifyToken(token, { secret, now }) → claims | reason\`.* Price: RS256 must be added by hand if tokens ever come from elsewhere; the signature of that one function stays.
2. **Where to check.** (a) In \`respond\`, driven by a field of the route; (b) wrapping each handler; (c) a proxy in front. (b) forgets the next route, (c) is not in this repository. *Recommended: (a) with "protected unless declared public"*, so that a route added tomorrow is closed by default.
3. **Flag day or warning.** Warn mode costs one branch and one log line and saves a rollback. *Recommended: AUTH_MODE=enforce by default, warn for the week of the switch.* Price: a mode that is forgotten in production; the start-up line must say it loudly.
4. **401 for unknown paths or 404.** *Recommended: 401*, as it hides the route table and makes the rule one sentence.
5. **How tests get tokens.** A helper that signs with a test secret (short, same code path) or a switch that turns the check off in tests (a hole with a name). *Recommended: the helper.*

## What becomes harder later
- Per-user lists: \`claims.sub\` should be handed to handlers now, as \`caller\`, even if nobody reads it: adding a parameter to four handlers later touches all of them again.
- Key rotation: accept \`AUTH_SECRET_PREVIOUS\` for verification. Cheap now, awkward in an incident. Left out of this plan on purpose and written down as a risk.

## Dangers in doing it
- Comparing signatures as strings leaks timing. Only \`timingSafeEqual\`, and lengths first, since it throws.
- Parsing before verifying: read nothing of the payload until the signature holds.
- Catching too much: a programming error inside the check must be a 500, never "let it pass".
`,
  },
  'verification-planner': {
    summary:
      'Every criterion has a command: node --test on named files, plus npm test as the guard of what exists; one human check.',
    body: `## Criteria and their proof
| criterion | proof | red before, green after |
|---|---|---|
| requests without a valid token get 401 and the header | \`node --test test/auth.test.js\` | file missing: exit 1 |
| valid tokens pass on all three routes | same file, three tests | yes |
| GET /health stays open | same file, one test without headers; assertion on src/routes.js | green today through the old test |
| the process refuses to start without a good secret | \`node --test test/config.test.js\` with stdoutContains "AUTH_SECRET" | name missing today |
| warn mode lets pass and logs | \`node --test test/warn.test.js\` | file missing: exit 1 |
| existing behaviour unchanged | \`npm test\` | green today; proves only that nothing broke |
| the README example works when pasted | human: run the two lines of the section "Authentication" | – |

## How to prove it well
- Unit level: \`verifyToken\` with a table of broken tokens, the clock as a parameter; 12 rows take milliseconds. Integration level: four requests through the real server. End to end: start src/main.js with a secret on port 0, one request with, one without a token.
- Negative proof: remove the check by hand and see test/auth.test.js turn red; a todo's first step says to see it red.
- \`--test-name-pattern\` exits 0 when nothing matches. Where a filter is used, \`expect.stdoutContains\` names the test.
- Timing: nothing here waits; no test needs sleep. Whole suite stays under five seconds, so the default timeout is plenty.

## What only a reader can settle
- "Every route is protected unless declared public": a reader sees in src/routes.js and src/app.js that the default is closed. Assertion.
- "No log line holds a token": a reader of the two log calls. Assertion.

## Gaps
- No load test; an HMAC per request costs microseconds, not worth one.
- No check that clients moved: warn mode's log is the instrument, its reading is a person's task outside the repository.
`,
  },
  'external-researcher': {
    summary:
      'No advisory concerns node:crypto HMAC on Node 20; common flaws are algorithm confusion and missing exp checks.',
    body: `## Facts from outside
- RFC 8725 is the current best practice for JSON Web Tokens; nothing newer replaces it.
- Known classes of flaws: algorithm confusion, "none", weak secrets, unbounded lifetime. Each is a row in the table of tokens.
- Node 20 documents createHmac and timingSafeEqual as stable.
`,
  },
};

/** The output of the strategist, about 3 KB. */
export const SYNTHESIS = {
  summary:
    'Five todos: verification core and configuration first, then wiring, refusal contract and warn mode side by side, proof last.',
  body: `## The way
Verification is a pure function with the clock and the secret as parameters; configuration refuses to start without a good secret. On these two everything else rests, so they come first and together. Then three slices that do not touch each other's files: closing the routes, the shape of a refusal, and warn mode with its log. Last, the documents and an end-to-end proof.

## Todos
1. **Token verification and configuration** (risk high). src/token.js: \`verifyToken(token, { secret, now })\` gives \`{ ok, claims }\` or \`{ ok: false, reason }\`; HS256 only, the header never chooses; signature before payload; \`timingSafeEqual\` on equal lengths; exp required, nbf honoured, 30 s leeway. src/config.js: AUTH_SECRET of at least 32 bytes, AUTH_MODE enforce or warn. Proof: a table of twelve broken tokens, two good ones; configuration tests that name the variable and never the value.
2. **Routes closed by default** (risk high, needs 1). src/routes.js: \`access: 'public'\` on /health only. src/app.js: the check before routing and before the body is read; \`caller\` handed to handlers. test/support.js signs a token by default. Proof: test/auth.test.js through the real server, whole suite.
3. **The refusal** (risk medium, needs 1). src/refusal.js: status 401, codes \`unauthenticated\` and \`token_expired\`, \`WWW-Authenticate: Bearer\`, with error="invalid_token" only when a token was there. Proof: test/refusal.test.js looks at body and header.
4. **Warn mode and its log** (risk medium, needs 1). src/audit.js: one line per request that would have been refused: method, path, reason, never the token. Proof: test/warn.test.js with a collecting log.
5. **Proof and documents** (risk low, needs 2, 3, 4). Whole suite, end to end with src/main.js, README section tried by a person.

## Settled conflicts
- Gap 1 and the existing test for 404 and 405: the check comes first, the test sends a token. The boundary "existing tests keep their assertions" holds: only their credentials change.
- The gap analysis wants rotation, the tradeoff analysis postpones it: postponed, written down as a risk with its price.
- Warn mode is a mode of the same check, not a second path: one function decides, the mode only turns the answer into a log line.

## What binds workers
- No dependency is added. No token and no secret in any log, message or test name. No default secret, not even in tests: the helper makes one per run.
- The error shape of README.md:15 stays.
- Nobody edits the store or the validation: they have nothing to do with who is asking.

## Open, for the user to see
- Tokens are issued elsewhere with the same shared secret. If another service will sign, todo 1 becomes RS256; the function's signature stays.
`,
};

/**
 * What the stand-in's user says in the interview, section by section. About 2 KB.
 * @type {Record<string, string>}
 */
export const ANSWERS = {
  intent: 'Feature: something new can be done.',
  purpose: `- ${GOAL}: today anybody who can reach the port reads and changes every to-do. (user)
- The API leaves the internal network next month; from then on only known clients may use it. (user)
- Tokens are issued by another team's service with a secret we share with it; issuing is not our task. (user)`,
  boundaries: `- No runtime dependency is added; the project has none and keeps none. (user)
- GET /health stays open and answers as today: the load balancer sends no headers. (user)
- The shape of errors and of all successful answers does not change. (user)
- No user management, no per-user lists, no token issuing, no refresh. (user)
- Existing tests keep what they assert; only their credentials may change. (user)`,
  criteria: `- A request to /todos without a valid token gets 401, the documented error body and a WWW-Authenticate header (a command checks it). (user)
- A valid token passes on all three protected routes (a command checks it). (user)
- The process does not start without AUTH_SECRET of at least 32 bytes and names the variable (a command checks it). (user)
- Every route added later is closed unless declared public (a reader checks it). (user)
- The example in the README works when pasted (a person checks it). (user)`,
  decisions: `- HS256 with node:crypto, because the boundary rules out a library; RS256 was turned down until somebody else signs. (user)
- The check comes before routing, so that outsiders cannot list routes; 404 first was turned down. (user)
- AUTH_MODE=warn for the week of the switch, enforce by default; a flag day was turned down. (user)
- 30 seconds of leeway for clocks. (assumed)`,
  findings: '- One check in respond() of src/app.js covers every route; 13 of 17 tests need a token from then on.',
  direction:
    '- Verification and configuration first; then routes, refusals and warn mode side by side; proof and documents last.',
  assumptions: '- Clients can be reached and told before the switch. (assumed)',
};

/**
 * A review of about 1.5 KB.
 * @param {'OKAY' | 'REJECT'} verdict
 * @returns {{ summary: string, body: string }}
 */
export function review(verdict) {
  if (verdict === 'OKAY') {
    return {
      summary:
        'No blocking points. Every criterion has a proof that is red today; files and scripts named in the plan exist.',
      body: `## Blocking

None. Opened: src/app.js, src/routes.js, src/config.js, test/support.js, package.json. Everything the plan names is where it says, or is made by an earlier todo. todo-3 and todo-4 share no file; both wait for todo-1.

## Earlier points

All repaired, or none were raised.

## Notes
- todo-1: \`node --test test/auth.test.js\` fails today because the file does not exist, and passes only with the check in place.
- todo-2: the signature of verifyToken is among its inputs; nothing else of todo-1 is to be looked up.
`,
    };
  }
  return {
    summary:
      'One blocking point: nothing demands that a token in the query string is ignored, and the log prints the URL.',
    body: `## Blocking
1. todo-2: src/app.js:15 logs the request's URL with unexpected errors. A worker who accepts \`?token=…\` as a convenience puts credentials into the log, and no acceptance would notice. Evidence: \`src/app.js:15\`. Proposed must-not: "Accept a token anywhere but in the Authorization header."

## Earlier points

This is the first round.

## Notes
- The configuration tests should compare the whole message, so that the secret's value cannot slip in. A note: the assertion covers it.
- Opened: src/app.js, src/routes.js, src/config.js, test/support.js, package.json.
`,
  };
}

/** The content of pr.json. */
export const PULL_REQUEST = {
  title: 'Ask for a token on every route but /health',
  body: `Only known clients may use the API from next month on.

- Tokens are verified with node:crypto; no dependency is added.
- Every route is closed unless it is declared public.
- AUTH_MODE=warn lets everybody pass and logs what would have been refused.

How to look at it: todo by todo, each is one commit with its tests.
`,
};

/**
 * Returns the content of plan-content.json: five todos, 1 → 2,3,4 → 5.
 * @param {number} revision 0 for the first plan; each later one repairs what a review found
 * @returns {object}
 */
export function planContent(revision) {
  const revisions = Array.from(
    { length: revision },
    (_, index) => `Revision ${index + 1}: a token is read from the Authorization header and nowhere else.`,
  );
  return {
    context: {
      interviewSummary:
        'Only known clients may use the API from next month on. Tokens come from another service and are signed with a shared secret. /health stays open, no dependency is added, existing assertions stay. Warn mode for the week of the switch.',
      researchFindings:
        'respond() in src/app.js is the one path of every request. node:crypto suffices for HS256. 13 of 17 tests go through startApi and need a token. README.md promises the shape of errors.',
      assumptions: ['Clients can be told before the switch.', ...revisions],
    },
    requirements: [
      {
        id: 'r-1',
        quote: 'Add JWT auth',
        from: 'request',
        text: 'A request to /todos without a valid token gets 401, the documented body and WWW-Authenticate; a valid one passes.',
      },
      {
        id: 'r-2',
        quote: 'The process does not start without AUTH_SECRET of at least 32 bytes and names the variable',
        from: 'user',
        text: 'Without AUTH_SECRET of at least 32 bytes the process does not start and names the variable.',
      },
      {
        id: 'r-3',
        quote: 'Every route added later is closed unless declared public',
        from: 'user',
        text: 'A route without an access field needs a token.',
      },
      {
        id: 'r-4',
        quote: 'AUTH_MODE=warn for the week of the switch, enforce by default',
        from: 'user',
        text: 'In warn mode requests pass, and what would have been refused is logged without the token.',
      },
      {
        id: 'r-5',
        quote: 'The example in the README works when pasted',
        from: 'user',
        text: 'The two lines of the README answer 401 and 200 when pasted.',
      },
    ],
    decisions: [
      {
        text: 'HS256 with node:crypto, no library.',
        by: 'user',
        reason: 'No runtime dependency is added.',
        serves: ['r-1'],
      },
      {
        text: 'The check comes before routing.',
        by: 'user',
        reason: 'Outsiders must not list routes.',
        serves: ['r-1', 'r-3'],
      },
      { text: '30 seconds of leeway for clocks.', by: 'assumed', serves: ['r-1'] },
    ],
    objectives: {
      core: 'Every route but GET /health answers only requests that carry a valid token.',
      deliverables: [
        'src/token.js: verification of HS256 tokens',
        'src/config.js: AUTH_SECRET and AUTH_MODE',
        'src/app.js and src/routes.js: closed by default',
        'src/refusal.js: the 401 answer',
        'src/audit.js: what warn mode would have refused',
        'README.md: section "Authentication"',
      ],
      definitionOfDone: [
        'A request to /todos without a valid token gets 401, the documented body and WWW-Authenticate.',
        'A valid token passes on all three protected routes.',
        'The process does not start without AUTH_SECRET of at least 32 bytes.',
        'A route added later is closed unless declared public.',
        'npm test is green.',
      ],
      mustNotDo: [
        { text: 'Add a dependency.', paths: ['package.json', 'package-lock.json'] },
        'Change GET /health.',
        'Change the shape of errors or answers.',
        'Log a token or a secret.',
      ],
    },
    todos: [
      {
        id: 'todo-1',
        title: 'Token verification and configuration',
        type: 'work',
        risk: 'high',
        dependsOn: [],
        inputs: [],
        outputs: [
          { name: 'token_module', description: 'path of the module that exports verifyToken' },
          { name: 'config_keys', description: 'names of the configuration fields for authentication' },
        ],
        files: ['src/token.js', 'src/config.js', 'test/token.test.js', 'test/config.test.js'],
        steps: [
          'Write test/token.test.js as a table of broken and good tokens with the clock as a parameter, and see it red.',
          'src/token.js: verify HS256 only, signature before payload, exp required, nbf honoured, 30 s leeway.',
          'src/config.js: AUTH_SECRET of at least 32 bytes, AUTH_MODE enforce or warn; messages name the variable, never its value.',
        ],
        mustNotDo: ['Let the header of a token choose the algorithm.', 'Give AUTH_SECRET a default.'],
        serves: ['r-1', 'r-2'],
        references: ['src/config.js:6', 'src/store.js:12'],
        acceptance: [
          { id: 'ac-1', kind: 'command', run: ['node', '--test', 'test/token.test.js'], proves: ['r-1'] },
          {
            id: 'ac-2',
            kind: 'command',
            run: ['node', '--test', 'test/config.test.js'],
            expect: { exitCode: 0, stdoutContains: 'AUTH_SECRET' },
            proves: ['r-2'],
          },
          {
            id: 'ac-3',
            kind: 'assertion',
            text: 'src/token.js compares signatures with timingSafeEqual only, after comparing lengths.',
          },
        ],
      },
      {
        id: 'todo-2',
        title: 'Routes closed by default',
        type: 'work',
        risk: 'high',
        dependsOn: ['todo-1'],
        inputs: [{ name: 'token_module', from: '${todo-1.outputs.token_module}' }],
        outputs: [{ name: 'public_field', description: 'field of a route that opens it' }],
        files: ['src/app.js', 'src/routes.js', 'test/auth.test.js', 'test/support.js', 'test/api.test.js'],
        steps: [
          'Write test/auth.test.js against the real server: no token, broken token, good token, /health; see it red.',
          'src/routes.js: access public on GET /health, nothing on the others.',
          'src/app.js: ask a guard that is handed in, before routing and before the body is read; hand its caller to handlers.',
          'test/support.js: sign a token by default; a test can ask for none.',
        ],
        mustNotDo: [
          'Change what an existing test asserts.',
          ...(revision > 0 ? ['Accept a token anywhere but in the Authorization header.'] : []),
        ],
        serves: ['r-1', 'r-3'],
        references: ['src/app.js:22', 'src/routes.js:10', 'test/support.js:5'],
        acceptance: [
          { id: 'ac-1', kind: 'command', run: ['node', '--test', 'test/auth.test.js'], proves: ['r-1'] },
          { id: 'ac-2', kind: 'command', run: ['node', '--test', 'test/api.test.js'] },
          {
            id: 'ac-3',
            kind: 'assertion',
            text: 'In src/routes.js and src/app.js a route without an access field needs a token.',
            proves: ['r-3'],
          },
        ],
      },
      {
        id: 'todo-3',
        title: 'The refusal: body, codes and header',
        type: 'work',
        risk: 'medium',
        dependsOn: ['todo-1'],
        inputs: [{ name: 'token_module', from: '${todo-1.outputs.token_module}' }],
        outputs: [],
        files: ['src/refusal.js', 'test/refusal.test.js'],
        steps: [
          'Write test/refusal.test.js for each reason: status, code, message and WWW-Authenticate; see it red.',
          'src/refusal.js: turn a reason into an HttpError with its header.',
        ],
        mustNotDo: ['Tell a forged token apart from a malformed one.'],
        serves: ['r-1'],
        references: ['src/errors.js:2', 'README.md:15'],
        acceptance: [
          { id: 'ac-1', kind: 'command', run: ['node', '--test', 'test/refusal.test.js'], proves: ['r-1'] },
          {
            id: 'ac-2',
            kind: 'assertion',
            text: 'error="invalid_token" is sent only when the request carried a token.',
          },
        ],
      },
      {
        id: 'todo-4',
        title: 'Warn mode and its log',
        type: 'work',
        risk: 'medium',
        dependsOn: ['todo-1'],
        inputs: [{ name: 'config_keys', from: '${todo-1.outputs.config_keys}' }],
        outputs: [],
        files: ['src/audit.js', 'test/warn.test.js'],
        steps: [
          'Write test/warn.test.js with a collecting log and see it red.',
          'src/audit.js: one line per request that would have been refused: method, path, reason.',
        ],
        mustNotDo: ['Write a token or a part of one into the log.'],
        serves: ['r-4'],
        references: ['src/app.js:15'],
        acceptance: [
          { id: 'ac-1', kind: 'command', run: ['node', '--test', 'test/warn.test.js'], timeout: 60, proves: ['r-4'] },
          {
            id: 'ac-2',
            kind: 'assertion',
            text: 'No argument of a log call in src/audit.js holds a token or a header.',
          },
        ],
      },
      {
        id: 'todo-5',
        title: 'Whole suite, end to end, and the README tried by a person',
        type: 'work',
        risk: 'low',
        dependsOn: ['todo-2', 'todo-3', 'todo-4'],
        inputs: [],
        outputs: [],
        files: ['src/guard.js', 'src/main.js', 'test/main.test.js', 'README.md'],
        steps: [
          'Write test/main.test.js: the process started with and without a secret, and in warn mode; see it red.',
          'src/guard.js: verification, refusal and audit in one function; src/main.js hands it to the app.',
          'README.md: a section "Authentication" with two lines to paste, and 401 in the table of routes.',
        ],
        mustNotDo: ['Decide about a request anywhere but in src/guard.js.'],
        serves: ['r-5'],
        references: ['src/main.js:6', 'README.md:10'],
        acceptance: [
          { id: 'ac-1', kind: 'command', run: ['npm', 'test'] },
          {
            id: 'ac-2',
            kind: 'human',
            text: 'Paste the two lines of the section "Authentication": the first answers 401, the second 200.',
            proves: ['r-5'],
          },
        ],
      },
    ],
    commits: [
      { afterTodo: 'todo-1', message: 'Verify tokens; refuse to start without a secret' },
      { afterTodo: 'todo-2', message: 'Close every route that is not declared public' },
    ],
    risks: [
      { text: 'A secret cannot be rotated without a moment of refusals.', severity: 'medium' },
      { text: 'Warn mode is forgotten in production.', severity: 'low' },
    ],
    externalDependencies: [
      { when: 'pre', text: 'The issuing team hands over the shared secret.' },
      { when: 'post', text: 'The operator switches AUTH_MODE to enforce after reading a week of warnings.' },
    ],
  };
}

/**
 * Completes a plan as the shipped recipes require: a plan without requirements gets the goal as its only requirement,
 * served by its first todo.
 * @param {any} plan
 * @param {string} goal
 * @returns {object}
 */
export function complete(plan, goal) {
  if (!Array.isArray(plan.todos)) return plan;
  if (plan.requirements !== undefined) {
    // A quote that does not occur in this goal comes from the sample's goal; it counts as the user's words.
    const words = (/** @type {any} */ one) => (goal.includes(one.quote) ? one : { ...one, from: 'user' });
    return { ...plan, requirements: plan.requirements.map(words) };
  }
  const { originalRequest: _, ...context } = plan.context;
  const [first, ...others] = plan.todos;
  const [proof, ...rest] = first.acceptance;
  return {
    ...plan,
    context,
    requirements: [{ id: 'r-1', quote: goal, from: 'request', text: 'What was asked for is there.' }],
    todos: [{ ...first, serves: ['r-1'], acceptance: [{ ...proof, proves: ['r-1'] }, ...rest] }, ...others],
  };
}
