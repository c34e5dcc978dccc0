import { foreignLine } from '../../documents/foreign.js';
import type { RunEngine } from '../../run/engine.js';
import type { Turn } from '../../run/turn.js';
import { engineOf } from './plan.js';

/** Characters of one entry: a reason in somebody's words is told whole, within reason. */
const TEXT_CAP = 1000;

type Kind = NonNullable<RunEngine['course']>[number]['kind'];

/** Keeps a turn of the execution that its rows do not show in the end, for the report. */
export function noteCourse(turn: Turn, kind: Kind, text: string): void {
  const engine = engineOf(turn);
  engine.course = [...(engine.course ?? []), { at: turn.at, kind, text: foreignLine(text, TEXT_CAP) }];
}
