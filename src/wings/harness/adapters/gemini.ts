import { dirname, join } from 'node:path';
import {
  COMMON_EVENTS,
  type Harness,
  listStrings,
  renderChoice,
  type ShippedAgent,
  type SilenceContext,
} from '../adapter.js';
import type { DoctorFinding } from '../doctor/finding.js';
import { listSyntax } from '../doctor/settings-form.js';
import { readAtPath } from '../install/settings.js';

/** The name of our hooks, by which Gemini CLI can disable them. */
const HOOK_NAME = 'dev-cli';

export const gemini: Harness = {
  id: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  directory: '.gemini',
  skills: '.gemini/skills',
  reserved: ['.gemini'],
  voice: {
    ask: 'ask_user, or',
    start:
      'Call the agent `dev-cli-<type>`, else `<type>`, else any that can write files, with `tell`. Ack once they are back.',
  },
  marks: ['GEMINI_CLI'],
  tellsWithPrompt: true,
  foreword: '<hook_context>[\\s\\S]*?</hook_context>',

  events: {
    ...COMMON_EVENTS,
    'user-prompt-submit': 'BeforeAgent',
    'pre-tool-use': 'BeforeTool',
    'post-tool-use': 'AfterTool',
    stop: 'AfterAgent',
  },
  members: {
    agent_id: null,
    agent_type: null,
    background_tasks: null,
    last_assistant_message: 'prompt_response',
  },
  tools: {
    files: { write_file: 'file_path', replace: 'file_path' },
    shell: 'run_shell_command',
    shellDirectory: ['dir_path', 'directory'],
    shellInRules: 'ShellTool',
    question: 'ask_user',
    failure: { member: 'error' },
  },
  countsMilliseconds: true,
  // Gemini CLI sets this variable in addition to its own.
  projectVariable: 'CLAUDE_PROJECT_DIR',
  hookName: HOOK_NAME,

  agentEnding: '.md',
  renderAgent,
  // Each skill is also a slash command. If a custom command has the same name, neither of the two keeps that name.
  locateRival: (skill) => `.gemini/commands/${skill}.toml`,
  settings: { path: '.gemini/settings.json', what: 'hooks' },
  extras: { instructions: 'GEMINI.md', servers: { path: '.gemini/settings.json', holder: 'mcpServers' } },
  // A project gets no rule: Gemini CLI does not read a project's policies, and `tools.allowed` in a project's settings
  // would deny subagents all commands that it does not list.
  listMore: (scope) =>
    scope === 'project'
      ? []
      : [{ kind: 'file', path: '.gemini/policies/dev-cli.toml', content: POLICY, what: 'permission' }],
  // The file tools refuse files that git ignores, and git ignores the runs.
  ignoreFile: '.geminiignore',
  hasNoEffort: true,
  describeStart: (skill, { scope, base }) =>
    `start a new session${scope === 'project' ? ` in ${base}` : ''}, and type /${skill}`,

  readsWhereStarted: true,
  findSilence,
  whyUnheard:
    'Begin a new session in the directory of the project. `/hooks` lists the hooks; they must be enabled, and the folder trusted.',
  listFormFaults: (_settings, text) => listSyntax(text, false),
  dropsSettings: 'does not start with',
  buildTrial: ({ session, directory, path, content }) => ({
    session_id: session,
    transcript_path: `${directory}/session.jsonl`,
    cwd: directory,
    hook_event_name: 'BeforeTool',
    timestamp: '2026-01-01T00:00:00.000Z',
    tool_name: 'write_file',
    tool_input: { file_path: path, content },
  }),
};

const POLICY = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "dev-cli"
decision = "allow"
priority = 100
`;

/** Gemini CLI's names for the tools that a shipped agent lists. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  Read: ['read_file', 'read_many_files', 'list_directory'],
  Grep: ['grep_search'],
  Glob: ['glob'],
  Bash: ['run_shell_command'],
  Edit: ['replace'],
  Write: ['write_file'],
  WebSearch: ['google_web_search'],
  WebFetch: ['web_fetch'],
};

/** Without these settings, Gemini CLI's agents end after 20 turns or 5 minutes. */
const BOUNDS = ['max_turns: 100', 'timeout_mins: 60'];

function renderAgent({ name, description, tools, body, model }: ShippedAgent): string {
  const list = tools.flatMap((tool) => TOOLS[tool] ?? []).map((tool) => `  - ${tool}`);
  const head = [`name: ${name}`, `description: ${JSON.stringify(description)}`, 'tools:', ...list];
  return `---\n${[...head, ...renderChoice('model: ', model), ...BOUNDS].join('\n')}\n---\n\n${body}\n`;
}

function findSilence(asked: SilenceContext): DoctorFinding[] {
  const root = asked.directories[0] ?? '';
  const paths = [join(asked.own, 'settings.json'), join(root, '.gemini', 'settings.json')];
  const findings = paths.flatMap((path) => {
    const settings = asked.readShared(path);
    const off = findSwitch(settings);
    return [
      ...(off === null ? [] : [asked.problem(`Gemini CLI runs no hooks: ${off} in ${path}.`, 'Remove it there.')]),
      ...asked.findDenials(path, settings, ['tools', 'exclude']),
    ];
  });
  const why = asked.scopes.includes('project') ? findMistrust(asked, root) : null;
  if (why === null) return findings;
  // The user's hooks run even if the folder is not trusted.
  if (asked.scopes.includes('user')) return [...findings, asked.note(why)];
  return [...findings, asked.problem(why, `Start gemini in ${root} and trust the folder (/permissions).`)];
}

/**
 * Returns why Gemini CLI skips a folder's hooks; null if it trusts the folder. By default, it trusts a folder only
 * after asking the user.
 */
function findMistrust({ env, own, readShared, readSettings }: SilenceContext, root: string): string | null {
  const { GEMINI_CLI_TRUST_WORKSPACE: word, GEMINI_RESTRICTED_MODE: restricted } = env;
  if (word === 'false' || restricted === 'true')
    return 'The environment tells Gemini CLI not to trust folders here, so it reads none of the hooks of this one.';
  if (word === 'true') return null;
  const settings = readShared(join(own, 'settings.json'));
  if (readAtPath(settings, ['security', 'folderTrust', 'enabled']) === false) return null;
  const path = env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || join(own, 'trustedFolders.json');
  const rule = findFolderRule(readSettings(path), root);
  if (rule === 'DO_NOT_TRUST') return `Gemini CLI does not trust this folder (${path}), so it reads none of its hooks.`;
  return rule === null
    ? 'Gemini CLI has not yet been told to trust this folder, so it runs none of its hooks until then.'
    : null;
}

/** The settings that disable hooks, as different versions name them. */
const SWITCHES = [
  ['hooksConfig', 'enabled'],
  ['hooks', 'enabled'],
  ['tools', 'enableHooks'],
];

/** The lists in which `/hooks disable` puts the names of disabled hooks. */
const DISABLED = [
  ['hooksConfig', 'disabled'],
  ['hooks', 'disabled'],
];

function findSwitch(settings: Record<string, unknown>): string | null {
  const off = SWITCHES.find((path) => readAtPath(settings, path) === false);
  if (off !== undefined) return `${off.join('.')} is false`;
  const list = DISABLED.find((path) => listStrings(readAtPath(settings, path)).includes(HOOK_NAME));
  return list === undefined ? null : `${list.join('.')} names "${HOOK_NAME}"`;
}

/**
 * Returns the rule that applies to a directory and has the longest path. A `TRUST_PARENT` rule applies to the parent of
 * its folder.
 */
function findFolderRule(rules: Record<string, unknown>, directory: string): string | null {
  const found = Object.entries(rules).flatMap(([folder, rule]) => {
    const held = rule === 'TRUST_PARENT' ? dirname(folder) : folder;
    const holds = directory === held || directory.startsWith(held.endsWith('/') ? held : `${held}/`);
    return holds && TRUST_RULES.some((one) => one === rule) ? [{ folder, rule: String(rule) }] : [];
  });
  return found.sort((one, other) => other.folder.length - one.folder.length)[0]?.rule ?? null;
}

const TRUST_RULES = ['TRUST_FOLDER', 'TRUST_PARENT', 'DO_NOT_TRUST'];
