import { resolve } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import type { AckInput } from '../../../blocks/acknowledgement.js';
import { stepComplete } from '../../../protocol/acknowledge/complete.js';
import { readRun } from '../../../protocol/find/find-run.js';
import type { WithPorts } from '../../../protocol/ports.js';
import type { ShownAction } from '../../../run/action.js';
import type { Context } from '../../../run/context.js';
import { getShownAction } from '../../../run/pending-action.js';
import { transact } from '../../../run/transact.js';
import { recordEntry } from '../../../run/transaction.js';
import type { Runtime } from '../runtime.js';
import { isLateAcknowledgement, type WorkEnd } from './finish.js';

/** What came of an action: the run can continue, or the drive must stop. */
export type DriveResult = { kind: 'went-on' } | Exclude<WorkEnd, { kind: 'ended' }>;

/** A run that this process drives. */
export interface DrivenRun {
  runtime: Runtime;
  context: Context & WithPorts;
  run: { name: string; runId: string };
  /**
   * Returns a fresh context for each use case. The caller in it is always an agent, never a person, and its time limit
   * begins now.
   */
  call(): Context & WithPorts;
  /** Reads the action that the run waits for. @throws DevCliError as the store does */
  readAction(): Promise<ShownAction>;
  /**
   * Queues `work` behind earlier calls: each acknowledgement of a dispatch changes the pending action, so two at once
   * would collide.
   */
  inLine<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Acknowledges a dispatch once for all its children.
   * @throws DevCliError for a refusal that neither the drive nor a person can resolve
   */
  acknowledge(input: AckInput): Promise<DriveResult>;
  /** Records in the run the tokens that an agent used. */
  noteSpent(agent: string, tokens: number): Promise<void>;
  /** Reads a file that an action names. @throws DevCliError `IO` if it does not exist */
  read(path: string): string;
  /** Converts a path in an action to an absolute one. @param path relative to the root */
  toAbsolute(path: string): string;
}

/** Opens a run for this process to drive. */
export function openDriven(runtime: Runtime, context: Context & WithPorts, run: DrivenRun['run']): DrivenRun {
  const caller = { kind: 'agent', via: 'drive', harness: 'dev-cli' } as const;
  const call = () => ({ ...context, startedAt: context.clock.now(), mark: 'AI_AGENT', caller });
  const toAbsolute = (path: string) => resolve(context.root, path);
  let last: Promise<unknown> = Promise.resolve();
  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
  return {
    runtime,
    context,
    run,
    call,
    inLine,
    toAbsolute,
    async readAction() {
      const action = getShownAction((await readRun(context, run.name)).snapshot);
      if (action === null) throw new DevCliError('STATE_CORRUPT', `The run "${run.name}" has no pending action.`);
      return action;
    },
    async acknowledge(input) {
      try {
        await inLine(() => stepComplete(call(), run.name, input));
        return { kind: 'went-on' };
      } catch (error) {
        return toStep(error);
      }
    },
    async noteSpent(agent, tokens) {
      if (tokens > 0) await transact(call(), run.name, (tx) => recordEntry(tx, 'spent', { agent, tokens }));
    },
    read(path) {
      const text = context.reader.read(toAbsolute(path));
      if (text !== null) return text;
      throw new DevCliError('IO', `${path} does not exist.`, { fix: { command: 'next', input: { name: run.name } } });
    },
  };
}

/** Returns what follows from the refusal of an acknowledgement. @throws errors that the drive cannot handle */
export function toStep(error: unknown): DriveResult {
  if (!(error instanceof DevCliError)) throw error;
  if (error.answer !== undefined) return { kind: 'parked', error };
  if (isLateAcknowledgement(error) || error.code === 'RUN_HELD') return { kind: 'went-on' };
  throw error;
}
