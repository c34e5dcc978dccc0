import { randomBytes } from 'node:crypto';

/** Milliseconds within which a ticket is exchanged. */
const TICKET_FOR = 60_000;

/** 192 bits. */
const BYTES = 24;

/** Who may ask the server: whoever had a ticket, in memory alone (view-page.md, Guard). */
export type Sessions = ReturnType<typeof createSessions>;

/** @param now the instant in milliseconds, by a clock that is never put back */
export function createSessions(now: () => number = () => performance.now()) {
  const tickets = new Map<string, number>();
  const sessions = new Set<string>();
  return {
    /** A ticket that is good once, for a minute. */
    issue(): string {
      for (const [ticket, until] of tickets) if (until < now()) tickets.delete(ticket);
      const ticket = randomBytes(BYTES).toString('hex');
      tickets.set(ticket, now() + TICKET_FOR);
      return ticket;
    },
    /** A session for a ticket; null where that is none, was used, or is too old. */
    exchange(ticket: string): string | null {
      const until = tickets.get(ticket);
      tickets.delete(ticket);
      if (until === undefined || until < now()) return null;
      const session = randomBytes(BYTES).toString('hex');
      sessions.add(session);
      return session;
    },
    has: (session: string): boolean => sessions.has(session),
  };
}
