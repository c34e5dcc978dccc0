import { isRecord } from '../../base/json.js';

/** Finds the values that a condition uses in its syntax tree. */

/** Lists the chains of names in an expression: `agents["x"].verdict` gives [agents, x, verdict]. */
export function listNamePaths(node: unknown): string[][] {
  if (Array.isArray(node)) return node.flatMap(listNamePaths);
  if (!isRecord(node) || typeof node['op'] !== 'string') return [];
  const path = readNamePath(node);
  return path !== null && path.length > 1 ? [path] : listNamePaths(node['args']);
}

/** Reads a chain of names; null for any other expression. */
export function readNamePath(node: unknown): string[] | null {
  if (!isRecord(node)) return null;
  if (node['op'] === 'id') return [String(node['args'])];
  if ((node['op'] !== '.' && node['op'] !== '[]') || !Array.isArray(node['args'])) return null;
  const [object, key] = node['args'] as [unknown, unknown];
  const name = typeof key === 'string' ? key : isRecord(key) && key['op'] === 'value' ? key['args'] : null;
  const head = readNamePath(object);
  return head === null || typeof name !== 'string' ? null : [...head, name];
}

/** Lists the source offsets of the parts joined by `&&`, all of which must hold for the expression to hold. */
export function listConjuncts(node: unknown): { start: number; end: number }[] {
  if (!isRecord(node)) return [];
  if (node['op'] === '&&' && Array.isArray(node['args'])) return node['args'].flatMap(listConjuncts);
  return [{ start: Number(node['start']), end: Number(node['end']) }];
}

/**
 * Whether an expression uses a name by itself, as in `size(agents)`, or with a key that is not a literal, as in
 * `agents[vars.one]`.
 */
export function usesWhole(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((one) => usesWhole(one, name));
  if (!isRecord(node) || typeof node['op'] !== 'string') return false;
  if (node['op'] === 'id') return node['args'] === name;
  return (readNamePath(node)?.length ?? 0) < 2 && usesWhole(node['args'], name);
}

/**
 * Collects results from an expression, inner operations first.
 * @param give returns an operation's own results together with `inside`, the results of the operations within it
 */
function collect<T>(node: unknown, give: (op: string, args: readonly unknown[], inside: T[]) => T[]): T[] {
  if (Array.isArray(node)) return node.flatMap((one) => collect(one, give));
  if (!isRecord(node) || typeof node['op'] !== 'string') return [];
  const { op, args } = node;
  const inside = collect(args, give);
  return Array.isArray(args) ? give(op as string, args, inside) : inside;
}

/** A chain of names, and the texts with which `==`, `!=` or `in` compares it. */
export interface Comparison {
  path: string[];
  words: string[];
}

/** Lists the comparisons of a chain of names with texts: `todo.risk == "high"` gives [todo, risk] and [high]. */
export function listComparisons(node: unknown): Comparison[] {
  return collect<Comparison>(node, (op, args, inside) => {
    const path = ['==', '!=', 'in'].includes(op) ? args.map(readNamePath).find((chain) => chain !== null) : null;
    return path ? [{ path, words: args.flatMap(listWords) }, ...inside] : inside;
  });
}

/** A chain of names in a comparison by order, such as `size > "small"`. */
export interface Ordering {
  path: string[];
  op: string;
}

/** Lists the comparisons of a chain of names by `<`, `<=`, `>` or `>=`. */
export function listOrderings(node: unknown): Ordering[] {
  return collect<Ordering>(node, (op, args, inside) => {
    if (!['<', '<=', '>', '>='].includes(op)) return inside;
    return [...args.map(readNamePath).flatMap((path) => (path === null ? [] : [{ path, op }])), ...inside];
  });
}

function listWords(node: unknown): string[] {
  if (!isRecord(node)) return [];
  if (node['op'] === 'value') return typeof node['args'] === 'string' ? [node['args']] : [];
  return node['op'] === 'list' && Array.isArray(node['args']) ? node['args'].flatMap(listWords) : [];
}

/** Lists the patterns that an expression passes to `matches`; null for one that is not a string literal. */
export function listMatchPatterns(node: unknown): (string | null)[] {
  return collect<string | null>(node, (op, args, inside) => {
    if (op !== 'rcall' || args[0] !== 'matches') return inside;
    const [pattern]: unknown[] = Array.isArray(args[2]) ? args[2] : [];
    return [...inside, isRecord(pattern) ? (listWords(pattern)[0] ?? null) : null];
  });
}
