import type { OwnHandlerSource } from './schema-engine.js';

type OwnHandlers = Readonly<Record<string, OwnHandlerSource>>;

/** Where a handler stands that does not say. */
const DEFAULT_AFTER = 'verify';

/** The shipped stages that an own handler can follow. */
export const SHIPPED_ANCHORS: readonly string[] = ['worker', DEFAULT_AFTER];

/** The key that a handler follows. */
function getAnchor(handler: OwnHandlerSource | undefined): string {
  return handler?.after ?? DEFAULT_AFTER;
}

/**
 * The own handlers that follow a stage, each with those that follow it; several after one in the order of the file
 * (engine.md, Own handlers). One whose `after` leads nowhere or in a circle is in no answer.
 */
export function sortHandlers(handlers: OwnHandlers, anchor: string): string[] {
  return Object.keys(handlers)
    .filter((key) => getAnchor(handlers[key]) === anchor && !SHIPPED_ANCHORS.includes(key))
    .flatMap((key) => [key, ...sortHandlers(handlers, key)]);
}

/** Circles of `after`, each once, from where it is met first: `[a, b]` when a follows b and b follows a. */
export function findHandlerCycles(handlers: OwnHandlers): string[][] {
  const known = new Set<string>();
  return Object.keys(handlers).flatMap((start) => {
    const path: string[] = [];
    for (let key = start; Object.hasOwn(handlers, key) && !known.has(key); key = getAnchor(handlers[key])) {
      if (path.includes(key)) {
        for (const met of path) known.add(met);
        return [path.slice(path.indexOf(key))];
      }
      path.push(key);
    }
    for (const met of path) known.add(met);
    return [];
  });
}
