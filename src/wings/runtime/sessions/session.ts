import { join } from 'node:path';
import type { Caller } from '../../../base/caller.js';
import { DevCliError } from '../../../base/errors.js';
import { readStored } from '../../../documents/stored.js';
import outline from '../../../generated/runtime-session-outline.js';
import { openWingStreams, type WingStreams } from '../../../project/wing-streams.js';
import type { Context } from '../../../run/context.js';
import { type Claim, claimPath, findClaimOwner } from '../../../store/claim.js';
import { BEGINNING, type NewEntry } from '../../../store/store.js';
import type { EmitEntry } from '../answer.js';
import { type Message, NO_USAGE } from '../core/messages.js';
import { addEntryToMessages, type SessionEntry, toEntryData } from './history.js';
import type { SessionState } from './state-schema.js';

/** The directory of sessions below `.dev`. */
const DIRECTORY = 'runtime';

/** The part of a call's context that sessions need. */
export type SessionsContext = Pick<Context, 'root' | 'clock' | 'ids'>;

/** A session that only this process may change. */
export interface Session {
  readonly id: string;
  /** The state after the last commit. */
  readonly state: SessionState;
  /** The history for the next request. */
  readonly messages: readonly Message[];
  /** Absolute; the records of its calls lie below it. */
  readonly directory: string;
  /**
   * Records entries in one commit; commits run in the order in which they are requested.
   * @param entries at least one
   * @param change computes the changes to the state when the commit runs; other fields stay
   * @throws DevCliError `LOCKED`, `IO`, `STATE_CORRUPT`, `JOURNAL_CORRUPT`
   */
  commit(entries: readonly SessionEntry[], change?: Change): Promise<void>;
  /** Returns the number of the next call, which names its directory. */
  takeNumber(): number;
  /** Releases the session to other processes. */
  release(): void;
}

/** Computes the fields of a session's state that change. */
type Change = (state: SessionState) => Partial<SessionState>;

/** The properties that a new session is created with. */
export type Opening = Pick<SessionState, 'id' | 'kind' | 'work' | 'model'>;

/** Opens the sessions of a root. Writes nothing. @throws DevCliError `IO` */
export function openSessions({ root, clock, ids }: SessionsContext): WingStreams<SessionState> {
  const parse = (text: string) =>
    readStored<SessionState>(text, { outline, version: 1, what: 'A session in .dev/runtime' });
  return openWingStreams({ root, directory: DIRECTORY, noun: 'session', codec: { parse }, clock, ids });
}

/** Names the directory of a session's records. @returns absolute */
export const nameSessionDirectory = (root: string, id: string): string => join(root, '.dev', DIRECTORY, id);

/**
 * Resumes a session, or begins one if none has this id.
 * @param by the caller that the session's entries record
 * @param emit called with each entry once it is recorded
 * @throws DevCliError `LOCKED` if another process is using the session; `STATE_NEWER`, `STATE_CORRUPT`,
 * `JOURNAL_CORRUPT`, `IO`
 */
export async function takeSession(
  context: SessionsContext,
  opening: Opening,
  by: Caller,
  emit: EmitEntry = () => {},
): Promise<Session> {
  const { root, clock, ids } = context;
  const streams = openSessions(context);
  const directory = nameSessionDirectory(root, opening.id);
  const mine = takeClaim(`${directory}.writer`, { clock, ids });
  try {
    let state = (await streams.read(opening.id)).snapshot;
    let messages = state === null ? [] : await readMessages(streams, state);
    let last = Promise.resolve();
    let numbered = 0;
    const session: Session = {
      id: opening.id,
      directory,
      get state() {
        return state as SessionState;
      },
      get messages() {
        return messages;
      },
      commit(entries, change = () => ({})) {
        const written = entries.map((entry): NewEntry => ({ type: entry.type, by, data: toEntryData(entry) }));
        const work = async (): Promise<void> => {
          const after = [...messages];
          for (const entry of written) addEntryToMessages(after, entry);
          state = await streams.transact(opening.id, ({ snapshot, size, seq, at }) => {
            const before = snapshot ?? begin(opening, at);
            const next = { ...before, ...change(before), at, messages: after.length };
            next.calls = Math.max(next.calls, numbered);
            if (entries.some(({ type }) => type === 'compacted')) next.from = { offset: size, seq };
            return { answer: next, entries: written as [NewEntry, ...NewEntry[]], snapshot: next, files: [] };
          });
          messages = after;
          for (const { type, data } of written) emit({ session: opening.id, type, data });
        };
        last = last.then(work, work);
        return last;
      },
      takeNumber: () => {
        numbered = Math.max(numbered, state?.calls ?? 0) + 1;
        return numbered;
      },
      release: () => mine.release(),
    };
    if (state === null) await session.commit([{ type: 'opened', data: { ...opening } as never }]);
    return session;
  } catch (error) {
    mine.release();
    throw error;
  }
}

/** Reads the messages of a session, even if another process is using it. @throws DevCliError `JOURNAL_CORRUPT`, `IO` */
export async function openHistory(context: SessionsContext, state: SessionState): Promise<Message[]> {
  return readMessages(openSessions(context), state);
}

async function readMessages(streams: WingStreams<SessionState>, { id, from }: SessionState): Promise<Message[]> {
  const messages: Message[] = [];
  await streams.scan(id, from ?? BEGINNING, (entry) => {
    addEntryToMessages(messages, entry);
    return true;
  });
  return messages;
}

/**
 * Counts the requests of a session that got no usable answer, including a request that is under way, or was under way
 * when its process ended.
 */
export const countUnanswered = ({ unanswered, asking }: Pick<SessionState, 'unanswered' | 'asking'>): number =>
  unanswered + (asking ? 1 : 0);

function takeClaim(path: string, { clock, ids }: Pick<SessionsContext, 'clock' | 'ids'>): Claim {
  const mine = claimPath(path, { clock, ids, purpose: 'a session of the runtime', make: true });
  if (mine !== null) return mine;
  const owner = findClaimOwner(path);
  throw new DevCliError('LOCKED', `Another process is using this session${owner === null ? '' : ` (${owner.pid})`}.`, {
    fix: 'Wait until it has ended, then repeat the same call.',
  });
}

function begin({ id, kind, work, model }: Opening, at: string): SessionState {
  return {
    ...{ schemaVersion: 1, seq: 0, id, kind, work, model, openedAt: at, at, closed: false },
    ...{
      messages: 0,
      context: 0,
      counted: 0,
      usage: { ...NO_USAGE },
      cost: 0,
      requests: 0,
      unanswered: 0,
      asking: false,
    },
    ...{ calls: 0, begun: {}, read: {}, turn: null, summary: null, from: null },
  } as SessionState;
}
