import type { JsonObject } from '../../../base/json.js';

/**
 * Parses permission rules such as `bash(npm test:*)`, `edit_file(src/**)`, `mcp__server__tool` (runtime.md,
 * Permissions). Pure.
 */

/**
 * What rules are compared with: for a file tool, its paths relative to the work tree, as the call names them and as
 * they resolve; for a shell, its line; for any other tool, the whole input.
 */
export type RuleTarget = { paths: readonly string[] } | { command: string } | { input: JsonObject };

/** A permission rule. */
export interface Rule {
  /** The rule as it was written. */
  text: string;
  /** The tool's name in the runtime, even if the rule uses another one, such as `Read`. */
  tool: string;
  /** The text in the rule's parentheses; null if the rule fits every call of the tool. */
  about: string | null;
}

/** Rules by their effect. */
export type RulesByEffect = Readonly<Record<'deny' | 'ask' | 'allow', readonly Rule[]>>;

const RULE = /^\s*([\w-]+)\s*(?:\((.*)\))?\s*$/s;
/** A tool of an MCP server, as the runtime names it. */
const OF_SERVER = /^mcp__\w[\w-]*__\w[\w-]*$/i;
const MORE = ':*';
const LONGEST = 4_096;

/**
 * Finds the tool that a name means; case does not matter. `Read`, `Write`, `Edit`, `Glob` and `Grep`, the names of
 * other programs, are accepted, too.
 * @param known the names of the runtime's own tools
 * @returns null for an unknown tool. The name of an MCP tool is judged by its form alone, because only the server knows
 * its tools
 */
export function findToolName(name: string, known: readonly string[]): string | null {
  const lower = name.toLowerCase();
  const own = known.find((one) => one === lower || one.replace(/_(?:file|search)$/, '') === lower);
  return own ?? (OF_SERVER.test(name) ? lower : null);
}

/** Parses a rule. @returns the problem, as text, if the rule cannot be parsed */
export function parseRule(text: string, known: readonly string[]): Rule | string {
  const [, name = '', inner] = RULE.exec(text) ?? [];
  const about = (inner ?? '*').trim().replace(/^(?:\.\/)+/, name.toLowerCase() === 'bash' ? '$&' : '');
  if (name === '' || about === '' || about.length > LONGEST) return 'not of the form TOOL or TOOL(PATTERN)';
  const tool = findToolName(name, known);
  if (tool === null) return `there is no tool ${name}`;
  // `bash(*)` means every call. For a file tool, `*` is a pattern: the files at the top of the work tree, none below.
  const isAll = inner === undefined || (about === '*' && !/_(?:file|search)$/.test(tool)) || about === MORE;
  if (tool === 'bash' && !isAll && /['"`\\$|&;<>\n]|\*(?!$)|(?<!:)\*/.test(about))
    return 'a rule for bash has plain words, followed by :* to allow further arguments';
  return { text: text.trim(), tool, about: isAll ? null : about };
}

/** Parses lists of rules. @returns the rules, and the texts that cannot be parsed, each with its problem */
export function parseRules(lists: { [list in keyof RulesByEffect]?: readonly string[] }, known: readonly string[]) {
  const problems: { rule: string; problem: string }[] = [];
  const read = (texts: readonly string[] = []): Rule[] =>
    texts.flatMap((text) => {
      const rule = parseRule(text, known);
      if (typeof rule !== 'string') return [rule];
      problems.push({ rule: text, problem: rule });
      return [];
    });
  const rules: RulesByEffect = { deny: read(lists.deny), ask: read(lists.ask), allow: read(lists.allow) };
  return { rules, problems };
}

/** Returns whether the text of a rule fits a command: all of its words or, with `:*`, its first words. */
export function fitsWords(about: string, words: readonly string[]): boolean {
  const isBeginning = about.endsWith(MORE);
  const wanted = (isBeginning ? about.slice(0, -MORE.length) : about).trim().split(/\s+/);
  return (isBeginning || words.length === wanted.length) && wanted.every((word, at) => word === words[at]);
}
