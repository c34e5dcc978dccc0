import { DevCliError } from '../base/errors.js';
import type { Json } from '../base/json.js';
import { parseJson } from '../documents/section-data.js';
import type { LlmCliBlock } from '../recipe/resolved.js';
import { schemaFindings } from '../recipe/user-schema.js';
import type { PendingAction } from '../run/action.js';
import { shownPath } from '../run/paths.js';
import { noteStep, type Turn } from '../run/turn.js';
import { isFollowUp } from '../run/workflow.js';
import type { AckInput, Acknowledged, ChangedSources, Pending } from './acknowledgement.js';
import { type Common, commonParts, fullOf } from './action-parts.js';
import type { BlockType } from './block-type.js';
import { checkDocument } from './commands/check.js';
import { factsOf, fileEvidence } from './evidence.js';
import { runOrRefuse } from './own-command.js';
import { completed } from './settle.js';
import { refuseChangedSources } from './sources.js';
import { filled, filledPath, rememberResult } from './values.js';

/** `llm+cli`: the agent writes a file, and a command of dev-cli goes on with it. */
export const LLM_CLI: BlockType<LlmCliBlock> = {
  ask(turn, block, { actionId, cause }) {
    const { state } = turn;
    const redone = cause !== 'enter' || state.steps[block.id]?.status === 'stale';
    const path = filledPath(turn, block.write, block.id);
    const watched = redone || state.earlierRun !== null || isFollowUp(state);
    const before = watched ? { [path]: factsOf(turn.files, path) } : {};
    return { action: writeAction(turn, block, commonParts(turn, block, actionId)), before };
  },
  refuses: ['data', 'without'],
  acknowledge: acknowledgeWritten,
};

function writeAction(turn: Turn, block: LlmCliBlock, shared: Common): PendingAction {
  return {
    ...shared.base,
    action: 'llm+cli',
    data: { write: shownPath(turn.place, turn.state.name, filledPath(turn, block.write, block.id)), form: 'json' },
    ack: shared.acknowledge(),
    ...fullOf(turn, block),
  };
}

/** `llm+cli`: the file is there, holds up, and after a revise is another one; then its command runs (protocol.md §3). */
function acknowledgeWritten(
  turn: Turn,
  pending: Pending<LlmCliBlock>,
  input: AckInput,
  sources: ChangedSources,
): Acknowledged {
  const { block, action, state } = pending;
  const refusal = refuseChangedSources(turn, action.actionId, sources);
  if (refusal !== null) return refusal;
  const path = filled(turn, block.write, block.id);
  const shown = shownPath(turn.place, turn.state.name, path);
  const before = state.before[path];
  const evidence = fileEvidence(turn.files, path, before);
  const unchanged = evidence.ok && state.cause === 'revise' && before?.sha256 === evidence.sha256;
  if (!evidence.ok || unchanged) {
    const problem = evidence.ok ? 'has the same content as before the revision was asked for' : evidence.problem;
    throw new DevCliError(
      evidence.ok || evidence.missing ? 'EVIDENCE_MISSING' : 'EVIDENCE_INVALID',
      `${shown}: ${problem}.`,
      {
        details: [{ target: shown, problem }],
        fix: `Write ${shown}, then repeat the acknowledgement.`,
      },
    );
  }
  checkWritten(turn, pending, evidence.text, shown);
  turn.files.keep(path);
  if (input.result !== undefined) rememberResult(turn, input.result);
  const summary = runAfterwards(turn, block);
  noteStep(turn, block.id, summary);
  return completed(turn, pending, { evidence: { [path]: evidence.sha256 } });
}

/** @throws DevCliError `SCHEMA_INVALID` with every finding, `EVIDENCE_INVALID` for what is no JSON */
function checkWritten(turn: Turn, pending: Pending<LlmCliBlock>, text: string, shown: string): void {
  const { block } = pending;
  const value = requireJson(turn, text, shown);
  const findings =
    block.schemaText === undefined
      ? checkDocument(block.schema === 'plan-content' ? 'plan-content.json' : block.write, text).problems
      : schemaFindings(block.schemaText, value);
  if (findings.length === 0) return;
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  throw new DevCliError('SCHEMA_INVALID', `${shown} does not hold up: ${count}.`, {
    details: findings.slice(0, 40),
    fix: `Mend every finding in ${shown}, then repeat the acknowledgement.`,
  });
}

/** A promised file that does not parse is evidence that does not hold up, not a wrong use of the command. */
function requireJson(_turn: Turn, text: string, shown: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    throw new DevCliError('EVIDENCE_INVALID', `${shown} is not valid JSON.`, {
      details: [{ target: shown, problem: error.message }, ...error.details],
      fix: `Mend ${shown}, then repeat the acknowledgement.`,
    });
  }
}

function runAfterwards(turn: Turn, block: LlmCliBlock): string {
  if (block.command === undefined) return `wrote ${block.write}`;
  if (block.command.kind === 'external') {
    throw new DevCliError('INTERNAL', `"${block.id}" has an external command, which lint refuses here.`);
  }
  return runOrRefuse(turn, block.command.command, block.id).summary;
}
