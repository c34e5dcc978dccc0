import { DevCliError } from '../../../base/errors.js';
import { sha256 } from '../../../base/sha256.js';
import { NO_USAGE } from '../core/messages.js';
import { addUsage } from '../core/usage.js';
import { countUnanswered, openSessions, type SessionsContext } from './session.js';
import type { SessionState } from './state-schema.js';

/**
 * Lists sessions, the most recently active first, and a warning for each session that cannot be read.
 * @param wants selects sessions by id; the others are not read
 */
export async function listSessions(
  context: SessionsContext,
  wants: (id: string) => boolean = () => true,
): Promise<{ sessions: SessionState[]; warnings: string[] }> {
  const streams = openSessions(context);
  const sessions: SessionState[] = [];
  const warnings: string[] = [];
  for (const id of (await streams.streams()).filter(wants)) {
    try {
      const { snapshot } = await streams.read(id);
      // A copy of a session's directory is left out: its usage would count twice, and two sessions would have one id.
      if (snapshot !== null && snapshot.id !== id)
        warnings.push(`The session ${id} is left out: it is a copy of ${snapshot.id}.`);
      else if (snapshot !== null) sessions.push(snapshot);
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      warnings.push(`The session ${id} is left out: ${error.message}`);
    }
  }
  return { sessions: sessions.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)), warnings };
}

/** Sums up the usage of sessions; `cost` is null if the cost of any session is unknown. */
export function sumSessionUsage(
  sessions: readonly SessionState[],
): Pick<SessionState, 'requests' | 'unanswered' | 'usage' | 'cost'> {
  return sessions.reduce(
    (sum, { requests, unanswered, asking, usage, cost }) => ({
      requests: sum.requests + requests,
      unanswered: sum.unanswered + countUnanswered({ unanswered, asking }),
      usage: addUsage(sum.usage, usage),
      cost: sum.cost === null || cost === null ? null : sum.cost + cost,
    }),
    { requests: 0, unanswered: 0, usage: NO_USAGE, cost: 0 as number | null },
  );
}

/**
 * Finds a session by its id, by a unique prefix of it, or by `latest`, the newest conversation.
 * @throws DevCliError `NO_SUCH_SESSION`, `IO`; `STATE_NEWER`, `JOURNAL_CORRUPT` if the session with the full id cannot
 * be read
 */
export async function findSession(context: SessionsContext, given: string): Promise<SessionState> {
  const streams = openSessions(context);
  // For a full id, `read` throws if the session is unreadable; `listSessions` would only leave it out.
  if ((await streams.streams()).includes(given)) {
    const { snapshot } = await streams.read(given);
    if (snapshot?.id === given) return snapshot;
  }
  const { sessions } = await listSessions(context);
  const named = given === 'latest' ? sessions.filter(({ kind }) => kind === 'prompt').slice(0, 1) : [];
  const found = named.length > 0 ? named : sessions.filter(({ id }) => id.startsWith(given));
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return one;
  const shown = JSON.stringify(given.slice(0, 80));
  const message =
    one === undefined ? `There is no session ${shown}.` : `Several sessions begin with ${shown}: ${found.length}.`;
  throw new DevCliError('NO_SUCH_SESSION', message, {
    details: others.length === 0 ? [] : found.slice(0, 10).map(({ id }) => ({ target: id, problem: 'begins with it' })),
    fix: { command: 'session list', input: {} },
  });
}

/**
 * Names the session in which an agent does an action of a run, so that the successor of a killed driver finds it.
 * @param time the attempt, counted from 1; a child that failed is tried once more in a new session
 */
export function nameWorkSession(
  { name, runId }: { name: string; runId: string },
  { action, agent = null, time = 1 }: { action: string; agent?: string | null; time?: number },
): string {
  const digest = sha256(JSON.stringify([runId, action, agent, time])).slice(0, 10);
  return `${[name, action, ...(agent === null ? [] : [agent])].join('-').slice(0, NAMED)}-${digest}`;
}

/** Maximum characters of a work session's name before its digest. */
const NAMED = 52;

/** Returns whether `nameWorkSession` may have made this id for a run. */
export const isWorkSession = (run: string, id: string): boolean => id.startsWith(`${run}-`.slice(0, NAMED));
