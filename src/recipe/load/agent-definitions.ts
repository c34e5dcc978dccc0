import { omitUndefined } from '../../base/defined.js';
import { isRecord } from '../../base/json.js';
import { splitFrontMatter } from '../../documents/front-matter.js';
import { AGENT_PLACES, SAVING_TOOLS } from '../../generated/harness-agents.js';
import type { CapturedAgent } from '../captured.js';
import { getVariantKey } from './captured.js';
import { isUsable, type Library, type LibraryHome, listHomes } from './library.js';
import { describeFile, readOrExplain } from './recipe-files.js';
import { findShippedAgent } from './shipped-texts.js';

/** An agent definition as found on disk. */
export interface AgentDefinition {
  /** The fields that recipe.json keeps. */
  captured: CapturedAgent;
  /** Whether the definition is shipped with dev-cli. */
  shipped: boolean;
  /** The content of the file. */
  text: string;
  /** False when the definition lists its tools and none of them writes files. */
  maySave: boolean;
  /** Why the file cannot be read; absent if it can. */
  unread?: string;
  /** Why the definition tells the agent less than intended (empty, or invalid front matter); absent if it is sound. */
  flaw?: string;
}

/** Directories to search, in order of precedence: the project's, shared, shipped, then those of harnesses. */
const PLACES: { directory: string; origin: LibraryHome['origin']; ending: '.md' | '.toml' }[] = [
  { directory: '.dev/agents', origin: 'project', ending: '.md' },
  { directory: 'agents', origin: 'shared', ending: '.md' },
  { directory: 'agents', origin: 'shipped', ending: '.md' },
  ...AGENT_PLACES.map((place) => ({ ...place, origin: 'project' as const })),
];
const TYPE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Tools that write files, by the names the harnesses give them, in lower case. */
const WRITERS = [...SAVING_TOOLS.map((tool) => tool.toLowerCase()), 'shell', '*'];

/** Finds the definition of the role `type`; null if there is none. */
export function findAgentDefinition(library: Library, type: string): AgentDefinition | null {
  return TYPE.test(type) ? findDefinition(library, listPlaces(library), type, type) : null;
}

/**
 * Finds the variant `V` of a role in `<type>.V.md`, in the directory of the role's own definition or one with higher
 * precedence. Directories with lower precedence do not count: a variant there belongs to the definition that was
 * overridden.
 * @returns null if there is none
 */
export function findVariant(library: Library, type: string, variant: string): AgentDefinition | null {
  if (!TYPE.test(type) || !TYPE.test(variant)) return null;
  const places = listPlaces(library);
  const role = places.findIndex((place) => findDefinition(library, [place], type, type) !== null);
  return findDefinition(library, places.slice(0, role + 1), type, getVariantKey(type, variant));
}

/** A directory of agent definitions in a home. */
interface Place {
  home: LibraryHome;
  /** Relative to the home. */
  directory: string;
  ending: '.md' | '.toml';
}

function listPlaces(library: Library): Place[] {
  const homes = [...listHomes(library)];
  return PLACES.flatMap(({ origin, ...place }) =>
    homes.filter((home) => home.origin === origin).map((home) => ({ ...place, home })),
  );
}

function findDefinition(
  library: Library,
  places: readonly Place[],
  type: string,
  file: string,
): AgentDefinition | null {
  for (const { home, directory, ending } of places) {
    const path = `${home.base}/${directory}/${file}${ending}`;
    if (!isUsable(library, home, path)) continue;
    const text = readOrExplain(library, path);
    if (text === null) continue;
    const { file: source, shipped } = describeFile(library, path, home.origin);
    if (typeof text !== 'string') {
      const captured = buildCapturedAgent(type, source, '', '');
      return { shipped, text: '', captured, maySave: true, unread: text.problem };
    }
    const parse = ending === '.md' ? parseMarkdownAgent : parseTomlAgent;
    const known = shipped ? findShippedAgent(text) : undefined;
    return { shipped, text, ...(known ?? parse(type, source, text)) };
  }
  return null;
}

/** Lists the names of all roles that have a definition. */
export function listAgentTypes(library: Library): string[] {
  const names = listPlaces(library).flatMap(({ home, directory, ending }) =>
    library.reader
      .list(`${home.base}/${directory}`)
      .filter((entry) => entry.endsWith(ending))
      .map((entry) => entry.slice(0, -ending.length)),
  );
  return [...new Set(names)].filter((name) => TYPE.test(name));
}

type Parsed = Pick<AgentDefinition, 'captured' | 'maySave' | 'flaw'>;

function parseMarkdownAgent(type: string, source: string, text: string): Parsed {
  const split = splitFrontMatter(text);
  const fields = split.kind === 'found' ? split.data : {};
  const body = (split.kind === 'invalid' ? text : split.body).trim();
  const description = typeof fields['description'] === 'string' ? fields['description'] : '';
  const flaw =
    split.kind === 'invalid'
      ? 'its front matter is not valid YAML and is read as text'
      : body === ''
        ? 'it is empty'
        : undefined;
  return {
    captured: buildCapturedAgent(type, source, description, body),
    maySave: maySave(fields['tools']),
    ...omitUndefined({ flaw }),
  };
}

/** Parses a Codex agent. Only three keys matter, so no TOML parser is needed. */
function parseTomlAgent(type: string, source: string, text: string): Parsed {
  const plain = (key: string) => new RegExp(`^${key}\\s*=\\s*["'](.*)["']\\s*$`, 'm').exec(text)?.[1] ?? '';
  const long = /^developer_instructions\s*=\s*(?:"""|''')\r?\n?([\s\S]*?)(?:"""|''')/m.exec(text)?.[1];
  const body = (long ?? plain('developer_instructions')).trim();
  return {
    captured: buildCapturedAgent(type, source, plain('description'), body),
    maySave: plain('sandbox_mode') !== 'read-only',
  };
}

function buildCapturedAgent(type: string, source: string, description: string, body: string): CapturedAgent {
  return { type, source, description, role: findFirstSentence(body), body };
}

function findFirstSentence(body: string): string {
  const paragraph = body.split(/\n\s*\n/).find((part) => !/^\s*#/.test(part)) ?? '';
  const line = paragraph.replace(/\s+/g, ' ').trim();
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length > 300 ? `${sentence.slice(0, 299)}…` : sentence;
}

/** Whether `tools` allows writing files. An agent without a list of tools has all tools. */
function maySave(tools: unknown): boolean {
  if (tools === undefined || tools === null) return true;
  const names = Array.isArray(tools)
    ? tools
    : isRecord(tools)
      ? Object.keys(tools)
      : String(tools).split(/,(?![^(]*\))/);
  return names
    .map((name) => String(name).replace(/\(.*$/s, '').trim().toLowerCase())
    .some((name) => WRITERS.includes(name));
}
