import { isRecord, type Json, type JsonObject } from '../base/json.js';
import { applyPatch } from '../store/snapshot.js';
import type { Entry } from '../store/store.js';

/** Parts of the snapshot that say more of an entry than its data: who promised which document, verdicts, warnings. */
const WATCHED = ['agents', 'reviewRounds', 'warnings'];

/** What is known of a document from the snapshot around it. */
interface Known {
  agent?: string;
  verdict?: string;
  summary?: string;
}

/** Follows these parts through the patches of a journal. */
export interface PatchTracker {
  /** Takes the patch of a commit's last entry. */
  take(entry: Entry): void;
  /** What the commit that was taken last says of the document at `path`. */
  known(path: string): Known;
  /** Warnings that came with the commit that was taken last. */
  warnings(): string[];
}

/** A watch at the beginning of a journal. */
export function createPatchTracker(): PatchTracker {
  let state: JsonObject = createEmpty();
  let judged: JsonObject[] = [];
  let warned: string[] = [];
  return {
    take({ patch }) {
      const rounds = toList(state['reviewRounds']).length;
      // A patch changes the document in place.
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
      // A loop that goes on has sent its agents out again by now: what they said stands with the round.
      const round = judged.find((one) => one['output'] === path);
      const told = round ?? (isRecord(row) ? row : {});
      return {
        ...(agent === undefined ? toMember('agent', round?.['agent']) : { agent }),
        ...toMember('verdict', told['verdict']),
        ...toMember('summary', told['summary']),
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
    if (top === undefined) now = { ...createEmpty(), ...pickWatched(operation['value']) };
    else if (WATCHED.includes(top)) now = applyPatch(now, [structuredClone(operation) as JsonObject]);
  }
  return now;
}

function createEmpty(): JsonObject {
  return { agents: {}, reviewRounds: [], warnings: [] };
}

function pickWatched(snapshot: unknown): JsonObject {
  const whole = isRecord(snapshot) ? (structuredClone(snapshot) as JsonObject) : {};
  return Object.fromEntries(Object.entries(whole).filter(([key]) => WATCHED.includes(key)));
}

function toList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function toMember(key: string, value: unknown): Record<string, string> {
  return typeof value === 'string' ? { [key]: value } : {};
}
