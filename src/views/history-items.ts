import type { Caller } from '../base/caller.js';

// The items of a run's history, in the order in which things began (storage.md, History).

/** A document that was shown for a step. */
export interface Evidence {
  path: string;
  /** SHA-256 when it was accepted; null when there was no file. */
  sha256: string | null;
  /** The agent that had promised it. */
  agent?: string;
  verdict?: string;
  summary?: string;
}

/** An acknowledgement that was refused, for changed sources or because a part of its evidence was not valid. */
interface Refusal extends EventBase {
  /** The evidence that was accepted all the same. */
  evidence: Evidence[];
  /** Agents whose own word was accepted, because they promised no output. */
  selfReported?: string[];
  /** The changed sources. */
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

/** How an action ended; a `dropped` one became void before it was acknowledged. */
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
  /** The entry that ended it, when, after how many seconds, and by whom; null while it is pending. */
  endSeq: number | null;
  endAt: string | null;
  seconds: number | null;
  by: Caller | null;
  choice?: string;
  note?: string;
  /** Digest and path of the artifact that a choice was about. */
  digest?: string | null;
  document?: string;
  reason?: string;
  saved?: string[];
  missing?: string[];
  /** For a part of it there is only the agent's own word. */
  selfReported?: boolean;
  evidence: Evidence[];
  /** Its refused acknowledgements. */
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

/** An item that is not an action. */
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
    /** An entry of an execution, or of a type that this version does not know. */
    | { kind: 'other'; type: string; block?: string; summary: string }
  );

/** One item of a run's history. */
export type Item = ActionItem | EventItem;

/** One run of a name. */
export interface RunHistory {
  runId: string;
  recipe: string;
  recipeHash: string;
  goal: string | null;
  mode: Record<string, string>;
  /** What the user said about the size, and what it is at most. */
  size?: string;
  atMost?: string;
  cliVersion: string;
  forkedFrom: { name: string; runId: string; seq: number } | null;
  /** When it began, by whom, and its first and last entry in the journal. */
  at: string;
  by: Caller;
  first: number;
  last: number;
  status: string;
  /** Time of the last entry. */
  lastAt: string;
  items: Item[];
}
