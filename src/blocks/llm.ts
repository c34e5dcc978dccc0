import { DevCliError } from '../base/errors.js';
import type { Json } from '../base/json.js';
import { parseJson } from '../documents/section-data.js';
import { SECTION_IDS, SECTIONS, type SectionId } from '../documents/sections.js';
import type { LlmBlock, LlmLoopBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { shownPath } from '../run/paths.js';
import { noteStep, record, type Turn } from '../run/turn.js';
import type { AckInput, Acknowledged, Pending } from './acknowledgement.js';
import { type Common, commonParts, fullOf, missingSections, openSections } from './action-parts.js';
import type { Asked, BlockType } from './block-type.js';
import { offered } from './choice.js';
import { sectionValues } from './commands/data.js';
import { draftStore } from './commands/draft.js';
import { boundGate } from './gate.js';
import { passes, runOrRefuse, sceneOf, warnAtBound } from './own-command.js';
import { sectionDigests, writtenSince } from './section-evidence.js';
import { completed, settleAction } from './settle.js';
import { rememberResult, roundOf } from './values.js';

/** `llm`: the agent thinks, and answers with data, with a choice, or with nothing. */
export const LLM: BlockType<LlmBlock> = {
  ask(turn, block, { actionId }) {
    return { action: llmAction(turn, block, commonParts(turn, block, actionId)), ...measured(turn, block) };
  },
  refuses: ['without'],
  acknowledge: acknowledgeData,
};

/** `llm-loop`: the same in rounds, until its exit check passes. */
export const LLM_LOOP: BlockType<LlmLoopBlock> = {
  ask(turn, block, { actionId, cause }) {
    const shared = commonParts(turn, block, actionId);
    const action = cause === 'bound' ? boundGate(turn, block, shared) : loopAction(turn, block, shared);
    return { action, ...measured(turn, block) };
  },
  refuses: ['without'],
  acknowledge: acknowledgeData,
};

/** The sections as they stand: what is written to them from now on is evidence. */
function measured(turn: Turn, block: LlmBlock | LlmLoopBlock): Pick<Asked, 'sections'> {
  const sections = sectionDigests(turn, block);
  return Object.keys(sections).length === 0 ? {} : { sections };
}

function llmAction(turn: Turn, block: LlmBlock, shared: Common): PendingAction {
  const action: PendingAction = { ...shared.base, action: 'llm' };
  if (block.choices.length > 0) return { ...action, choices: offered(turn, block, shared), ...fullOf(turn, block) };
  if (block.save === undefined && block.sections.length === 0) {
    return { ...action, ack: shared.acknowledge(), ...fullOf(turn, block) };
  }
  const data = dataFile(turn, block, shared);
  return { ...action, data, ack: shared.acknowledge({ data: `@${data.write}` }), ...fullOf(turn, block) };
}

function loopAction(turn: Turn, block: LlmLoopBlock, shared: Common): PendingAction {
  const data = dataFile(turn, block, shared);
  return {
    ...shared.base,
    action: 'llm-loop',
    round: roundOf(turn, block.id),
    maxRounds: block.maxRounds,
    data,
    ack: shared.acknowledge({ data: `@${data.write}` }),
    ...fullOf(turn, block),
  };
}

function dataFile(turn: Turn, block: LlmBlock | LlmLoopBlock, shared: Common) {
  const form = block.sections.length > 0 || block.save?.command === 'draft update' ? 'sections' : 'json';
  const file = `actions/${shared.actionId}/data.${form === 'sections' ? 'md' : 'json'}`;
  const need = form === 'sections' ? needed(turn, block) : null;
  return {
    write: shownPath(turn.place, turn.state.name, file),
    form,
    ...(need === null ? {} : { need }),
  } as const;
}

/** The sections still wanted, each with what belongs into it; all of the block's when none is missing. */
function needed(turn: Turn, block: LlmBlock | LlmLoopBlock): Record<string, string> | null {
  if (block.sections.length === 0) return null;
  const missing = missingSections(turn, block);
  const wanted = missing.length > 0 ? missing : block.sections;
  return Object.fromEntries(wanted.map((id) => [id, SECTIONS[id].need]));
}

/** `llm` and `llm-loop`: stores the data, then the loop's exit check decides (protocol.md §3). */
function acknowledgeData(turn: Turn, pending: Pending<LlmBlock | LlmLoopBlock>, input: AckInput): Acknowledged {
  const { block, action } = pending;
  const missingBefore = missingSections(turn, block);
  const saved = saveData(turn, pending, input);
  if (input.result !== undefined) rememberResult(turn, input.result);
  if (block.kind === 'llm-loop' && !passes(turn, block)) {
    const n = roundOf(turn, block.id);
    const missing = openSections(turn, block);
    // What was written by hand was there before this call.
    const filledOne = input.data === undefined || missingSections(turn, block).length < missingBefore.length;
    record(turn, 'round', { actionId: action.actionId, block: block.id, round: n, saved, missing });
    settleAction(turn, pending);
    warnAtBound(turn, block, missing.length === 0 ? 'its condition is not met' : `missing: ${missing.join(', ')}`);
    return {
      result: { kind: 'round', round: { n, passed: false, saved, missing } },
      event: { type: 'ROUND', filled: filledOne },
    };
  }
  if (saved.length > 0) noteStep(turn, block.id, `saved ${saved.join(', ')}`);
  return completed(turn, pending, { saved, ...(input.result === undefined ? {} : { selfReported: true }) });
}

/** Stores what came with the acknowledgement; gives the sections that were saved. */
function saveData(turn: Turn, pending: Pending<LlmBlock | LlmLoopBlock>, input: AckInput): string[] {
  const { block, action } = pending;
  const wanted = 'data' in action ? action.data : undefined;
  if (wanted === undefined) {
    if (input.data === undefined) return [];
    throw new DevCliError('DATA_UNEXPECTED', 'This action takes no data.', {
      fix: 'Run the acknowledgement exactly as the action prints it.',
    });
  }
  const { data } = input;
  if (data === undefined) return writtenByHand(turn, pending, wanted.write);
  const file = `actions/${action.actionId}/data.${wanted.form === 'sections' ? 'md' : 'json'}`;
  if (block.save === undefined && block.sections.length === 0) {
    parseJson(data.text);
    turn.files.write(file, data.text);
    return [];
  }
  if (data.source !== 'file') turn.files.write(`actions/${action.actionId}/data.json`, data.text);
  if (block.save !== undefined && block.save.command !== 'draft update') {
    runOrRefuse(turn, block.save, block.id, { data: { ...data } });
    return [];
  }
  return saveSections(turn, block, data);
}

/**
 * Without data: the sections that were written since the action was issued. An `llm` wants each of its sections, of a round
 * of a loop one is enough, since its exit check has the last word.
 * @throws DevCliError `DATA_MISSING` with the sections that were not written
 */
function writtenByHand(turn: Turn, { block, state }: Pending<LlmBlock | LlmLoopBlock>, file: string): string[] {
  const own = block.save === undefined || block.save.command === 'draft update';
  const written = own ? writtenSince(turn, block, state) : [];
  const unwritten = block.sections.filter((id) => !written.includes(id));
  if (written.length > 0 && (block.kind === 'llm-loop' || unwritten.length === 0)) return written;
  throw new DevCliError('DATA_MISSING', 'This action needs its data.', {
    details: own ? unwritten.map((id) => ({ target: id, problem: 'not written since the action was issued' })) : [],
    fix: `Write ${file}, then run the acknowledgement as printed.`,
  });
}

function saveSections(turn: Turn, block: LlmBlock | LlmLoopBlock, data: NonNullable<AckInput['data']>): string[] {
  const only = block.save?.input['section'];
  const values = sectionValues(data, typeof only === 'string' ? (only as SectionId) : singleSection(block));
  if (block.save !== undefined)
    runOrRefuse(turn, block.save, block.id, { data: { ...data }, ...sectionOption(block, values) });
  else draftStore(sceneOf(turn), values);
  return SECTION_IDS.filter((id) => id in values);
}

function singleSection(block: LlmBlock | LlmLoopBlock): SectionId | undefined {
  return block.sections.length === 1 ? block.sections[0] : undefined;
}

/** Plain data for the only section of a block names that section to the command. */
function sectionOption(block: LlmBlock | LlmLoopBlock, values: Partial<Record<SectionId, Json>>): { section?: string } {
  const [only, ...others] = Object.keys(values);
  return only !== undefined && others.length === 0 && block.sections.length === 1 ? { section: only } : {};
}
