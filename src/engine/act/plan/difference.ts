// door: engine

import { DevCliError } from '../../../base/errors.js';
import type { DocumentReader } from '../../../base/files.js';
import { canonicalJson, isRecord, parseOrNull } from '../../../base/json.js';
import { sha256 } from '../../../base/sha256.js';
import { joinFirst } from '../../../base/words.js';
import { statesPlan, withTodos } from '../../../blocks/plan-on-disk.js';
import type { PlanContent } from '../../../plan/model/schema.js';
import { isEdited } from '../../../plan/page/boxes.js';
import { createDocumentOverlay } from '../../../run/documents/pending.js';
import type { RunEngine } from '../../../run/engine.js';
import { CAPTURED_PLAN, PLAN } from '../../../run/paths.js';
import { readPlan } from '../../../run/plan/content.js';
import { mayPlanDiffer } from '../../../run/plan/digests.js';
import type { PlanChanges, PlanDifference } from '../../../run/plan/move.js';
import type { RunState } from '../../../run/state.js';
import { recordWarning, type Transaction } from '../../../run/transaction.js';
import { listAddedTodos, requireEngine } from './plan.js';

/** Maximum number of todos named per kind of change. */
const NAMED = 10;

/**
 * Describes changes to the plan that the execution has not applied, and how to apply them (living-plan.md, A plan that
 * moved on).
 * @param readsBack whether to read an edited PLAN.md back, which takes seconds for a large plan; otherwise any edit
 * counts as a change
 * @returns null if the plan is still the captured one, or if no execution is live or can be reopened
 */
export function findPlanDifference(state: RunState, files: DocumentReader, readsBack = true): PlanDifference | null {
  const { name, status } = state;
  const { engine } = state;
  if (engine === null || (status !== 'live' && status !== 'halted')) return null;
  const changes = findPlanChanges(state, engine, files, readsBack);
  if (changes === null) return null;
  const how =
    engine.proposed === undefined ? `To apply it: \`dev-cli plan apply ${name}\`` : 'A person is asked about it';
  const line = `the execution of "${name}" continues with the plan that it captured; not applied: ${renderChanges(changes)}. ${how}`;
  return { changes, line };
}

/** At the end of an execution that completed its whole plan, warns of changes to the plan that were never applied. */
export function recordPlanDifference(tx: Transaction): void {
  const { state, files } = tx;
  const engine = requireEngine(tx);
  const whole = engine.why === undefined && Object.values(engine.todos).every(({ status }) => status === 'done');
  const moved = whole && mayPlanDiffer(engine, files) ? findPlanChanges(state, engine, files, true) : null;
  if (moved === null) return;
  recordWarning(
    tx,
    `the plan was changed while it was carried out; not applied: ${renderChanges(moved)}. To apply it: \`dev-cli init ${state.name} --execute\``,
  );
}

/**
 * Compares the captured plan with the files on disk. Returns null if they agree, or if the captured plan was lost or
 * modified, because whatever needs that plan reports the loss itself.
 */
function findPlanChanges(
  state: RunState,
  engine: RunEngine,
  files: DocumentReader,
  readsBack: boolean,
): PlanChanges | null {
  const workspace = createDocumentOverlay(files);
  const captured = readIfPossible(() => workspace.text(CAPTURED_PLAN));
  const before = captured !== null && sha256(captured) === engine.planDigest ? parsePlan(captured) : null;
  if (before === null) return null;
  const shown = readIfPossible(() => workspace.text(PLAN));
  const now = readIfPossible(() => readPlan(workspace));
  const plans = [before, ...(now === null ? [] : [now])];
  const shows = plans.flatMap((plan) => [withTodos(plan, listAddedTodos(engine)), plan]);
  const edited = shown !== null && isEdited(shown) && !(readsBack && statesPlan(shown, shows, state));
  const broken = now === null && workspace.facts('plan-content.json').kind === 'file';
  const moved = { ...compareTodos(before, now ?? before), broken, edited };
  const any = moved.added.length + moved.removed.length + moved.changed.length > 0;
  return any || moved.rest || broken || edited ? moved : null;
}

/** Treats a file that must not be read, such as a FIFO or a file of many megabytes, as missing. */
function readIfPossible<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'EVIDENCE_INVALID') return null;
    throw error;
  }
}

function compareTodos(before: PlanContent, now: PlanContent): Omit<PlanChanges, 'broken' | 'edited'> {
  const mapTexts = ({ todos }: PlanContent) => new Map(todos.map((todo) => [todo.id, canonicalJson(todo)]));
  const [old, present] = [mapTexts(before), mapTexts(now)];
  const renderHead = ({ todos: _, ...head }: PlanContent) => canonicalJson(head);
  return {
    added: [...present.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !present.has(id)),
    changed: [...present].flatMap(([id, text]) => (old.has(id) && old.get(id) !== text ? [id] : [])),
    rest: renderHead(before) !== renderHead(now),
  };
}

function parsePlan(text: string | null): PlanContent | null {
  const value = parseOrNull(text);
  return isRecord(value) && Array.isArray(value['todos']) ? (value as unknown as PlanContent) : null;
}

function renderChanges({ added, removed, changed, rest, broken, edited }: PlanChanges): string {
  const renderGroup = (ids: readonly string[], how: string) =>
    ids.length === 0 ? [] : [`${ids.length} ${how} (${joinFirst(ids, NAMED)})`];
  return [
    ...renderGroup(added, 'added'),
    ...renderGroup(changed, 'changed'),
    ...renderGroup(removed, 'removed'),
    ...(rest ? ['parts of the plan other than its todos'] : []),
    ...(broken ? ['plan-content.json, which is not valid (`dev-cli plan validate` says why)'] : []),
    ...(edited ? [`${PLAN}, which was edited by hand`] : []),
  ].join('; ');
}
