import { DevCliError } from '../../base/errors.js';
import type { AckInput } from '../../blocks/acknowledgement.js';
import type { EndedJob } from '../../jobs/life.js';
import { stepComplete } from '../../protocol/acknowledge/complete.js';
import { stepInvalidate } from '../../protocol/control/invalidate.js';
import { runDocumentCommand } from '../../protocol/documents.js';
import { initRun } from '../../protocol/init/init.js';
import type { InitInput } from '../../protocol/init/prepare.js';
import { createInMemoryContext } from '../../protocol/memory-context.js';
import { settleSimulatedJob } from '../../protocol/settle.js';
import { toPersonContext } from '../../protocol/trust/person.js';
import type { Library } from '../../recipe/load/library.js';
import { createCommandReplacer, renderInvocation } from '../../registry/render.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { MachineDecision } from '../../run/simulation.js';
import type { RunState } from '../../run/state.js';
import { openTransaction, type Transaction } from '../../run/transaction.js';
import { renderEnvelope } from '../../views/action.js';
import { type Amount, measureAmount } from './amount.js';

/** The name of every rehearsed run. */
export const REHEARSAL_RUN = 'rehearsal';

/**
 * The apparent root of a rehearsed run, so that paths in its actions are the same on every machine. Nothing exists
 * there.
 */
const ROOT = '/rehearsal';

/** A use case's reply: a JSON document, or a refusal. */
export type RehearsalReply = { ok: true; json: object } | { ok: false; error: DevCliError };

/** Options of a rehearsal. */
export interface RehearsalOptions {
  /** The library that recipes are read from. */
  library: Library;
  signal: AbortSignal;
  /** What the run is told is unavailable, a remote or the tool `gh`, each with the reason. */
  lacks?: { remote?: string; gh?: string };
}

/**
 * A run of a recipe in memory, driven by the real use cases (authoring.md, Simulations). It writes nothing and starts
 * nothing; it reads files of the project only to load recipes.
 */
export interface Rehearsal {
  /** The decisions of the machines so far. */
  readonly decided: readonly MachineDecision[];
  /** The size of each answer so far, as an agent receives it. */
  readonly answers: readonly Amount[];
  begin(recipe: string, input: InitInput): Promise<RehearsalReply>;
  complete(input: AckInput, by: 'agent' | 'person'): Promise<RehearsalReply>;
  invalidate(step: string): Promise<RehearsalReply>;
  document(command: string, input: Parameters<typeof runDocumentCommand>[2]): Promise<RehearsalReply>;
  /** Ends the pending job. */
  settle(ended: EndedJob): Promise<RehearsalReply>;
  /** Returns the run's state. @throws DevCliError `INTERNAL` before the run has begun */
  read(): Promise<RunState>;
  /** Opens a transaction only for reading; it is never committed. */
  look(): Promise<Transaction>;
  /** Writes a document as an agent would. @throws DevCliError `EVIDENCE_INVALID` for a path outside the run */
  put(path: string, text: string): void;
  text(path: string): string | null;
}

/** Begins a rehearsal with an empty store. */
export function rehearse({ library, signal, lacks = {} }: RehearsalOptions): Rehearsal {
  const decided: MachineDecision[] = [];
  const answers: Amount[] = [];
  // The project's preferences are ignored: the script says everything that a rehearsal depends on.
  const { context: plain, memory, store } = createInMemoryContext({ root: ROOT, library, signal });
  const context = { ...plain, simulation: { lacks, tell: (one: MachineDecision) => decided.push(one) } };
  const reply = async (call: Promise<{ json: object }>): Promise<RehearsalReply> => {
    const replacer = createCommandReplacer(renderInvocation);
    try {
      const { json } = await call;
      answers.push(measureAmount(JSON.stringify(json, replacer)));
      return { ok: true, json };
    } catch (error) {
      if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
      const { code, message, details } = error;
      answers.push(measureAmount(JSON.stringify({ error: { code, message, details } })));
      return { ok: false, error };
    }
  };
  const readHead = async () => {
    const head = await store.read(REHEARSAL_RUN);
    if (head.snapshot === null) throw new DevCliError('INTERNAL', 'The rehearsal has not begun.');
    return { ...head, snapshot: head.snapshot };
  };
  return {
    decided,
    answers,
    begin: (recipe, input) => reply(initRun(context, REHEARSAL_RUN, { recipe, ...input })),
    complete: (input, by) =>
      reply(stepComplete(by === 'person' ? toPersonContext(context) : context, REHEARSAL_RUN, input)),
    invalidate: (step) => reply(stepInvalidate(context, REHEARSAL_RUN, { step })),
    document: (command, input) => reply(runDocumentCommand(context, command, { name: REHEARSAL_RUN, ...input })),
    settle: (ended) =>
      reply(
        settleSimulatedJob(context, REHEARSAL_RUN, ended).then((result) => {
          if (result === null) throw new DevCliError('INTERNAL', 'No job of the rehearsal is pending.');
          return renderEnvelope(result, context);
        }),
      ),
    read: async () => (await readHead()).snapshot,
    look: async () => {
      const head = await readHead();
      return openTransaction(context, head, copyState(head.snapshot), readCapturedRecipe(head));
    },
    put: (path, text) => store.put(REHEARSAL_RUN, path, text),
    text: (path) => memory.documents.get(`.dev/specs/${REHEARSAL_RUN}/${path}`)?.content.toString('utf8') ?? null,
  };
}

/** Renders the pending action as an agent receives it, with its commands written out. */
export function renderActionJson(action: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(action, createCommandReplacer(renderInvocation))) as Record<string, unknown>;
}
