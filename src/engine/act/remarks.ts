import { toBoundedLine } from '../../documents/foreign.js';
import type { RunEngine } from '../../run/engine.js';
import type { Transaction } from '../../run/transaction.js';
import { requireEngine } from './plan/plan.js';

/** Remarks that an execution keeps for its report. */

/** Longest text of a turning point, in characters: enough for a reason in a person's own words. */
const TEXT_CAP = 1000;

/** Keeps a turning point of the execution: the final state of its todos does not show it. */
export function recordTurningPoint(
  tx: Transaction,
  kind: NonNullable<RunEngine['course']>[number]['kind'],
  text: string,
): void {
  const engine = requireEngine(tx);
  engine.course = [...(engine.course ?? []), { at: tx.at, kind, text: toBoundedLine(text, TEXT_CAP) }];
}

/** Adds an open issue unless the report already has it. */
export function addOpenIssue(tx: Transaction, line: string): void {
  const { openIssues } = requireEngine(tx);
  if (!openIssues.includes(line)) openIssues.push(line);
}
