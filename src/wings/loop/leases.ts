import {
  expireLeases,
  findOwn,
  type LeaseChange,
  type LeaseRequest,
  type LeaseResult,
  refuseClaim,
  releaseLease,
  renewLease,
  takeLease,
} from './core/leases.js';
import type { Lease, LoopState } from './state-schema.js';
import { LOOP, type Streams } from './streams.js';

/** Leases of goals for workers of any kind; they may be stored on another machine (loop-operations.md, Queue). */

/** How many expired leases the call closed. */
interface Swept {
  swept: number;
}

/** Each call first closes expired leases, by the store's own clock. */
export interface Leases {
  /** Leases a goal, or returns why it is refused; logs either result. @throws DevCliError `LOCKED`, `IO` */
  take(asked: LeaseRequest): Promise<LeaseResult & Swept>;
  /**
   * Extends the worker's active lease: it then expires the given number of minutes from now.
   * @throws DevCliError `CLAIM_REFUSED`, `LOCKED`, `IO`
   */
  renew(id: string, by: { worker: string; minutes: number }): Promise<Lease>;
  /** Releases a goal. @throws DevCliError `CLAIM_REFUSED`, `LOCKED`, `IO` */
  release(id: string, by: { worker: string; reason: string | null; goalStatus: string | null }): Promise<Lease>;
  /** Lists all leases. @throws DevCliError `LOCKED`, `IO` */
  list(): Promise<{ leases: Lease[]; at: string }>;
}

/** Opens leases that are stored in the loop's stream. @param ids generates their ids */
export function openLeases(streams: Pick<Streams, 'transact'>, ids: { hex(length: number): string }): Leases {
  const change = <A>(
    type: string,
    decide: (leases: LoopState['leases'], at: string) => LeaseChange<A>,
  ): Promise<A & Swept> =>
    streams.transact(LOOP, (state, at) => {
      const swept = expireLeases(state.leases, at);
      const { leases, events, answer } = decide(swept.leases, at);
      const told = [...swept.events, ...events];
      const next = { ...state, leases, unsent: [...state.unsent, ...told] };
      return {
        answer: { ...answer, swept: swept.answer },
        ...(told.length > 0 && { state: next, entry: { type, data: { events: told.length } } }),
      };
    });
  const own = (leases: LoopState['leases'], id: string, worker: string, at: string): Lease => {
    const found = findOwn(leases, id, worker, at);
    if ('kind' in found) throw refuseClaim(found.code, id, found.problem);
    return found;
  };
  return {
    take: (asked) => {
      const id = `QCLM_${ids.hex(12)}`;
      return change('lease-taken', (leases, at) => takeLease(leases, asked, { id, at }));
    },
    renew: (id, { worker, minutes }) =>
      change('lease-renewed', (leases, at) => renewLease(leases, own(leases, id, worker, at), { at, minutes })),
    release: (id, { worker, ...why }) =>
      change('lease-released', (leases, at) => releaseLease(leases, own(leases, id, worker, at), { at, ...why })),
    list: () =>
      change('leases-expired', (leases, at) => ({
        ...{ leases, events: [] },
        answer: { leases: Object.values(leases), at },
      })),
  };
}
