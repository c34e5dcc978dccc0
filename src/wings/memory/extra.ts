import type { Extra } from '../../protocol/ports.js';

const INSTRUCTIONS = `## What dev-cli remembers of this project

- Begin with \`dev-cli context\`: what was asked, decided, tried, changed and verified, and what comes next.
- A choice, an aim or its change: \`dev-cli memory decide --text T --reason R\`, when it is made. Progress, a version bump or a test result is no decision.
- Whether it works: \`dev-cli memory verify -- COMMAND\` runs a check and keeps what came of it.
- What was given up, blocks or may go wrong: \`dev-cli memory note --kind tried|blocked|risk --text T\`.
- The next action, a file that matters: \`dev-cli memory next --text T\`, \`dev-cli memory relevant PATH --why W\`.
- At the end: \`dev-cli handoff write --session-summary S --first-next-action T\`; another clone has it once the file is committed.

Tools of the server \`dev-cli\` do most of it without a shell; a check is run by the command alone.`;

/** The extra that `install --with memory` sets up (memory.md, Hooks). */
export const MEMORY_EXTRA: Extra = { name: 'memory', instructions: INSTRUCTIONS, readsCommits: true };
