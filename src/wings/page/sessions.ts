import { randomBytes } from 'node:crypto';

/** Milliseconds for which a ticket is valid. */
const TICKET_FOR = 60_000;

/** Bytes of a random ticket or session: 192 bits. */
const BYTES = 24;

/** Keeps the sessions that may use the server, in memory only (view-page.md, Guard). */
export type Sessions = ReturnType<typeof createSessions>;

/** @param now the time in milliseconds, by a monotonic clock */
export function createSessions(now: () => number = () => performance.now()) {
  const tickets = new Map<string, number>();
  const sessions = new Set<string>();
  return {
    /** Issues a ticket that is valid once, for a minute. */
    issue(): string {
      for (const [ticket, until] of tickets) if (until < now()) tickets.delete(ticket);
      const ticket = randomBytes(BYTES).toString('hex');
      tickets.set(ticket, now() + TICKET_FOR);
      return ticket;
    },
    /** Exchanges a ticket for a session; null if the ticket is unknown, used or expired. */
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
