import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { getFileForm } from '../recipe/declared.js';
import type { LlmCliBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { readFileFacts } from '../run/documents/pending.js';
import { displayPath } from '../run/paths.js';
import type { PendingBlock } from '../run/pending-action.js';
import type { Transaction } from '../run/transaction.js';
import { isLaterPhase } from '../run/workflow.js';
import type { AckInput, Acknowledged } from './acknowledgement.js';
import { type ActionBase, buildActionBase, buildFullPart } from './action-parts.js';
import type { BlockType } from './block-type.js';
import { checkFile } from './evidence.js';
import { buildSchemaField, takeFile } from './handed-data.js';
import { runOwnCommandOrRefuse } from './own-command.js';
import { requireResult } from './reported.js';
import { completeAction } from './values/inputs.js';
import { refuseChangedSources } from './values/sources.js';
import { fillPath, fillPlaceholders, isResultRead, rememberResult } from './values/values.js';

/** `llm+cli`: the agent writes a file, then a command of dev-cli may process it. */
export const LLM_CLI: BlockType<LlmCliBlock> = {
  ask(tx, block, { actionId, cause }) {
    const { state } = tx;
    const redone = cause !== 'enter' || state.steps[block.id]?.status === 'stale';
    const path = fillPath(tx, block.write, block.id);
    const watched = redone || state.earlierRun !== null || isLaterPhase(state);
    const before = watched ? { [path]: readFileFacts(tx.files, path) } : {};
    return { action: buildWriteAction(tx, block, buildActionBase(tx, block, actionId)), before };
  },
  refuses: ['data', 'without'],
  acknowledge: acknowledgeFile,
};

function buildWriteAction(tx: Transaction, block: LlmCliBlock, shared: ActionBase): PendingAction {
  return {
    ...shared.base,
    action: 'llm+cli',
    data: {
      write: displayPath(tx.place, tx.state.name, fillPath(tx, block.write, block.id)),
      form: getFileForm(block),
      ...omitUndefined({ headings: block.headings }),
      ...(block.schema === undefined ? {} : buildSchemaField(tx, block, shared.actionId)),
    },
    ack: shared.acknowledge({ ...shared.reported }),
    ...buildFullPart(tx, block),
  };
}

/**
 * Acknowledges `llm+cli`: the file must exist, be valid, and, after a revise, differ from the earlier version; then its
 * command runs (protocol.md §3).
 */
function acknowledgeFile(tx: Transaction, pending: PendingBlock<LlmCliBlock>, input: AckInput): Acknowledged {
  const { block, action } = pending;
  const refusal = refuseChangedSources(tx, action.actionId);
  if (refusal !== null) return refusal;
  if (input.result === undefined && isResultRead(tx)) requireResult(tx, block, action);
  const path = fillPlaceholders(tx, block.write, block.id);
  const shown = displayPath(tx.place, tx.state.name, path);
  const before = action.before[path];
  const evidence = checkFile(tx.files, path, before);
  const unchanged = evidence.ok && action.cause === 'revise' && before?.sha256 === evidence.sha256;
  if (!evidence.ok || unchanged) {
    const problem = evidence.ok ? 'has the same content as before the revision was requested' : evidence.problem;
    throw new DevCliError(
      evidence.ok || evidence.missing ? 'EVIDENCE_MISSING' : 'EVIDENCE_INVALID',
      `${shown}: ${problem}.`,
      {
        details: [{ target: shown, problem }],
        fix: `Write ${shown}, then repeat the acknowledgement.`,
      },
    );
  }
  takeFile(tx, block, evidence.text, shown);
  tx.files.keep(path);
  if (input.result !== undefined) rememberResult(tx, input.result);
  const summary = runFollowUp(tx, block);
  return completeAction(tx, pending, { evidence: { [path]: evidence.sha256 } }, summary);
}

function runFollowUp(tx: Transaction, block: LlmCliBlock): string {
  if (block.command === undefined) return `wrote ${block.write}`;
  if (block.command.kind === 'external') {
    throw new DevCliError('INTERNAL', `"${block.id}" has an external command, which lint refuses here.`);
  }
  return runOwnCommandOrRefuse(tx, block.command.command, block.id).summary;
}
