// door: engine

import { type Json, type JsonObject, normalizeJson } from '../base/json.js';

/**
 * Converts an execution to the form that state.json stores: todos as a list in plan order, and the values that they
 * reported in `outputs` (storage.md, state.json).
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
