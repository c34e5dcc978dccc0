// shared: common

import type { PlanTodo } from './schema.js';

/** The dependencies between the todos of a plan. No function recurses, because 10,000 todos may form one chain. */

/** A reference to a value that another todo reports: `${todo-1.outputs.config_path}`. */
export interface OutputReference {
  todo: string;
  output: string;
}

const REFERENCE = /\$\{([A-Za-z0-9][A-Za-z0-9_-]*)\.outputs\.([A-Za-z_][A-Za-z0-9_-]*)\}/g;

/** Finds the well-formed references in a text, in order. */
export function findReferences(text: string): OutputReference[] {
  return [...text.matchAll(REFERENCE)].map(([, todo = '', output = '']) => ({ todo, output }));
}

/** Replaces every well-formed reference in `text`. */
export function replaceReferences(text: string, replace: (reference: OutputReference) => string): string {
  return text.replace(REFERENCE, (_whole, todo: string, output: string) => replace({ todo, output }));
}

/** Removes every well-formed reference from `text`; a `${` that remains is malformed. */
export function removeReferences(text: string): string {
  return text.replace(REFERENCE, '');
}

/**
 * Lists the ids that a todo depends on, each once: first those it declares, then those whose values its inputs or
 * commands use (documents.md, Semantic checks).
 */
export function listDependencies(todo: Pick<PlanTodo, 'dependsOn' | 'inputs' | 'acceptance'>): string[] {
  const taken = [
    ...todo.inputs.map((input) => input.from),
    ...todo.acceptance.flatMap((item) => (item.kind === 'command' ? item.run : [])),
  ];
  return [...new Set([...todo.dependsOn, ...taken.flatMap(findReferences).map((reference) => reference.todo)])];
}

/** Maps each id to the ids that it depends on. */
export type DependencyGraph = Map<string, string[]>;

/** Builds the graph of `todos`, without edges to ids that do not exist. */
export function buildDependencyGraph(todos: readonly PlanTodo[]): DependencyGraph {
  const ids = new Set(todos.map((todo) => todo.id));
  return new Map(todos.map((todo) => [todo.id, listDependencies(todo).filter((id) => ids.has(id))]));
}

/** Lists every id that can be reached from `id`, directly or through others. */
export function listReached(graph: DependencyGraph, id: string): Set<string> {
  const found = new Set<string>();
  const open = [...(graph.get(id) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(graph.get(next) ?? []));
  }
  return found;
}

/**
 * Splits the ids into waves, each of which depends only on earlier waves. Ids that are in a cycle or depend on one are
 * in `stuck` instead.
 */
export function splitIntoWaves(graph: DependencyGraph): { waves: string[][]; stuck: Set<string> } {
  const open = new Map([...graph].map(([id, before]) => [id, before.length]));
  const after = new Map<string, string[]>();
  for (const [id, before] of graph) {
    for (const dependency of before) {
      const dependents = after.get(dependency);
      if (dependents === undefined) after.set(dependency, [id]);
      else dependents.push(id);
    }
  }
  const result: string[][] = [];
  let ready = [...graph.keys()].filter((id) => open.get(id) === 0);
  while (ready.length > 0) {
    result.push(ready);
    const next: string[] = [];
    for (const id of ready) {
      open.delete(id);
      for (const dependent of after.get(id) ?? []) {
        const left = (open.get(dependent) ?? 0) - 1;
        open.set(dependent, left);
        if (left === 0) next.push(dependent);
      }
    }
    ready = next;
  }
  return { waves: result, stuck: new Set(open.keys()) };
}

/**
 * Finds cycles of two or more todos, each as the ids along it. No id is in two of the cycles. If cycles overlap, at
 * least one of them is found.
 */
export function findCycles(graph: DependencyGraph): string[][] {
  const found: string[][] = [];
  const named = new Set<string>();
  const finished = new Set<string>();
  for (const start of splitIntoWaves(graph).stuck) {
    if (finished.has(start)) continue;
    walk(graph, start, finished, (target, path) => {
      if (named.has(target) || target === path.at(-1)) return;
      const cycle = path.slice(path.indexOf(target));
      if (!cycle.some((id) => named.has(id))) found.push(cycle);
      for (const id of cycle) named.add(id);
    });
  }
  return found;
}

/** Walks depth-first from `start` and calls `closes` for every edge back into the current path. */
function walk(
  graph: DependencyGraph,
  start: string,
  finished: Set<string>,
  closes: (target: string, path: string[]) => void,
): void {
  const path = [start];
  const onPath = new Set(path);
  const onward = new Map([[start, [...(graph.get(start) ?? [])]]]);
  for (let id = path.at(-1); id !== undefined; id = path.at(-1)) {
    const next = onward.get(id)?.pop();
    if (next === undefined) {
      path.pop();
      onPath.delete(id);
      finished.add(id);
    } else if (onPath.has(next)) {
      closes(next, path);
    } else if (!finished.has(next)) {
      path.push(next);
      onPath.add(next);
      onward.set(next, [...(graph.get(next) ?? [])]);
    }
  }
}
