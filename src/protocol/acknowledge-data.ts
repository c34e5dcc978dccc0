import { DevCliError } from '../base/errors.js';
import type { Json } from '../base/json.js';
import { checkDocument } from '../blocks/commands/check.js';
import { sectionValues } from '../blocks/commands/data.js';
import { draftStore } from '../blocks/commands/draft.js';
import { fileEvidence } from '../blocks/evidence.js';
import { noteStep, sceneOf } from '../blocks/execute.js';
import { missingSections, openSections } from '../blocks/issue-common.js';
import { writtenSince } from '../blocks/section-evidence.js';
import { filled, rememberResult, roundOf } from '../blocks/values.js';
import { parseJson } from '../documents/section-data.js';
import { SECTION_IDS, type SectionId } from '../documents/sections.js';
import type { LlmBlock, LlmCliBlock, LlmLoopBlock } from '../recipe/resolved.js';
import { schemaFindings } from '../recipe/user-schema.js';
import { shownPath } from '../run/paths.js';
import { record, type Turn } from '../run/turn.js';
import { type AckInput, type AckResult, type ChangedSources, type Pending, settleAction } from './acknowledgement.js';
import { advance } from './advance.js';
import { pendingPart } from './identify.js';
import { noteInputs } from './inputs.js';
import { passes, runOrRefuse, warnAtBound } from './passes.js';
import { refuseChangedSources } from './sources.js';

/** `llm` and `llm-loop`: stores the data, then the loop's exit check decides (protocol.md §3). */
export function acknowledgeData(turn: Turn, pending: Pending<LlmBlock | LlmLoopBlock>, input: AckInput): AckResult {
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
    advance(turn, { type: 'ROUND', filled: filledOne });
    return { kind: 'round', round: { n, passed: false, saved, missing } };
  }
  if (saved.length > 0) noteStep(turn, block.id, `saved ${saved.join(', ')}`);
  record(turn, 'acknowledged', {
    actionId: action.actionId,
    block: block.id,
    saved,
    ...(input.result === undefined ? {} : { selfReported: true }),
  });
  settleAction(turn, pending);
  noteInputs(turn, pending);
  advance(turn, { type: 'DONE' });
  return { kind: 'completed', block: block.id };
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
    run: turn.state.name,
    details: own ? unwritten.map((id) => ({ target: id, problem: 'not written since the action was issued' })) : [],
    fix: `Write ${file}, then run the acknowledgement as printed.`,
    ...pendingPart(turn),
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

/** `llm+cli`: the file is there, holds up, and after a revise is another one; then its command runs (protocol.md §3). */
export function acknowledgeWritten(
  turn: Turn,
  pending: Pending<LlmCliBlock>,
  input: AckInput,
  sources: ChangedSources,
): AckResult {
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
        run: turn.state.name,
        details: [{ target: shown, problem }],
        fix: `Write ${shown}, then repeat the acknowledgement.`,
        ...pendingPart(turn),
      },
    );
  }
  checkWritten(turn, pending, evidence.text, shown);
  turn.files.keep(path);
  if (input.result !== undefined) rememberResult(turn, input.result);
  const summary = runAfterwards(turn, block);
  noteStep(turn, block.id, summary);
  record(turn, 'acknowledged', {
    actionId: action.actionId,
    block: block.id,
    evidence: { [path]: evidence.sha256 },
  });
  settleAction(turn, pending);
  noteInputs(turn, pending);
  advance(turn, { type: 'DONE' });
  return { kind: 'completed', block: block.id };
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
    run: turn.state.name,
    details: findings.slice(0, 40),
    fix: `Mend every finding in ${shown}, then repeat the acknowledgement.`,
    ...pendingPart(turn),
  });
}

/** A promised file that does not parse is evidence that does not hold up, not a wrong use of the command. */
function requireJson(turn: Turn, text: string, shown: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    throw new DevCliError('EVIDENCE_INVALID', `${shown} is not valid JSON.`, {
      run: turn.state.name,
      details: [{ target: shown, problem: error.message }, ...error.details],
      fix: `Mend ${shown}, then repeat the acknowledgement.`,
      ...pendingPart(turn),
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
