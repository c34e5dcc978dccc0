import { resolve } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import type { AckInput } from '../../../blocks/acknowledgement.js';
import { stepComplete } from '../../../protocol/acknowledge/complete.js';
import { readRun } from '../../../protocol/find/find-run.js';
import type { Ported } from '../../../protocol/ports.js';
import type { ShownAction } from '../../../run/action.js';
import type { Context } from '../../../run/context.js';
import { getShownAction } from '../../../run/pending-action.js';
import { transact } from '../../../run/transact.js';
import { recordEntry } from '../../../run/transaction.js';
import type { Runtime } from '../runtime.js';
import { isStale, type WorkEnd } from './finish.js';

/** What doing an action came to: the run went on, or the drive stops. */
export type Step = { kind: 'went-on' } | Exclude<WorkEnd, { kind: 'ended' }>;

/** A run that this process drives. */
export interface Driven {
  runtime: Runtime;
  context: Context & Ported;
  run: { name: string; runId: string };
  /** The context of a call that begins now, as an agent makes it: never a person, and with time to answer. */
  call(): Context & Ported;
  /** The action that the run waits for. @throws DevCliError as the store does */
  readAction(): Promise<ShownAction>;
  /** Does one thing after the other: acknowledgements take each other's place in a dispatch. */
  inLine<T>(work: () => Promise<T>): Promise<T>;
  /** Acknowledges for all children of a dispatch. @throws DevCliError for what neither of them can mend */
  acknowledge(input: AckInput): Promise<Step>;
  /** Has the run know what an agent has used. */
  noteSpent(agent: string, tokens: number): Promise<void>;
  /** The text of a file that an action names. @throws DevCliError `IO` where it is not there */
  read(path: string): string;
  /** @param path as an action names it */
  toAbsolute(path: string): string;
}

/** Takes a run to be driven by this process. */
export function openDriven(runtime: Runtime, context: Context & Ported, run: Driven['run']): Driven {
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
      throw new DevCliError('IO', `${path} is not there.`, { fix: { command: 'next', input: { name: run.name } } });
    },
  };
}

/** What a refusal means for the drive. @throws what it can do nothing about */
export function toStep(error: unknown): Step {
  if (!(error instanceof DevCliError)) throw error;
  if (error.answer !== undefined) return { kind: 'parked', error };
  if (isStale(error) || error.code === 'RUN_HELD') return { kind: 'went-on' };
  throw error;
}
