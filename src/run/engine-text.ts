// door: engine

import { type Json, type JsonObject, normalizeJson } from '../base/json.js';

/**
 * An execution as state.json has it: the todos as a list in the order of the plan, and what they have reported beside them
 * (storage.md, state.json).
 */
export function encodeEngine({ order, todos, ...engine }: JsonObject): JsonObject {
  const known = (order as string[]).map((id) => (todos as JsonObject)[id] as JsonObject);
  const reported: [string, Json][] = [];
  const rows = known.map(({ outputs, ...row }) => {
    if (outputs !== undefined) reported.push([String(row['id']), outputs]);
    return row;
  });
  const stored = { ...engine, outputs: Object.fromEntries(reported), todos: rows };
  return normalizeJson(stored, { ...engine, todos: known }) as JsonObject;
}
