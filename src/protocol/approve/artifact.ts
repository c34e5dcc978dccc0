import type { DecisionSection, Look } from '../../base/decision.js';
import { isRecord } from '../../base/json.js';
import { revealInvisible } from '../../documents/plan-text.js';
import type { GateAction } from '../../run/action.js';
import { displayPath, PLAN, parseDisplayPath } from '../../run/paths.js';
import type { RunHead } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';

/** The document that a gate is about, where that is not the plan: shown, since its digest is what is approved (protocol.md, A person's word). */

/** Lines shown of it, and the longest of them, in characters; a key shows it all. */
const LINES = 40;
const LINE_CAP = 400;

/** Shows the document that a gate is about, and whether it is as it was when somebody last answered; nothing where it is the plan, or none. */
export function listArtifact(tx: Transaction, head: RunHead, action: GateAction): DecisionSection[] {
  const { artifact } = action;
  if (artifact === undefined || isPlan(tx, action)) return [];
  const text = readArtifact(tx, action);
  const since = findAnsweredDigest(head, action.block);
  const isSame = since !== undefined && since === artifact.digest;
  return [
    ...(isSame ? [{ heading: 'What changed since you last answered', lines: ['Nothing.'] }] : []),
    { heading: artifact.path, lines: text === null ? ['It is not there, or is no text.'] : listHead(text) },
  ];
}

/** The key that shows all of the document that a gate is about: the plan, or another. */
export function listArtifactLooks(tx: Transaction, action: GateAction): Look[] {
  const text = readArtifact(tx, action);
  if (text === null || action.artifact === undefined) return [];
  return isPlan(tx, action)
    ? [{ key: 'p', word: 'plan', label: 'the plan', look: async () => text }]
    : [{ key: 'a', word: 'all', label: `all of ${action.artifact.path.split('/').at(-1)}`, look: async () => text }];
}

function isPlan(tx: Transaction, { artifact, run }: GateAction): boolean {
  return artifact?.path === displayPath(tx.place, run, PLAN);
}

function readArtifact(tx: Transaction, { artifact, run }: GateAction): string | null {
  return artifact === undefined ? null : tx.files.text(parseDisplayPath(tx.place, run, artifact.path));
}

function listHead(text: string): string[] {
  const lines = text.trimEnd().split(/\r\n?|\n/);
  const shown = lines.slice(0, LINES).map((line) => {
    const whole = revealInvisible(line.replaceAll('\t', '  ').trimEnd());
    return `  ${whole.length > LINE_CAP ? `${whole.slice(0, LINE_CAP - 1)}…` : whole}`;
  });
  return lines.length > LINES ? [...shown, `… and ${lines.length - LINES} more lines`] : shown;
}

/** The digest of what a gate was last answered about in this run. */
function findAnsweredDigest({ past }: RunHead, block: string): unknown {
  let answered: unknown;
  past.scan(({ type, data }) => {
    if (type === 'init') answered = undefined;
    else if (type === 'acknowledged' && isRecord(data) && data['block'] === block) answered = data['digest'];
  });
  return answered;
}
