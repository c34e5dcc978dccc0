import { join } from 'node:path';
import { isRecord } from '../../../base/json.js';
import { COMMON_EVENTS, type Harness, renderChoice, type ShippedAgent, type SilenceContext } from '../adapter.js';
import type { DoctorFinding } from '../doctor/finding.js';
import { checkValueKind, type FormFault, type HookForm, listHooksFaults, listSyntax } from '../doctor/settings-form.js';
import type { Scope } from '../install/piece.js';
import type { Addition } from '../install/settings.js';

const PLUGIN = 'dev-cli';

export const claude: Harness = {
  id: 'claude',
  title: 'Claude Code',
  program: 'claude',
  directory: '.claude',
  skills: '.claude/skills',
  reserved: ['.claude', '.mcp.json'],
  voice: {
    ask: 'AskUserQuestion, or',
    start:
      '<calls>, run_in_background false: `dev-cli-<type>`, `dev-cli:<type>`, `<type>` or general-purpose; prompt: `tell`. Still in the background? End your turn, ack at <notice> notice.',
    calls: ['Agent call', 'Agent calls in one message'],
    wait: '; end your turn until one notifies you',
  },
  marks: ['CLAUDECODE'],
  hookAgent: '^claude-code_.*_harness$',
  session: 'CLAUDE_CODE_SESSION_ID',
  isWatched: true,
  attended: 'CLAUDE_CODE_SESSION_ATTENDED',
  notice: {
    begins: '<task-notification>',
    agent: '<task-id>([^<]*)</task-id>',
    // Matches only after the end of the agent's result, because the agent could write such a tag into the result
    // itself.
    tokens: '<subagent_tokens>(\\d{1,12})</subagent_tokens>(?![\\s\\S]*</result>)',
  },

  events: COMMON_EVENTS,
  tools: {
    files: { Write: 'file_path', Edit: 'file_path', MultiEdit: 'file_path' },
    notebooks: { NotebookEdit: 'notebook_path' },
    shell: 'Bash',
    question: 'AskUserQuestion',
    agents: ['Agent', 'Task'],
    // The answer has no `totalTokens` if the agent goes on working in the background; its notice then gives the number.
    spent: { agent: 'agentId', tokens: 'totalTokens' },
  },
  projectVariable: 'CLAUDE_PROJECT_DIR',

  agentEnding: '.md',
  renderAgent,
  settings: { path: '.claude/settings.json', what: 'hooks and permissions', listAdditions: listPermissions },
  extras: {
    instructions: 'CLAUDE.md',
    servers: { path: '.mcp.json', holder: 'mcpServers' },
    permit: (server) => ({ path: ['permissions', 'allow'], value: `mcp__${server}` }),
  },
  describeStart: (skill) => `start a new session, and type /${skill}`,
  plugin: {
    name: PLUGIN,
    root: 'CLAUDE_PLUGIN_ROOT',
    // Claude Code's validator requires every field (`claude plugin validate`).
    build: ({ version, description, license, keywords }, hooks) => {
      const author = { name: PLUGIN };
      return {
        '.claude-plugin/plugin.json': { name: PLUGIN, version, description, author, license, keywords: [...keywords] },
        '.claude-plugin/marketplace.json': {
          name: PLUGIN,
          description,
          owner: author,
          plugins: [{ name: PLUGIN, source: './', description }],
        },
        'hooks/hooks.json': { hooks },
      };
    },
    settings: ['.claude/settings.json', '.claude/settings.local.json'],
    // The key is `PLUGIN@MARKETPLACE`, and the plugin may come from any marketplace.
    isOn: ({ enabledPlugins }) =>
      Object.entries(enabledPlugins ?? {}).some(([id, on]) => id.startsWith(`${PLUGIN}@`) && on === true),
    twice:
      'The plugin dev-cli is switched on in Claude Code and brings the same skills, agents and hooks, so that each hook runs twice. Use one of them: switch the plugin off in /plugin, or run `dev-cli uninstall --harness claude`.',
  },

  readsWhereStarted: true,
  homeVariable: 'CLAUDE_CONFIG_DIR',
  findSilence,
  whyUnheard:
    'Begin a new session in the directory of the project: new hooks take effect there. If `/hooks` does not list them, the settings were ignored.',
  listFormFaults: (settings, text) => [
    ...listSyntax(text, true),
    ...judgeKeys(settings),
    ...listRuleFaults(isRecord(settings['permissions']) ? settings['permissions'] : {}),
    ...listHooksFaults(settings['hooks'], HOOKS),
  ],
  dropsSettings: 'ignores all of',
  buildTrial: ({ session, directory, path, content }) => ({
    session_id: session,
    transcript_path: `${directory}/session.jsonl`,
    cwd: directory,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: { file_path: `${directory}/${path}`, content },
    tool_use_id: 'toolu_1',
  }),
};

function renderAgent({ name, description, tools, body, model, effort }: ShippedAgent): string {
  const head = [
    `name: ${name}`,
    `description: ${description}`,
    `tools: ${tools.join(', ')}`,
    ...renderChoice('model: ', model),
    ...renderChoice('effort: ', effort),
  ];
  return `---\n${head.join('\n')}\n---\n\n${body}\n`;
}

/**
 * In a rule, a path with a leading slash is relative to the project, and a path without one to the directory in which
 * the session began.
 */
function listPermissions(scope: Scope): Addition[] {
  const places = scope === 'project' ? ['/.dev/**', '.dev/**'] : ['.dev/**'];
  const rules = ['Bash(dev-cli:*)', ...places.flatMap((place) => [`Read(${place})`, `Edit(${place})`])];
  return rules.map((value) => ({ path: ['permissions', 'allow'], value }));
}

function findSilence({
  directories: [root = ''],
  own,
  readSettings,
  readShared,
  ...asked
}: SilenceContext): DoctorFinding[] {
  const local = join(root, '.claude', 'settings.local.json');
  const shared = [join(own, 'settings.json'), join(root, '.claude', 'settings.json')];
  const all = [
    ...shared.map((path) => ({ path, settings: readShared(path) })),
    { path: local, settings: readSettings(local) },
  ];
  const silent = all
    .filter(({ settings }) => settings['disableAllHooks'] === true)
    .map(({ path }) =>
      asked.problem(
        `Claude Code runs no hooks: disableAllHooks is set in ${path}.`,
        'Remove it there; `/hooks` in a new session lists what runs.',
      ),
    );
  return [
    ...silent,
    ...all.flatMap(({ path, settings }) => asked.findDenials(path, settings, ['permissions', 'deny'])),
  ];
}

/** Keys that are often set, by the type that Claude Code expects; other keys are not checked. */
const KEYS = {
  text: ['agent', 'apiKeyHelper', 'language', 'model', 'outputStyle'],
  switch: [
    ...['alwaysThinkingEnabled', 'disableAllHooks', 'enableAllProjectMcpServers', 'includeCoAuthoredBy'],
    ...['respectGitignore', 'spinnerTipsEnabled'],
  ],
  number: ['cleanupPeriodDays'],
  object: ['attribution', 'enabledPlugins', 'env', 'permissions', 'sandbox', 'statusLine'],
} as const;

function judgeKeys(settings: Record<string, unknown>): FormFault[] {
  const kinds = Object.keys(KEYS) as (keyof typeof KEYS)[];
  const faults = kinds.flatMap((kind) => KEYS[kind].flatMap((key) => checkValueKind(settings, key, kind)));
  return faults.sort((one, other) => (one.what < other.what ? -1 : 1));
}

/** The lists of rules in `permissions`. */
const RULES = ['allow', 'deny', 'ask'];

const MODES = ['acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'manual', 'plan'];

function listRuleFaults(permissions: Record<string, unknown>): FormFault[] {
  const { defaultMode, additionalDirectories: directories } = permissions;
  const isMode = defaultMode === undefined || MODES.some((mode) => mode === defaultMode);
  const isUsable = !Array.isArray(directories) || directories.every((one) => typeof one === 'string');
  return [
    ...(isMode ? [] : [{ what: 'permissions.defaultMode: not a mode' }]),
    ...checkValueKind(permissions, 'additionalDirectories', 'list', 'permissions.'),
    ...(isUsable ? [] : [{ what: 'permissions.additionalDirectories: not a list of strings' }]),
    ...RULES.flatMap((key): FormFault[] => {
      const rules = permissions[key];
      if (!Array.isArray(rules)) return checkValueKind(permissions, key, 'list', 'permissions.');
      return rules.flatMap((rule: unknown, at) =>
        typeof rule === 'string' ? [] : [{ what: `permissions.${key}[${at}]: not a string`, borneSince: '2.1.47' }],
      );
    }),
  ];
}

const HOOKS: HookForm = {
  mayBeEmpty: false,
  isTimeout: (seconds) => seconds > 0,
  borneSince: { hooks: '2.1.328', event: '2.1.157', entry: '2.1.257' },
};
