import { DevCliError } from '../../base/errors.js';
import type { AckInput } from '../../blocks/acknowledgement.js';
import type { EndedJob } from '../../jobs/life.js';
import { stepComplete } from '../../protocol/acknowledge/complete.js';
import { stepInvalidate } from '../../protocol/control/invalidate.js';
import { runDocumentCommand } from '../../protocol/documents.js';
import { init } from '../../protocol/init/init.js';
import type { InitInput } from '../../protocol/init/prepare.js';
import { createMemoryContext } from '../../protocol/memory-context.js';
import { settleSimulated } from '../../protocol/settle.js';
import { asPerson } from '../../protocol/trust/person.js';
import type { Library } from '../../recipe/load/library.js';
import { createCommandReplacer, renderCommand } from '../../registry/render.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Decided } from '../../run/simulation.js';
import type { RunState } from '../../run/state.js';
import { openTransaction, type Transaction } from '../../run/transaction.js';
import { renderEnvelope } from '../../views/action.js';
import { type Amount, measure } from './amount.js';

/** The name of every rehearsed run. */
export const RUN = 'rehearsal';

/** Where a rehearsed run seems to lie: paths in its actions are the same on every machine. Nothing is there. */
const ROOT = '/rehearsal';

/** How a use case answered: with a document, or with a refusal. */
export type Reply = { ok: true; json: object } | { ok: false; error: DevCliError };

/** What a rehearsal begins with. */
export interface RehearsalOptions {
  /** Where recipes are read from. */
  library: Library;
  signal: AbortSignal;
  /** What the run is to lack, with the reason. */
  lacks?: { remote?: string; gh?: string };
}

/**
 * A run of a recipe in memory, on the real use cases (authoring.md, Simulations). It writes nothing and starts nothing; files of
 * the project are read only to load recipes.
 */
export interface Rehearsal {
  /** What the machines have decided so far. */
  readonly decided: readonly Decided[];
  /** How much each answer so far was, as an agent gets it. */
  readonly answers: readonly Amount[];
  begin(recipe: string, input: InitInput): Promise<Reply>;
  complete(input: AckInput, by: 'agent' | 'person'): Promise<Reply>;
  invalidate(step: string): Promise<Reply>;
  document(command: string, input: Parameters<typeof runDocumentCommand>[2]): Promise<Reply>;
  /** Ends the pending job. */
  settle(ended: EndedJob): Promise<Reply>;
  /** @throws DevCliError `INTERNAL` before the run has begun */
  read(): Promise<RunState>;
  /** A transaction that is never committed, for functions that want one to read from. */
  look(): Promise<Transaction>;
  /** Writes a document as an agent would. @throws DevCliError `EVIDENCE_INVALID` outside the run */
  put(path: string, text: string): void;
  text(path: string): string | null;
}

/** Begins a rehearsal with an empty store. */
export function rehearse({ library, signal, lacks = {} }: RehearsalOptions): Rehearsal {
  const decided: Decided[] = [];
  const answers: Amount[] = [];
  // The project's preferences stay out of it: what a rehearsal is to know, its script says.
  const { context: plain, memory, store } = createMemoryContext({ root: ROOT, library, signal });
  const context = { ...plain, simulation: { lacks, tell: (one: Decided) => decided.push(one) } };
  const reply = async (call: Promise<{ json: object }>): Promise<Reply> => {
    const replacer = createCommandReplacer(renderCommand);
    try {
      const { json } = await call;
      answers.push(measure(JSON.stringify(json, replacer)));
      return { ok: true, json };
    } catch (error) {
      if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
      const { code, message, details } = error;
      answers.push(measure(JSON.stringify({ error: { code, message, details } })));
      return { ok: false, error };
    }
  };
  const readHead = async () => {
    const head = await store.read(RUN);
    if (head.snapshot === null) throw new DevCliError('INTERNAL', 'The rehearsal has not begun.');
    return { ...head, snapshot: head.snapshot };
  };
  return {
    decided,
    answers,
    begin: (recipe, input) => reply(init(context, RUN, { recipe, ...input })),
    complete: (input, by) => reply(stepComplete(by === 'person' ? asPerson(context) : context, RUN, input)),
    invalidate: (step) => reply(stepInvalidate(context, RUN, { step })),
    document: (command, input) => reply(runDocumentCommand(context, command, { name: RUN, ...input })),
    settle: (ended) =>
      reply(
        settleSimulated(context, RUN, ended).then((result) => {
          if (result === null) throw new DevCliError('INTERNAL', 'No job of the rehearsal is pending.');
          return renderEnvelope(result, context);
        }),
      ),
    read: async () => (await readHead()).snapshot,
    look: async () => {
      const head = await readHead();
      return openTransaction(context, head, copyState(head.snapshot), readCapturedRecipe(head));
    },
    put: (path, text) => store.put(RUN, path, text),
    text: (path) => memory.documents.get(`.dev/specs/${RUN}/${path}`)?.content.toString('utf8') ?? null,
  };
}

/** The pending action as an agent gets it, its commands written out. */
export function renderActionJson(action: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(action, createCommandReplacer(renderCommand))) as Record<string, unknown>;
}
