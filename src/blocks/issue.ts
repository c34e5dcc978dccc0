import { DevCliError } from '../base/errors.js';
import { SECTIONS } from '../documents/sections.js';
import type { Effect } from '../machine/transition.js';
import type { AskedBlock, LlmBlock, LlmCliBlock, LlmLoopBlock, SubagentBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { PLAN_CONTENT, shownPath } from '../run/paths.js';
import type { PathFacts, PendingState } from '../run/state.js';
import { blockOf, record, type Turn } from '../run/turn.js';
import { isFollowUp } from '../run/workflow.js';
import { factsOf } from './evidence.js';
import { handedTo } from './handed.js';
import { type Common, commonParts, fullOf, missingSections } from './issue-common.js';
import { dispatchedAgents, issueDispatch } from './issue-dispatch.js';
import { boundGate, gateAction, offered } from './issue-gate.js';
import { approvesPlan } from './plan-gate.js';
import { sectionDigests } from './section-evidence.js';
import { filledPath, roundOf } from './values.js';

type Issue = Extract<Effect, { type: 'issue' }>;

/**
 * Hands out a new action for a block that asks the agent or a person: builds it whole, writes its prompt files, and
 * makes it the pending one (protocol.md §2). False when there is nothing to do: no agent's condition holds.
 */
export function issue(turn: Turn, effect: Issue): boolean {
  const block = blockOf(turn, effect.block);
  if (block.kind === 'cli' || block.kind === 'engine') {
    throw new DevCliError('INTERNAL', `The ${block.kind} block "${block.id}" cannot be issued.`);
  }
  const agents = 'agents' in block ? dispatchedAgents(turn, block, effect.cause) : [];
  if ('agents' in block && agents.length === 0) return false;
  turn.state.lastAction += 1;
  const actionId = `a${turn.state.lastAction}`;
  const before: Record<string, PathFacts> = {};
  if ('agents' in block) {
    const dispatch = issueDispatch(turn, block, agents, commonParts(turn, block, actionId));
    for (const path of dispatch.outputs) before[path] = factsOf(turn.files, path);
    const earlier = effect.cause === 'retry' ? turn.state.pendingAction : null;
    pend(turn, dispatch.action, before, effect.cause, { handed: handedTo(turn, block, agents, earlier) });
    return true;
  }
  const { state } = turn;
  const redone = effect.cause !== 'enter' || state.steps[block.id]?.status === 'stale';
  if (block.kind === 'llm+cli' && (redone || state.earlierRun !== null || isFollowUp(state))) {
    const path = filledPath(turn, block.write, block.id);
    before[path] = factsOf(turn.files, path);
  }
  const shared = commonParts(turn, block, actionId);
  const action = effect.cause === 'bound' ? boundGate(turn, block, shared) : actionFor(turn, block, shared);
  const asked = approvesPlan(block) ? { handed: { [PLAN_CONTENT]: turn.files.digest(PLAN_CONTENT) } } : {};
  const sections = block.kind === 'llm' || block.kind === 'llm-loop' ? sectionDigests(turn, block) : {};
  pend(turn, action, before, effect.cause, {
    ...asked,
    ...(Object.keys(sections).length === 0 ? {} : { sections }),
  });
  return true;
}

function actionFor(turn: Turn, block: Exclude<AskedBlock, SubagentBlock>, shared: Common): PendingAction {
  switch (block.kind) {
    case 'llm':
      return llmAction(turn, block, shared);
    case 'llm-loop':
      return loopAction(turn, block, shared);
    case 'llm+cli':
      return writeAction(turn, block, shared);
    case 'wait-for-user':
      return gateAction(turn, block, shared);
  }
}

function llmAction(turn: Turn, block: LlmBlock, shared: Common): PendingAction {
  const action: PendingAction = { ...shared.base, action: 'llm' };
  if (block.choices.length > 0) return { ...action, choices: offered(turn, block, shared), ...fullOf(turn, block) };
  if (block.save === undefined && block.sections.length === 0) {
    return { ...action, ack: shared.acknowledge(), ...fullOf(turn, block) };
  }
  const data = dataFile(turn, block, shared);
  return { ...action, data, ack: shared.acknowledge({ data: `@${data.write}` }), ...fullOf(turn, block) };
}

function loopAction(turn: Turn, block: LlmLoopBlock, shared: Common): PendingAction {
  const data = dataFile(turn, block, shared);
  return {
    ...shared.base,
    action: 'llm-loop',
    round: roundOf(turn, block.id),
    maxRounds: block.maxRounds,
    data,
    ack: shared.acknowledge({ data: `@${data.write}` }),
    ...fullOf(turn, block),
  };
}

function writeAction(turn: Turn, block: LlmCliBlock, shared: Common): PendingAction {
  return {
    ...shared.base,
    action: 'llm+cli',
    data: { write: shownPath(turn.place, turn.state.name, filledPath(turn, block.write, block.id)), form: 'json' },
    ack: shared.acknowledge(),
    ...fullOf(turn, block),
  };
}

function dataFile(turn: Turn, block: LlmBlock | LlmLoopBlock, shared: Common) {
  const form = block.sections.length > 0 || block.save?.command === 'draft update' ? 'sections' : 'json';
  const file = `actions/${shared.actionId}/data.${form === 'sections' ? 'md' : 'json'}`;
  const need = form === 'sections' ? needed(turn, block) : null;
  return {
    write: shownPath(turn.place, turn.state.name, file),
    form,
    ...(need === null ? {} : { need }),
  } as const;
}

/** The sections still wanted, each with what belongs into it; all of the block's when none is missing. */
function needed(turn: Turn, block: LlmBlock | LlmLoopBlock): Record<string, string> | null {
  if (block.sections.length === 0) return null;
  const missing = missingSections(turn, block);
  const wanted = missing.length > 0 ? missing : block.sections;
  return Object.fromEntries(wanted.map((id) => [id, SECTIONS[id].need]));
}

/**
 * Makes an action the pending one and records it.
 * @param before what stands at each promised path
 * @param more what else its acknowledgement is measured against
 */
export function pend(
  turn: Turn,
  action: PendingAction,
  before: Record<string, PathFacts>,
  cause: string,
  more: Pick<PendingState, 'handed' | 'sections'> = {},
): void {
  turn.state.pendingAction = {
    issuedAt: turn.at,
    issuedSeq: 0,
    cause,
    before,
    ...more,
    acknowledged: false,
    action,
  };
  turn.state.status = 'live';
  turn.state.outcome = null;
  const step = turn.state.steps[action.block];
  turn.state.steps[action.block] = { ...step, status: 'running', at: turn.at, round: roundOf(turn, action.block) };
  record(turn, 'issued', {
    actionId: action.actionId,
    block: action.block,
    action: action.action,
    cause,
    round: roundOf(turn, action.block),
  });
  turn.because.length = 0;
}
