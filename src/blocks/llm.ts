import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import type { Json } from '../base/json.js';
import { SECTION_IDS, SECTION_TEXTS, type SectionId } from '../documents/sections.js';
import type { LlmBlock, LlmLoopBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { displayPath } from '../run/paths.js';
import type { PendingBlock } from '../run/pending-action.js';
import { markAcknowledged, recordAcknowledged } from '../run/pending-action.js';
import { getRound, recordEntry, type Transaction } from '../run/transaction.js';
import type { AckInput, Acknowledged } from './acknowledgement.js';
import {
  type ActionBase,
  buildActionBase,
  buildFullPart,
  listMissingSections,
  listOpenSections,
} from './action-parts.js';
import type { BlockType, IssuedAction } from './block-type.js';
import { listOfferedChoices } from './choice.js';
import { parseSectionValues } from './commands/data.js';
import { storeInDraft } from './commands/draft.js';
import { digestSections, listSectionsWrittenSince } from './evidence.js';
import { beginExitCheck, buildBoundGate } from './exit-check.js';
import { buildJsonRequest, buildSchemaField, takeData } from './handed-data.js';
import { createCommandContext, isRoundPassed, runOwnCommandOrRefuse, warnOfExhaustedRounds } from './own-command.js';
import { requireResult } from './reported.js';
import { completeAction } from './values/inputs.js';
import { isResultRead, rememberResult } from './values/values.js';

/** `llm`: the agent thinks, then answers with data, with a choice, or only that it is done. */
export const LLM: BlockType<LlmBlock> = {
  ask(tx, block, { actionId }) {
    return { action: buildLlmAction(tx, block, buildActionBase(tx, block, actionId)), ...measureSections(tx, block) };
  },
  refuses: ['without'],
  acknowledge: acknowledgeData,
};

/** `llm-loop`: like `llm`, but in rounds, until its exit check passes. */
export const LLM_LOOP: BlockType<LlmLoopBlock> = {
  ask(tx, block, { actionId, cause }) {
    const shared = buildActionBase(tx, block, actionId);
    const action = cause === 'bound' ? buildBoundGate(tx, block, shared) : buildLoopAction(tx, block, shared);
    return { action, ...measureSections(tx, block) };
  },
  refuses: ['without'],
  acknowledge: acknowledgeData,
};

/** Computes the digests of the block's sections when its action is issued, so that later changes count as evidence. */
function measureSections(tx: Transaction, block: LlmBlock | LlmLoopBlock): Pick<IssuedAction, 'sections'> {
  const sections = digestSections(tx, block);
  return Object.keys(sections).length === 0 ? {} : { sections };
}

function buildLlmAction(tx: Transaction, block: LlmBlock, shared: ActionBase): PendingAction {
  const action: PendingAction = { ...shared.base, action: 'llm' };
  if (block.choices.length > 0) {
    const data = block.schema === undefined ? {} : { data: buildJsonRequest(tx, block, shared.actionId) };
    return { ...action, ...data, choices: listOfferedChoices(tx, block, shared), ...buildFullPart(tx, block) };
  }
  if (block.save === undefined && block.sections.length === 0 && block.schema === undefined) {
    return { ...action, ack: shared.acknowledge({ ...shared.reported }), ...buildFullPart(tx, block) };
  }
  const data = buildDataRequest(tx, block, shared);
  return {
    ...action,
    data,
    ack: shared.acknowledge({ data: `@${data.write}`, ...shared.reported }),
    ...buildFullPart(tx, block),
  };
}

function buildLoopAction(tx: Transaction, block: LlmLoopBlock, shared: ActionBase): PendingAction {
  // The action asks for no data if the block declares none and an external command judges the round.
  const isBare = block.save === undefined && block.sections.length === 0 && block.schema === undefined;
  const data = isBare && block.exitCommand !== undefined ? undefined : buildDataRequest(tx, block, shared);
  return {
    ...shared.base,
    action: 'llm-loop',
    round: getRound(tx, block.id),
    maxRounds: block.maxRounds,
    ...omitUndefined({ data }),
    ack: shared.acknowledge({ ...(data === undefined ? {} : { data: `@${data.write}` }), ...shared.reported }),
    ...buildFullPart(tx, block),
  };
}

function buildDataRequest(tx: Transaction, block: LlmBlock | LlmLoopBlock, shared: ActionBase) {
  const form = block.sections.length > 0 || block.save?.command === 'draft update' ? 'sections' : 'json';
  const file = `actions/${shared.actionId}/data.${form === 'sections' ? 'md' : 'json'}`;
  const need = form === 'sections' ? listWantedSections(tx, block) : null;
  return {
    write: displayPath(tx.place, tx.state.name, file),
    form,
    ...(block.schema === undefined ? {} : buildSchemaField(tx, block, shared.actionId)),
    ...(need === null ? {} : { need }),
  } as const;
}

/** Lists the block's missing sections, or all its sections if none is missing, with a description of each. */
function listWantedSections(tx: Transaction, block: LlmBlock | LlmLoopBlock): Record<string, string> | null {
  if (block.sections.length === 0) return null;
  const missing = listMissingSections(tx, block);
  const wanted = missing.length > 0 ? missing : block.sections;
  return Object.fromEntries(wanted.map((id) => [id, SECTION_TEXTS[id].need]));
}

/** Acknowledges `llm` and `llm-loop`: stores the data; for a loop, the exit check then decides (protocol.md §3). */
function acknowledgeData(
  tx: Transaction,
  pending: PendingBlock<LlmBlock | LlmLoopBlock>,
  input: AckInput,
): Acknowledged {
  const { block, action } = pending;
  if (input.result === undefined && isResultRead(tx)) requireResult(tx, block, action);
  const missingBefore = listMissingSections(tx, block);
  const saved = saveData(tx, pending, input);
  if (input.result !== undefined) rememberResult(tx, input.result);
  const evidence = { saved, ...(input.result === undefined ? {} : { selfReported: true }) };
  const summary = saved.length === 0 ? undefined : `saved ${saved.join(', ')}`;
  if (block.kind === 'llm-loop' && block.exitCommand !== undefined) {
    recordAcknowledged(tx, pending, evidence, summary);
    return beginExitCheck(tx, block, block.exitCommand, 'command', pending.action.sections);
  }
  if (block.kind === 'llm-loop' && !isRoundPassed(tx, block)) {
    const n = getRound(tx, block.id);
    const missing = listOpenSections(tx, block);
    // Without data, the agent has written its sections into the draft by hand. They were filled before this call began,
    // so the number of missing sections is the same before and after it.
    const filledOne = input.data === undefined || listMissingSections(tx, block).length < missingBefore.length;
    recordEntry(tx, 'round', { actionId: action.actionId, block: block.id, round: n, saved, missing });
    markAcknowledged(tx, pending);
    warnOfExhaustedRounds(
      tx,
      block,
      missing.length === 0 ? 'its condition is not met' : `missing: ${missing.join(', ')}`,
    );
    return {
      result: { kind: 'round', round: { n, passed: false, saved, missing } },
      event: { type: 'ROUND', filled: filledOne },
    };
  }
  return completeAction(tx, pending, evidence, summary);
}

/** Stores the data of the acknowledgement and returns the ids of the saved sections. */
function saveData(tx: Transaction, pending: PendingBlock<LlmBlock | LlmLoopBlock>, input: AckInput): string[] {
  const { block, action } = pending;
  const wanted = 'data' in action ? action.data : undefined;
  if (wanted === undefined) {
    if (input.data === undefined) return [];
    throw new DevCliError('DATA_UNEXPECTED', 'This action takes no data.', {
      fix: 'Run the acknowledgement exactly as the action prints it.',
    });
  }
  const { data } = input;
  if (data === undefined) return requireHandwrittenSections(tx, pending, wanted.write);
  const isBare = block.save === undefined && block.sections.length === 0;
  if (isBare || block.schema !== undefined) takeData(tx, block, action, data);
  if (isBare) return [];
  if (data.source !== 'file') tx.files.write(`actions/${action.actionId}/data.json`, data.text);
  if (block.save !== undefined && block.save.command !== 'draft update') {
    runOwnCommandOrRefuse(tx, block.save, block.id, { data: { ...data } });
    return [];
  }
  return saveSections(tx, block, data);
}

/**
 * For an acknowledgement without data, returns the sections written since the action was issued. An `llm` block needs
 * all of its sections; a round of a loop needs only one, since the exit check decides.
 * @throws DevCliError `DATA_MISSING` with the sections that were not written
 */
function requireHandwrittenSections(
  tx: Transaction,
  { block, action }: PendingBlock<LlmBlock | LlmLoopBlock>,
  file: string,
): string[] {
  const own = block.save === undefined || block.save.command === 'draft update';
  const written = own ? listSectionsWrittenSince(tx, block, action) : [];
  const unwritten = block.sections.filter((id) => !written.includes(id));
  if (written.length > 0 && (block.kind === 'llm-loop' || unwritten.length === 0)) return written;
  throw new DevCliError('DATA_MISSING', 'This action needs its data.', {
    details: own ? unwritten.map((id) => ({ target: id, problem: 'not written since the action was issued' })) : [],
    fix: `Write ${file}, then run the acknowledgement as printed.`,
  });
}

function saveSections(tx: Transaction, block: LlmBlock | LlmLoopBlock, data: NonNullable<AckInput['data']>): string[] {
  const only = block.save?.input['section'];
  const single = block.sections.length === 1 ? block.sections[0] : undefined;
  const values = parseSectionValues(data, typeof only === 'string' ? (only as SectionId) : single);
  if (block.save !== undefined)
    runOwnCommandOrRefuse(tx, block.save, block.id, { data: { ...data }, ...sectionOption(block, values) });
  else storeInDraft(createCommandContext(tx), values);
  return SECTION_IDS.filter((id) => id in values);
}

/**
 * Returns the `section` option for the block's save command, if the block has a single section and the data holds only
 * one.
 */
function sectionOption(block: LlmBlock | LlmLoopBlock, values: Partial<Record<SectionId, Json>>): { section?: string } {
  const [only, ...others] = Object.keys(values);
  return only !== undefined && others.length === 0 && block.sections.length === 1 ? { section: only } : {};
}
