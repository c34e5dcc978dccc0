import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { requireName } from '../../base/name.js';
import { sha256 } from '../../base/sha256.js';
import { selectPhase } from '../../recipe/load/captured.js';
import type { InputOf } from '../../registry/catalogue.js';
import { parseCaptured } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { renderDocumentsAt } from '../../run/documents/recovery.js';
import type { RunEngine } from '../../run/engine.js';
import { refuseHeld } from '../../run/hold.js';
import type { RecipeState } from '../../run/recipe-state.js';
import type { RunState } from '../../run/state.js';
import { createOutsideFacts } from '../../run/surroundings.js';
import { closeTransaction, openTransaction, recordEntry, type Transaction } from '../../run/transaction.js';
import type { Checkpoint, StreamState, TransactionDecision } from '../../store/store.js';
import { renderEnvelope } from '../../views/action.js';
import type { CallResult } from '../../views/action-text.js';
import { toBaseline, type WorkTreeStatus } from '../../work/baseline.js';
import { startResult } from '../envelope.js';
import { type FirstTree, readFirstTree } from '../init/first-look.js';
import { createRunId } from '../init/new-run.js';
import { readCheckpoint, TORN_WARNING } from '../questions/checkpoint.js';
import { mayStartUnasked, requirePersonForCommands } from '../trust/autopilot.js';
import { requireTrust } from '../trust/trust.js';
import { reissueAction } from '../walk/reissue.js';
import { continueInFork } from '../walk/release.js';

/** A checkpoint of a run with its documents. */
interface ForkSource {
  checkpoint: Checkpoint<RunState>;
  /** Contents by path, relative to the run's directory. */
  documents: Map<string, Buffer>;
  warnings: string[];
}

/**
 * `fork`: begins a run under a new name from a checkpoint of another run, which stays unchanged (storage.md, History).
 * The fork does not become the active run, launches nothing, and is not guarded until somebody continues it.
 * @param given name of the run to fork
 * @param input.at entry of its journal from which to continue
 * @param input.as name of the fork
 * @throws DevCliError `RUN_EXISTS`, `RUN_HELD`, `NO_SUCH_RUN`, `UNKNOWN_ENTRY`, `RUN_ENDED`, `CONTENT_MISSING`,
 * `JOURNAL_CORRUPT`, `RECIPE_UNTRUSTED`; then nothing was written
 */
export async function forkRun(context: Context, given: string, input: Omit<InputOf<'fork'>, 'name'>): Promise<Answer> {
  const from = requireName(given);
  const name = requireName(input.as);
  refuseTaken(name, await context.store.read(name));
  const source = await readForkSource(context, from, input.at);
  const first = await readFirstTree(context);
  const result = await beginFork(context, name, source, first);
  const answer = renderEnvelope(result, context);
  const { snapshot, last } = source.checkpoint;
  const forkedFrom = { name: from, runId: snapshot.runId, seq: last };
  return { ...answer, json: { ok: true, forkedFrom, ...answer.json } };
}

async function beginFork(
  context: Context,
  name: string,
  { checkpoint, documents, warnings }: ForkSource,
  first: FirstTree,
): Promise<CallResult> {
  const { snapshot } = checkpoint;
  const captured = parseCaptured(documents.get('recipe.json')?.toString('utf8') ?? '');
  requireTrust(context, captured);
  const atPhase = selectPhase(captured, snapshot.workflow?.phaseIndex ?? 0);
  return context.store.transact<CallResult>(name, (head, neighbours) => {
    refuseTaken(name, head);
    refuseForeignFiles(name, head, documents);
    const from = neighbours.read(snapshot.name).snapshot;
    if (from !== null) refuseHeld(context, from, 'to fork it');
    const state = createForkedState(context, head, name, checkpoint, first.tree);
    const tx = openTransaction(context, head, copyState(state), atPhase, createOutsideFacts(context, neighbours));
    tx.warnings.push(...warnings, ...first.warnings);
    const { recipe, recipeHash, goal, cliVersion, forkedFrom } = state;
    const { mode } = tx.state;
    recordEntry(tx, 'init', { recipe, recipeHash, goal, mode, cliVersion, ...(forkedFrom && { forkedFrom }) });
    for (const [path, content] of documents) tx.files.write(path, content);
    goOn(tx, snapshot);
    return leaveUnguarded(closeTransaction(tx, head, { ...startResult(tx), status: 'forked' }));
  });
}

/**
 * Lets the fork continue where the original run was: issues the pending action again or, if a hold had kept an effect
 * back, carries out that effect.
 */
function goOn(tx: Transaction, { name, pendingAction, held, currentBlock }: RunState): void {
  if (pendingAction !== null) reissueAction(tx, pendingAction, name);
  else if (held !== undefined) continueInFork(tx, held.kept, currentBlock ?? '');
}

/** @throws DevCliError as `forkRun` */
async function readForkSource(context: Context, from: string, seq: number): Promise<ForkSource> {
  const checkpoint = await readCheckpoint(context, from, seq);
  const { snapshot } = checkpoint;
  if (snapshot.status === 'completed' || snapshot.status === 'aborted') {
    throw new DevCliError(
      'RUN_ENDED',
      `At entry ${seq} "${from}" is ${snapshot.status}: no run can continue from there.`,
      {
        run: from,
        fix: ['Choose an entry before the end. To list them: ', { command: 'journal', input: { name: from } }],
      },
    );
  }
  const documents = new Map<string, Buffer>();
  const lost: string[] = [];
  const warnings = checkpoint.torn ? [TORN_WARNING] : [];
  const action = snapshot.pendingAction;
  // Files of the pending action are not copied: they contain the other run's name, and the fork writes its own.
  const superseded = action === null || action.action === 'done' ? null : `actions/${action.actionId}/`;
  const contents = await context.store.contents(from, checkpoint.documents.values());
  for (const [path, digest] of checkpoint.documents) {
    if (superseded !== null && path.startsWith(superseded)) continue;
    if (path.startsWith('/')) {
      warnings.push(`${path.slice(1)} lies outside the run's directory and is left as it is`);
      continue;
    }
    const content = contents.get(digest);
    if (content === undefined) lost.push(path);
    else documents.set(path, content);
  }
  const { past } = await context.store.read(from);
  for (const [path, content] of renderDocumentsAt(past, snapshot, checkpoint.last)) documents.set(path, content);
  if (lost.length === 0) return { checkpoint, documents, warnings };
  throw new DevCliError(
    'CONTENT_MISSING',
    `"${from}" cannot be restored to entry ${seq}: contents of documents are missing.`,
    {
      run: from,
      details: lost.map((path) => ({ target: path, problem: `no intact content ${checkpoint.documents.get(path)}` })),
      fix: ['See what else is wrong: ', { command: 'replay', input: { name: from, check: true } }],
    },
  );
}

/** Refuses a name that has a run, live or ended: the fork would replace its documents. */
function refuseTaken(name: string, { snapshot }: Pick<StreamState<RunState>, 'snapshot'>): void {
  if (snapshot === null) return;
  throw new DevCliError('RUN_EXISTS', `"${name}" is ${snapshot.status}; a fork needs a name without runs.`, {
    run: name,
    fix: 'Give another name with --as.',
  });
}

/** Refuses to replace documents of a name without a run, such as a plan for `init` to adopt. */
function refuseForeignFiles(
  name: string,
  { files }: StreamState<RunState>,
  documents: ReadonlyMap<string, Buffer>,
): void {
  const taken = [...documents].filter(([path, content]) => {
    const { kind } = files.facts(path);
    return kind !== 'missing' && (kind !== 'file' || sha256(files.read(path) ?? '') !== sha256(content));
  });
  if (taken.length === 0) return;
  throw new DevCliError('RUN_EXISTS', `.dev/specs/${name} holds other documents, which a fork would replace.`, {
    details: taken.map(([path]) => ({ target: `.dev/specs/${name}/${path}`, problem: 'already exists' })),
    fix: 'Give another name with --as.',
  });
}

/**
 * Returns the state of the checkpoint under the new name. Decisions are kept. Whatever belongs only to the original run
 * is left out: references to its journal, its running commands, and the record of when a person last took part in it.
 */
function createForkedState(
  context: Context,
  head: StreamState<RunState>,
  name: string,
  { snapshot, last }: Checkpoint<RunState>,
  tree: WorkTreeStatus | null,
): RunState {
  const { held: _, workflow, ...rest } = forkRecipe(snapshot);
  return {
    ...rest,
    runId: createRunId(context, head.at),
    name,
    forkedFrom: { name: snapshot.name, runId: snapshot.runId, seq: last },
    earlierRun: null,
    origin: null,
    workTree: context.workTree === context.root ? '.' : context.workTree,
    place: context.store.home(name),
    preferences: mayStartUnasked(context) ? snapshot.preferences : withQuestion(snapshot.preferences),
    workflow: workflow === null ? null : { ...workflow, earlier: workflow.earlier.map(forkRecipe) },
    engine: withoutHead(rest.engine),
    lastHuman: null,
    stops: {},
    recovered: [],
    baseline: tree === null ? null : toBaseline(tree),
    cliVersion: context.cliVersion,
    createdAt: head.at,
    updatedAt: head.at,
    seq: head.seq,
  };
}

/** Makes a fork begun by an agent ask a person about unapproved commands, whatever the original run allowed. */
function withQuestion(preferences: RunState['preferences']): RunState['preferences'] {
  return requirePersonForCommands(
    preferences['approve_commands'] === 'auto' ? { ...preferences, approve_commands: 'ask' } : preferences,
  );
}

/** Returns a recipe's state without references to the journal and the processes of the original run. */
function forkRecipe<R extends RecipeState>(recipe: R): R {
  const gates = Object.entries(recipe.gates).map(([id, gate]) => [id, { ...gate, seq: 1 }]);
  return { ...recipe, gates: Object.fromEntries(gates), sourcesRefused: null, commands: {}, commandResults: {} };
}

/** Drops the recorded HEAD: the fork commits wherever HEAD is when it continues. */
function withoutHead(engine: RunEngine | null): RunEngine | null {
  if (engine === null) return null;
  const { head: _head, waits: _waits, ...rest } = engine;
  return rest;
}

function leaveUnguarded<A>(decision: TransactionDecision<RunState, A>): TransactionDecision<RunState, A> {
  return 'entries' in decision ? { ...decision, marks: { guarded: false } } : decision;
}
