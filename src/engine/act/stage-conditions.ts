import { renderCount } from '../../base/words.js';
import { describeApprovals } from '../../blocks/approvals.js';
import { APPROVE_PLAN } from '../../blocks/plan-gate.js';
import { evaluateConditionInRun } from '../../blocks/values/condition.js';
import { digestCommands, isCommand, listCommands } from '../../plan/model/commands.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import type { StageCondition, StagePart } from '../core/events.js';
import { getTodoBody, readPlanHead, readWholePlan, requireEngine, requireEngineRecipe } from './plan/plan.js';
import { listFinalCommands } from './results/commands.js';
import { hasSomethingToJudge, isJudgedByItself, listReviewedTodos, needsWorker } from './results/judges.js';
import { listBrokenMustNots } from './results/must-nots.js';

/** Creates the function that tells the state machine whether a stage, or a part of a stage, has anything to do. */
export function createStageCondition(tx: Transaction): StageCondition {
  return (todo, stage, part) => (todo === null ? wholeApplies(tx, stage) : todoApplies(tx, todo, stage, part));
}

function todoApplies(tx: Transaction, id: string, stage: string, part: StagePart | undefined): boolean {
  switch (stage) {
    case 'worker':
      return needsWorker(getTodoBody(tx, id));
    case 'wrapUp':
      return true;
    case 'verify':
      return partApplies(tx, id, part);
    case 'commit':
      return tx.state.baseline !== null && requireEngine(tx).todos[id]?.type === 'work';
    default:
      return ownHandlerApplies(tx, id, stage);
  }
}

/** Returns whether a part of `verify` has anything to do. A todo that commands alone can judge gets no verifier. */
function partApplies(tx: Transaction, id: string, part: StagePart | undefined): boolean {
  const todo = getTodoBody(tx, id);
  switch (part) {
    case 'commands':
      // Must-nots with paths are judged together with the commands, since neither needs an agent or a person.
      return todo.acceptance.some(isCommand) || listBrokenMustNots(tx, todo).length > 0;
    case 'human':
      return todo.acceptance.some(({ kind }) => kind === 'human');
    case 'judge':
      return isJudgedByItself(tx, todo) && hasSomethingToJudge(todo);
    case 'question':
    case undefined:
      return true;
  }
}

/**
 * Returns whether a recipe's own handler applies to a todo, by evaluating its `when` condition in the current state.
 */
export function ownHandlerApplies(tx: Transaction, id: string, stage: string): boolean {
  const when = requireEngineRecipe(tx).program.stages.find((candidate) => candidate.id === stage)?.when;
  if (when === undefined) return true;
  const row = requireEngine(tx).todos[id];
  const todo = row === undefined ? null : { id, type: row.type, risk: row.risk };
  return evaluateConditionInRun(tx, when, tx.state.currentBlock, { todo });
}

function wholeApplies(tx: Transaction, stage: string): boolean {
  switch (stage) {
    case APPROVE_PLAN:
      return requireEngine(tx).planApproved === null;
    case 'approveCommands':
      return commandsNeedApproval(tx);
    case 'stateBegin':
    case 'stateComplete':
      return stage in requireEngineRecipe(tx).handlers && hasPullRequest(tx);
    case 'residualCommit':
      return tx.state.baseline !== null && hasDoneAny(tx);
    case 'codeReview':
      return hasDoneAny(tx) && (readPlanHead(tx).size !== 'small' || listReviewedTodos(tx).length > 0);
    case 'finalVerify':
      // Includes todos whose boxes were ticked before the run, because a tick proves nothing.
      return listFinalCommands(tx).length > 0;
    default:
      return true;
  }
}

/** Returns whether this run did any todo. Checking `attempt` suffices, because all todos are done by now. */
function hasDoneAny(tx: Transaction): boolean {
  return Object.values(requireEngine(tx).todos).some(({ attempt }) => attempt > 0);
}

/** Returns whether the run has a pull request that it has to keep up to date. */
function hasPullRequest(tx: Transaction): boolean {
  const wanted = tx.state.preferences['pull_request'];
  return wanted !== undefined && wanted !== false && tx.files.facts('pr.json').kind === 'file';
}

/**
 * Returns whether a person has to approve the commands (engine.md, Approvals). If an earlier approval still covers
 * them, adopts it for this run.
 */
function commandsNeedApproval(tx: Transaction): boolean {
  const { state } = tx;
  const engine = requireEngine(tx);
  const commands = listCommands(readWholePlan(tx));
  if (commands.length === 0) return false;
  const digest = digestCommands(commands);
  const standing = findStandingApproval(tx, digest);
  if (standing === 'known') return false;
  if (standing !== null) engine.commandsApproved = { ...standing, digest };
  else if (wasRefused(tx)) {
    engine.commandsRefused = true;
    return true;
  } else if (!goesUnasked(state)) return true;
  const summary = `${renderCount(commands.length, 'command')}, approved ${describeApprovals({ ...state, engine: { ...engine, stage: 'todos' } }).commands}`;
  recordEntry(tx, 'stage', { todoId: null, stage: 'approveCommands', outcome: 'skipped', summary });
  return false;
}

/**
 * Returns whether the run may start commands that nobody has approved. It may if the preference `approve_commands` is
 * `auto`, and in autopilot unless it is `person`. dev-cli sets `person` if an agent began the run and no person has
 * allowed it to start commands.
 */
function goesUnasked(state: Transaction['state']): boolean {
  const { approve_commands: who } = state.preferences;
  return who === 'auto' || (who !== 'person' && state.mode['interaction'] === 'autopilot');
}

/**
 * Returns whether a person refused the commands in this run or the one before it, and has approved none since. Then
 * only a person's approval lets them run, whatever the mode, flags and preferences say (product.md, Guarantees).
 */
function wasRefused({ state, earlier }: Transaction): boolean {
  if (state.gates['approveCommands']?.choice === 'stop') return true;
  const { engine = null, gates = {} } = earlier ?? {};
  if (engine === null || engine.commandsApproved !== null) return false;
  return gates['approveCommands']?.choice === 'stop' || engine.commandsRefused === true;
}

/** Finds an approval of exactly these commands, given before a restart, in an earlier run, or with the plan. */
function findStandingApproval(tx: Transaction, digest: string): { by: string; seq: number } | 'known' | null {
  const { commandsApproved: known } = requireEngine(tx);
  if (known?.digest === digest) return 'known';
  const before = tx.earlier?.engine?.commandsApproved ?? null;
  return before?.digest === digest ? before : findPlanApproval(tx, digest);
}

/** Finds the plan's approval. It covers the commands that its gate showed, but not those of todos added since. */
function findPlanApproval(tx: Transaction, digest: string): { by: string; seq: number } | null {
  const { planApproved: approved, todos: rows } = requireEngine(tx);
  if (approved == null) return null;
  const { todos } = readWholePlan(tx);
  const asked = todos.filter(({ id }) => rows[id]?.body === undefined);
  return digestCommands(listCommands({ todos: asked })) === digest ? { by: approved.by ?? 'human', seq: 0 } : null;
}
