import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { requireName } from '../base/name.js';
import { sha256 } from '../base/sha256.js';
import { selectPhase } from '../recipe/captured.js';
import type { InputOf } from '../registry/catalogue.js';
import { parseCaptured } from '../run/captured-recipe.js';
import type { Context } from '../run/context.js';
import type { RunState } from '../run/state.js';
import { withSurroundings } from '../run/transact.js';
import { closeTransaction, openTransaction, recordEntry, type Surroundings } from '../run/transaction.js';
import type { Checkpoint, Decision, StreamState } from '../store/store.js';
import { type FoldedJournal, renderEnvelope } from '../views/envelope.js';
import { toBaseline, type WorkTreeStatus } from '../work/git.js';
import { readCheckpoint, TORN_WARNING } from './checkpoint.js';
import { startResult } from './envelope.js';
import { type FirstTree, readFirstTree } from './init/first-look.js';
import { createRunId } from './init/new-run.js';
import { requireTrust } from './trust/trust.js';
import { reissue } from './walk/reissue.js';

/** A moment of a run with the documents it had. */
interface ForkSource {
  moment: Checkpoint<RunState>;
  /** Contents by path, relative to the run's directory. */
  documents: Map<string, Buffer>;
  warnings: string[];
}

/**
 * `fork`: a new run under a new name that goes on from a moment of another, which is not touched (storage.md, History). It
 * becomes neither the active run nor, until somebody goes on with it, a guard; it launches nothing.
 * @throws DevCliError `RUN_EXISTS`, `NO_SUCH_RUN`, `UNKNOWN_ENTRY`, `RUN_ENDED`, `CONTENT_MISSING`, `JOURNAL_CORRUPT`,
 * `RECIPE_UNTRUSTED`; then nothing was written
 */
export async function fork(context: Context, given: string, input: Omit<InputOf<'fork'>, 'name'>): Promise<Answer> {
  const from = requireName(given);
  const name = requireName(input.as);
  refuseTaken(name, await context.store.read(name));
  const past = await readForkSource(context, from, input.at);
  const watch = await readFirstTree(context);
  const told = await withSurroundings(context, (surroundings) => beginFork(context, name, past, watch, surroundings));
  const answer = renderEnvelope(told);
  const { runId } = past.moment.snapshot;
  return { ...answer, json: { ok: true, forkedFrom: { name: from, runId, seq: past.moment.last }, ...answer.json } };
}

async function beginFork(
  context: Context,
  name: string,
  past: ForkSource,
  watch: FirstTree,
  surroundings: Surroundings,
): Promise<FoldedJournal> {
  const { snapshot } = past.moment;
  const captured = parseCaptured(past.documents.get('recipe.json')?.toString('utf8') ?? '');
  requireTrust(context, captured);
  return context.store.transact<FoldedJournal>(name, (head) => {
    refuseTaken(name, head);
    refuseForeignFiles(name, head, past);
    const state = createForkedState(context, head, name, past.moment, watch.tree);
    const tx = openTransaction(
      context,
      head,
      state,
      selectPhase(captured, snapshot.workflow?.phaseIndex ?? 0),
      surroundings,
    );
    tx.warnings.push(...past.warnings, ...watch.warnings);
    const { recipe, recipeHash, goal, mode, cliVersion, forkedFrom } = state;
    recordEntry(tx, 'init', { recipe, recipeHash, goal, mode, cliVersion, ...(forkedFrom && { forkedFrom }) });
    for (const [path, content] of past.documents) tx.files.write(path, content);
    if (snapshot.pendingAction !== null) reissue(tx, snapshot.pendingAction, snapshot.name);
    return leaveUnguarded(closeTransaction(tx, head, { ...startResult(tx), status: 'forked' }));
  });
}

/** @throws DevCliError as `fork` */
async function readForkSource(context: Context, from: string, seq: number): Promise<ForkSource> {
  const moment = await readCheckpoint(context, from, seq);
  const { snapshot } = moment;
  if (snapshot.status === 'completed' || snapshot.status === 'aborted') {
    throw new DevCliError('RUN_ENDED', `At entry ${seq} "${from}" is ${snapshot.status}: nothing goes on from there.`, {
      run: from,
      fix: ['Choose an entry before the end; they are listed by: ', { command: 'journal', input: { name: from } }],
    });
  }
  const documents = new Map<string, Buffer>();
  const lost: string[] = [];
  const warnings = moment.torn ? [TORN_WARNING] : [];
  const action = snapshot.pendingAction?.action;
  // What was written for the pending action names the other run; it is written anew.
  const superseded = action === undefined || action.action === 'done' ? null : `actions/${action.actionId}/`;
  for (const [path, digest] of moment.documents) {
    if (superseded !== null && path.startsWith(superseded)) continue;
    if (path.startsWith('/')) {
      warnings.push(`${path.slice(1)} lies outside the run's directory and is left as it is`);
      continue;
    }
    const content = await context.store.content(from, digest);
    if (content === null) lost.push(path);
    else documents.set(path, content);
  }
  if (lost.length === 0) return { moment, documents, warnings };
  throw new DevCliError('CONTENT_MISSING', `"${from}" cannot be had as it was at entry ${seq}: contents are missing.`, {
    run: from,
    details: lost.map((path) => ({ target: path, problem: `no intact objects/${moment.documents.get(path)}` })),
    fix: ['See what else is wrong: ', { command: 'replay', input: { name: from, check: true } }],
  });
}

/** A live name is in use; an ended one keeps its documents, which the fork would replace. */
function refuseTaken(name: string, { snapshot }: Pick<StreamState<RunState>, 'snapshot'>): void {
  if (snapshot === null) return;
  throw new DevCliError('RUN_EXISTS', `"${name}" is ${snapshot.status}; a fork needs a name without runs.`, {
    run: name,
    fix: 'Give another name with --as.',
  });
}

/** Somebody may have put a plan there for `init` to adopt. */
function refuseForeignFiles(name: string, { files }: StreamState<RunState>, { documents }: ForkSource): void {
  const taken = [...documents].filter(([path, content]) => {
    const { kind } = files.facts(path);
    return kind !== 'missing' && (kind !== 'file' || sha256(files.read(path) ?? '') !== sha256(content));
  });
  if (taken.length === 0) return;
  throw new DevCliError('RUN_EXISTS', `.dev/specs/${name} holds other documents, which a fork would replace.`, {
    details: taken.map(([path]) => ({ target: `.dev/specs/${name}/${path}`, problem: 'is there already' })),
    fix: 'Give another name with --as.',
  });
}

/**
 * The state as it was, under its new name. What it knew of its own journal, of commands at work and of people present does
 * not carry over; decisions that were made do.
 */
function createForkedState(
  context: Context,
  head: StreamState<RunState>,
  name: string,
  { snapshot, last }: Checkpoint<RunState>,
  tree: WorkTreeStatus | null,
): RunState {
  const state = structuredClone(snapshot);
  // Its commits go where HEAD is when it goes on.
  delete state.engine?.head;
  delete state.engine?.waits;
  const gates = Object.entries(state.gates).map(([id, gate]) => [id, { ...gate, seq: 1 }]);
  return {
    ...state,
    runId: createRunId(context, head.at),
    name,
    forkedFrom: { name: snapshot.name, runId: snapshot.runId, seq: last },
    earlierRun: null,
    origin: null,
    workTree: context.workTree === context.root ? '.' : context.workTree,
    place: context.store.home(name),
    gates: Object.fromEntries(gates),
    lastHuman: null,
    stops: {},
    sourcesRefused: null,
    commands: {},
    commandResults: {},
    recovered: [],
    events: [],
    baseline: tree === null ? null : toBaseline(tree),
    cliVersion: context.cliVersion,
    createdAt: head.at,
    updatedAt: head.at,
    seq: head.seq,
  };
}

function leaveUnguarded<A>(decision: Decision<RunState, A>): Decision<RunState, A> {
  return 'entries' in decision ? { ...decision, marks: { guarded: false } } : decision;
}
