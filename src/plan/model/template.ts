// door: plan

import { HARNESS_DIRECTORIES } from '../../generated/harnesses.js';

/** A complete example of plan-content.json, and its rules (documents.md, plan-content.json). */

const TEMPLATE = `# plan-content.json

One JSON object without comments. Empty lists are allowed; only \`size\`, \`originalRequest\` (then the goal), \`interviewSummary\` and \`researchFindings\` (then what DRAFT.md says), \`assumptions\`, \`serves\`, \`proves\`, \`reason\`, \`cwd\`, \`timeout\`, \`expect\`, \`decisions\`, \`commits\`, \`risks\`, \`externalDependencies\` may be left out, and \`requirements\` in a run that does not demand them. This one answers "Add a health endpoint that shows the version. Keep it out of the log."

\`\`\`json
{
  "size": "middle",
  "context": {
    "assumptions": ["No load balancer reads the body"]
  },
  "requirements": [
    { "id": "r-1", "quote": "a health endpoint that shows the version", "from": "request", "text": "GET /health answers 200 with the version of package.json" },
    { "id": "r-2", "quote": "Keep it out of the log", "from": "request", "text": "A request for /health adds no line to the log" }
  ],
  "decisions": [
    { "text": "The version is read once, at the start", "reason": "reading it for each request was turned down: slow", "by": "agent", "serves": ["r-1"] }
  ],
  "objectives": {
    "core": "GET /health tells the version, unlogged",
    "deliverables": ["src/health.js and its test"],
    "definitionOfDone": ["A load balancer can poll it"],
    "mustNotDo": [{ "text": "Change the public client", "paths": ["client/**"] }]
  },
  "todos": [
    {
      "id": "todo-1", "title": "Answer GET /health", "type": "work", "risk": "low",
      "dependsOn": [], "inputs": [],
      "outputs": [{ "name": "path", "description": "path of the route" }],
      "files": ["src/**", "test/health.test.js"],
      "steps": ["Write test/health.test.js and see it fail", "Add src/health.js; register it in src/app.js", "Skip its path in src/log.js"],
      "mustNotDo": ["Log another route differently"],
      "serves": ["r-1", "r-2"],
      "references": ["src/app.js:12"],
      "acceptance": [
        { "id": "ac-1", "kind": "command", "run": ["npm", "test", "--", "health"], "cwd": ".", "timeout": 120, "expect": { "exitCode": 0, "stdoutContains": "health", "stdoutLacks": "not ok" }, "proves": ["r-1"] },
        { "id": "ac-2", "kind": "assertion", "text": "src/log.js skips /health and nothing else", "proves": ["r-2"] }
      ]
    },
    {
      "id": "todo-2", "title": "Check it as a whole", "type": "verification", "risk": "low",
      "dependsOn": ["todo-1"],
      "inputs": [{ "name": "path", "from": "\${todo-1.outputs.path}" }],
      "outputs": [], "files": [], "steps": ["Request the path"], "mustNotDo": [], "references": [],
      "acceptance": [
        { "id": "ac-1", "kind": "command", "run": ["npm", "test"] },
        { "id": "ac-2", "kind": "human", "text": "The answer is readable" }
      ]
    }
  ],
  "commits": [{ "afterTodo": "todo-1", "message": "Add a health endpoint" }],
  "risks": [{ "text": "The path is taken", "severity": "low" }],
  "externalDependencies": [{ "when": "post", "text": "Point the monitor at it" }]
}
\`\`\`

- \`size\`: small is one work todo judged by commands alone.
- \`requirements\`: \`quote\` word for word from the request, or from the \`user\`. Each is served by a todo and proved by an acceptance of it.
- \`decisions\`: yours are \`agent\`; \`assumed\` where the user has to confirm. Without \`serves\` every worker reads them.
- \`risks\`: what the approver has to weigh. \`commits\`: else the title is the message.
- \`mustNotDo\`: the user's and the repository's only. With \`paths\` dev-cli judges it; never paths that the todo has to touch.
- \`type\`: work (changes files; needs a command or assertion) or verification. \`run\`: argument vector, no shell. \`timeout\`: seconds, default 300.
- A check that is red before the work for another reason: allow its exit codes, and say with \`stdoutLacks\` what it must no longer print.
- \`files\`: globs inside the project, outside .dev/, .git and what harnesses keep (${HARNESS_DIRECTORIES.join(', ')}); todos that share none run at the same time, so each is judged by its own tests.
- Taking an output as input implies the dependency.
`;

/** Renders the example as Markdown. Its only code block is a plan that `checkPlan` accepts, even as `complete`. */
export function renderPlanTemplate(): string {
  return TEMPLATE;
}
