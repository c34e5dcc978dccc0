import { formatInstant } from '../../base/clock.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { askGoal } from '../../blocks/goal.js';
import { APPROVE_PLAN } from '../../blocks/plan-gate.js';
import { addNoteToDraft, beginDraft } from '../../blocks/run-draft.js';
import { readDraft } from '../../documents/draft.js';
import type { Job } from '../../jobs/job.js';
import { STATE_SCHEMA_VERSION } from '../../project/layout.js';
import { listArtifacts } from '../../recipe/declared.js';
import { listUnpromised } from '../../recipe/writes.js';
import { readCapturedOrEmpty } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { fingerprintDocument } from '../../run/documents/artifacts.js';
import { REPORT } from '../../run/paths.js';
import type { RunDraft, RunState } from '../../run/state.js';
import type { OutsideFacts } from '../../run/surroundings.js';
import { openTransaction, recordEntry, type Transaction } from '../../run/transaction.js';
import type { StreamState } from '../../store/store.js';
import { toBaseline, type WorkTreeStatus } from '../../work/baseline.js';
import { abortRun } from '../control/abort.js';
import { startRecipe } from '../walk/advance.js';
import { createRecipeState, createWorkflow } from '../walk/phases.js';
import { type CheckedNeeds, skipPhasesLackingNeeds } from './needs.js';
import type { PreparedRun } from './prepare.js';

/** Creates an id that no other run has (storage.md, Identity). */
export function createRunId(context: Context, at: string): string {
  return `${formatInstant(Date.parse(at)).replace(/[-:]|\.\d+/g, '')}-${context.ids.hex(6)}`;
}

/**
 * Creates the state of a new run before its recipe has begun.
 * @param head the stream of the name, which may contain earlier runs
 * @param tree the present status of the work tree; null if git cannot read it
 */
export function createState(
  context: Context,
  head: StreamState<RunState>,
  name: string,
  prepared: Extract<PreparedRun, { kind: 'new' }>,
  tree: WorkTreeStatus | null,
): RunDraft {
  const { captured } = prepared;
  const at = head.at;
  return {
    schemaVersion: STATE_SCHEMA_VERSION,
    runId: createRunId(context, at),
    name,
    status: 'live',
    outcome: null,
    recipe: captured.workflow?.name ?? captured.recipe.name,
    ...createRecipeState(captured.recipe, prepared),
    goal: prepared.goal,
    currentBlock: null,
    blockIndex: 0,
    pendingAction: null,
    earlierRun: head.snapshot?.runId ?? null,
    written: [],
    origin: null,
    workTree: context.workTree === context.root ? '.' : context.workTree,
    place: context.store.home(name),
    phase: 'agent',
    lastAction: head.snapshot?.lastAction ?? 0,
    events: [],
    documents: {},
    lastHuman: null,
    stops: {},
    warnings: [],
    recovered: [],
    workflow: captured.workflow === undefined ? null : createWorkflow(captured.workflow),
    // Carried over, because a pull request opened by an earlier run of the name still belongs to this work.
    ...omitUndefined({ pullRequest: head.snapshot?.pullRequest, reports: listReports(head.snapshot) }),
    preferences: prepared.preferences,
    ...omitUndefined({ notes: prepared.notes }),
    baseline: tree === null ? null : toBaseline(tree),
    cliVersion: context.cliVersion,
    recipeHash: captured.digest,
    createdAt: at,
    updatedAt: at,
    seq: head.seq,
  };
}

/** Lists the reports that earlier executions of the name wrote; any other file named like a report is the user's. */
function listReports(before: RunState | null): string[] | undefined {
  if (before === null) return undefined;
  return before.reports === undefined ? (before.written.includes(REPORT) ? [REPORT] : undefined) : [...before.reports];
}

/**
 * Records a new run in its transaction and begins its recipe.
 * @returns jobs of an earlier run that was aborted for this one; they are still running
 * @throws DevCliError `FILES_OVERLAP`
 */
export function startRun(
  tx: Transaction,
  context: Context,
  head: StreamState<RunState>,
  asked: CheckedNeeds & { prepared: Extract<PreparedRun, { kind: 'new' }> },
  surroundings: OutsideFacts,
): Job[] {
  const { state } = tx;
  const { prepared } = asked;
  const abandoned = abortEarlierRun(tx, context, head, prepared, surroundings);
  recordEntry(tx, 'init', {
    recipe: state.recipe,
    recipeHash: state.recipeHash,
    goal: state.goal,
    mode: tx.state.mode,
    ...omitUndefined({ size: prepared.size.said, atMost: prepared.size.most }),
    cliVersion: state.cliVersion,
  });
  tx.files.write('recipe.json', `${JSON.stringify(prepared.captured)}\n`);
  const recipes = tx.captured.workflow?.phases.map(({ recipe }) => recipe) ?? [tx.captured.recipe];
  const unpromised = listUnpromised(listArtifacts(tx.captured), recipes);
  if (unpromised.length > 0) {
    state.found = Object.fromEntries(unpromised.map((path) => [path, fingerprintDocument(tx.files, path)]));
  }
  if (recipes.some(({ usesDraft }) => usesDraft)) prepareDraft(tx, head, prepared);
  skipPhasesLackingNeeds(tx, asked);
  if (prepared.asksGoal) askGoal(tx);
  else startRecipe(tx);
  return abandoned;
}

/**
 * Aborts the unfinished run that the new one replaces (`--force`, or `--size` for a failed execution), in the same
 * commit.
 * @returns the jobs that are still running
 */
function abortEarlierRun(
  tx: Transaction,
  context: Context,
  head: StreamState<RunState>,
  { replaces, size }: Extract<PreparedRun, { kind: 'new' }>,
  surroundings: OutsideFacts,
): Job[] {
  const { snapshot } = head;
  if (snapshot === null || (snapshot.status !== 'live' && snapshot.status !== 'halted')) return [];
  const captured = readCapturedOrEmpty(head);
  const earlier = openTransaction(context, head, copyState(snapshot), captured, surroundings);
  const abandoned = abortRun(
    earlier,
    replaces === null ? 'a new run was started with --force' : `planned again at size ${size.said}`,
  );
  tx.entries.push(...earlier.entries);
  for (const { path } of earlier.files.changes()) {
    const content = earlier.files.read(path);
    if (content !== null) tx.files.write(path, content);
  }
  return abandoned;
}

/**
 * Begins DRAFT.md. Adopts a draft that the user provided or, if readable, the draft of a run whose work is planned
 * again; renames any other draft of an earlier run.
 * @throws DevCliError `DOCUMENT_UNREADABLE` for a draft that the user provided
 */
function prepareDraft(
  tx: Transaction,
  { snapshot }: StreamState<RunState>,
  { continues }: Extract<PreparedRun, { kind: 'new' }>,
): void {
  const present = tx.files.text('DRAFT.md');
  if (present !== null && snapshot === null) readDraft(present);
  else if (present !== null && !(continues && isDraft(present))) {
    const aside = `DRAFT.before-${tx.state.runId}.md`;
    tx.files.write(aside, present);
    tx.warnings.push(`DRAFT.md of the earlier run is now ${aside}`);
    tx.files.remove('DRAFT.md');
  }
  beginDraft(tx);
  if (snapshot !== null && continues) keepRefusal(tx, snapshot);
}

/** Adds a person's reason for refusing the earlier plan to the draft, so that the new plan takes it into account. */
function keepRefusal(tx: Transaction, earlier: RunState): void {
  const { engine, gates } = earlier;
  const asked = gates[APPROVE_PLAN];
  if (engine === null || engine.planApproved !== null || asked?.note === undefined) return;
  addNoteToDraft(tx, { gate: APPROVE_PLAN, note: asked.note, by: asked.by });
}

function isDraft(text: string): boolean {
  try {
    readDraft(text);
    return true;
  } catch (error) {
    if (error instanceof DevCliError) return false;
    throw error;
  }
}
