import type { JsonObject } from '../../src/base/json.js';

/**
 * One tool call with its parameters, its reply, and the files before and after it. A mutant, a server with one planted
 * fault, changes the reply or the files.
 */
export interface Draft {
  name: string;
  params: JsonObject;
  before: ReadonlyMap<string, string>;
  reply: Reply;
  refused: boolean;
  files: Map<string, string>;
}

/** A server that breaks one requirement: after each of its `calls`, `mutate` may change the reply and the files. */
export interface Mutant {
  id: string;
  requirement: string;
  /** The names of the calls that the mutant changes. */
  calls: readonly string[];
  /** If set, the mutant changes only refusals; by default, it changes all other replies. */
  on?: 'refusal';
  mutate: (draft: Draft) => void;
}

export interface Issue {
  id: number;
  title: string;
  status: string;
  decision?: string | null | undefined;
  how_agents?: string[];
  how_summary?: object;
  how_agent_ids?: object;
  [other: string]: unknown;
}

export interface Plan {
  id: number;
  topic: string;
  issues: Issue[];
  research_summary?: string | undefined;
  created_at: string;
  [other: string]: unknown;
}

export interface Task {
  id: number;
  title: string;
  context: string;
  status: string;
  deps: number[];
  created_at: string;
  [other: string]: unknown;
}

export interface Tasks {
  goal: string;
  decisions: string[];
  tasks: Task[];
  [other: string]: unknown;
}

export interface Cycle {
  completed_at: string;
  branch: string;
  plan: Plan | null;
  tasks: Task[];
  [other: string]: unknown;
}

export interface Agent {
  agent_type: string;
  agent_id: string;
  started_at: string;
  resume_count: number;
  status: string;
  last_resumed_at?: string;
  stopped_at?: string;
  last_message?: string;
  files_touched?: string[];
}

/** The members of all tools' replies together. */
export interface Reply {
  error: string;
  active: boolean;
  exists: boolean;
  plan_id: number;
  topic: string;
  issues: Issue[];
  research_summary?: string | undefined;
  previousArchived: boolean;
  issue: Issue | string | number;
  allComplete: boolean;
  message?: string | undefined;
  remaining?: object[] | undefined;
  task: Task;
  tasks: Task[];
  goal: string;
  summary: { total: number; pending: number; decided: number; completed: number; blocked: number; ready: number[] };
  cycle: string;
  branch: string;
  archived: { plan: boolean; decisions: number; tasks: number };
  deleted: string[];
  total_cycles: number;
  memoryHint: { taskCount: number; decisionCount: number; hadLoopDetection: boolean; cycleTopics: (string | null)[] };
  total: number;
  showing: number;
  cycles: Item[];
  activeMode: string | null;
  tasksSummary: { total: number; completed: number; pending: number };
  decisions: string[];
  path: string;
  [other: string]: unknown;
}

/** A cycle in the reply of history_search. */
export interface Item {
  completed_at: string;
  branch: string;
  topic?: string | null;
  decisions?: { title: string; decision: unknown }[];
  task_count: number;
  [other: string]: unknown;
}

export const PLAN = '.nexus/state/plan.json';
export const TASKS = '.nexus/state/tasks.json';
export const HISTORY = '.nexus/history.json';
export const RUNTIME = '.nexus/state/runtime.json';
export const TRACKER = '.nexus/state/agent-tracker.json';
export const EDITS = '.nexus/state/edit-tracker.json';
export const REOPENS = '.nexus/state/reopen-tracker.json';
export const ARTIFACTS = '.nexus/state/artifacts/';

/** Creates a function that changes a JSON file after the call. If the file is a list, `change` may return a new one. */
function edit<T>(path: string): (draft: Draft, change: (value: T) => unknown) => void {
  return ({ files }, change) => {
    const value = readJson<T>(files, path);
    if (value === null) return;
    const list = change(value);
    files.set(path, json(Array.isArray(value) && Array.isArray(list) ? list : value));
  };
}

export const plan = edit<Plan>(PLAN);
export const tasks = edit<Tasks>(TASKS);
export const history = edit<{ cycles: Cycle[] }>(HISTORY);
export const tracker = edit<Agent[]>(TRACKER);
export const runtime = edit<Record<string, unknown>>(RUNTIME);

/** Returns the content of a file; null if it is missing or not JSON. */
export function readJson<T>(files: ReadonlyMap<string, string>, path: string): T | null {
  try {
    return JSON.parse(files.get(path) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Sets members of an object, and returns the object. */
export function set<T extends object>(target: T, members: Partial<T>): T {
  return Object.assign(target, members);
}

/** Restores files to their content before the call. */
export function putBack({ before, files }: Draft, ...paths: string[]): void {
  for (const path of paths) {
    const was = before.get(path);
    if (was === undefined) files.delete(path);
    else files.set(path, was);
  }
}

/** Turns a successful call into a refusal that changes nothing. */
export function refuse(draft: Draft, error: string): void {
  putBack(draft, ...draft.before.keys(), ...draft.files.keys());
  draft.refused = true;
  draft.reply = { error } as Reply;
}

/** Turns a refusal into a success. */
export function accept(draft: Draft, reply: object = {}): void {
  draft.refused = false;
  draft.reply = reply as Reply;
}

/** Changes the cycle that the call appended to the history, if any. */
export function lastCycle(draft: Draft, change: (cycle: Cycle) => void): void {
  history(draft, ({ cycles }) => {
    const last = cycles.at(-1);
    if (last !== undefined && draft.before.get(HISTORY) !== draft.files.get(HISTORY)) change(last);
  });
}

/** Finds the entry, issue or task with this id. */
export function find<T extends { id: number }>(list: readonly T[], id: unknown): T | undefined {
  return list.find((one) => one.id === Number(id));
}

/** A mutant's id and what it does. */
export type Row = readonly [id: string, mutate: (draft: Draft) => void];

/** Creates mutants that break one requirement in one call. */
export function mutants(requirement: string, call: string, rows: readonly Row[], on?: 'refusal'): Mutant[] {
  return rows.map(([id, mutate]) => ({
    id: `${call}: ${id}`,
    requirement,
    calls: [call],
    ...(on && { on }),
    mutate,
  }));
}

/** Creates two mutants for each of a tool's error messages: one changes the words, one accepts the call instead. */
export function messages(requirement: string, call: string, said: readonly string[]): Mutant[] {
  return said.flatMap((message) => {
    const isIt = ({ reply }: Draft): boolean => reply.error.startsWith(message);
    return mutants(
      requirement,
      call,
      [
        [
          `other words for "${message}"`,
          (draft) => {
            if (isIt(draft)) draft.reply.error = 'That cannot be done';
          },
        ],
        [`no refusal with "${message}"`, (draft) => isIt(draft) && accept(draft, { done: true })],
      ],
      'refusal',
    );
  });
}
