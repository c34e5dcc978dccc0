import type { Answer } from '../../base/answer.js';
import type { Decision, DecisionSection, Look } from '../../base/decision.js';
import { DevCliError, type ErrorCode } from '../../base/errors.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { findChangedArtifact } from '../../blocks/choice.js';
import { findPlanMismatch } from '../../blocks/commands/plan.js';
import { APPROVE_PLAN, leadsToNextBlock } from '../../blocks/plan-gate.js';
import { isPlanRejected } from '../../engine/act/gates/apply-gate.js';
import { findCurrentGate } from '../../engine/act/gates/gates.js';
import { findPlanDifference } from '../../engine/act/plan/difference.js';
import { readWholePlan } from '../../engine/act/plan/plan.js';
import { APPLY_PLAN } from '../../machine/engine-program.js';
import { comparePlans } from '../../plan/changes/compare.js';
import { renderPlanChanges } from '../../plan/changes/render.js';
import { checkPlan } from '../../plan/check/check.js';
import type { PlanContent } from '../../plan/model/schema.js';
import { isPlanGate } from '../../recipe/declared.js';
import type { GateAction } from '../../run/action.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { findChoices } from '../../run/pending-action.js';
import type { RunHead } from '../../run/state.js';
import { getBlock, openTransaction, type Transaction } from '../../run/transaction.js';
import { stepInvalidate } from '../control/invalidate.js';
import { readRun } from '../find/find-run.js';
import { applyPlan, proposeAgain } from '../plan/apply.js';
import { isExecuting } from '../plan/decide.js';
import { diffPlans, listRounds } from '../plan/diff.js';
import { type Editor, editPlan, listPlanFaults } from '../plan/edit.js';
import { findLateText } from '../plan/edited-text.js';
import { toPersonContext } from '../trust/person.js';

/**
 * The plan at a gate that a person answers: changes on disk are applied first; the person can edit and compare the plan
 * (living-plan.md, At a gate).
 */

/** An open gate, with the plan about which it first asked. */
export interface OpenGate {
  head: RunHead;
  action: GateAction;
  /** The plan about which the gate first asked; null if it asked about no plan, or the plan can no longer be read. */
  asked: PlanContent | null;
  /** Why a change to the plan could not be applied; empty if it could. */
  faults: DecisionSection[];
}

/** Error codes of changes that cannot be applied; the person can still decide without them. */
const UNTAKEN: readonly ErrorCode[] = [
  'PLAN_EDITED',
  'PLAN_CONFLICT',
  'PLAN_MISSING',
  'SCHEMA_INVALID',
  'DATA_MALFORMED',
  'DATA_MISSING',
  'FILES_OVERLAP',
  'COMMIT_RUNNING',
  'UNKNOWN_CHOICE',
  'USAGE',
];

/** The open gate or, if it has closed, the answer to print instead of asking. */
export type GateNow = OpenGate | { told: Answer };

/** Returns the gate as issued, without applying changes to the plan: for callers that only show it. */
export function lookAtGate(context: Context, head: RunHead, action: GateAction): OpenGate {
  return { head, action, asked: readAsked(open(context, head), head, action), faults: [] };
}

/**
 * Applies changes made to the plan since the gate asked, and has the gate ask again. If the gate asks about a proposal,
 * which is itself an unapplied change, it only asks again and nothing is applied.
 * @throws DevCliError as `applyPlan`, except the codes in `UNTAKEN`, which become `faults` of the gate
 */
export async function adoptPlanAtGate(context: Context, head: RunHead, action: GateAction): Promise<GateNow> {
  const tx = open(context, head);
  const gate = lookAtGate(context, head, action);
  const isLate = isAboutPlan(context, gate) && findLateText(context, action.run) !== null;
  if (!isLate && !isChanged(tx, head, action)) return gate;
  let told: Answer;
  try {
    told = isAboutProposal(tx, action)
      ? await proposeAgain(context, action.run)
      : await applyPlan(context, action.run, {});
  } catch (error) {
    if (!(error instanceof DevCliError) || !UNTAKEN.includes(error.code)) throw error;
    return { ...gate, faults: [{ heading: error.message, lines: listPlanFaults(error) }] };
  }
  return (await askAnew(context, gate)) ?? { told };
}

function open(context: Context, head: RunHead): Transaction {
  return openTransaction(context, head, copyState(head.snapshot), readCapturedRecipe(head));
}

/** Whether the gate belongs to an execution; it need not be about the plan. */
function isOfEngine(tx: Transaction, { block }: GateAction): boolean {
  return getBlock(tx, block).kind === 'engine';
}

function isAboutProposal(tx: Transaction, action: GateAction): boolean {
  return isOfEngine(tx, action) && findCurrentGate(tx)?.stage === APPLY_PLAN;
}

function isChanged(tx: Transaction, head: RunHead, action: GateAction): boolean {
  const { pendingAction: pending } = head.snapshot;
  const isStale = pending !== null && findChangedArtifact(tx, pending) !== null;
  if (isAboutProposal(tx, action)) return isStale;
  if (isOfEngine(tx, action)) {
    const isAboutFiles = findCurrentGate(tx)?.stage === APPROVE_PLAN;
    return (isAboutFiles && isStale) || (findPlanDifference(head.snapshot, head.files) !== null && !isPlanRejected(tx));
  }
  return isPlanGate(getBlock(tx, action.block)) && (isStale || findPlanMismatch(tx.files) !== null);
}

/** Reads the plan that the gate was issued about. */
function readAsked(tx: Transaction, head: RunHead, action: GateAction): PlanContent | null {
  if (isOfEngine(tx, action)) return readWholePlan(tx);
  const digest = head.snapshot.pendingAction?.handed?.[PLAN_CONTENT];
  const content = digest == null ? undefined : head.past.contents([digest]).get(digest);
  const checked = content === undefined ? null : checkPlan(parseOrNull(content.toString('utf8')));
  return checked?.ok === true ? checked.plan : null;
}

/**
 * Has a gate about the plan ask again if the plan's files have changed. In an execution, `applyPlan` has already made
 * the gate ask again if the content of the plan changed, but not if its files were only formatted differently.
 */
async function askAnew(context: Context, { head: { snapshot }, asked }: OpenGate): Promise<OpenGate | null> {
  const { name } = snapshot;
  const now = await readRun(context, name);
  const pending = now.snapshot.pendingAction;
  if (pending?.action !== 'wait-for-user') return null;
  const tx = open(context, now);
  const { block } = pending;
  const isAsking = isOfEngine(tx, pending)
    ? findCurrentGate(tx)?.stage === APPROVE_PLAN
    : isPlanGate(getBlock(tx, block));
  if (isAsking && findChangedArtifact(tx, pending) !== null)
    await stepInvalidate(toPersonContext(context), name, { step: block });
  const head = await readRun(context, name);
  const action = head.snapshot.pendingAction;
  return action?.action === 'wait-for-user' ? { head, action, asked, faults: [] } : null;
}

/** Lists the changes to the plan since the gate first asked; empty if there are none. */
export function listEdits(asked: PlanContent | null, plan: PlanContent | null): DecisionSection[] {
  const changes = asked === null || plan === null ? [] : comparePlans(asked, plan);
  if (changes.length === 0) return [];
  const lines = renderPlanChanges(changes).split('\n');
  return [{ heading: 'What changed since the question was asked', lines: lines.filter((line) => line.trim() !== '') }];
}

/** Whether a gate's decision concerns the plan, so that the person can edit and compare the plan there. */
function isAboutPlan(context: Context, { head, action }: OpenGate): boolean {
  const tx = open(context, head);
  return isOfEngine(tx, action) || isPlanGate(getBlock(tx, action.block));
}

/** Error codes with which an answer is refused because the plan changed while the person was being asked. */
const CHANGED: readonly ErrorCode[] = ['INPUT_CHANGED', 'PLAN_EDITED'];

/** Rewords the refusal of an answer for a person, who will see the plan's changes when asked again. */
export function explainRefusal(context: Context, gate: OpenGate, refusal: unknown): unknown {
  if (!(refusal instanceof DevCliError) || !CHANGED.includes(refusal.code) || !isAboutPlan(context, gate))
    return refusal;
  const name = gate.action.run;
  const [fault] = gate.faults;
  if (fault !== undefined)
    return new DevCliError(
      refusal.code,
      'The plan cannot be accepted with its files as they are; nothing was decided.',
      {
        run: name,
        details: [{ target: PLAN, problem: [fault.heading, ...fault.lines].join(' ') }],
        fix: ['Fix the plan, then answer again: ', { command: 'plan edit', input: { name } }],
        cause: refusal,
      },
    );
  return new DevCliError(refusal.code, 'The plan changed while you were asked; nothing was decided.', {
    run: name,
    details: refusal.details,
    fix: ['See what changed, and answer again: ', { command: 'approve', input: { name } }],
    cause: refusal,
  });
}

/**
 * Lists the choices of a gate. If the plan's files cannot be applied, leaves out the choices that accept the plan.
 * @param tx a transaction that is only read
 */
export function listOpenChoices(tx: Transaction, { action, faults }: OpenGate): NonNullable<GateAction['choices']> {
  const choices = findChoices(action) ?? [];
  return faults.length === 0 ? choices : choices.filter(({ id }) => !isAcceptance(tx, action, id));
}

/** Whether a choice accepts the plan that the gate is about, or that plan's commands. */
function isAcceptance(tx: Transaction, action: GateAction, id: string): boolean {
  const block = getBlock(tx, action.block);
  if (block.kind !== 'engine') return isPlanGate(block) && leadsToNextBlock(block, id);
  return findCurrentGate(tx)?.todo === null && id === 'approve';
}

/**
 * Refuses to accept a plan if the person has meanwhile saved other text for it, in an editor left open.
 * @throws DevCliError `INPUT_CHANGED`
 */
export function requireNoLateText(context: Context, { head, action }: OpenGate, choice: string): void {
  if (!isAcceptance(open(context, head), action, choice) || findLateText(context, action.run) === null) return;
  throw new DevCliError('INPUT_CHANGED', 'The text that you saved in the editor is not in the plan yet.', {
    run: action.run,
  });
}

/** The means with which a person edits the plan at a gate. */
interface Keys {
  editor: Editor;
  /** Called with the gate that is open after an edit; returns its decision. */
  move: (now: GateNow) => Promise<Decision | null>;
}

/** Lists the keys with which the person edits and compares the plan; none if the gate does not concern the plan. */
export function listPlanKeys(context: Context, gate: OpenGate, { editor, move }: Keys): Look[] {
  if (!isAboutPlan(context, gate)) return [];
  const { run } = gate.action;
  return [
    { key: 'e', word: 'edit', label: 'edit the plan', look: () => editAtGate(context, gate, { editor, move }) },
    { key: 'd', word: 'diff', label: 'the changes', look: () => renderDifference(context, run) },
  ];
}

async function editAtGate(context: Context, gate: OpenGate, { editor, move }: Keys): Promise<string | Decision | null> {
  let told: Answer;
  try {
    told = await editPlan(context, gate.action.run, {}, editor);
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code === 'INTERRUPTED') throw error;
    return [error.message, ...listPlanFaults(error).map((line) => `  ${line}`)].join('\n');
  }
  const plan = 'plan' in told.json ? told.json.plan : null;
  const isTaken = isRecord(plan) && plan['status'] !== 'unchanged';
  const now = await askAnew(context, gate);
  // The gate may have closed: an edit that restores the plan being carried out withdraws the proposal.
  const isSame = now !== null && now.action.actionId === gate.action.actionId;
  return isSame && !isTaken ? renderText(told) : move(now ?? { told });
}

/** Compares the plan on disk with the plan being executed or, while planning, with that of the previous round. */
async function renderDifference(context: Context, name: string): Promise<string> {
  const head = await readRun(context, name);
  const round = isExecuting(head.snapshot) ? 0 : listRounds(head).length - 1;
  const answer = await diffPlans(context, name, round > 0 ? { round } : {});
  const isSame = 'changes' in answer.json && Array.isArray(answer.json.changes) && answer.json.changes.length === 0;
  if (!isSame) return renderText(answer);
  return round > 0 ? 'Nothing has changed since the previous round.' : 'Nothing has changed since you were asked.';
}

/** Renders an answer's text, with commands in their plain form. */
function renderText({ text }: Answer): string {
  return text?.(({ command }) => `dev-cli ${command}`) ?? '';
}
