import type { PageDecision, PageDocument, RunPage, RunsPage } from '../../src/wings/page/wire.js';
import { basicPage, goldenPage, syntheticPage } from './page-runs.js';
import type { PageStage } from './page-server.js';

/** Data that shows everything a person can see on the page: runs in every group, and documents of every kind. */

const NOW = Date.parse('2026-07-27T13:00:00.000Z');
const ago = (minutes: number) => NOW - minutes * 60_000;

const RUNS: RunsPage = {
  ...{ project: 'todo-api', branch: 'main', now: NOW },
  groups: [
    {
      title: 'Waiting for you',
      more: 0,
      rows: [
        {
          ...{ name: 'delete-todos', sign: 'waiting', text: 'Approve the plan of 6 todos?', since: ago(40) },
          command: 'dev-cli approve delete-todos',
        },
      ],
    },
    {
      title: 'Agents at work',
      more: 0,
      rows: [
        {
          name: 'todos-40',
          sign: 'running',
          progress: '28/40',
          text: 'workers of todo-30 and todo-31',
          since: ago(12),
          silent: ago(11),
        },
        {
          name: 'pages',
          elsewhere: 'todo-api-pages',
          sign: 'running',
          progress: '1/3',
          text: 'npm test',
          since: ago(1),
        },
      ],
    },
    {
      title: 'Halted',
      more: 0,
      rows: [{ name: 'import', sign: 'failed', text: 'todo-2 failed twice: exit 1', since: ago(600) }],
    },
    {
      title: 'Ended',
      more: 7,
      rows: [{ name: 'add-auth', sign: 'done', text: 'completed, 5 commits', since: ago(1500) }],
    },
  ],
};

export const DECISION: PageDecision = {
  ...{ actionId: 'a7', digest: 'sha256:3f1c9a', title: 'Approve the plan of 6 todos?' },
  sections: [
    {
      heading: 'What the plan does',
      lines: ['Adds DELETE /todos/:id and a question before it', 'Changes 4 files, adds 2'],
    },
    { heading: 'Commands that it runs', lines: ['npm test -- todos', 'npm run lint'] },
  ],
  answers: [
    { id: 'approve', label: 'carry it out' },
    { id: 'revise', label: 'have it written again', reason: 'required' },
    { id: 'halt', label: 'halt' },
  ],
  looks: [
    { label: 'The plan', text: '# Delete todos\n\n1. Add the route that deletes a todo\n2. Ask before it deletes' },
  ],
};

/** Builds a run that waits at a gate. */
export function waitingPage(): RunPage {
  return {
    ...goldenPage('execute-standard.gate-pending'),
    ...{ name: 'delete-todos', decision: DECISION, goal: 'Deleting a todo removes it for good.' },
    waits: { text: 'Approve the plan of 6 todos?', since: NOW, command: 'dev-cli approve delete-todos' },
    left: [{ heading: 'For you to confirm', lines: ['The wording of the question'] }],
  };
}

const REPORT = `# Report

| todo | state |
| --- | --- |
| todo-1 | **done** |

- one \`code\` and *more*
- [a link](https://example.com/) and ![an image](https://example.com/x.png)

<script>document.title = 'taken over'</script>

> quoted

\`\`\`
pre
\`\`\`
`;

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="420" height="90"><rect x="10" y="25" width="120" height="40" rx="5" fill="#eef" stroke="#446"/><text x="70" y="50" text-anchor="middle" font-family="sans-serif">plan</text><path d="M130 45h60" stroke="#446"/><rect x="190" y="25" width="120" height="40" rx="5" fill="#eef" stroke="#446"/><text x="250" y="50" text-anchor="middle" font-family="sans-serif">execute</text><script>parent.document.title="taken over"</script></svg>';

const DIFF =
  'diff --git a/src/routes.ts b/src/routes.ts\n--- a/src/routes.ts\n+++ b/src/routes.ts\n@@ -4,2 +4,3 @@ export const routes = [\n   list,\n-  show\n+  show,\n+  remove\n';

function readDocument(address: string): PageDocument {
  if (address.startsWith('tabs/recipe')) return { kind: 'svg', text: SVG };
  if (address.startsWith('tabs/journal')) return { kind: 'text', text: '1  12:00  init\n2  12:01  issued  todo-1\n' };
  if (address.startsWith('tabs/')) return { kind: 'markdown', text: REPORT };
  if (address.startsWith('commits/')) return { kind: 'diff', text: DIFF };
  return { kind: 'text', text: 'You are the worker of one todo.\n\n'.repeat(40), of: 2_500_000 };
}

/** Creates a stage with a run that waits, a running one, one that has ended, and some large ones. */
export function createStage(): PageStage {
  const ended = { ...goldenPage('execute-standard.completed'), name: 'add-auth' };
  const pages = [waitingPage(), syntheticPage(40), syntheticPage(390), ended, { ...basicPage('new'), tabs: [] }];
  const large = [syntheticPage(1000), syntheticPage(10_000)];
  return {
    runs: structuredClone(RUNS),
    pages: new Map([...pages, ...large].map((page) => [page.name, page])),
    document: readDocument,
    isKnown: true,
    refuse: () => null,
  };
}
