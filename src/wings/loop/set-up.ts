import { join } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { ensureIgnoreRules } from '../../project/gitignore.js';
import { createFile, requireInside } from '../../project/own-places.js';
import type { Context } from '../../run/context.js';
import { ensureDirectory } from '../../store/durable.js';
import { openSharedFiles } from '../../store/shared-files.js';
import { findProgram } from '../../work/processes.js';
import { CONFIG } from './config.js';
import { GOALS } from './goals.js';
import {
  AGENTS_PARAGRAPH,
  AI_GITIGNORE,
  isIgnoreWritten,
  RULES_TEXT,
  STARTING_GOALS,
  writeConfig,
} from './set-up-texts.js';
import { HANDOFFS } from './steps/handoffs.js';

/** `init` without a name: sets up a project for the loop (loop-core.md, Commands). */

const RULES = '.ai/rules.md';
const IGNORE_FILE = '.ai/.gitignore';

/**
 * For each program of an agent, the command line of its sessions; the first installed one becomes the default tool. No
 * session asks a person, and each may write its work tree and the root's `.dev`.
 */
const TOOLS: Readonly<Record<string, string>> = {
  claude: 'claude -p {stdin} --permission-mode acceptEdits --allowedTools Bash --add-dir {root}/.dev',
  codex:
    'codex exec --sandbox workspace-write -c sandbox_workspace_write.network_access=true --add-dir {root}/.dev - {stdin}',
  gemini: 'gemini --skip-trust --approval-mode yolo --include-directories {root}/.dev {stdin}',
};
const TOOL = 'claude -p {prompt}';
const TOOL_LINE = /^ai_tool: (['"]?)claude -p \{prompt\}\1\s*$/m;
const TESTS = 'pytest';

type Site = Pick<Context, 'root' | 'reader' | 'searchPath' | 'clock' | 'ids'>;

/**
 * Writes the files that do not exist yet; overwrites nothing.
 * @throws DevCliError `IO`, `LOCKED`
 */
export async function setUpLoop(context: Site): Promise<Answer> {
  const { root, searchPath, reader } = context;
  for (const path of [CONFIG, GOALS, RULES, HANDOFFS, IGNORE_FILE, '.dev']) requireInside(root, path);
  const tests = findTestCommand(context) ?? TESTS;
  const tools = Object.fromEntries(
    Object.entries(TOOLS).filter(([program]) => findProgram(program, { searchPath, cwd: root })),
  );
  const tool = Object.values(tools)[0] ?? TOOL;
  const texts = { [CONFIG]: writeConfig({ tests, tool, tools }), [GOALS]: STARTING_GOALS, [RULES]: RULES_TEXT };
  const written: string[] = [];
  const kept: string[] = [];
  for (const [path, text] of Object.entries(texts)) {
    (createFile(join(root, path), text, root) ? written : kept).push(path);
  }
  (ensureDirectory(join(root, HANDOFFS), root) === undefined ? kept : written).push(`${HANDOFFS}/`);
  ((await ensureWhitelist(context)) ? written : kept).push(IGNORE_FILE);
  ensureDirectory(join(root, '.dev'), root);
  const made: string[] = [];
  ensureIgnoreRules(join(root, '.dev'), { root, made });
  (made.length > 0 ? written : kept).push('.dev/.gitignore');
  // Judged by the file, which may be one that was kept.
  const isWithoutAgent = TOOL_LINE.test(reader.read(join(root, CONFIG)) ?? '');
  const steps = [
    isWithoutAgent
      ? `Correct ${CONFIG}: no agent was found, and ${TOOL} can write no file; dev-cli help loop has lines that can.`
      : `Check ${CONFIG}: are the tests and the tool right?`,
    `Write goals into ${GOALS}, and set those to work on to active.`,
    'Commit .ai/: a work tree sees only what is committed.',
    'See what would be done: dev-cli auto --recursive --dry-run.',
    'Trust its commands in a terminal: dev-cli trust config.',
    'Then: dev-cli auto --recursive.',
  ];
  return {
    exit: 0,
    json: {
      ok: true,
      root,
      written,
      kept,
      ...(written.includes(CONFIG) && { test_command: tests, ai_tool: tool }),
      next_steps: steps,
      agents: AGENTS_PARAGRAPH,
    },
    text: () =>
      [
        ...written.map((path) => `written  ${path}`),
        ...kept.map((path) => `kept     ${path}`),
        ...['', 'Next:', ...steps.map((step, n) => `${n + 1}. ${step}`)],
        ...['', 'For AGENTS.md, or what your agents read instead:', '', ...AGENTS_PARAGRAPH.split('\n')],
      ].join('\n'),
  };
}

/** Makes git track only what people share. @returns whether anything was written */
function ensureWhitelist({ root, clock, ids }: Site): Promise<boolean> {
  const files = openSharedFiles({ root, clock, ids, purpose: 'the ignore rules of .ai' });
  return files.change([IGNORE_FILE], () => {
    const content = files.read(IGNORE_FILE);
    const before = content === null ? '' : content.toString('utf8');
    if (content === 'unusable' || isIgnoreWritten(before)) return { answer: false, changes: [] };
    const gap = before === '' || before.endsWith('\n') ? '' : '\n';
    return { answer: true, changes: [{ path: IGNORE_FILE, content: `${before}${gap}${AI_GITIGNORE}` }] };
  });
}

/** Finds the command that runs all tests, judging by the project's files. */
function findTestCommand({ root, reader }: Site): string | null {
  const names = reader.list(root);
  const has = (...some: string[]) => some.some((name) => names.includes(name));
  const says = (name: string, pattern: RegExp) => has(name) && pattern.test(reader.read(join(root, name)) ?? '');
  if (says('package.json', /"test"\s*:\s*"(?!echo \\"Error: no test)/)) {
    if (has('pnpm-lock.yaml')) return 'pnpm test';
    if (has('yarn.lock')) return 'yarn test';
    return has('bun.lock', 'bun.lockb') ? 'bun run test' : 'npm test';
  }
  if (has('pytest.ini', 'conftest.py', 'tox.ini') || says('pyproject.toml', /pytest/) || says('setup.cfg', /pytest/))
    return 'pytest';
  if (has('Cargo.toml')) return 'cargo test';
  if (has('go.mod')) return 'go test ./...';
  if (has('pom.xml')) return 'mvn -q test';
  if (has('gradlew')) return './gradlew test';
  if (has('build.gradle', 'build.gradle.kts')) return 'gradle test';
  if (has('mix.exs')) return 'mix test';
  if (has('Gemfile') && has('spec')) return 'bundle exec rspec';
  return says('Makefile', /^test\s*:/m) ? 'make test' : null;
}
