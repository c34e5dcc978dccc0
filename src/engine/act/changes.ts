import type { Turn } from '../../run/turn.js';
import { engineOf } from './plan.js';

/**
 * Keeps what a commit holds, for the report.
 * @param id the todo, or that of the commit of what remained
 */
export function noteCommitted(turn: Turn, id: string, paths: readonly string[]): void {
  const engine = engineOf(turn);
  if (paths.length === 0) return;
  engine.committed = { ...engine.committed, [id]: [...new Set([...(engine.committed?.[id] ?? []), ...paths])] };
}
