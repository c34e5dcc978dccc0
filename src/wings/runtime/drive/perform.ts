import { type ActiveSession, resumeInterruptedTurn, runTurn, type TurnEnd } from '../converse.js';
import { countTokens } from '../core/usage.js';
import type { SessionState } from '../sessions/state-schema.js';
import type { DrivenRun } from './driven.js';
import type { FinishTool, WorkEnd, WorkOutcome } from './finish.js';

/** A piece of work that one session does. */
export interface SessionWork {
  /** The session's id. After a driver was killed, the next one finds the session by it. */
  id: string;
  kind: 'drive' | 'child';
  work: NonNullable<SessionState['work']>;
  /** The role; the session's model depends on it. Null for the main agent. */
  role: string | null;
  /** Absolute paths below `.dev` that the session may write. */
  promised: readonly string[];
  /** Whether the session may write nothing but its promised files. */
  isReadOnly: boolean;
  /** The session's first message, which states the whole task. */
  message: string;
  finish: FinishTool;
}

const REMINDER =
  'You have ended your turn without calling finish. If the work is done, call finish now; if not, continue it.';
const GO_ON = 'Continue the task from where it stands, and call finish when it is done.';
/** How often a model is reminded to call `finish`. */
const REMINDERS = 2;

/**
 * Lets a session do a piece of work. If an earlier driver began it, the session continues where it was (runtime.md,
 * Driving).
 * @throws DevCliError `LOCKED` if another process is using the session; `IO`
 */
export async function performWork(driven: DrivenRun, work: SessionWork): Promise<WorkEnd> {
  const { outcome } = work.finish;
  const talk = await driven.runtime.open({
    ...work,
    tools: [work.finish.tool],
    isOver: () => outcome().kind !== 'open',
  });
  try {
    const before = talk.session.state.facts?.['outcome'];
    if (talk.session.state.closed) return { kind: 'ended', outcome: before as unknown as WorkOutcome, tokens: 0 };
    const begun = talk.session.state.messages > 0;
    let end = await ((await resumeInterruptedTurn(talk)) ?? runTurn(talk, begun ? GO_ON : work.message));
    for (let reminded = 0; outcome().kind === 'open' && end.status === 'completed'; reminded += 1) {
      if (reminded === REMINDERS) return await close(talk, { kind: 'failed', reason: describeSilence(work.finish) });
      end = await runTurn(talk, REMINDER);
    }
    const found = outcome();
    if (found.kind === 'parked') return found;
    if (found.kind !== 'open') return await close(talk, found);
    if (end.status === 'budget' || end.status === 'provider' || end.status === 'interrupted')
      return { kind: 'stopped', status: end.status, reason: end.reason };
    return await close(talk, { kind: 'failed', reason: describeEnd(end) });
  } finally {
    await talk.leave();
  }
}

async function close(talk: ActiveSession, outcome: WorkOutcome): Promise<WorkEnd> {
  await talk.session.commit([{ type: 'closed' }], () => ({ closed: true, facts: { outcome: { ...outcome } } }));
  return { kind: 'ended', outcome, tokens: countTokens(talk.session.state.usage) };
}

function describeSilence({ outcome }: FinishTool): string {
  const found = outcome();
  const refused = found.kind === 'open' ? found.refused : undefined;
  return refused === undefined
    ? 'ended its turn without calling finish'
    : `ended its turn after finish was refused: ${refused}`;
}

const ENDS: Readonly<Record<string, string>> = {
  empty: 'answered nothing, twice',
  truncated: 'its answers were cut off at the maximum length',
  refused: 'the model refused',
  context: 'the task does not fit into the context window of the model',
  max_iterations: 'used up the requests of a turn',
  stuck: 'made the same call three times, with the same result',
};

function describeEnd({ status, reason }: TurnEnd): string {
  return ENDS[status] ?? reason;
}
