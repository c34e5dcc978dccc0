import type { CollectedTask, RoundReport } from '../blocks/acknowledgement.js';
import type { ShownAction } from '../run/action.js';
import type { RanStep } from '../run/transaction.js';

/** The result of a call, which may have made several commits; rendered as one envelope (protocol.md §2). */
export interface CallResult {
  /** The run's name. */
  name: string;
  status?: 'initialized' | 'resumed' | 'forked' | 'aborted' | 'invalidated' | 'held' | 'released' | 'undone';
  completed?: string | null;
  duplicate?: true;
  round?: RoundReport;
  collected?: CollectedTask[];
  ran: RanStep[];
  warnings: string[];
  next: ShownAction | null;
}
