import type { InstallExtra } from '../../protocol/ports.js';

const INSTRUCTIONS = `## What dev-cli remembers of this project

- Begin with \`dev-cli context\`: what was asked, decided, tried, changed and verified, and what comes next.
- When you make a choice, or set or change an aim: \`dev-cli memory decide --text T --reason R\`. Progress, a version bump or a test result is not a decision.
- Whether it works: \`dev-cli memory verify -- COMMAND\` runs a check and records its result.
- A dead end, a blocker or a risk: \`dev-cli memory note --kind tried|blocked|risk --text T\`.
- The next action, a file that matters: \`dev-cli memory next --text T\`, \`dev-cli memory relevant PATH --why W\`.
- At the end: \`dev-cli handoff write --session-summary S --first-next-action T\`; another clone has it once the file is committed.

Tools of the server \`dev-cli\` do most of this without a shell; only the command runs a check.`;

/** The extra that `install --with memory` sets up (memory.md, Hooks). */
export const MEMORY_EXTRA: InstallExtra = { name: 'memory', instructions: INSTRUCTIONS, readsCommits: true };
