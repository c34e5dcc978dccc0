import type { Caller } from '../base/caller.js';

// The items of a run's history, in the order in which they began (storage.md, History).

/** A document that was handed in as evidence for a step. */
export interface Evidence {
  path: string;
  /** SHA-256 when it was accepted; null if the file did not exist. */
  sha256: string | null;
  /** The agent that had promised the document. */
  agent?: string;
  verdict?: string;
  summary?: string;
}

/** An acknowledgement that was refused because sources had changed, or because part of its evidence was not valid. */
interface Refusal extends EventBase {
  /** The part of the evidence that was accepted. */
  evidence: Evidence[];
  /** Agents that promised no output, so that their own report was accepted. */
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

/** How an action ended. `dropped`: it became void before it was acknowledged. */
export type ActionResult = 'pending' | 'done' | 'not passed' | 'failed' | 'dropped';

/** An action, from when it was issued to its acknowledgement. */
export interface ActionItem {
  kind: 'action';
  /** `seq` of the entry that issued it. */
  seq: number;
  at: string;
  block: string;
  actionId: string;
  action: string;
  cause: string;
  round?: number;
  result: ActionResult;
  /** `seq`, time and caller of the entry that ended it, and how many seconds it took; null while it is pending. */
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
  /** True if a part of the action required no document, so that the agent's word is the only evidence for it. */
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

/** An item other than an action. */
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

/** An item of a run's history. */
export type HistoryItem = ActionItem | EventItem;

/** The history of one run. A name may have had several runs. */
export interface RunHistory {
  runId: string;
  recipe: string;
  recipeHash: string;
  goal: string | null;
  mode: Record<string, string>;
  /** The size that the user stated, and the largest size allowed. */
  size?: string;
  atMost?: string;
  cliVersion: string;
  forkedFrom: { name: string; runId: string; seq: number } | null;
  /** When the run began, by whom, and `seq` of its first and last entry. */
  at: string;
  by: Caller;
  first: number;
  last: number;
  status: string;
  /** The time of the last entry. */
  lastAt: string;
  items: HistoryItem[];
}
