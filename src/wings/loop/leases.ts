import {
  findOwn,
  type LeaseChange,
  refuseClaim,
  releaseLease,
  renewLease,
  sweep,
  type Taken,
  type Taking,
  takeLease,
} from './core/leases.js';
import type { Lease, LoopState } from './state-schema.js';
import { LOOP, type Streams } from './streams.js';

/** Who works on which goal, for workers of any kind; what stands behind could be another machine's (loop-operations.md, Queue). */

/** How many leases the call found past their time. */
interface Swept {
  swept: number;
}

/** Each call first closes what is past its time, by a clock that is its own. */
export interface Leases {
  /** Takes a goal, or says why not: both are told in the log. @throws DevCliError `LOCKED`, `IO` */
  take(asked: Taking): Promise<Taken & Swept>;
  /** Has an active lease of the worker hold for some minutes from now. @throws DevCliError `CLAIM_REFUSED`, `LOCKED`, `IO` */
  renew(id: string, by: { worker: string; minutes: number }): Promise<Lease>;
  /** Gives a goal back. @throws DevCliError `CLAIM_REFUSED`, `LOCKED`, `IO` */
  release(id: string, by: { worker: string; reason: string | null; goalStatus: string | null }): Promise<Lease>;
  /** @throws DevCliError `LOCKED`, `IO` */
  list(): Promise<{ leases: Lease[]; at: string }>;
}

/** Leases over the loop's stream. @param ids names them */
export function openLeases(streams: Pick<Streams, 'transact'>, ids: { hex(length: number): string }): Leases {
  const change = <A>(
    type: string,
    decide: (leases: LoopState['leases'], at: string) => LeaseChange<A>,
  ): Promise<A & Swept> =>
    streams.transact(LOOP, (state, at) => {
      const swept = sweep(state.leases, at);
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
