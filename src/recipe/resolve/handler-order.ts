import type { OwnHandlerSource } from '../source/schema-engine.js';

type OwnHandlers = Readonly<Record<string, OwnHandlerSource>>;

/** What a handler without `after` follows. */
const DEFAULT_AFTER = 'verify';

/** The shipped stages that an own handler can follow. */
export const SHIPPED_ANCHORS: readonly string[] = ['worker', DEFAULT_AFTER];

/** Returns the key that a handler follows. */
function getAnchor(handler: OwnHandlerSource | undefined): string {
  return handler?.after ?? DEFAULT_AFTER;
}

/**
 * Sorts the own handlers that follow `anchor`, each before those that follow it in turn, otherwise in the order of the
 * file (engine.md, Own handlers). A handler whose `after` names nothing, or runs in a circle, follows no anchor.
 */
export function sortHandlers(handlers: OwnHandlers, anchor: string): string[] {
  return Object.keys(handlers)
    .filter((key) => getAnchor(handlers[key]) === anchor && !SHIPPED_ANCHORS.includes(key))
    .flatMap((key) => [key, ...sortHandlers(handlers, key)]);
}

/** Finds circles of `after`, each once, from its first handler in the file: `[a, b]` when each follows the other. */
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
