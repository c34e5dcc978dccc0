import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { requireName } from '../../base/name.js';
import { setRunGoal } from '../../blocks/goal.js';
import { findPlanGate } from '../../blocks/plan-gate.js';
import { setUserSize } from '../../blocks/size-claim.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { isLarger, type Size } from '../../documents/size-rules.js';
import type { Job } from '../../jobs/job.js';
import { canInvalidate } from '../../machine/position.js';
import { findClassifier } from '../../recipe/own-commands.js';
import { readCapturedOrEmpty, readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import { type Context, getDeadline } from '../../run/context.js';
import { awaitsGoal, getSize } from '../../run/facts.js';
import { refuseHeld, renderHold } from '../../run/hold.js';
import { bindSession, readStateIfReadable } from '../../run/other-executions.js';
import { findPending } from '../../run/pending-action.js';
import type { RunState } from '../../run/state.js';
import { createOutsideFacts } from '../../run/surroundings.js';
import { closeTransaction, openTransaction, type Transaction } from '../../run/transaction.js';
import type { StreamState } from '../../store/store.js';
import { renderEnvelope } from '../../views/action.js';
import type { CallResult } from '../../views/action-text.js';
import { redoBlocks } from '../control/invalidate.js';
import { makeActive } from '../control/use.js';
import { mergeResults, startResult } from '../envelope.js';
import { warnOfElsewhere } from '../find/elsewhere.js';
import { findPendingId, findPlanDifferenceOnDisk } from '../find/find-run.js';
import { runPendingJobs, stopJobs } from '../settle.js';
import { startRecipe } from '../walk/advance.js';
import { reopenPhase } from '../walk/phases.js';
import { describeWrittenOutputs, findPreviousRun, refuseSameGoal } from './existing-work.js';
import { type FirstTree, readFirstTree, requireIdentity } from './first-look.js';
import { checkNeeds } from './needs.js';
import { createState, startRun } from './new-run.js';
import { BEGIN_ANEW, type InitInput, type PreparedRun, runExistsError } from './prepare.js';
import { prepareOrRestore, readExistingRun, resolveApproval } from './prepare-inputs.js';
import { buildSmallerError, givesWayToReplanning } from './size.js';

/** How many characters of the run's goal a warning quotes. */
const GOAL_SHOWN = 200;

/**
 * `init`: starts a run, or resumes an unfinished one, and answers with its pending action (protocol.md §5). A failed
 * `init` writes nothing.
 * @param given the run's name, unchecked
 * @throws DevCliError `RUN_EXISTS`, `RUN_ACTIVE`, `RUN_SAME_GOAL`, `RUN_HELD`, `FILES_OVERLAP`, `MODE_CONTRADICTION`,
 * `SIZE_REFUSED`, `UNKNOWN_RECIPE`, `RECIPE_INVALID`, `RECIPE_UNTRUSTED`, `UNKNOWN_PREFERENCE`, `NEEDS_MISSING`,
 * `IDENTITY_MISSING`
 */
export async function initRun(context: Context, given: string, { origin, ...input }: InitInput): Promise<Answer> {
  const until = getDeadline(context);
  const name = requireName(given);
  await refuseSecondRun(context, name, input);
  const present = await readExistingRun(context, name);
  // Started now, so that git reads the work tree while the recipe is being compiled.
  const reading = resumes(present, input) ? null : beginReading(context);
  const { settled, notices } = await prepareOrRestore(context, name, input);
  const checked = await checkNeeds(context, settled);
  const { prepared, warnings } = await resolveApproval(context, checked.prepared, input);
  let first: FirstTree = { tree: null, warnings: [] };
  if (prepared.kind === 'new' || (present !== null && awaitsGoal(present)))
    await refuseSameGoal(context, name, input, { prepared });
  if (prepared.kind === 'new') {
    first = await (reading ?? readFirstTree(context));
    if (first.tree !== null) await requireIdentity(context, prepared.captured);
    if (context.simulation === undefined) warnings.push(...warnOfElsewhere(context, name));
  }
  let abandoned: Job[] = [];
  const result = await context.store.transact<CallResult>(name, (head, neighbours) => {
    const surroundings = createOutsideFacts(context, neighbours, prepared.kind === 'new' ? first.tree : undefined);
    const resumable = findResumableRun(context, head, prepared, input);
    if (resumable !== null) {
      const tx = openTransaction(context, head, copyState(resumable), readCapturedRecipe(head), surroundings);
      tx.warnings.push(...resumable.recovered, ...head.notices);
      const moved = findPlanDifferenceOnDisk(context, head);
      if (moved !== null) tx.warnings.push(moved.line);
      abandoned = (input.size === undefined ? null : growPlanning(tx, input.size)) ?? [];
      giveGoal(tx, input.goal?.trim() ?? '');
      return closeTransaction(tx, head, buildResumeResult(tx, input));
    }
    if (prepared.kind === 'resume') throw runEndedError();
    const state = { ...createState(context, head, name, prepared, first.tree), ...(origin && { origin }) };
    const earlier = findPreviousRun(context, head);
    const planGate = earlier === null ? null : findPlanGate(earlier, readCapturedOrEmpty(head));
    if (planGate !== null) state.planGate = planGate;
    const tx = openTransaction(context, head, state, prepared.captured, surroundings, earlier);
    tx.warnings.push(...notices, ...head.notices, ...prepared.warnings, ...first.warnings, ...warnings);
    abandoned = startRun(tx, context, head, { ...checked, prepared }, surroundings);
    return closeTransaction(tx, head, { ...startResult(tx), status: 'initialized' });
  });
  await stopJobs(context, name, abandoned);
  const silence = await context.warnOfSilence?.(result.status === 'resumed' ? undefined : name);
  const unbound = await bindCaller(context, name);
  if (result.status === 'resumed' && isOfRoot(present)) await makeActive(context, name);
  const later = await runPendingJobs(context, name, until, findPendingId(present));
  const all = mergeResults(result, later);
  return renderEnvelope({ ...all, warnings: [...all.warnings, ...unbound, ...(silence ? [silence] : [])] }, context);
}

/**
 * Starts reading the work tree. The empty handler is needed because `init` may be refused before it awaits the result;
 * a failure of git would then be an unhandled rejection.
 */
function beginReading(context: Context): Promise<FirstTree> {
  const reading = readFirstTree(context);
  reading.catch(() => {});
  return reading;
}

/** Whether `init` will resume this run and therefore needs no work tree status. */
function resumes(present: RunState | null, { force }: InitInput): boolean {
  return force !== true && (present?.status === 'live' || present?.status === 'halted');
}

/** Binds the session to the run. Since the run already exists, a failure becomes a warning. */
async function bindCaller(context: Context, name: string): Promise<string[]> {
  try {
    if (context.session !== null) await bindSession(context, context.session, name);
    return [];
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return [`this session is not bound to the run, so name it in every command: ${error.message}`];
  }
}

/** Refuses a second run in the same session. @throws DevCliError `RUN_ACTIVE` if it is bound to another live run */
async function refuseSecondRun(context: Context, name: string, input: InitInput): Promise<void> {
  if (context.session === null || input.new === true) return;
  const bound = await context.store.session(context.session);
  if (bound === null || bound === name) return;
  const state = await readStateIfReadable(context, bound);
  if (state?.status !== 'live') return;
  throw new DevCliError('RUN_ACTIVE', `This session works on "${bound}", which is not finished.${renderHold(state)}`, {
    run: bound,
    fix: [
      'Ask the user which of the two is meant; `instead` begins the new run beside it. To continue the current one: ',
      { command: 'next', input: { name: bound } },
    ],
    instead: { command: 'init', input: { name, ...input, new: true } },
  });
}

/**
 * Returns the run that init resumes: a live or halted run of the same recipe, unless `--force` replaces it or `--size`
 * has its work planned again; null if init begins a new run.
 * @throws DevCliError `RUN_EXISTS` for a run of another recipe, `RUN_HELD`, and as `givesWayToReplanning`
 */
function findResumableRun(
  context: Context,
  head: StreamState<RunState>,
  prepared: PreparedRun,
  input: InitInput,
): RunState | null {
  const { snapshot } = head;
  if (snapshot === null || (snapshot.status !== 'live' && snapshot.status !== 'halted')) return null;
  const replaces = prepared.kind === 'new' && prepared.replaces === snapshot.runId;
  const goesOn = input.force !== true && !(replaces && givesWayToReplanning(snapshot, head.files, input));
  if (goesOn && snapshot.recipe === prepared.recipe) return snapshot;
  refuseHeld(context, snapshot, BEGIN_ANEW);
  if (goesOn) throw runExistsError(snapshot);
  return null;
}

/** If the run waits for its goal and one is given, records the goal and starts the recipe. */
function giveGoal(tx: Transaction, goal: string): void {
  const pending = awaitsGoal(tx.state) && goal !== '' ? findPending(tx) : null;
  if (pending === null) return;
  setRunGoal(tx, pending, goal);
  startRecipe(tx);
}

function buildResumeResult(tx: Transaction, input: InitInput): CallResult {
  const { goal } = tx.state;
  if (input.goal !== undefined && input.goal.trim() !== (goal ?? '').trim()) {
    const own = goal === null ? 'it has none' : JSON.stringify(toBoundedLine(goal, GOAL_SHOWN));
    tx.warnings.push(`a different goal was given, but the run keeps its own: ${own}; use another name for other work`);
  }
  tx.warnings.push(...describeWrittenOutputs(tx));
  if (input.set !== undefined) tx.warnings.push('--set has no effect: the run keeps the values it began with');
  return { ...startResult(tx), status: 'resumed' };
}

/** Whether the run works in the root itself; only such a run can be the active one. */
function isOfRoot(state: RunState | null): boolean {
  return state !== null && state.origin === null && state.workTree === '.';
}

function runEndedError(): DevCliError {
  return new DevCliError('RUN_ENDED', 'The run ended while init was reading it.', { fix: 'Run init again.' });
}

/**
 * `init --size` for a run that is planning: the size counts as the user's decision, and the run is redone from the
 * block that classifies the size; documents stay (recipes.md, Size).
 * @returns the withdrawn jobs, which are still running; null if the run already has that size
 * @throws DevCliError `SIZE_REFUSED` for a smaller size once work at the present size has begun, or if no block of the
 * current recipe classifies the size
 */
function growPlanning(tx: Transaction, size: Size): Job[] | null {
  const { state } = tx;
  const { value } = getSize(state);
  const classifier = findClassifier(tx.captured.recipe);
  if (tx.state.size?.said === size || (classifier === null && size === value)) return null;
  if (classifier === null) throw buildFixedSizeError(tx, value);
  if (isLarger(value, size) && isBegun(tx, classifier)) throw buildSmallerError(state.name, size, value);
  const redone =
    size !== value && !awaitsGoal(state) && canInvalidate(tx.captured.recipe.program, tx.state.machine, classifier);
  setUserSize(tx, size, { block: classifier, redone: redone ? `: redone from ${classifier}` : '' });
  if (!redone) return [];
  reopenPhase(tx);
  return redoBlocks(tx, classifier);
}

/** Whether work at the present size has begun: the block that classifies has finished, or a later one has begun. */
function isBegun({ captured, state: { steps } }: Transaction, classifier: string): boolean {
  const ids = captured.recipe.blocks.map(({ id }) => id);
  const [own, ...behind] = ids.slice(ids.indexOf(classifier)).map((id) => steps[id]?.status ?? 'pending');
  return (own !== 'pending' && own !== 'running') || behind.some((status) => status !== 'pending');
}

function buildFixedSizeError({ state, captured }: Transaction, value: Size): DevCliError {
  const { name } = state;
  return new DevCliError(
    'SIZE_REFUSED',
    `"${name}" is at ${captured.recipe.name}, which has no block that determines the size; it stays ${value}.`,
    {
      run: name,
      fix: [
        'Ask the user: init with --force aborts the run and starts again at that size. To continue the run: ',
        { command: 'next', input: { name } },
      ],
    },
  );
}
