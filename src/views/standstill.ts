// door: recovery

import { omitUndefined } from '../base/defined.js';
import type { Instruction } from '../base/invocation.js';
import { describeDecider } from '../blocks/approvals.js';
import { toBoundedLine } from '../documents/foreign.js';
import type { Action } from '../run/action.js';
import { findLastEngine } from '../run/facts.js';
import { PLAN } from '../run/paths.js';
import type { RunState } from '../run/state.js';

/** Who waits for whom, and what the reader can do about it. */
export interface WaitsFor {
  now: string;
  you: Instruction;
}

/**
 * Describes what a held run waits for, and since when (control.md, Holding).
 * @param out the work still in progress, in words
 */
export function describeHold(
  { name }: RunState,
  { at, by, reason }: NonNullable<RunState['held']>,
  out = 'nothing is under way',
): WaitsFor & { held: object; since: string } {
  const why = reason === undefined ? '' : `: ${toBoundedLine(reason, 300)}`;
  return {
    held: { at, by, ...omitUndefined({ reason }) },
    since: at,
    now: `held by ${describeDecider(by)}${why}; ${out}`,
    you: ['let it go on: ', { command: 'release', input: { name } }],
  };
}

/** Describes how a run ended, and what can still be done with it. */
export function describeRunEnd(
  state: RunState,
  { outcome, summary, resume, artifacts }: Extract<Action, { action: 'done' }>,
): WaitsFor {
  const now = `${outcome}: ${summary}`;
  if (state.engine?.waits?.head === true) {
    const taken = { command: 'approve', input: { name: state.name } };
    return { now, you: ['commits wait because of where HEAD is; to make them there: ', taken] };
  }
  if (resume !== undefined) return { now, you: ['reopen it: ', resume] };
  const isPlanOnly =
    outcome === 'completed' && findLastEngine(state) === null && artifacts.some((path) => path.endsWith(`/${PLAN}`));
  return { now, you: [isPlanOnly ? `to have it built, tell the agent: /execute ${state.name}` : 'nothing to do'] };
}

/**
 * Describes how to decide on a plan that an agent proposes, while no gate asks about it.
 * @param reopen done todos that the proposal reopens
 * @param you what the reader can do about the hold, if the run is held
 */
export function describeProposal(
  { name, held }: Pick<RunState, 'name' | 'held'>,
  reopen: readonly string[],
  you: Instruction,
): Instruction {
  const input = { name, ...(reopen.length === 0 ? {} : { reopen: [...reopen] }) };
  const decide: Instruction = ['the agent proposes another plan; to decide now: ', { command: 'plan apply', input }];
  return held === undefined ? decide : [...decide, '; then ', ...you];
}
