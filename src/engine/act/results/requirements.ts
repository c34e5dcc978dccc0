import { cutToSecond } from '../../../base/clock.js';
import { toWholeLine } from '../../../documents/foreign.js';
import { formatCommandLine } from '../../../documents/plan-text.js';
import type { SummaryRequirement } from '../../../documents/run-summary.js';
import type { PlanAcceptance, PlanTodo } from '../../../plan/model/schema.js';
import { recordWarning, type Transaction } from '../../../run/transaction.js';
import { createGlobTest, createPathTest } from '../../../work/paths.js';
import { getGateKey } from '../../core/events.js';
import { type JudgedRequirement, judgeRequirements, type ProofState } from '../../core/requirements.js';
import { createEarlierReader } from '../plan/further.js';
import { getTodoBody, readPlanHead, readWholePlan, requireEngine, requireEngineRecipe } from '../plan/plan.js';
import { createFinalCommandFinder } from './commands.js';
import { isFix } from './fixes.js';
import { isJudgedByItself } from './judges.js';

/** The requirements of the run's plan, and how far they are proved (engine.md, Requirements at the end). */

/** Returns the id of a todo's criterion in the questions to the code review. */
export function getCriterionId(todo: string, item: string): string {
  return `${todo}/${item}`;
}

/** Judges every requirement by the evidence so far. Empty for a plan without requirements. */
export function judgeAllRequirements(tx: Transaction): JudgedRequirement[] {
  if ((readPlanHead(tx).requirements ?? []).length === 0) return [];
  const { reviews } = requireEngine(tx);
  const known = { hasChanged: createChangeTest(tx), findFinal: createFinalCommandFinder(tx) };
  return judgeRequirements(
    readWholePlan(tx),
    (todo, item) => readProof(tx, todo, item, known),
    reviews.at(-1)?.requirements ?? [],
    createEarlierReader(tx),
  );
}

/**
 * Lists the requirements that the code review is asked about. Each has an assertion that no longer holds or was never
 * judged, for example because files of its todo changed after the verdict. Assertions that the same review judges
 * anyway do not count.
 */
export function listReviewedRequirements(tx: Transaction): JudgedRequirement[] {
  return judgeAllRequirements(tx).filter(({ proofs }) =>
    proofs.some(
      ({ todo, item, state }) => item.kind === 'assertion' && state !== 'holds' && !isJudgedInThisReview(tx, todo),
    ),
  );
}

/**
 * Returns whether this code review judges the assertions of a todo itself. It does so only for todos that this run did.
 */
function isJudgedInThisReview(tx: Transaction, todo: string): boolean {
  const isDoneHere = (requireEngine(tx).todos[todo]?.attempt ?? 0) > 0;
  return isDoneHere && !isJudgedByItself(tx, getTodoBody(tx, todo));
}

/** Lookups that are built once for all proofs. */
interface Known {
  /** Returns whether a file of the todo changed after the todo was done. */
  hasChanged: (todo: string) => boolean;
  findFinal: ReturnType<typeof createFinalCommandFinder>;
}

/** Renders the proofs of a requirement, and whether it is met. */
export function renderRequirement({ requirement, proofs, result, why }: JudgedRequirement): SummaryRequirement {
  // A fix repeats the commands of the todos whose files it touches, so those proofs are left out.
  const own = proofs.filter(({ todo, item }) => !(isFix({ id: todo }) && item.kind === 'command'));
  const shown = (own.length === 0 ? proofs : own).map(
    ({ todo, item, state, since }) =>
      `${todo} ${item.id}: ${renderProof(item)}${state === 'holds' ? renderSince(since) : ` (${state === 'open' && item.kind === 'command' ? 'not run' : STATES[state]})`}`,
  );
  const { id, text } = requirement;
  return {
    id,
    text,
    proof: shown.join('; '),
    result: why === undefined ? result : `${result}, as the code review says: ${why}`,
  };
}

function renderSince(since: string | undefined): string {
  return since === undefined ? '' : ` (in the execution that ended ${cutToSecond(since)}; no file of it changed since)`;
}

const STATES: Record<Exclude<ProofState, 'holds'>, string> = {
  fails: 'fails',
  open: 'judged by nobody',
  unrepeated: 'not run on the final tree',
  outdated: 'judged before its files changed',
};

function renderProof(item: PlanAcceptance): string {
  switch (item.kind) {
    case 'command':
      return formatCommandLine(item.run);
    case 'assertion':
      return 'an agent';
    case 'human':
      return 'a person';
  }
}

/** At the end, warns of each requirement that is not met, because the run would otherwise look successful. */
export function warnUnmet(tx: Transaction): void {
  // If the run halted or a todo is not done, unproved requirements are expected, and the halt itself is reported.
  if (
    requireEngine(tx).why !== undefined ||
    Object.values(requireEngine(tx).todos).some(({ status }) => status !== 'done')
  )
    return;
  for (const judged of judgeAllRequirements(tx)) {
    if (judged.result === 'met') continue;
    const { id, text, result } = renderRequirement(judged);
    const line = toWholeLine(`${id} is ${judged.result === 'open' ? 'not proved' : result}: ${text}`);
    if (!tx.state.warnings.includes(line)) recordWarning(tx, line);
  }
}

function readProof(tx: Transaction, todo: PlanTodo, item: PlanAcceptance, known: Known): ProofState {
  const engine = requireEngine(tx);
  const row = engine.todos[todo.id];
  if (row?.status !== 'done') return row?.status === 'failed' ? 'fails' : 'open';
  switch (item.kind) {
    case 'command': {
      const ran = known.findFinal(todo.id, item);
      const final = engine.evidence.find((one) => one.todo === ran?.todo && one.id === ran?.id);
      if (final !== undefined) return final.ok ? 'holds' : 'fails';
      return row.evidence?.some(({ id, ok }) => id === item.id && ok) === true ? 'unrepeated' : 'open';
    }
    case 'human': {
      const gate = tx.state.gates[getGateKey({ todo: todo.id, stage: 'verify', part: 'human' })];
      return gate?.choice === 'pass' && gate.by === 'human' ? 'holds' : 'open';
    }
    case 'assertion':
      return readAssertion(tx, todo, item.id, known);
  }
}

function readAssertion(tx: Transaction, todo: PlanTodo, id: string, { hasChanged }: Known): ProofState {
  const { reviews, todos } = requireEngine(tx);
  const asked = getCriterionId(todo.id, id);
  const reviewed = reviews.at(-1)?.criteria?.find((one) => one.id === asked);
  if (reviewed !== undefined) return reviewed.pass ? 'holds' : 'fails';
  const verified = requireEngineRecipe(tx).program.stages.some((stage) => stage.id === 'verify');
  // A todo whose box was ticked before the run has not been judged in this run.
  if (!verified || !isJudgedByItself(tx, todo) || (todos[todo.id]?.attempt ?? 0) === 0) return 'open';
  return hasChanged(todo.id) ? 'outdated' : 'holds';
}

/** Creates a test of whether another todo that ended later has changed a file of the given todo. */
function createChangeTest(tx: Transaction): (todo: string) => boolean {
  const { order, todos } = requireEngine(tx);
  const rows = order.flatMap((id) => todos[id] ?? []);
  return (id) => {
    const row = todos[id];
    if (row?.endedAt === undefined) return false;
    const [ended, inside, own] = [row.endedAt, createGlobTest(row.files), createPathTest(row.listed ?? [])];
    return rows.some(
      (other) =>
        other.id !== id &&
        (other.endedAt ?? '') > ended &&
        (other.listed ?? []).some((path) => own(path) || (row.files.length > 0 && inside(path))),
    );
  };
}
