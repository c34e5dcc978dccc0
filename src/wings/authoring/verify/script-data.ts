import { isRecord, type JsonObject } from '../../../base/json.js';
import type { ResolvedRecipe } from '../../../recipe/resolved.js';
import { buildValue } from '../canned/data.js';
import type { Script, ScriptStep } from './script.js';

/**
 * Adds to the data of each step what the schema of its block demands besides: a script names only the values that lead to what
 * is wrong, and an agent hands in all of it.
 */
export async function completeData(recipe: ResolvedRecipe, script: Script): Promise<Script> {
  const steps: ScriptStep[] = [];
  for (const step of script.steps) {
    const block = recipe.blocks.find(({ id }) => id === step.expect?.block);
    const schema = block !== undefined && 'schemaText' in block ? block.schemaText : undefined;
    if (step.data === undefined || schema === undefined) {
      steps.push(step);
      continue;
    }
    const canned = await buildValue(schema, 1);
    steps.push({ ...step, data: isRecord(canned) ? merge(canned as JsonObject, step.data) : step.data });
  }
  return { ...script, steps };
}

function merge(canned: JsonObject, said: JsonObject): JsonObject {
  const merged = Object.entries(said).map(([key, value]) => {
    const below = canned[key];
    return [key, isRecord(value) && isRecord(below) ? merge(below as JsonObject, value as JsonObject) : value];
  });
  return { ...canned, ...Object.fromEntries(merged) };
}
