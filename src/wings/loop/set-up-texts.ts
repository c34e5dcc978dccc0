import { DEFAULT_BASELINE_LIMITS } from './core/baseline.js';

/**
 * The files that `init` writes when it is called without a name (loop-core.md, Commands): short, with each key
 * explained in place.
 */

/** The default limits, as a commented-out part of the configuration. */
const GUARDS_LINES = `# observe:\n${Object.entries(DEFAULT_BASELINE_LIMITS)
  .map(([name, bound]) => `#   ${name}: ${bound}\n`)
  .join('')}`;

/** Makes git track only the files of `.ai/` that people share. */
export const AI_GITIGNORE = `# Written by dev-cli. Of .ai/ only what people share is tracked.
/*
!/.gitignore
!/config.yaml
!/goals.yaml
!/rules.md
!/handoffs/
!/decisions/
`;

/** Returns whether the ignore rules already contain ours. */
export function isIgnoreWritten(text: string): boolean {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return AI_GITIGNORE.trim()
    .split('\n')
    .slice(1)
    .every((line) => lines.includes(line));
}

/** Renders the configuration; commented-out keys show their defaults. */
export function writeConfig({
  tests,
  tool,
  tools,
}: {
  tests: string;
  tool: string;
  tools: Readonly<Record<string, string>>;
}): string {
  const others = Object.entries(tools).map(([name, line]) => `  ${name}: ${quote(line)}\n`);
  return `# How goals.yaml is worked off by dev-cli auto. A key that is commented out shows what holds without it.

# A line for sh that runs all tests and exits 0 when they pass.
test_command: ${quote(tests)}

# What starts an agent. No shell reads it; exactly one of {prompt}, {prompt_file} (a path) and {stdin}
# (its word is dropped) says how it gets its prompt. There are also {goal}, {run} and {root}.
ai_tool: ${quote(tool)}

# More tools by name, for --tool NAME and for \`tool: NAME\` of a goal.
${others.length === 0 ? '# ai_tools:\n#   fast: some-agent {prompt_file}\n' : `ai_tools:\n${others.join('')}`}
# Minutes that a session, and a run of the tests, may take.
# timeout_minutes: 30
# test_timeout_minutes: 15

# How often a goal is tried in all.
# max_retries: 3

# What makes a new work tree ready: lines for sh, and paths that are copied though git ignores them.
# worktree_setup: [npm ci]
# worktree_copy: [.env.test]

# What no attempt may change.
# protected_paths: [.github/**]

# Minutes to wait after each failure of a tool itself, such as a quota that is used up; then the batch ends.
# backoff_minutes: [1, 5, 15]

# When a batch ends, however much is left. cost_usd has no default.
# limits: {minutes: 480, sessions: 50, failures_in_a_row: 3}

# How long workers have a goal, and how many each (dev-cli queue).
# queue: {ttl_minutes: 30, max_ttl_minutes: 240, per_worker: 1}

# What the figures of dev-cli observe baseline are held against.
${GUARDS_LINES}
# Where the last line that a session prints, as JSON, says what it cost in dollars.
# cost: /total_cost_usd
`;
}

const quote = (text: string): string => (/^[\w./][\w./{} -]*$/.test(text) ? text : JSON.stringify(text));

export const STARTING_GOALS = `# What is to be worked off, by dev-cli auto. dev-cli writes nothing here but status and blocked_reason.
goals:
  - id: first-goal # letters, digits, ".", "_" and "-"
    title: Say in one line what is to be true when this is done
    status: pending # pending, active, done, blocked or dropped; active ones are worked off
    # acceptance: [A sentence, {run: a line for sh that exits 0}]
    # allowed_changes: [src/**, test/**] # what it may change
    # depends_on: [another-goal]
    # expect_failure: true # it writes tests of what is still missing: afterwards they must fail
    # children: [] # goals that it is divided into; it is not run itself then
`;

export const RULES_TEXT = `# Rules that every session is told, one a line. Lines that begin with # are for people.
`;

/** A paragraph for the file in which agents read about a project. */
export const AGENTS_PARAGRAPH = `## Goals
Goals of this project are in .ai/goals.yaml, what always holds is in .ai/rules.md, and what earlier sessions left is in
.ai/handoffs/. Run \`dev-cli context\` before you begin. Work on the goal that you were given and on nothing else, run the tests
before you stop, and leave a handoff (\`dev-cli handoff write\`). Change nothing else in .ai/, and nothing in .dev/.`;
