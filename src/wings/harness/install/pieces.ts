import { toBoundedLine } from '../../../documents/foreign.js';
import { splitFrontMatter } from '../../../documents/front-matter.js';
import { MARK, markByComment, markSkill } from '../../../documents/mark.js';
import { EDITOR_SCHEMAS, type EditorSchema, locateEditorSchema } from '../../../project/editor-schemas.js';
import { HARNESSES, type HarnessId, HOOK_EVENTS } from '../harness.js';
import { type HookPlace, locateHookFile, renderHookLine } from './hook-line.js';
import { type AgentChoice, type AgentChoices, chooseModel } from './models.js';
import type { Addition } from './settings.js';

/** What is installed into each harness, as data: files of dev-cli's own, and additions to settings (harness.md, Install). */

export type Scope = 'project' | 'user';

/** A file that is dev-cli's alone. */
export interface OwnFile {
  kind: 'file';
  /** Relative to the project, or to the home directory. */
  path: string;
  content: string;
  /** What it is for, in a word or two. */
  what: string;
  /** The same under a name of its own, for where somebody else has that place. */
  otherwise?: OwnFile;
  /** A file that would give somebody else's the same name. */
  rival?: string;
  /** A copy of what ships, which nobody edits: written over and removed whatever it says. */
  isCopy?: true;
}

/** Additions to a file that others share. */
export interface SharedFile {
  kind: 'settings' | 'lines';
  path: string;
  /** Into lists of a JSON file. */
  additions?: readonly Addition[];
  /** Lines at the end of a text. */
  lines?: readonly string[];
  what: string;
}

export type Piece = OwnFile | SharedFile;

/** What ships, by name, as the files read. */
export interface Shipped {
  skills: Readonly<Record<string, string>>;
  agents: Readonly<Record<string, string>>;
  /** What the lines in settings run. */
  hook: string;
  schemas: Readonly<Record<EditorSchema, string>>;
}

/** What pieces are made of. */
export interface Material extends Shipped {
  /** Models and efforts of the agents. Default: what the harness gives an agent of which nothing is said. */
  choices?: AgentChoices;
}

/**
 * Before the name of every agent, since names such as `worker` are other people's, and some harnesses' own; before that of a
 * skill only where its plain name is taken.
 */
const OWN_PREFIX = 'dev-cli-';

/** Lists everything that one harness gets. */
export function listPieces(harness: HarnessId, scope: Scope, material: Material): Piece[] {
  switch (harness) {
    case 'claude':
      return [
        ...listSkills(HARNESSES[harness].skills, material),
        ...listAgents(material, harness, (name, definition) => ({
          path: `.claude/agents/${OWN_PREFIX}${name}.md`,
          content: renderClaudeAgent(name, definition),
        })),
        buildHook(harness, material),
        {
          kind: 'settings',
          path: '.claude/settings.json',
          additions: [...listHooks('claude', scope), ...listClaudePermissions(scope)],
          what: 'hooks and permissions',
        },
      ];
    case 'codex':
      return [
        ...listSkills(HARNESSES[harness].skills, material),
        ...listAgents(material, harness, (name, definition) => ({
          path: `.codex/agents/${OWN_PREFIX}${name}.toml`,
          content: renderCodexAgent(name, definition),
        })),
        buildHook(harness, material),
        { kind: 'settings', path: '.codex/hooks.json', additions: listHooks('codex', scope), what: 'hooks' },
        {
          kind: 'file',
          path: '.codex/rules/dev-cli.rules',
          content: markByComment('prefix_rule(pattern = ["dev-cli"], decision = "allow")\n'),
          what: 'permission',
        },
      ];
    case 'gemini':
      return [
        // Each skill is a slash command, too: beside a command of the same name both lose that name.
        ...listSkills(HARNESSES[harness].skills, material, (name) => `.gemini/commands/${name}.toml`),
        ...listAgents(material, harness, (name, definition) => ({
          path: `.gemini/agents/${OWN_PREFIX}${name}.md`,
          content: renderGeminiAgent(name, definition),
        })),
        buildHook(harness, material),
        { kind: 'settings', path: '.gemini/settings.json', additions: listHooks('gemini', scope), what: 'hooks' },
        // A project's policies are not read, and `tools.allowed` in its settings denies subagents every other command.
        ...(scope === 'user'
          ? [
              {
                kind: 'file',
                path: '.gemini/policies/dev-cli.toml',
                content: markByComment(GEMINI_POLICY),
                what: 'permission',
              } as const,
            ]
          : []),
        // Its file tools refuse what git ignores, and git ignores the runs.
        ...(scope === 'project'
          ? [{ kind: 'lines', path: '.geminiignore', lines: ['!.dev/**'], what: 'lets it read .dev' } as const]
          : []),
      ];
  }
}

/**
 * Lists what a project needs whichever the harness is.
 * @param names the names of what lies in its directory
 * @param manifest the text of its package.json
 */
export function listProjectPieces(names: readonly string[], manifest: string | null, { schemas }: Shipped): Piece[] {
  const isFormatted =
    names.some((name) => /^(?:\.prettier|prettier\.config|\.oxfmt)/.test(name)) ||
    /"(?:prettier|oxfmt)"\s*:/.test(manifest ?? '');
  return [
    ...EDITOR_SCHEMAS.map(
      (schema): OwnFile => ({
        kind: 'file',
        path: locateEditorSchema(schema),
        content: schemas[schema],
        what: 'schema for editors',
        isCopy: true,
      }),
    ),
    // A formatter that goes over the whole tree finds the documents in .dev, which git knows.
    ...(isFormatted
      ? [{ kind: 'lines', path: '.prettierignore', lines: ['.dev/'], what: 'keeps the formatter out of .dev' } as const]
      : []),
  ];
}

function listSkills(directory: string, { skills }: Shipped, findRival?: (name: string) => string): OwnFile[] {
  return Object.entries(skills).map(([name, text]) => ({
    ...buildSkill(directory, name, text),
    ...(findRival === undefined ? {} : { rival: findRival(name) }),
    otherwise: buildSkill(directory, `${OWN_PREFIX}${name}`, text),
  }));
}

function buildSkill(directory: string, name: string, text: string): OwnFile {
  const content = markSkill(text.replace(/^name: .*$/m, `name: ${name}`), MARK);
  return { kind: 'file', path: `${directory}/${name}/SKILL.md`, content, what: 'skill' };
}

/** A shipped agent: what its front matter says, its body, and the model that it is to have. */
interface Definition extends AgentChoice {
  description: string;
  tools: string[];
  body: string;
}

function listAgents(
  { agents, choices = {} }: Material,
  harness: HarnessId,
  render: (name: string, definition: Definition) => Pick<OwnFile, 'path' | 'content'>,
): OwnFile[] {
  return Object.entries(agents).map(([name, text]) => {
    const matter = splitFrontMatter(text);
    const data = matter.kind === 'found' ? matter.data : {};
    const definition = {
      description: toBoundedLine(String(data['description'] ?? ''), 1000),
      tools: String(data['tools'] ?? '')
        .split(/,\s*/)
        .filter((tool) => tool !== ''),
      body: matter.kind === 'found' ? matter.body.trim() : text.trim(),
      ...chooseModel(choices, name, harness),
    };
    const { path, content } = render(name, definition);
    return { kind: 'file', path, content: markByComment(content), what: 'agent' };
  });
}

function renderClaudeAgent(name: string, { description, tools, body, model, effort }: Definition): string {
  const head = [
    `name: ${OWN_PREFIX}${name}`,
    `description: ${description}`,
    `tools: ${tools.join(', ')}`,
    ...renderChoice('model: ', model),
    ...renderChoice('effort: ', effort),
  ];
  return `---\n${head.join('\n')}\n---\n\n${body}\n`;
}

/** Escapes a text for a basic string of TOML; JSON's escapes are a subset of its. */
function renderTomlString(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007f');
}

/** A line for what was chosen; none where nothing was. */
function renderChoice(label: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${label}${value}`];
}

function renderCodexAgent(name: string, { description, body, model, effort }: Definition): string {
  return [
    `name = ${renderTomlString(`${OWN_PREFIX}${name}`)}`,
    `description = ${renderTomlString(description)}`,
    ...renderChoice('model = ', model && renderTomlString(model)),
    ...renderChoice('model_reasoning_effort = ', effort && renderTomlString(effort)),
    `developer_instructions = ${renderTomlString(body)}`,
    '',
  ].join('\n');
}

/** Names of Gemini CLI for the tools that a shipped agent states. */
const GEMINI_TOOLS: Readonly<Record<string, readonly string[]>> = {
  Read: ['read_file', 'read_many_files', 'list_directory'],
  Grep: ['grep_search'],
  Glob: ['glob'],
  Bash: ['run_shell_command'],
  Edit: ['replace'],
  Write: ['write_file'],
  WebSearch: ['google_web_search'],
  WebFetch: ['web_fetch'],
};

/** Its own agents end after 20 turns and 5 minutes where they do not say otherwise. */
const GEMINI_BOUNDS = ['max_turns: 100', 'timeout_mins: 60'];

function renderGeminiAgent(name: string, { description, tools, body, model }: Definition): string {
  const list = tools.flatMap((tool) => GEMINI_TOOLS[tool] ?? []).map((tool) => `  - ${tool}`);
  const head = [`name: ${OWN_PREFIX}${name}`, `description: ${JSON.stringify(description)}`, 'tools:', ...list];
  return `---\n${[...head, ...renderChoice('model: ', model), ...GEMINI_BOUNDS].join('\n')}\n---\n\n${body}\n`;
}

const GEMINI_POLICY = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "dev-cli"
decision = "allow"
priority = 100
`;

/** The file that the hooks run. It comes before them: a hook without it does nothing, or blocks. */
function buildHook(harness: HarnessId, { hook }: Shipped): OwnFile {
  return { kind: 'file', path: locateHookFile(harness), content: markByComment(hook), what: 'what the hooks run' };
}

/** What our hooks are called in Gemini CLI, which switches a hook off by its name. */
export const GEMINI_HOOK_NAME = 'dev-cli';

/** The hooks of a harness, each a group of its own in the list of its event. */
export function listHooks(harness: HarnessId, place: HookPlace): Addition[] {
  const { hooks } = HARNESSES[harness];
  return HOOK_EVENTS.map((event) => {
    const { native, matcher, timeoutSeconds } = hooks[event];
    const timing = { timeout: harness === 'gemini' ? timeoutSeconds * 1000 : timeoutSeconds };
    // Gemini CLI shows the name where there is one, else the whole line.
    const naming = harness === 'gemini' ? { name: GEMINI_HOOK_NAME } : {};
    const hook = { ...naming, type: 'command', command: renderHookLine(event, harness, place), ...timing };
    return { path: ['hooks', native], value: { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] } };
  });
}

/** A rule that begins with one slash counts from the project, one without from where the session began. */
function listClaudePermissions(scope: Scope): Addition[] {
  const places = scope === 'project' ? ['/.dev/**', '.dev/**'] : ['.dev/**'];
  const rules = ['Bash(dev-cli:*)', ...places.flatMap((place) => [`Read(${place})`, `Edit(${place})`])];
  return rules.map((value) => ({ path: ['permissions', 'allow'], value }));
}
