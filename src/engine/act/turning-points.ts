import { toBoundedLine } from '../../documents/foreign.js';
import type { RunEngine } from '../../run/engine.js';
import type { Transaction } from '../../run/transaction.js';
import { requireEngine } from './plan.js';

/** Characters of one entry: a reason in somebody's words is told whole, within reason. */
const TEXT_CAP = 1000;

type Kind = NonNullable<RunEngine['course']>[number]['kind'];

/** Keeps a turning point of the execution for the report: its rows do not show it in the end. */
export function recordTurningPoint(tx: Transaction, kind: Kind, text: string): void {
  const engine = requireEngine(tx);
  engine.course = [...(engine.course ?? []), { at: tx.at, kind, text: toBoundedLine(text, TEXT_CAP) }];
}
