import { approvalsTold } from '../../blocks/approvals.js';
import { APPROVE_PLAN } from '../../blocks/plan-gate.js';
import { conditionScope } from '../../blocks/values.js';
import {
  bareCommandsDigest,
  commandList,
  commandsDigest,
  isCommand,
  type PlannedCommand,
} from '../../documents/plan-commands.js';
import { record, type Turn } from '../../run/turn.js';
import type { Applies, Part } from '../core/events.js';
import { allCommands } from './commands.js';
import { bodyOf, engineOf, recipeEngine, wholePlan } from './plan.js';

/** What there is to do: asked by the machine before it enters a stage or a part of one. */
export function appliesTo(turn: Turn): Applies {
  return (todo, stage, part) => (todo === null ? wholeApplies(turn, stage) : todoApplies(turn, todo, stage, part));
}

function todoApplies(turn: Turn, id: string, stage: string, part: Part | undefined): boolean {
  switch (stage) {
    case 'worker':
    case 'wrapUp':
      return true;
    case 'verify':
      return partApplies(turn, id, part);
    case 'commit':
      return turn.state.baseline !== null && engineOf(turn).todos[id]?.type === 'work';
    default:
      return ownApplies(turn, id, stage);
  }
}

/** A verifier is called only where there is something to judge: a todo of commands alone costs none. */
function partApplies(turn: Turn, id: string, part: Part | undefined): boolean {
  const todo = bodyOf(turn, id);
  switch (part) {
    case 'commands':
      return todo.acceptance.some(isCommand);
    case 'human':
      return todo.acceptance.some(({ kind }) => kind === 'human');
    case 'judge':
      return todo.acceptance.some(({ kind }) => kind === 'assertion') || todo.mustNotDo.length > 0;
    case 'question':
    case undefined:
      return true;
  }
}

function ownApplies(turn: Turn, id: string, stage: string): boolean {
  const when = recipeEngine(turn).program.stages.find((candidate) => candidate.id === stage)?.when;
  if (when === undefined) return true;
  const row = engineOf(turn).todos[id];
  const todo = row === undefined ? null : { id, type: row.type, risk: row.risk };
  return turn.evaluate(when, { ...conditionScope(turn, turn.state.currentBlock), todo });
}

function wholeApplies(turn: Turn, stage: string): boolean {
  switch (stage) {
    case APPROVE_PLAN:
      return engineOf(turn).planApproved === null;
    case 'approveCommands':
      return commandsNeedApproval(turn);
    case 'stateBegin':
    case 'stateComplete':
      return stage in recipeEngine(turn).handlers && hasPullRequest(turn);
    case 'residualCommit':
      return turn.state.baseline !== null && anythingDone(turn);
    case 'codeReview':
      return anythingDone(turn);
    case 'finalVerify':
      // Boxes that somebody ticked prove nothing.
      return allCommands(turn).length > 0;
    default:
      return true;
  }
}

/** Asked only once all todos are done, in the step that the last of them becomes it: whether this run did any of them. */
function anythingDone(turn: Turn): boolean {
  return Object.values(engineOf(turn).todos).some(({ attempt }) => attempt > 0);
}

/** A pull request was opened for this run, and its owner wants it kept up to date. */
function hasPullRequest(turn: Turn): boolean {
  const wanted = turn.state.preferences['pull_request'];
  return wanted !== undefined && wanted !== false && turn.files.facts('pr.json').kind === 'file';
}

/** Whether somebody still has to look at the commands (engine.md, Approvals). Notes an approval that stands. */
function commandsNeedApproval(turn: Turn): boolean {
  const { state } = turn;
  const engine = engineOf(turn);
  const commands = commandList(wholePlan(turn));
  if (commands.length === 0) return false;
  const digest = commandsDigest(commands);
  const standing = standingApproval(turn, commands, digest);
  if (standing === 'known') return false;
  if (standing !== null) engine.commandsApproved = { ...standing, digest };
  else if (wasRefused(turn)) {
    engine.commandsRefused = true;
    return true;
  } else if (state.mode['interaction'] !== 'autopilot' && state.preferences['approve_commands'] !== 'auto') return true;
  const summary = `${commands.length} commands, approved ${approvalsTold({ ...state, engine: { ...engine, stage: 'todos' } }).commands}`;
  record(turn, 'stage', { todoId: null, stage: 'approveCommands', outcome: 'skipped', summary });
  return false;
}

/**
 * Whether a person refused the commands of this name and has approved none since: then nothing but their yes leads on, whatever
 * mode, flag or preference (product.md, Guarantees).
 */
function wasRefused({ state, earlier }: Turn): boolean {
  if (state.gates['approveCommands']?.choice === 'stop') return true;
  if (earlier?.engine == null || earlier.engine.commandsApproved !== null) return false;
  return earlier.gates['approveCommands']?.choice === 'stop' || earlier.engine.commandsRefused === true;
}

/** An approval of exactly these commands: of this run before it began anew, of an earlier one, or with the plan. */
function standingApproval(
  turn: Turn,
  commands: readonly PlannedCommand[],
  digest: string,
): { by: string; seq: number } | 'known' | null {
  const { commandsApproved: known } = engineOf(turn);
  // A run that 0.1.0 began goes on as it was approved.
  if (known !== null && [digest, bareCommandsDigest(commands)].includes(known.digest)) return 'known';
  const before = turn.earlier?.engine?.commandsApproved ?? null;
  return before?.digest === digest ? before : approvedWithPlan(turn, digest);
}

/** The gate about the plan showed its commands; todos that a run has added since were in no plan. */
function approvedWithPlan(turn: Turn, digest: string): { by: string; seq: number } | null {
  const { planApproved: approved, bodies } = engineOf(turn);
  if (approved == null) return null;
  const { todos } = wholePlan(turn);
  const asked = todos.filter(({ id }) => !Object.hasOwn(bodies, id));
  return commandsDigest(commandList({ todos: asked })) === digest ? { by: approved.by ?? 'human', seq: 0 } : null;
}
