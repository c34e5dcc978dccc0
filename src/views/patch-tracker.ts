import { isRecord, type Json, type JsonObject } from '../base/json.js';
import { applyPatch } from '../store/snapshot.js';
import type { Entry } from '../store/store.js';

/** Members of the state that say more about an entry than its data does: promised documents, verdicts, warnings. */
const WATCHED: JsonObject = { agents: {}, reviewRounds: [], warnings: [] };

/** What the state says about a document. */
interface DocumentFacts {
  agent?: string;
  verdict?: string;
  summary?: string;
}

/** Follows some members of the state through the patches of a journal. */
export interface PatchTracker {
  /** Applies the patch of a commit's last entry. */
  take(entry: Entry): void;
  /** What the state after the last commit taken says about the document at `path`. */
  known(path: string): DocumentFacts;
  /** Warnings that the last commit taken added. */
  warnings(): string[];
}

/** A tracker at the beginning of a journal. */
export function createPatchTracker(): PatchTracker {
  let state = selectWatched(null);
  let judged: JsonObject[] = [];
  let warned: string[] = [];
  return {
    take({ patch }) {
      const rounds = toList(state['reviewRounds']).length;
      // Copied, because a patch changes the state in place.
      const before = [...toList(state['warnings'])];
      state = applyWatched(state, patch);
      judged = toList(state['reviewRounds']).slice(rounds).filter(isRecord) as JsonObject[];
      warned = toList(state['warnings']).filter(
        (line): line is string => typeof line === 'string' && !before.includes(line),
      );
    },
    known(path) {
      const agents = Object.entries(isRecord(state['agents']) ? state['agents'] : {});
      const [agent, row] = agents.find(([, one]) => isRecord(one) && one['output'] === path) ?? [];
      // In a loop that goes on the agents are pending again; their verdicts are kept with the round.
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

function applyWatched(state: JsonObject, patch: readonly Json[]): JsonObject {
  let now = state;
  for (const operation of patch) {
    if (!isRecord(operation) || typeof operation['path'] !== 'string') continue;
    const [, top] = operation['path'].split('/');
    if (top === undefined) now = selectWatched(operation['value']);
    else if (Object.hasOwn(WATCHED, top)) now = applyPatch(now, [structuredClone(operation) as JsonObject]);
  }
  return now;
}

/** A copy of the watched members, empty where the snapshot lacks them. */
function selectWatched(snapshot: unknown): JsonObject {
  const whole = isRecord(snapshot) ? snapshot : {};
  const members = Object.entries(WATCHED).map(([key, none]) => [key, whole[key] ?? none]);
  return structuredClone(Object.fromEntries(members)) as JsonObject;
}

function toList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function toMember(key: string, value: unknown): Record<string, string> {
  return typeof value === 'string' ? { [key]: value } : {};
}
