/** A complete example of plan-content.json and its rules (documents.md, plan-content.json). */

const TEMPLATE = `# plan-content.json

One JSON object without comments. All keys below are required, empty lists allowed; only \`assumptions\`, \`cwd\`, \`timeout\`, \`expect\`, \`commits\`, \`risks\`, \`externalDependencies\` may be left out.

\`\`\`json
{
  "context": {
    "originalRequest": "Add a health endpoint",
    "interviewSummary": "No auth on it (user)",
    "researchFindings": "Routes are registered in src/app.js:12",
    "assumptions": "No load balancer reads the body"
  },
  "objectives": {
    "core": "GET /health answers 200",
    "deliverables": ["src/health.js", "its test"],
    "definitionOfDone": ["npm test is green"],
    "mustNotDo": ["change other routes"]
  },
  "todos": [
    {
      "id": "todo-1", "title": "Add the route", "type": "work", "risk": "low",
      "dependsOn": [],
      "inputs": [],
      "outputs": [{ "name": "path", "description": "path of the route" }],
      "files": ["src/**", "test/health.test.js"],
      "steps": ["Add src/health.js", "Register it in src/app.js"],
      "mustNotDo": ["add a dependency"],
      "references": ["src/app.js:12"],
      "acceptance": [
        { "id": "ac-1", "kind": "command", "run": ["npm", "test"], "cwd": ".", "timeout": 120, "expect": { "exitCode": 0, "stdoutContains": "health" } },
        { "id": "ac-2", "kind": "assertion", "text": "The handler reads no database" }
      ]
    },
    {
      "id": "todo-2", "title": "Check it as a whole", "type": "verification", "risk": "low",
      "dependsOn": ["todo-1"],
      "inputs": [{ "name": "path", "from": "\${todo-1.outputs.path}" }],
      "outputs": [], "files": [], "steps": ["Request the path"], "mustNotDo": [], "references": [],
      "acceptance": [{ "id": "ac-1", "kind": "human", "text": "The answer is readable" }]
    }
  ],
  "commits": [{ "afterTodo": "todo-1", "message": "Add the health endpoint" }],
  "risks": [{ "text": "The path is taken", "severity": "low" }],
  "externalDependencies": [{ "when": "post", "text": "Point the monitor at it" }]
}
\`\`\`

- \`type\`: work (changes files; needs a command or assertion) or verification. \`risk\`: low, medium, high.
- \`run\`: argument vector, no shell. \`timeout\`: seconds, default 300.
- \`files\`: globs inside the project, outside .dev/; todos that share none run at the same time.
- Taking an output as input implies the dependency.
`;

/** Renders the example as Markdown; its only code block is a plan that `checkPlan` accepts. */
export function renderPlanTemplate(): string {
  return TEMPLATE;
}
