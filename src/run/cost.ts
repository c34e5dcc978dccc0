// door: recovery

import { formatDuration } from '../base/duration.js';
import { DevCliError } from '../base/errors.js';
import type { FileFacts } from '../base/files.js';
import { renderCount } from '../base/words.js';
import type { Entry, JournalPast } from '../store/store.js';
import type { EntryData } from './entries.js';
import { isOutsideEntry } from './transaction.js';

/** The cost of a run so far, according to its journal (documents.md, Cost). */
export interface RunCost {
  /**
   * Calls by agents that began the run, acknowledged, reported or changed something. Questions and polls leave no
   * entry, so they are not counted.
   */
  calls: number;
  /** How many prompt files were handed out. */
  prompts: number;
  /** Total bytes of the prompt files; absent when one of them no longer exists. */
  promptBytes?: number;
  /** Time from the first entry to the last. */
  milliseconds: number;
  /** The part of `milliseconds` during which a gate was open. */
  gateMilliseconds: number;
  /** Tokens used by subagents, as harnesses reported to hooks; absent if none did. */
  subagentTokens?: number;
}

export type CountedEntry = Pick<Entry, 'at' | 'type' | 'by' | 'data'> & Partial<Pick<Entry, 'files' | 'more'>>;

/** Counts a run's cost from its entries, oldest first; entries of other runs are ignored. */
export interface CostCounter {
  take(entry: CountedEntry): void;
  /**
   * Returns the cost so far.
   * @param facts looks up a file of the run
   */
  count(facts: (path: string) => FileFacts): RunCost;
}

/** Entry types of a call that resumes after waiting for a job: the call was counted when the job began. */
const GOES_ON = ['command-finished', 'committed', 'stage'];

/** Creates a counter for the run with this id. */
export function createCostCounter(runId: string): CostCounter {
  let calls = 0;
  let first: number | null = null;
  let last = 0;
  let gates = 0;
  let asked: number | null = null;
  let leading = true;
  const checks = new Set<string>();
  const tokens = new Map<string, number>();
  const prompts = new Set<string>();
  let issued: string[] = [];

  function followGate(entry: CountedEntry, at: number): void {
    if (entry.type !== 'issued' && entry.type !== 'ended') return;
    if (asked !== null) gates += Math.max(0, at - asked);
    const { action } = entry.data as Partial<EntryData<'issued'>>;
    asked = entry.type === 'issued' && action === 'wait-for-user' ? at : null;
  }

  /**
   * Counts the call that made a commit, unless it was counted before.
   * @param entry the first entry of the commit
   */
  function countCall({ type, data }: CountedEntry): void {
    // A commit begins with this entry only when `check --action` has dev-cli run the commands of a todo. There is one
    // such entry for each command, but the whole check is one call.
    if (type === 'command-started') checks.add(nameCheck(data as EntryData<'command-started'>));
    else if (!GOES_ON.includes(type)) calls += 1;
  }

  return {
    take(entry) {
      const { at, type, by, data, files = [], more } = entry;
      if (data['runId'] !== runId) return;
      const instant = Date.parse(at);
      first ??= instant;
      last = Math.max(last, instant);
      followGate(entry, instant);
      if (type === 'spent') {
        const { agent, tokens: told } = data as unknown as EntryData<'spent'>;
        // A resumed agent is reported again with its total, so the highest number counts.
        tokens.set(agent, Math.max(told, tokens.get(agent) ?? 0));
      }
      if (leading && !isOutsideEntry(type)) {
        leading = false;
        if (by.kind === 'agent') countCall(entry);
      }
      issued.push(...listIssued(entry));
      if (more === true) return;
      for (const { path, after } of files) {
        if (after !== null && issued.some((id) => path.startsWith(`actions/${id}/`)) && path.endsWith('.md'))
          prompts.add(path);
      }
      leading = true;
      issued = [];
    },
    count(facts) {
      const sizes = [...prompts].map((path) => {
        const found = facts(path);
        return found.kind === 'file' ? found.size : null;
      });
      const promptBytes = sizes.every((size) => size !== null) ? sizes.reduce((sum, size) => sum + size, 0) : null;
      return {
        calls: calls + checks.size,
        prompts: prompts.size,
        ...(promptBytes === null ? {} : { promptBytes }),
        milliseconds: first === null ? 0 : last - first,
        gateMilliseconds: gates,
        ...(tokens.size === 0 ? {} : { subagentTokens: [...tokens.values()].reduce((sum, one) => sum + one, 0) }),
      };
    },
  };
}

/**
 * Reads the cost of a run.
 * @param run the run's id, journal and files
 * @param added entries that the journal does not have yet
 * @returns undefined if the journal cannot be read, because a damaged journal must not fail a call about something else
 */
export function readCost(
  { runId, past, files }: { runId: string; past: JournalPast; files: { facts(path: string): FileFacts } },
  added: readonly CountedEntry[] = [],
): RunCost | undefined {
  const counter = createCostCounter(runId);
  try {
    past.scan((entry) => counter.take(entry));
    for (const entry of added) counter.take(entry);
    return counter.count((path) => files.facts(path));
  } catch (error) {
    if (error instanceof DevCliError) return undefined;
    throw error;
  }
}

/** Names the check that started a command: the action, and the number at the end of the directory `check-<id>-<n>`. */
function nameCheck({ actionId, key }: EntryData<'command-started'>): string {
  return `${actionId}${key.slice(key.lastIndexOf('-'))}`;
}

/** Lists the ids of the actions that an entry hands out. */
function listIssued({ type, data }: CountedEntry): string[] {
  const { actionId, tasks = [] } = data as { actionId?: string; tasks?: { actionId: string }[] };
  if (type === 'dispatched') return tasks.map((task) => task.actionId);
  return type === 'issued' && actionId !== undefined ? [actionId] : [];
}

/**
 * Renders a cost as one line: `23 calls by agents, 9 prompts (34.1 kB), 84,200 tokens of subagents, 41m10s, 12m04s of
 * them at gates`.
 */
export function renderCost(cost: RunCost): string {
  const { calls, prompts, promptBytes, milliseconds, gateMilliseconds, subagentTokens } = cost;
  const bytes = promptBytes === undefined ? '' : ` (${(promptBytes / 1000).toFixed(1)} kB)`;
  return [
    `${renderCount(calls, 'call')} by agents`,
    ...(prompts === 0 ? [] : [`${renderCount(prompts, 'prompt')}${bytes}`]),
    ...(subagentTokens === undefined ? [] : [`${subagentTokens.toLocaleString('en-US')} tokens of subagents`]),
    formatDuration(milliseconds),
    ...(gateMilliseconds < 1000 ? [] : [`${formatDuration(gateMilliseconds)} of them at gates`]),
  ].join(', ');
}
