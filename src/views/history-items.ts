import type { Caller } from '../base/caller.js';

/** What a run's history tells, item by item, in the order in which things began (storage.md, History). */

/** A document that was shown for a step. */
export interface Evidence {
  path: string;
  /** SHA-256 when it was taken; null when it was not there. */
  sha256: string | null;
  /** The agent it was promised by. */
  agent?: string;
  verdict?: string;
  summary?: string;
}

/** An acknowledgement that was refused: for changed sources, or because only a part of its evidence held up. */
interface Refusal extends EventBase {
  evidence: Evidence[];
  /** Agents without an output, taken at their word. */
  selfReported?: string[];
  sources?: string[];
}

/** An external command that dev-cli ran itself. */
interface CommandRun {
  argv: string[];
  exit: number | null;
  outcome: string;
  log: string;
  reused?: boolean;
}

/** How an action ended; `dropped`: something else made it void before anybody acknowledged it. */
export type ActionResult = 'pending' | 'done' | 'not passed' | 'failed' | 'dropped';

/** An action from its issue to its acknowledgement. */
export interface ActionItem {
  kind: 'action';
  /** The entry that issued it. */
  seq: number;
  at: string;
  block: string;
  actionId: string;
  action: string;
  cause: string;
  round?: number;
  result: ActionResult;
  /** The entry that ended it, when, after how many seconds, and who said so; null while it is pending. */
  endSeq: number | null;
  endAt: string | null;
  seconds: number | null;
  by: Caller | null;
  choice?: string;
  note?: string;
  /** What a choice was made on: a gate's artifact. */
  digest?: string | null;
  document?: string;
  reason?: string;
  saved?: string[];
  missing?: string[];
  /** Nothing but the agent's own word stands behind a part of it. */
  selfReported?: boolean;
  evidence: Evidence[];
  /** Acknowledgements that were refused, and what was taken all the same while other parts were still missing. */
  refused: Refusal[];
  /** Agents that could not deliver, and why. */
  without: { agents: string[]; reason: string; by: Caller }[];
  command?: CommandRun;
}

interface EventBase {
  seq: number;
  at: string;
  by: Caller;
}

/** Everything else that happened. */
export type EventItem = EventBase &
  (
    | { kind: 'ran'; block: string; command: string; ok: boolean; summary: string }
    | { kind: 'skipped'; block: string }
    | { kind: 'invalidated'; block: string; stale: string[]; todoId?: string; note?: string }
    | { kind: 'document'; command: string; paths: string[]; summary: string }
    | { kind: 'sources taken'; block?: string; paths: string[] }
    | { kind: 'human'; what: string }
    | { kind: 'warning'; text: string }
    | { kind: 'recovered'; notices: string[] }
    | { kind: 'ended'; outcome: string; reason?: string }
    /** An entry of a type that this version does not know. */
    | { kind: 'other'; type: string; block?: string; summary: string }
  );

export type Item = ActionItem | EventItem;

/** One run of a name. */
export interface RunHistory {
  runId: string;
  recipe: string;
  recipeHash: string;
  goal: string | null;
  mode: Record<string, string>;
  cliVersion: string;
  forkedFrom: { name: string; runId: string; seq: number } | null;
  /** When it began, by whom, and its entries in the journal. */
  at: string;
  by: Caller;
  first: number;
  last: number;
  status: string;
  /** When the last thing happened. */
  lastAt: string;
  items: Item[];
}
