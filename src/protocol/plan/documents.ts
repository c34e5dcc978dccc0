import type { Answer } from '../../base/answer.js';
import type { Invocation } from '../../base/invocation.js';
import { canonicalJson } from '../../base/json.js';
import { joinFirst } from '../../base/words.js';
import { type KnownPlan, type PlanOnDisk, readPlanOnDisk, withTodos } from '../../blocks/plan-on-disk.js';
import { listAddedTodos } from '../../engine/act/plan/plan.js';
import { getKnownPlan } from '../../engine/act/plan/verdicts.js';
import type { PlanChange } from '../../plan/changes/change.js';
import { comparePlans } from '../../plan/changes/compare.js';
import { renderPlanChanges } from '../../plan/changes/render.js';
import { readBoxes } from '../../plan/page/boxes.js';
import { renderPlan } from '../../plan/page/render.js';
import { createPlanExtras } from '../../plan/page/setting.js';
import { buildPlanSummary } from '../../plan/page/summary.js';
import { carryBoxes, listTicked } from '../../plan/read-back/unchanged-todos.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context, HistoryContext } from '../../run/context.js';
import { createDocumentOverlay, type PendingDocuments } from '../../run/documents/pending.js';
import { findLastEngine } from '../../run/facts.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { readPlan } from '../../run/plan/content.js';
import type { RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { openTransaction, recordEntry, type Transaction } from '../../run/transaction.js';
import type { StreamState } from '../../store/store.js';
import type { Revision } from './decide.js';

/**
 * `plan apply` without a running execution: rewrites both files from whichever was changed. An earlier approval lapses,
 * because it counts only for the plan for which it was given (engine.md, Approvals).
 * @param revision a change to apply on top of what the files contain
 * @throws any error of reading the plan, and of the store
 */
export async function applyToDocuments(
  context: Context,
  head: StreamState<RunState>,
  name: string,
  { dryRun, revision }: { dryRun: boolean; revision: Revision | undefined },
): Promise<Answer> {
  const { snapshot } = head;
  const isOver = snapshot !== null && snapshot.status !== 'live' && findLastEngine(snapshot) !== null;
  const told = { dryRun, isWhole: revision !== undefined, isOver };
  if (dryRun) return buildAnswer(name, writeBoth(createDocumentOverlay(head.files), name, snapshot, revision), told);
  if (snapshot === null) {
    const placed = await context.store.place(name, (now) => {
      const files = createDocumentOverlay(now);
      return { answer: writeBoth(files, name, null, revision), files: files.changes() };
    });
    return buildAnswer(name, placed, told);
  }
  const done = await transact(context, name, (tx) => {
    const before = canonicalJson(tx.state);
    const written = writeBoth(tx.files, name, tx.state, revision);
    const changed = tx.files.differs() || canonicalJson(tx.state) !== before;
    if (written.source !== null && changed) {
      const summary = `applied from ${written.source}`;
      const command = revision?.call.command ?? 'plan apply';
      markReviews(tx);
      recordEntry(tx, 'document', { command, paths: [PLAN_CONTENT, PLAN], summary });
    }
    return written;
  });
  return buildAnswer(name, done, told);
}

/** Marks the last review as one of an earlier plan if the run is live. */
function markReviews({ state }: Transaction): void {
  const last = state.reviews.at(-1);
  if (last === undefined || state.status !== 'live') return;
  state.reviews = state.reviews.map((one) =>
    one.block === last.block && one.round === last.round ? { ...one, edited: true } : one,
  );
}

interface Written extends Pick<PlanOnDisk, 'source' | 'plan'> {
  summary: string;
  changes: readonly PlanChange[];
  /** Todos whose boxes were unticked because their text changed. */
  unticked: readonly string[];
}

function writeBoth(
  files: PendingDocuments,
  name: string,
  state: RunState | null,
  { read }: Pick<Revision, 'read'> = { read: readPlanOnDisk },
): Written {
  const shown = files.text(PLAN);
  const boxes = readBoxes(shown ?? '');
  const goal = state?.goal ?? null;
  const engine = state === null ? null : findLastEngine(state);
  // Todos that an execution added count as part of the plan if PLAN.md shows them.
  const known = engine === null ? [] : listAddedTodos(engine).filter(({ id }) => Object.hasOwn(boxes, id));
  const before = readPlan(files);
  const disk = read(files, { plan: null, added: known, name, goal });
  const whole = withTodos(disk.plan, disk.added);
  const madeFrom = before === null ? undefined : withTodos(before, known);
  const ticked = shown === null ? {} : carryBoxes(shown, whole, madeFrom);
  const stays = new Set(whole.todos.map(({ id }) => id));
  const written = {
    source: disk.source,
    plan: disk.plan,
    summary: buildPlanSummary(disk.plan, ticked).line,
    changes: madeFrom === undefined ? [] : comparePlans(madeFrom, whole),
    unticked: listTicked(shown ?? '').filter((id) => stays.has(id) && ticked[id] !== true),
  };
  if (disk.source === null) return written;
  if (files.text(PLAN_CONTENT) === disk.text) files.keep(PLAN_CONTENT);
  else files.write(PLAN_CONTENT, disk.text);
  files.write(PLAN, renderPlan(whole, ticked, createPlanExtras(disk.plan, name, goal)));
  return written;
}

/** How many todos a line names at most. */
const TODOS_NAMED = 20;

function buildAnswer(
  run: string,
  { source, plan, summary, changes, unticked }: Written,
  { dryRun, isWhole, isOver }: { dryRun: boolean; isWhole: boolean; isOver: boolean },
): Answer {
  const status = source === null ? 'unchanged' : dryRun ? 'judged' : 'applied';
  const told = {
    status,
    ...(source === null ? {} : { source }),
    todos: plan.todos.length,
    summary,
    ...(unticked.length === 0 ? {} : { unticked: [...unticked] }),
    ...(isWhole ? { changes: changes.map((change) => ({ ...change })) } : {}),
  };
  const text =
    source === null
      ? `${PLAN} and ${PLAN_CONTENT} agree.`
      : `${dryRun ? 'would be applied' : 'applied'} from ${source}: ${summary}`;
  const again =
    unticked.length === 0
      ? ''
      : `\nthe next execution does these again, because their text changed: ${joinFirst(unticked, TODOS_NAMED)}`;
  const difference =
    isWhole && changes.length > 0 ? `\n\n${renderPlanChanges(changes, { whole: true }).trimEnd()}` : '';
  const next: Invocation = { command: 'init', input: { name: run, execute: true } };
  const isLeft = isOver && status === 'applied';
  return {
    exit: 0,
    json: { ok: true, run, plan: told, ...(isLeft ? { resume: next } : {}) },
    text: (format) =>
      `${text}${again}${difference}${isLeft ? `\n\nThe execution has ended; another one carries it out: ${format(next)}` : ''}`,
  };
}

/**
 * Returns the plan with which the files are compared: the one being executed, if any. @throws DevCliError
 * `STATE_CORRUPT`
 */
export function readKnownPlan(context: HistoryContext, head: StreamState<RunState>, name: string): KnownPlan {
  const { snapshot } = head;
  if (snapshot === null) return { plan: null, added: [], name, goal: null };
  const { engine } = snapshot;
  const isOver = snapshot.status === 'completed' || snapshot.status === 'aborted';
  if (engine === null || isOver) {
    const last = findLastEngine(snapshot);
    return { plan: null, added: last === null ? [] : listAddedTodos(last), name, goal: snapshot.goal };
  }
  return getKnownPlan(openTransaction(context, head, copyState(snapshot), readCapturedRecipe(head)));
}
