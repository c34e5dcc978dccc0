import { omitUndefined } from '../base/defined.js';
import type { Invocation } from '../base/invocation.js';
import type { JsonObject } from '../base/json.js';
import { readDraftStatus } from '../documents/draft.js';
import { toBoundedLine } from '../documents/foreign.js';
import type { SectionId } from '../documents/sections.js';
import { writesPlan } from '../recipe/declared.js';
import type { AgentFacingBlock, InstructedBlock, OwnCommand } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { hasFailures, listRequiredSections } from '../run/facts.js';
import { displayPath } from '../run/paths.js';
import type { Transaction } from '../run/transaction.js';
import { writePrompt } from './prompt.js';
import { renderWithoutExit } from './red.js';
import { askForResult } from './reported.js';
import { explainAbsence, listReadable } from './values/readable.js';
import { fillPlaceholders, fillShortText, isResultRead } from './values/values.js';

/** The most characters that an instruction may have (protocol.md §2). */
const INSTRUCTION_CAP = 600;

/** What all actions of a block have in common. */
export interface ActionBase {
  actionId: string;
  base: Pick<PendingAction, 'run' | 'block' | 'actionId' | 'instruction' | 'progress'> & {
    read?: string[];
    consult?: string[];
    asks?: 'user';
  };
  /**
   * The `result` option, to be added to the acknowledgement if a condition of the recipe reads what the agent reports
   * at this block; otherwise empty.
   */
  reported: { result?: string };
  /** Builds the command that acknowledges the action; `more` is added to its input. */
  acknowledge: (more?: JsonObject) => Invocation;
}

/** Lists the block's required sections that are still empty; an empty list if there is no draft. */
export function listMissingSections(tx: Transaction, block: { sections: SectionId[] }): SectionId[] {
  const missing = listDraftGaps(tx);
  return block.sections.filter((id) => missing.includes(id));
}

function listDraftGaps(tx: Transaction): SectionId[] {
  const draft = tx.files.text('DRAFT.md');
  return draft === null ? [] : readDraftStatus(draft, listRequiredSections(tx.captured.recipe, tx.state)).missing;
}

/**
 * Lists the empty sections that keep a loop going: all required ones when its exit check is `draft validate`, otherwise
 * only the block's own.
 */
export function listOpenSections(
  tx: Transaction,
  block: { sections: SectionId[]; exitCheck?: OwnCommand },
): SectionId[] {
  return block.exitCheck?.command === 'draft validate' ? listDraftGaps(tx) : listMissingSections(tx, block);
}

/** Builds what every action of `block` shares and writes the block's prompt file. */
export function buildActionBase(tx: Transaction, block: AgentFacingBlock, actionId: string): ActionBase {
  const { state, place } = tx;
  const shown = (path: string) => displayPath(place, state.name, path);
  const present = (paths: string[]) => paths.filter((path) => tx.files.facts(path).kind === 'file');
  const read = listReadable(tx, block.read, block.id);
  const consult = listReadable(tx, block.consult, block.id);
  const reading = [...tx.because, ...present(read)].map(shown);
  const consulting = present(consult).map(shown);
  const prompt = block.instructionText !== undefined || writesPlan(block) ? writePrompt(tx, block, actionId) : null;
  const report = isResultRead(tx) ? askForResult(tx, block, actionId) : null;
  // A prompt file that an earlier action already had the agent read is listed under `consult`: it need not be read
  // again.
  if (prompt !== null) (prompt.isKnown ? consulting : reading).push(shown(prompt.file));
  return {
    actionId,
    base: {
      run: state.name,
      block: block.id,
      actionId,
      instruction: buildInstruction(tx, block, [...read, ...consult], report?.instruction ?? ''),
      ...(reading.length > 0 ? { read: [...new Set(reading)] } : {}),
      ...(consulting.length > 0 ? { consult: consulting } : {}),
      ...(block.asks === 'user' ? { asks: block.asks } : {}),
      progress: renderProgress(tx, block.id),
    },
    reported: report?.reported ?? {},
    acknowledge: (more = {}) => ({
      command: 'step complete',
      input: { name: state.name, action: actionId, ...more },
    }),
  };
}

/**
 * Builds the instruction from the recipe's text, followed by notes on documents that are missing because their agent
 * failed, and on commands that ended without an exit code.
 */
function buildInstruction(tx: Transaction, block: AgentFacingBlock, paths: string[], asked: string): string {
  const text = fillShortText(tx, block.instruction, block.id);
  const absent = paths
    .map((path) => ({ path, why: explainAbsence(tx, path, (reason) => toBoundedLine(reason, 120)) }))
    .filter(({ why }) => why.includes('failed'))
    .map(({ path, why }) => `${path}${why}`);
  const missing = absent.length === 0 ? '' : ` Missing: ${absent.join(', ')}.`;
  const note = `${asked}${missing}${hasFailures(tx.state) ? renderWithoutExit(tx, block.id) : ''}`;
  return addToInstruction(text, note);
}

/** Appends text to an instruction. If the result would be too long, the instruction is cut, not the appended text. */
export function addToInstruction(text: string, more: string): string {
  return text.length + more.length <= INSTRUCTION_CAP
    ? text + more
    : `${text.slice(0, Math.max(0, INSTRUCTION_CAP - more.length - 1))}…${more}`.slice(0, INSTRUCTION_CAP);
}

/** Renders the block's position in the recipe, such as `4/13`. */
export function renderProgress(tx: Transaction, block: string): string {
  const { blocks } = tx.captured.recipe;
  return `${blocks.findIndex((candidate) => candidate.id === block) + 1}/${blocks.length}`;
}

/** Builds the part that only `next --full` and state.json show: the commands that the acknowledgement will run. */
export function buildFullPart(
  tx: Transaction,
  block: InstructedBlock & {
    id: string;
    save?: OwnCommand;
    exitCheck?: OwnCommand;
    exitCommand?: { source: string };
    onComplete?: OwnCommand;
    exitWhen?: string;
    command?: { kind: string; command: { source: string } };
  },
): Pick<PendingAction, 'full'> {
  const shown = (command: { source: string }) => fillPlaceholders(tx, command.source, block.id);
  const exitCheck = block.exitCheck ?? block.exitCommand;
  const full = {
    ...(block.save === undefined ? {} : { saveWith: shown(block.save) }),
    ...(exitCheck === undefined ? {} : { exitCheck: shown(exitCheck) }),
    ...(block.command === undefined ? {} : { then: shown(block.command.command) }),
    ...(block.onComplete === undefined ? {} : { onComplete: shown(block.onComplete) }),
    ...omitUndefined({ exitWhen: block.exitWhen }),
  };
  return Object.keys(full).length === 0 ? {} : { full };
}
