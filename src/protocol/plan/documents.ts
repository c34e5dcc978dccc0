import type { Answer } from '../../base/answer.js';
import { canonicalJson } from '../../base/json.js';
import { type PlanOnDisk, readPlanOnDisk, withTodos } from '../../blocks/plan-on-disk.js';
import { carryBoxes, readBoxes } from '../../documents/plan-boxes.js';
import { renderPlan } from '../../documents/plan-render.js';
import { createPlanSetting } from '../../documents/plan-request.js';
import { buildPlanSummary } from '../../documents/plan-summary.js';
import { listAddedTodos } from '../../engine/act/plan.js';
import type { Context } from '../../run/context.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { createWorkspace, type PendingDocuments } from '../../run/pending-documents.js';
import type { RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { recordEntry } from '../../run/transaction.js';
import type { StreamState } from '../../store/store.js';

/**
 * `plan apply` where no execution is under way: both files are written anew from whichever was changed. An approval
 * counts for the plan that it was given for, so that one made before does not hold any more (engine.md, Approvals).
 * @throws what `readPlanOnDisk` and the store throw
 */
export async function applyToDocuments(
  context: Context,
  head: StreamState<RunState>,
  name: string,
  dryRun: boolean,
): Promise<Answer> {
  const { snapshot } = head;
  if (dryRun || snapshot === null) {
    const files = createWorkspace(head.files);
    const done = writeBoth(files, name, snapshot);
    if (!dryRun && done.source !== null) await context.store.place(name, files.changes());
    return buildAnswer(name, done, dryRun);
  }
  const done = await transact(context, name, (tx) => {
    const before = canonicalJson(tx.state);
    const written = writeBoth(tx.files, name, tx.state);
    const changed = tx.files.differs() || canonicalJson(tx.state) !== before;
    if (written.source !== null && changed) {
      const summary = `taken up from ${written.source}`;
      recordEntry(tx, 'document', { command: 'plan apply', paths: [PLAN_CONTENT, PLAN], summary });
    }
    return written;
  });
  return buildAnswer(name, done, dryRun);
}

interface Written extends Pick<PlanOnDisk, 'source' | 'plan'> {
  summary: string;
}

function writeBoth(files: PendingDocuments, name: string, state: Pick<RunState, 'goal' | 'recipes'> | null): Written {
  const shown = files.text(PLAN);
  const boxes = readBoxes(shown ?? '');
  const goal = state?.goal ?? null;
  const engine = state?.recipes.findLast((recipe) => recipe.engine !== null)?.engine ?? null;
  // Todos that an execution added, and that PLAN.md shows, are part of the plan.
  const known = engine === null ? [] : listAddedTodos(engine).filter(({ id }) => Object.hasOwn(boxes, id));
  const disk = readPlanOnDisk(files, { plan: null, added: known, name, goal });
  const whole = withTodos(disk.plan, disk.added);
  const ticked = shown === null ? {} : carryBoxes(shown, whole);
  const written = { source: disk.source, plan: disk.plan, summary: buildPlanSummary(disk.plan, ticked).line };
  if (disk.source === null) return written;
  if (files.text(PLAN_CONTENT) === disk.text) files.keep(PLAN_CONTENT);
  else files.write(PLAN_CONTENT, disk.text);
  files.write(PLAN, renderPlan(whole, ticked, createPlanSetting(disk.plan, name, goal)));
  return written;
}

function buildAnswer(run: string, { source, plan, summary }: Written, dryRun: boolean): Answer {
  const status = source === null ? 'unchanged' : dryRun ? 'judged' : 'applied';
  const told = { status, ...(source === null ? {} : { source }), todos: plan.todos.length, summary };
  const text =
    source === null
      ? `${PLAN} and ${PLAN_CONTENT} say the same.`
      : `${dryRun ? 'would be taken up' : 'taken up'} from ${source}: ${summary}`;
  return { exit: 0, json: { ok: true, run, plan: told }, text: () => text };
}
