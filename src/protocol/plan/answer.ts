import type { Answer } from '../../base/answer.js';
import type { Invocation } from '../../base/invocation.js';
import { joinFirst } from '../../base/words.js';
import { renderChangesOnDisk, renderPlanEffects } from '../../engine/act/plan/difference-text.js';
import type { JudgedPlan } from '../../engine/act/plan/verdicts.js';
import { getShownAction } from '../../run/pending-action.js';
import type { RunState } from '../../run/state.js';
import { type ActionReader, buildActionView, renderEnvelope } from '../../views/action.js';
import type { CallResult } from '../../views/action-text.js';
import { renderContinuation } from '../trust/person.js';

/** The outcome of `plan apply`. */
export type PlanStatus =
  /** The files match the plan being carried out. */
  | 'unchanged'
  /** The plan in the files is carried out from now on. */
  | 'applied'
  /** A person will be asked about the change. */
  | 'proposed'
  /** A person turned the proposal down. */
  | 'rejected'
  /** A dry run: only the verdicts were determined. */
  | 'judged';

/** How many todos an instruction names at most. */
const TODOS_NAMED = 20;

interface Given {
  name: string;
  status: PlanStatus;
  judged: JudgedPlan;
  /** Whether a proposal was withdrawn. */
  isWithdrawn?: boolean;
  /** Absent if nothing was written. */
  result?: CallResult;
  /** Tasks that were withdrawn. */
  withdrawn?: readonly string[];
  /**
   * How much of the change the text shows. `all`: the whole change, because nobody has seen it yet; `verdicts`, the
   * default: only the verdict on each todo; `nothing`, because the person has just seen the change and agreed to it.
   */
  told?: 'all' | 'verdicts' | 'nothing';
}

/** Renders the answer of `plan apply` in an execution: the verdict on each todo, then what comes next. */
export function renderPlanAnswer(given: Given, reader: ActionReader): Answer {
  const { name, status, judged, result, withdrawn = [], told = 'verdicts' } = given;
  const { verdicts, outdated, disk } = judged;
  const same = verdicts.filter(({ verdict }) => verdict === 'same').length;
  const plan = {
    status,
    ...(disk.source === null ? {} : { source: disk.source }),
    verdicts: verdicts.filter(({ verdict }) => verdict !== 'same').map((one) => ({ ...one })),
    same,
    ...(outdated.length === 0 ? {} : { outdated: [...outdated] }),
    ...(withdrawn.length === 0 ? {} : { withdrawn: [...withdrawn] }),
  };
  const changes = told === 'all' && judged.isMoved ? [renderChangesOnDisk(judged, name), ''] : [];
  const verdictLines = told === 'nothing' ? [] : [renderPlanEffects(judged, name)];
  const lines = [
    `plan ${status}`,
    ...changes,
    ...(judged.isMoved
      ? verdictLines
      : [
          `The files match the plan that runs${given.isWithdrawn === true ? '; what the agent proposed is withdrawn' : ''}.`,
        ]),
  ];
  if (withdrawn.length > 0) lines.push(`Withdrawn tasks, whose agents can stop: ${withdrawn.join(', ')}`);
  if (result === undefined) return { exit: 0, json: { ok: true, run: name, plan }, text: () => lines.join('\n') };
  const { ok, run, ...rest } = renderEnvelope(result, reader).json as Record<string, unknown>;
  // If a gate already asks about the proposal, its action says what to do.
  const isLater = status === 'proposed' && result.next?.action !== 'wait-for-user';
  const decision = isLater ? describeDecision(name, judged) : {};
  lines.push(...result.warnings.map((line) => `! ${line}`));
  return {
    exit: 0,
    json: { ok, run, plan, ...decision, ...rest },
    text: (format) => [...lines, renderContinuation(name, result.next?.action === 'held', format)].join('\n'),
  };
}

/** Tells the agent that made a proposal what to do, as long as no gate asks about it. */
function describeDecision(name: string, { verdicts, moved }: JudgedPlan): { instruction: string; answer: Invocation } {
  const idle = verdicts.filter(({ verdict }) => verdict === 'again' || verdict === 'withdrawn').map(({ todo }) => todo);
  const tasks =
    idle.length === 0
      ? ''
      : ` A yes withdraws the tasks of ${joinFirst(idle, TODOS_NAMED)}: start none of them before the answer.`;
  const { reopen } = moved;
  return {
    instruction: `Nothing has changed yet. Show the user \`answer\` before you continue with \`next\`: it asks them about the plan at once; otherwise a gate asks when no task is in progress.${tasks}`,
    answer: { command: 'plan apply', input: { name, ...(reopen.length === 0 ? {} : { reopen: [...reopen] }) } },
  };
}

/** Renders the answer for a call that found neither of the plan's files changed; reads no file. */
export function renderUnchanged(name: string, state: RunState, dryRun: boolean, reader: ActionReader): Answer {
  const plan = { status: dryRun ? 'judged' : 'unchanged', verdicts: [] };
  const action = getShownAction(state);
  const next = action === null || dryRun ? {} : { next: buildActionView(action, false, reader) };
  return {
    exit: 0,
    json: { ok: true, run: name, plan, ...next },
    text: () => 'plan unchanged\nThe files match the plan that runs.',
  };
}
