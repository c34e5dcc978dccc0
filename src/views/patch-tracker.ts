import { isJsonObject, isRecord, type Json, type JsonObject } from '../base/json.js';
import { applyJsonPatch } from '../store/snapshot.js';
import type { Entry } from '../store/store.js';

/** State members with facts that entries do not contain: promised documents, verdicts, warnings. */
const OF_RECIPE = ['agents', 'reviews'];
const WATCHED = [...OF_RECIPE, 'warnings', 'workflow'];

/** What the state says about a document. */
interface DocumentFacts {
  agent?: string;
  verdict?: string;
  summary?: string;
}

/** Tracks some members of the state through the patches of a journal. */
export interface PatchTracker {
  /** Applies the patch of a commit's last entry. */
  take(entry: Entry): void;
  /** Returns what the state after the last taken commit says about the document at `path`. */
  known(path: string): DocumentFacts;
  /** Returns the warnings that the last taken commit added. */
  warnings(): string[];
}

/** Creates a tracker for the beginning of a journal. */
export function createPatchTracker(): PatchTracker {
  let state = selectMembers(null, WATCHED);
  let judged: JsonObject[] = [];
  let warned: string[] = [];
  return {
    take({ patch }) {
      const rounds = listRounds(state).length;
      // Copied, because a patch changes the state in place.
      const before = [...toList(state['warnings'])];
      for (const operation of patch) state = applyWatched(state, operation);
      judged = listRounds(state).slice(rounds);
      warned = toList(state['warnings']).filter(
        (line): line is string => typeof line === 'string' && !before.includes(line),
      );
    },
    known(path) {
      const agents = listOwners(state).flatMap((owner) =>
        Object.entries(isRecord(owner['agents']) ? owner['agents'] : {}),
      );
      const [agent, row] = agents.findLast(([, one]) => isRecord(one) && one['output'] === path) ?? [];
      // If the loop continues, its agents are already pending again, but the round's record keeps their verdicts.
      const round = judged.find((one) => one['output'] === path);
      const report = round ?? (isRecord(row) ? row : {});
      return {
        ...(agent === undefined ? toMember('agent', round?.['agent']) : { agent }),
        ...toMember('verdict', report['verdict']),
        ...toMember('summary', report['summary']),
      };
    },
    warnings: () => warned,
  };
}

function applyWatched(state: JsonObject, operation: Json): JsonObject {
  if (!isRecord(operation) || typeof operation['path'] !== 'string') return state;
  const [, top, list, index, member] = operation['path'].split('/');
  if (top === undefined) return selectMembers(operation['value'], WATCHED);
  if (!WATCHED.includes(top) || (top === 'workflow' && !isOfEarlier(list, member))) return state;
  const { value } = operation;
  const isRecipe = top === 'workflow' && index !== undefined && member === undefined && value !== undefined;
  const kept =
    top === 'workflow' && list === undefined
      ? selectWorkflow(value)
      : isRecipe
        ? selectMembers(value, OF_RECIPE)
        : value;
  return applyJsonPatch(state, [
    structuredClone({ ...operation, ...(kept === undefined ? {} : { value: kept }) }) as JsonObject,
  ]);
}

/** Whether a patch inside `workflow` may change the agents or reviews of earlier phases. */
function isOfEarlier(list: string | undefined, member: string | undefined): boolean {
  return list === undefined || (list === 'earlier' && (member === undefined || OF_RECIPE.includes(member)));
}

/** Copies the given members of an object; missing ones are left out. */
function selectMembers(value: unknown, members: readonly string[]): JsonObject {
  const whole = isRecord(value) ? (value as JsonObject) : {};
  const held = members.filter((key) => Object.hasOwn(whole, key));
  return Object.fromEntries(
    held.map((key) => [key, key === 'workflow' ? selectWorkflow(whole[key]) : structuredClone(whole[key] ?? null)]),
  );
}

function selectWorkflow(value: unknown): JsonObject {
  const earlier = isRecord(value) && Array.isArray(value['earlier']) ? value['earlier'] : [];
  return { earlier: earlier.map((recipe) => selectMembers(recipe, OF_RECIPE)) };
}

/** Lists the objects that hold agents and reviews: those of earlier phases, oldest first, then the current recipe's. */
function listOwners(state: JsonObject): JsonObject[] {
  const workflow = state['workflow'];
  const earlier = isRecord(workflow) ? toList(workflow['earlier']) : [];
  return [...earlier.filter(isJsonObject), state];
}

function listRounds(state: JsonObject): JsonObject[] {
  return listOwners(state).flatMap((owner) => toList(owner['reviews']).filter(isJsonObject));
}

function toList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function toMember(key: string, value: unknown): Record<string, string> {
  return typeof value === 'string' ? { [key]: value } : {};
}
