import { join } from 'node:path';
import { isRecord } from '../../../base/json.js';
import { COMMON_EVENTS, type Harness, renderChoice, type ShippedAgent, type SilenceContext } from '../adapter.js';
import type { DoctorFinding } from '../doctor/finding.js';
import { type HookForm, listHooksFaults, listSyntax } from '../doctor/settings-form.js';

export const codex: Harness = {
  id: 'codex',
  title: 'Codex CLI',
  program: 'codex',
  directory: '.codex',
  skills: '.agents/skills',
  reserved: ['.codex', '.agents'],
  voice: {
    ask: 'request_user_input if you have it, else',
    start:
      'Find the tool that starts agents (spawn_agent; else search your tools): as `dev-cli-<type>`, else `<type>`, else any; message: `tell`. At most six live at once: wait for each, then close it. Ack once they are back.',
  },
  marks: ['CODEX_THREAD_ID', 'CODEX_CI'],
  session: 'CODEX_SESSION_ID',
  // Codex stops waiting for a command after ten seconds.
  answerWithin: 8,

  events: COMMON_EVENTS,
  members: { background_tasks: null },
  tools: {
    files: {},
    patch: 'apply_patch',
    shell: 'Bash',
    question: 'request_user_input',
    failure: { text: '^Exit code: (?!0\\b)' },
  },
  runsByUsersShell: true,
  // Codex does not set this variable. It stays because installed hook lines contain it, and the user would have to
  // trust each changed line anew.
  projectVariable: 'CLAUDE_PROJECT_DIR',
  seeksProject: true,

  agentEnding: '.toml',
  renderAgent,
  settings: { path: '.codex/hooks.json', what: 'hooks' },
  listMore: () => [
    {
      kind: 'file',
      path: '.codex/rules/dev-cli.rules',
      content: 'prefix_rule(pattern = ["dev-cli"], decision = "allow")\n',
      what: 'permission',
    },
  ],
  extras: { instructions: 'AGENTS.md', servers: { path: '.codex/config.toml', holder: 'mcp_servers' } },
  describeStart: (skill, { scope }) =>
    `start a new session, trust ${scope === 'project' ? 'the project when it asks, and ' : ''}the hooks in /hooks, which are skipped until then, and type $${skill}`,

  homeVariable: 'CODEX_HOME',
  findSilence,
  whyUnheard:
    'Begin a new session. Codex skips hooks silently until the project is trusted and you have looked at them in `/hooks`.',
  // Codex ignores the whole file if it contains an unknown key.
  listFormFaults: ({ hooks, description: _, ...others }, text) => [
    ...listSyntax(text, true),
    ...Object.keys(others).map((key) => ({ what: `${key}: not known` })),
    ...listHooksFaults(hooks, HOOKS),
  ],
  dropsSettings: 'ignores all of',
  buildTrial: ({ session, directory, path, content }) => ({
    session_id: session,
    transcript_path: `${directory}/session.jsonl`,
    cwd: directory,
    turn_id: '1',
    hook_event_name: 'PreToolUse',
    permission_mode: 'default',
    tool_name: 'apply_patch',
    tool_input: { command: `*** Begin Patch\n*** Add File: ${path}\n+${content}*** End Patch` },
    tool_use_id: 'call_1',
  }),
  usesLoginShell: true,
  sandbox: {
    writesFor: 'Codex',
    git: 'Run `dev-cli next` in a terminal of your own to make them, or let Codex run dev-cli outside of its sandbox.',
    listening: 'Codex: network_access in [sandbox_workspace_write]',
  },
};

/** Escapes a text as a basic string of TOML; JSON's escapes are a subset of TOML's. */
function renderTomlString(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007f');
}

function renderAgent({ name, description, body, model, effort }: ShippedAgent): string {
  return [
    `name = ${renderTomlString(name)}`,
    `description = ${renderTomlString(description)}`,
    ...renderChoice('model = ', model && renderTomlString(model)),
    ...renderChoice('model_reasoning_effort = ', effort && renderTomlString(effort)),
    `developer_instructions = ${renderTomlString(body)}`,
    '',
  ].join('\n');
}

function findSilence({ directories, scopes, own, readToml, problem }: SilenceContext): DoctorFinding[] {
  const path = join(own, 'config.toml');
  const config = readToml(path);
  if (config === null) return [problem(`${path} is not valid TOML.`, 'Repair that file; Codex CLI needs it, too.')];
  const features = isRecord(config['features']) ? config['features'] : {};
  const findings: DoctorFinding[] = [];
  if (features['hooks'] === false || features['codex_hooks'] === false)
    findings.push(
      problem(`Codex CLI runs no hooks: they are switched off in ${path}, below [features].`, 'Remove it there.'),
    );
  if (!scopes.includes('project')) return findings;
  const projects = isRecord(config['projects']) ? config['projects'] : {};
  const levels = directories.flatMap((directory) => {
    const project = projects[directory];
    return isRecord(project) ? [project['trust_level']] : [];
  });
  if (levels[0] !== 'trusted')
    findings.push(
      problem(
        `Codex CLI does not trust this project, so it silently skips its hooks (no trust_level = "trusted" for it in ${path}).`,
        `Start codex in ${directories[0] ?? ''} and trust the project when it asks; then look at its hooks with /hooks.`,
      ),
    );
  return findings;
}

const HOOKS: HookForm = {
  types: ['command', 'mcp_tool', 'prompt', 'agent'],
  events: Object.values(COMMON_EVENTS),
  mayBeEmpty: true,
  isTimeout: (seconds) => Number.isSafeInteger(seconds) && seconds >= 0,
};
