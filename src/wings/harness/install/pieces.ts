import { omitUndefined } from '../../../base/defined.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { splitFrontMatter } from '../../../documents/front-matter.js';
import { INSTALL_MARK, markByComment, markSkill } from '../../../documents/mark.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import { EDITOR_SCHEMAS, type EditorSchema, locateEditorSchema } from '../../../project/editor-schemas.js';
import type { InstallExtra } from '../../../protocol/ports.js';
import { type Harness, HOOK_EVENTS, renderMatcher, type ShippedAgent } from '../adapter.js';
import { HARNESSES } from '../harness.js';
import { listExtraPieces } from './extras.js';
import { type HookPlace, locateHookFile, renderHookLine } from './hook-line.js';
import { type AgentChoices, chooseAgentModel } from './models.js';
import type { InstallPiece, OwnFile, Scope } from './piece.js';
import type { Addition } from './settings.js';

/**
 * Lists the pieces that are installed for each harness: files of dev-cli's own, and additions to shared files
 * (harness.md, Install).
 */

/** The content of the shipped files, by name. */
export interface ShippedFiles {
  skills: Readonly<Record<string, string>>;
  agents: Readonly<Record<string, string>>;
  /** The script that hook lines run. */
  hook: string;
  schemas: Readonly<Record<EditorSchema, string>>;
}

/** The sources of pieces. */
export interface Material extends ShippedFiles {
  /** Models and efforts of the agents. Default: the harness decides. */
  choices?: AgentChoices;
  /** The extras to set up. Default: none. */
  extras?: readonly InstallExtra[];
}

/**
 * Prefix of every agent's name, since names such as `worker` may be in use by others or by the harness; it is the
 * prefix of a skill's name only if the plain name is taken.
 */
const OWN_PREFIX = 'dev-cli-';

/** Lists all pieces of one harness. */
export function listPieces(id: HarnessId, scope: Scope, material: Material): InstallPiece[] {
  const harness = HARNESSES[id];
  const { path, what, listAdditions } = harness.settings;
  const more = harness.listMore?.(scope) ?? [];
  // The manifest has one record per file, so each file has one piece.
  const added = listExtraPieces(harness, material.extras ?? []);
  const inSettings = added.filter((piece) => piece.path === path);
  const additions = [
    ...listHarnessHooks(harness, scope),
    ...(listAdditions?.(scope) ?? []),
    ...inSettings.flatMap((piece) => piece.additions ?? []),
  ];
  return [
    ...listSkills(harness, material),
    ...listAgents(harness, material),
    // Installed before the hooks, because a hook line without this script does nothing, or blocks the tool.
    { kind: 'file', path: locateHookFile(harness), content: markByComment(material.hook), what: 'what the hooks run' },
    { kind: 'settings', path, additions, what },
    ...more.map((piece) => (piece.kind === 'file' ? { ...piece, content: markByComment(piece.content) } : piece)),
    ...(harness.ignoreFile === undefined || scope === 'user'
      ? []
      : [{ kind: 'lines', path: harness.ignoreFile, lines: ['!.dev/**'], what: 'lets it read .dev' } as const]),
    ...added.filter((piece) => !inSettings.includes(piece)),
  ];
}

/**
 * Lists the pieces that a project needs with any harness.
 * @param names the names in the project's directory
 * @param manifest the text of its package.json
 */
export function listProjectPieces(
  names: readonly string[],
  manifest: string | null,
  { schemas }: ShippedFiles,
): InstallPiece[] {
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
    // A formatter that processes the whole tree would also format documents in .dev that git tracks.
    ...(isFormatted
      ? [{ kind: 'lines', path: '.prettierignore', lines: ['.dev/'], what: 'keeps the formatter out of .dev' } as const]
      : []),
  ];
}

function listSkills({ skills: directory, locateRival }: Harness, { skills }: ShippedFiles): OwnFile[] {
  return Object.entries(skills).map(([name, text]) => ({
    ...buildSkill(directory, name, text),
    ...omitUndefined({ rival: locateRival?.(name) }),
    otherwise: buildSkill(directory, `${OWN_PREFIX}${name}`, text),
  }));
}

function buildSkill(directory: string, name: string, text: string): OwnFile {
  const content = markSkill(text.replace(/^name: .*$/m, `name: ${name}`), INSTALL_MARK);
  return { kind: 'file', path: `${directory}/${name}/SKILL.md`, content, what: 'skill' };
}

function listAgents(harness: Harness, { agents, choices = {} }: Material): OwnFile[] {
  return Object.entries(agents).map(([role, text]) => {
    const matter = splitFrontMatter(text);
    const data = matter.kind === 'found' ? matter.data : {};
    const name = `${OWN_PREFIX}${role}`;
    const agent: ShippedAgent = {
      name,
      description: toBoundedLine(String(data['description'] ?? ''), 1000),
      tools: String(data['tools'] ?? '')
        .split(/,\s*/)
        .filter((tool) => tool !== ''),
      body: matter.kind === 'found' ? matter.body.trim() : text.trim(),
      ...chooseAgentModel(choices, role, harness.id),
    };
    const path = `${harness.directory}/agents/${name}${harness.agentEnding}`;
    return { kind: 'file', path, content: markByComment(harness.renderAgent(agent)), what: 'agent' };
  });
}

/** Seconds that a harness waits for a hook: longer than dev-cli waits for a lock. */
const TIMEOUT = 15;

/** Lists the hooks of a harness, each as its own group in the list of its event. */
export function listHarnessHooks(harness: Harness, place: HookPlace): Addition[] {
  return HOOK_EVENTS.map((event) => {
    const hook = {
      ...omitUndefined({ name: harness.hookName }),
      type: 'command',
      command: renderHookLine(event, harness, place),
      timeout: harness.countsMilliseconds ? TIMEOUT * 1000 : TIMEOUT,
    };
    const value = { ...omitUndefined({ matcher: renderMatcher(harness, event) }), hooks: [hook] };
    return { path: ['hooks', harness.events[event]], value };
  });
}
