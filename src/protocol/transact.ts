import { DevCliError } from '../base/errors.js';
import { noSuchRunError } from '../base/no-such-run.js';
import { whereIn } from '../blocks/pending.js';
import type { RunMarks } from '../project/marks.js';
import { parseCaptured, type Recompile, selectPhase } from '../recipe/captured.js';
import { isGuarded } from '../recipe/declared.js';
import type { CapturedRecipe } from '../recipe/resolved.js';
import { copyState } from '../run/codec.js';
import { type Context, getPollWait, type ReadContext } from '../run/context.js';
import { appendEvent, derive } from '../run/derive.js';
import { createWorkspace } from '../run/pending-documents.js';
import { mayPlanDiffer } from '../run/plan-digests.js';
import type { RunState } from '../run/state.js';
import { summarize } from '../run/summarize.js';
import { recordEntry, type Transaction } from '../run/transaction.js';
import type { Decision, NewEntry, StreamState } from '../store/store.js';
import {
  type DocumentContents,
  findLostDocuments,
  overlayContents,
  readContents,
  recordSizes,
  restoreDocuments,
} from './lost-documents.js';
import { loadOnDemand, type OnDemand, type PlanMoved } from './on-demand.js';
import { writtenDocuments } from './walk/end.js';

const NO_CONTENTS: DocumentContents = new Map();

const NO_RECIPE: CapturedRecipe = {
  compiler: 0,
  digest: '',
  sources: [],
  agents: {},
  recipe: {
    name: '',
    type: 'sequential',
    language: 1,
    description: '',
    skill: '',
    mode: {},
    vars: {},
    preferences: {},
    draft: { required: [], stated: false },
    guardWrites: null,
    cleanup: [],
    usesGoal: false,
    usesDraft: false,
    blocks: [],
    program: { blocks: [] },
  },
};

/** What one attempt at the transaction came to. */
type TransactionResult<A> =
  | { kind: 'answered'; answer: A }
  /** What was restored is recorded; the transaction itself comes next. */
  | { kind: 'mended' }
  /** Nothing was done: what these documents held has to be found first. */
  | { kind: 'lost'; paths: string[]; notices: string[] };

/**
 * One transaction on a run: opens it on the head, lets `body` work, commits what it recorded.
 * A transaction that recorded nothing writes nothing. What was restored when the run was opened, documents that had vanished among it, is
 * recorded in a commit of its own first: `body` may refuse, and the disk is mended all the same.
 * @throws DevCliError `NO_SUCH_RUN`; what `body` and the store throw
 */
export async function transact<A>(
  context: Context,
  name: string,
  body: (tx: Transaction) => A,
  known: Partial<OnDemand> = {},
): Promise<A> {
  const work = async (onDemand: OnDemand) => {
    let mending: Recovery = { contents: null, notices: [], recorded: false };
    for (;;) {
      const decide = (head: StreamState<RunState>) => attempted(context, name, head, { rare: onDemand, mending, body });
      const done = await context.store.transact<TransactionResult<A>>(name, decide);
      switch (done.kind) {
        case 'answered':
          return done.answer;
        case 'mended':
          mending = { ...mending, notices: [], recorded: true };
          break;
        case 'lost':
          mending = {
            contents: await readContents(context.store, name, done.paths),
            notices: [...mending.notices, ...done.notices],
            recorded: false,
          };
      }
    }
  };
  return loadOnDemand(work, { context, known });
}

/** What is known so far of what is to be mended. */
interface Recovery {
  /** What lost documents held; null before they were looked for. */
  contents: DocumentContents | null;
  /** Of earlier transactions, not recorded yet. */
  notices: string[];
  recorded: boolean;
}

/** The decision of one transaction on the way to an answer. */
function attempted<A>(
  context: Context,
  name: string,
  head: StreamState<RunState>,
  { rare: onDemand, mending, body }: { rare: OnDemand; mending: Recovery; body: (tx: Transaction) => A },
): Decision<RunState, TransactionResult<A>> {
  const { snapshot, files } = head;
  if (snapshot === null) throw noSuchRunError(name);
  const paths = mending.contents === null ? findLostDocuments(files, snapshot) : [];
  if (paths.length > 0) return { answer: { kind: 'lost', paths, notices: head.notices } };
  const contents = mending.contents ?? NO_CONTENTS;
  const captured = readCapturedRecipe({ ...head, files: overlayContents(files, contents) }, onDemand.recompile);
  const tx = openTransaction(context, head, copyState(snapshot), captured, onDemand);
  const notices = [...mending.notices, ...head.notices, ...restoreDocuments(tx, contents)];
  if (notices.length > 0) noteRecovery(tx, notices);
  if (notices.length > 0 && !mending.recorded)
    return closeTransaction<TransactionResult<A>>(tx, head, { kind: 'mended' });
  return closeTransaction<TransactionResult<A>>(tx, head, { kind: 'answered', answer: inRun(tx, body) });
}

/** What is refused says where: the run, and what is pending there (protocol.md, Errors). */
function inRun<A>(tx: Transaction, body: (tx: Transaction) => A): A {
  try {
    return body(tx);
  } catch (error) {
    throw error instanceof DevCliError ? error.inRun(whereIn(tx)) : error;
  }
}

/** Records what was mended; the next acknowledgement, `status` and `manifest` tell it. */
function noteRecovery(tx: Transaction, notices: string[]): void {
  recordEntry(tx, 'recovered', { notices });
  tx.state.recovered.push(...notices);
}

/** The captured recipe of a run; of a workflow, with the recipe of the phase at work. */
export function readCapturedRecipe(head: StreamState<RunState>, recompile: Recompile): CapturedRecipe {
  const text = head.files.read('recipe.json')?.toString('utf8');
  if (text === undefined) throw noRecipe(head, 'is missing');
  const captured = parsed(head, text, recompile);
  if (captured.digest !== head.snapshot?.recipeHash) throw noRecipe(head, 'is not what this run began with');
  return selectPhase(captured, head.snapshot.workflow?.phaseIndex ?? 0);
}

function parsed(head: StreamState<RunState>, text: string, recompile: Recompile): CapturedRecipe {
  try {
    return parseCaptured(text, recompile);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'STATE_CORRUPT') throw noRecipe(head, 'is damaged');
    throw error;
  }
}

function noRecipe({ snapshot, seq }: StreamState<RunState>, problem: string): DevCliError {
  const name = snapshot?.name ?? '<name>';
  const directory = `.dev/specs/${name}`;
  return new DevCliError('STATE_CORRUPT', `recipe.json of this run ${problem}. Nothing was touched.`, {
    details: [{ target: `${directory}/recipe.json`, problem }],
    fix: [
      `Put a copy back; one lies in ${directory}/objects, under the digest that this shows for recipe.json: `,
      { command: 'replay', input: { name, at: seq } },
    ],
  });
}

/** The same for ending a run: without a readable recipe there are no blocks to know of. */
export function readCapturedOrEmpty(head: StreamState<RunState>, recompile: Recompile): CapturedRecipe {
  try {
    return readCapturedRecipe(head, recompile);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return NO_RECIPE;
  }
}

/** The captured recipe of a run that is only read. */
export function readCaptured(head: StreamState<RunState>): Promise<CapturedRecipe> {
  return loadOnDemand(async ({ recompile }) => readCapturedRecipe(head, recompile));
}

export function openTransaction(
  context: ReadContext,
  head: StreamState<RunState>,
  state: RunState,
  captured: CapturedRecipe,
  { evaluate, judge, tree, others }: OnDemand,
  earlier: RunState | null = null,
): Transaction {
  const workTree = state.workTree === '.' ? context.root : state.workTree;
  return {
    place: { root: context.root, workTree },
    captured,
    files: createWorkspace(head.files),
    state,
    at: head.at,
    by: context.caller,
    entries: [],
    warnings: [],
    ran: [],
    because: [],
    evaluate,
    judge,
    tree: () => tree(workTree),
    others: () => others(state.name, workTree),
    earlier,
    pollWait: getPollWait(context),
  };
}

/** The store's decision for a finished transaction. */
export function closeTransaction<A>(tx: Transaction, head: StreamState<RunState>, answer: A): Decision<RunState, A> {
  const entries = tx.entries.map((entry): NewEntry => ({ type: entry.type, by: tx.by, data: { ...entry.data } }));
  const [first, ...rest] = entries;
  if (first === undefined) return { answer };
  const { state } = tx;
  entries.forEach((entry, index) => {
    appendEvent(state, { seq: head.seq + 1 + index, at: tx.at, type: entry.type, summary: summarize(entry) });
  });
  const last = head.seq + entries.length;
  numberGates(tx, head.seq);
  if (state.pendingAction?.issuedAt === tx.at && state.pendingAction.issuedSeq === 0) {
    state.pendingAction.issuedSeq = last;
  }
  if (state.sourcesRefused?.seq === 0) state.sourcesRefused.seq = last;
  if (state.lastHuman?.seq === 0) state.lastHuman.seq = last;
  state.written = writtenDocuments(tx);
  state.updatedAt = tx.at;
  derive(
    state,
    tx.captured.recipe.blocks.map((block) => block.id),
  );
  refreshInputs(tx);
  state.documents = recordSizes(tx);
  return { answer, entries: [first, ...rest], snapshot: state, files: tx.files.changes(), marks: marksOf(tx) };
}

/** A gate tells at which entry of the journal it was decided. */
function numberGates({ state, entries }: Transaction, before: number): void {
  entries.forEach((entry, index) => {
    if (entry.type !== 'acknowledged' || !('block' in entry.data) || !('choice' in entry.data)) return;
    const gate = state.gates[entry.data.gate ?? entry.data.block];
    if (gate !== undefined) gate.seq = before + 1 + index;
  });
}

/** What this commit writes is known: only changes by others count as changed inputs (recipes.md, Staleness). */
function refreshInputs(tx: Transaction): void {
  for (const { path } of tx.files.changes()) {
    for (const inputs of Object.values(tx.state.inputHashes)) {
      if (Object.hasOwn(inputs, path)) inputs[path] = tx.files.digest(path);
    }
  }
}

function marksOf(tx: Transaction): RunMarks {
  const { state, captured } = tx;
  const marks: RunMarks = { guarded: state.status === 'live' && isGuarded(captured.recipe) };
  if (state.status === 'completed' || state.status === 'aborted') return { ...marks, pointer: 'clear' };
  const starts = tx.entries.some((entry) => entry.type === 'init');
  return starts && state.origin === null && state.workTree === '.' ? { ...marks, pointer: 'set' } : marks;
}

/** What a question may need. */
export type QueryDependencies = Pick<OnDemand, 'recompile' | 'planMoved'>;

/** The line where the plan on disk looks different from the captured one; null where nothing does. */
export function findPlanDifference({ snapshot, files }: StreamState<RunState>, planMoved: PlanMoved): string | null {
  const engine = snapshot?.engine ?? null;
  if (snapshot === null || engine === null || snapshot.status === 'completed' || snapshot.status === 'aborted')
    return null;
  return mayPlanDiffer(engine, files) ? planMoved(snapshot, files) : null;
}
