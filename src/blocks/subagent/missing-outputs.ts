// door: refusal

import { DevCliError } from '../../base/errors.js';
import type { DispatchAction } from '../../run/action.js';
import { displayPath } from '../../run/paths.js';
import type { Transaction } from '../../run/transaction.js';
import { getResultFile } from '../reported.js';
import type { OutputProblem } from './outputs.js';

/**
 * Builds the refusal of an incomplete dispatch. It asks only for the outputs that are missing or invalid; the others
 * stay accepted (protocol.md, Errors).
 */
export function buildMissingOutputsError(tx: Transaction, action: DispatchAction, open: OutputProblem[]): DevCliError {
  const { state, place } = tx;
  const shown = (file: string) => displayPath(place, state.name, file);
  const names = open.map((finding) => finding.agent);
  const total = action.agents.length;
  const good = total - open.length;
  const kept =
    good === 0
      ? ''
      : ` The other ${good === 1 ? 'one is' : `${good} are`} accepted and stay${good === 1 ? 's' : ''} accepted.`;
  const promised = open.every((finding) => finding.path === undefined) ? 'reports' : 'files';
  const reason = shown(`actions/${action.actionId}/reason.md`);
  const result = shown(getResultFile(action.actionId));
  return new DevCliError(
    open.some((finding) => finding.missing) ? 'EVIDENCE_MISSING' : 'EVIDENCE_INVALID',
    `${open.length} of ${total} promised ${promised} ${open.length === 1 ? 'is' : 'are'} missing or invalid.${kept}`,
    {
      details: open.flatMap((finding) =>
        finding.problems.map((problem) => ({
          agent: finding.agent,
          target: finding.path === undefined ? result : shown(finding.path),
          ...problem,
        })),
      ),
      fix: `${renderFix(open, result)} If it cannot be done, write why to ${reason} and run \`instead\`.`,
      instead: {
        command: 'step complete',
        input: { name: state.name, action: action.actionId, without: names, reason: `@${reason}` },
      },
    },
  );
}

/**
 * How to continue: an agent writes its file itself; a report without a file is written down by whoever started the
 * agent.
 */
function renderFix(open: OutputProblem[], result: string): string {
  const writers = open.filter((finding) => finding.path !== undefined).map((finding) => finding.agent);
  const reporters = open.filter((finding) => finding.path === undefined).map((finding) => finding.agent);
  const report = `write what ${reporters.join(', ')} reported to ${result}`;
  if (writers.length === 0) return `W${report.slice(1)}, then run the ack as printed.`;
  const again = writers.length === 1 ? `agent ${writers[0]}` : `only ${writers.join(', ')}`;
  const also = reporters.length === 0 ? '' : `${report}, `;
  return `An agent that is still at work: wait for it, in the background by ending your turn. If none is, start ${again} again with the same promptFile, wait, ${also}then repeat the ack.`;
}
