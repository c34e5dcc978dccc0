import type { JsonObject } from '../../../base/json.js';

/** Rules of what may be called, as they are written: `bash(npm test:*)`, `edit_file(src/**)`, `mcp__server__tool` (runtime.md, Permissions). Pure. */

/** What a call is about. A path as it is named and where it really leads, relative to the work tree; a shell line; else its input. */
export type Target = { paths: readonly string[] } | { command: string } | { input: JsonObject };

/** A rule. */
export interface Rule {
  /** As it was written. */
  text: string;
  /** The tool's own name. */
  tool: string;
  /** What stands in its parentheses; null: it fits every call of the tool. */
  about: string | null;
}

/** Rules by what they do. */
export type Rules = Readonly<Record<'deny' | 'ask' | 'allow', readonly Rule[]>>;

const RULE = /^\s*([\w-]+)\s*(?:\((.*)\))?\s*$/s;
/** A tool of a server, as the runtime names it. */
const OF_SERVER = /^mcp__\w[\w-]*__\w[\w-]*$/i;
const MORE = ':*';
const LONGEST = 4_096;

/**
 * Finds the tool that a name means, without regard to case; other programs say `Read`, `Write`, `Edit`, `Glob` and `Grep`.
 * @param known the names of the runtime's own tools
 * @returns null for an unknown one. A server's tool is known by its form: which there are, only the server says
 */
export function findToolName(name: string, known: readonly string[]): string | null {
  const lower = name.toLowerCase();
  const own = known.find((one) => one === lower || one.replace(/_(?:file|search)$/, '') === lower);
  return own ?? (OF_SERVER.test(name) ? lower : null);
}

/** Reads a rule. @returns what is wrong with it, where it cannot be read */
export function parseRule(text: string, known: readonly string[]): Rule | string {
  const [, name = '', inner] = RULE.exec(text) ?? [];
  const about = (inner ?? '*').trim().replace(/^(?:\.\/)+/, name.toLowerCase() === 'bash' ? '$&' : '');
  if (name === '' || about === '' || about.length > LONGEST) return 'not of the form tool or tool(what it is about)';
  const tool = findToolName(name, known);
  if (tool === null) return `there is no tool ${name}`;
  // Of files, `*` means those at the top.
  const isAll = inner === undefined || (about === '*' && !/_(?:file|search)$/.test(tool)) || about === MORE;
  if (tool === 'bash' && !isAll && /['"`\\$|&;<>\n]|\*(?!$)|(?<!:)\*/.test(about))
    return 'a rule for bash takes plain words, and :* behind them for more';
  return { text: text.trim(), tool, about: isAll ? null : about };
}

/** Reads lists of rules. @returns also those that cannot be read, and why */
export function readRules(lists: { [list in keyof Rules]?: readonly string[] }, known: readonly string[]) {
  const problems: { rule: string; problem: string }[] = [];
  const read = (texts: readonly string[] = []): Rule[] =>
    texts.flatMap((text) => {
      const rule = parseRule(text, known);
      if (typeof rule !== 'string') return [rule];
      problems.push({ rule: text, problem: rule });
      return [];
    });
  const rules: Rules = { deny: read(lists.deny), ask: read(lists.ask), allow: read(lists.allow) };
  return { rules, problems };
}

/** Whether what stands in a rule fits a command: all its words, or, with `:*`, those that it begins with. */
export function fitsWords(about: string, words: readonly string[]): boolean {
  const isBeginning = about.endsWith(MORE);
  const wanted = (isBeginning ? about.slice(0, -MORE.length) : about).trim().split(/\s+/);
  return (isBeginning || words.length === wanted.length) && wanted.every((word, at) => word === words[at]);
}
