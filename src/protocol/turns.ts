import { DevCliError } from '../base/errors.js';
import { noSuchRun } from '../base/no-such-run.js';
import { whereIn } from '../blocks/pending.js';
import type { RunMarks } from '../project/marks.js';
import { atPhase, parseCaptured, type Recompile } from '../recipe/captured.js';
import { isGuarded } from '../recipe/declared.js';
import type { CapturedRecipe } from '../recipe/resolved.js';
import { type Context, pollWait, type ReadContext } from '../run/context.js';
import { derive, remember } from '../run/derive.js';
import { looksMoved } from '../run/plan-marks.js';
import type { RunState } from '../run/state.js';
import { summarize } from '../run/summarize.js';
import { record, type Turn } from '../run/turn.js';
import { createWorkspace } from '../run/workspace.js';
import type { Decision, Head, NewEntry } from '../store/store.js';
import { type PlanMoved, type Rare, withRare } from './rare.js';
import { type Contents, contentsOf, putBack, sizesOf, vanished, withContents } from './vanished.js';
import { writtenDocuments } from './walk/end.js';

const NO_CONTENTS: Contents = new Map();

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

/** What one transaction of a turn came to. */
type Attempt<A> =
  | { kind: 'answered'; answer: A }
  /** What was mended is recorded; the turn itself comes next. */
  | { kind: 'mended' }
  /** Nothing was done: what these documents held has to be found first. */
  | { kind: 'lost'; paths: string[]; notices: string[] };

/**
 * One transaction on a run: opens a turn on its head, lets `body` work, commits what it recorded.
 * A turn that recorded nothing writes nothing. What was mended when the run was opened, documents that had vanished among it, is
 * recorded in a commit of its own first: `body` may refuse, and the disk is mended all the same.
 * @throws DevCliError `NO_SUCH_RUN`; what `body` and the store throw
 */
export async function transactTurn<A>(
  context: Context,
  name: string,
  body: (turn: Turn) => A,
  known: Partial<Rare> = {},
): Promise<A> {
  const work = async (rare: Rare) => {
    let mending: Mending = { contents: null, notices: [], recorded: false };
    for (;;) {
      const decide = (head: Head<RunState>) => attempted(context, name, head, { rare, mending, body });
      const done = await context.store.transact<Attempt<A>>(name, decide);
      switch (done.kind) {
        case 'answered':
          return done.answer;
        case 'mended':
          mending = { ...mending, notices: [], recorded: true };
          break;
        case 'lost':
          mending = {
            contents: await contentsOf(context.store, name, done.paths),
            notices: [...mending.notices, ...done.notices],
            recorded: false,
          };
      }
    }
  };
  return withRare(work, { context, known });
}

/** What is known so far of what is to be mended. */
interface Mending {
  /** What lost documents held; null before they were looked for. */
  contents: Contents | null;
  /** Of earlier transactions, not recorded yet. */
  notices: string[];
  recorded: boolean;
}

/** The decision of one transaction on the way to an answer. */
function attempted<A>(
  context: Context,
  name: string,
  head: Head<RunState>,
  { rare, mending, body }: { rare: Rare; mending: Mending; body: (turn: Turn) => A },
): Decision<RunState, Attempt<A>> {
  const { snapshot, files } = head;
  if (snapshot === null) throw noSuchRun(name);
  const paths = mending.contents === null ? vanished(files, snapshot) : [];
  if (paths.length > 0) return { answer: { kind: 'lost', paths, notices: head.notices } };
  const contents = mending.contents ?? NO_CONTENTS;
  const captured = capturedOf({ ...head, files: withContents(files, contents) }, rare.recompile);
  const turn = openTurn(context, head, snapshot, captured, rare);
  const notices = [...mending.notices, ...head.notices, ...putBack(turn, contents)];
  if (notices.length > 0) noteRecovery(turn, notices);
  if (notices.length > 0 && !mending.recorded) return commitOf<Attempt<A>>(turn, head, { kind: 'mended' });
  return commitOf<Attempt<A>>(turn, head, { kind: 'answered', answer: inRun(turn, body) });
}

/** What is refused says where: the run, and what is pending there (protocol.md, Errors). */
function inRun<A>(turn: Turn, body: (turn: Turn) => A): A {
  try {
    return body(turn);
  } catch (error) {
    throw error instanceof DevCliError ? error.inRun(whereIn(turn)) : error;
  }
}

/** Records what was mended; the next acknowledgement, `status` and `manifest` tell it. */
function noteRecovery(turn: Turn, notices: string[]): void {
  record(turn, 'recovered', { notices });
  turn.state.recovered.push(...notices);
}

/** The captured recipe of a run; of a workflow, with the recipe of the phase at work. */
export function capturedOf(head: Head<RunState>, recompile: Recompile): CapturedRecipe {
  const text = head.files.read('recipe.json')?.toString('utf8');
  if (text === undefined) throw noRecipe(head, 'is missing');
  const captured = parsed(head, text, recompile);
  if (captured.digest !== head.snapshot?.recipeHash) throw noRecipe(head, 'is not what this run began with');
  return atPhase(captured, head.snapshot.workflow?.phaseIndex ?? 0);
}

function parsed(head: Head<RunState>, text: string, recompile: Recompile): CapturedRecipe {
  try {
    return parseCaptured(text, recompile);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'STATE_CORRUPT') throw noRecipe(head, 'is damaged');
    throw error;
  }
}

function noRecipe({ snapshot, seq }: Head<RunState>, problem: string): DevCliError {
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
export function capturedOrNone(head: Head<RunState>, recompile: Recompile): CapturedRecipe {
  try {
    return capturedOf(head, recompile);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return NO_RECIPE;
  }
}

/** The captured recipe of a run that is only read. */
export function readCaptured(head: Head<RunState>): Promise<CapturedRecipe> {
  return withRare(async ({ recompile }) => capturedOf(head, recompile));
}

export function openTurn(
  context: ReadContext,
  head: Head<RunState>,
  state: RunState,
  captured: CapturedRecipe,
  { evaluate, judge, tree, others }: Rare,
  earlier: RunState | null = null,
): Turn {
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
    pollWait: pollWait(context),
  };
}

/** The store's decision for a finished turn. */
export function commitOf<A>(turn: Turn, head: Head<RunState>, answer: A): Decision<RunState, A> {
  const entries = turn.entries.map((entry): NewEntry => ({ type: entry.type, by: turn.by, data: { ...entry.data } }));
  const [first, ...rest] = entries;
  if (first === undefined) return { answer };
  const { state } = turn;
  entries.forEach((entry, index) => {
    remember(state, { seq: head.seq + 1 + index, at: turn.at, type: entry.type, summary: summarize(entry) });
  });
  const last = head.seq + entries.length;
  numberGates(turn, head.seq);
  if (state.pendingAction?.issuedAt === turn.at && state.pendingAction.issuedSeq === 0) {
    state.pendingAction.issuedSeq = last;
  }
  if (state.sourcesRefused?.seq === 0) state.sourcesRefused.seq = last;
  if (state.lastHuman?.seq === 0) state.lastHuman.seq = last;
  state.written = writtenDocuments(turn);
  state.updatedAt = turn.at;
  derive(
    state,
    turn.captured.recipe.blocks.map((block) => block.id),
  );
  refreshInputs(turn);
  state.documents = sizesOf(turn);
  return { answer, entries: [first, ...rest], snapshot: state, files: turn.files.changes(), marks: marksOf(turn) };
}

/** A gate tells at which entry of the journal it was decided. */
function numberGates({ state, entries }: Turn, before: number): void {
  entries.forEach((entry, index) => {
    if (entry.type !== 'acknowledged' || !('block' in entry.data) || !('choice' in entry.data)) return;
    const gate = state.gates[entry.data.gate ?? entry.data.block];
    if (gate !== undefined) gate.seq = before + 1 + index;
  });
}

/** What this commit writes is known: only changes by others count as changed inputs (recipes.md, Staleness). */
function refreshInputs(turn: Turn): void {
  for (const { path } of turn.files.changes()) {
    for (const inputs of Object.values(turn.state.inputHashes)) {
      if (Object.hasOwn(inputs, path)) inputs[path] = turn.files.digest(path);
    }
  }
}

function marksOf(turn: Turn): RunMarks {
  const { state, captured } = turn;
  const marks: RunMarks = { guarded: state.status === 'live' && isGuarded(captured.recipe) };
  if (state.status === 'completed' || state.status === 'aborted') return { ...marks, pointer: 'clear' };
  const starts = turn.entries.some((entry) => entry.type === 'init');
  return starts && state.origin === null && state.workTree === '.' ? { ...marks, pointer: 'set' } : marks;
}

/** What a question may need. */
export type Asking = Pick<Rare, 'recompile' | 'planMoved'>;

/** The line where the plan on disk looks different from the captured one; null where nothing does. */
export function movedLine({ snapshot, files }: Head<RunState>, planMoved: PlanMoved): string | null {
  const engine = snapshot?.engine ?? null;
  if (snapshot === null || engine === null || snapshot.status === 'completed' || snapshot.status === 'aborted')
    return null;
  return looksMoved(engine, files) ? planMoved(snapshot, files) : null;
}
