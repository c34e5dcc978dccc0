import { sha256 } from '../../base/sha256.js';
import { unticked } from '../../documents/plan-boxes.js';
import type { Applies, Part } from '../../machine/engine/events.js';
import type { RunState } from '../../run/state.js';
import { PLAN } from '../paths.js';
import type { Turn } from '../turn.js';
import { conditionScope } from '../values.js';
import { commandList, isCommand } from './commands.js';
import { planCommandsDigest } from './gates.js';
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
      return anythingDone(turn) && commandList(wholePlan(turn)).length > 0;
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

/** Whether somebody still has to look at the commands (engine.md, First). Notes an approval that stands. */
function commandsNeedApproval(turn: Turn): boolean {
  const { state } = turn;
  const engine = engineOf(turn);
  const commands = commandList(wholePlan(turn));
  if (commands.length === 0 || state.mode['interaction'] === 'autopilot') return false;
  if (state.preferences['approve_commands'] === 'auto') return false;
  const digest = planCommandsDigest(turn);
  if (engine.commandsApproved?.digest === digest) return false;
  const before = turn.earlier?.engine?.commandsApproved ?? null;
  const approved = before?.digest === digest ? before : approvedPlan(turn);
  if (approved === null) return true;
  engine.commandsApproved = { ...approved, digest };
  return false;
}

/** A person approved exactly this plan, in an earlier phase or an earlier run of the name; boxes do not count. */
function approvedPlan(turn: Turn): { by: string; seq: number } | null {
  const text = turn.files.text(PLAN);
  if (text === null) return null;
  const digests = [sha256(text), sha256(unticked(text))];
  for (const gates of [turn.state.gates, turn.earlier?.gates ?? {}]) {
    const gate = approval(gates);
    if (gate !== null && digests.includes(gate.digest ?? '')) return { by: gate.by, seq: gate.seq };
  }
  return null;
}

function approval(gates: RunState['gates']): RunState['gates'][string] | null {
  const gate = gates['approve-plan'];
  return gate !== undefined && gate.choice === 'approve' && gate.by === 'human' && gate.stale !== true ? gate : null;
}
