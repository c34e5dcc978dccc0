import { toCommandName } from '../../../documents/command-words.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { LogEnd } from '../../../documents/run-summary.js';
import type { CommandEvidence } from '../../../run/engine-rows.js';
import type { Transaction } from '../../../run/transaction.js';
import { requireEngine } from '../../act/plan/plan.js';

/** Commands of which the end is shown, lines of each, and the largest log that is read for it, in bytes. */
const SHOWN = { commands: 20, lines: 6, bytes: 256 * 1024 };

/** Reads how the outputs of the commands ended: on the final tree, or for the todos where nothing ran there. */
export function readLogEnds(tx: Transaction): LogEnd[] {
  const { evidence, order, todos } = requireEngine(tx);
  const ran = evidence.length > 0 ? evidence : order.flatMap((id) => todos[id]?.evidence ?? []);
  return ran.slice(0, SHOWN.commands).flatMap((one) => {
    const text = readEnd(tx, one);
    return text === '' ? [] : [{ title: `${toCommandName(one.argv, 200)}: ${one.outcome}`, text }];
  });
}

function readEnd(tx: Transaction, { log }: CommandEvidence): string {
  const facts = tx.files.facts(log);
  if (facts.kind !== 'file' || facts.size > SHOWN.bytes) return '';
  const lines = (tx.files.text(log) ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(-SHOWN.lines)
    .map((line) => toBoundedLine(line, 300))
    .join('\n');
}
