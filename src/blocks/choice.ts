import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { readDraft } from '../documents/draft.js';
import { listOfferedChoiceIds } from '../machine/transition.js';
import type { PlanTodo } from '../plan/model/schema.js';
import { hasTrait, isPlanGate } from '../recipe/declared.js';
import type { AgentFacingBlock, ResolvedBlock, ResolvedChoice } from '../recipe/resolved.js';
import { getSize } from '../run/facts.js';
import { displayPath, PLAN, PLAN_CONTENT, parseDisplayPath } from '../run/paths.js';
import { type PendingBlock, recordAcknowledged } from '../run/pending-action.js';
import type { PendingState } from '../run/state.js';
import type { Transaction } from '../run/transaction.js';
import type { AckInput, Acknowledged } from './acknowledgement.js';
import type { ActionBase } from './action-parts.js';
import { storeInDraft } from './commands/draft.js';
import { findPlanMismatch } from './commands/plan.js';
import { listSectionsWrittenSince } from './evidence.js';
import { takeData } from './handed-data.js';
import { createCommandContext, runOwnCommandOrRefuse } from './own-command.js';
import { addNoteToDraft } from './run-draft.js';
import { enlargeByChoice } from './size-claim.js';
import { recordInputs } from './values/inputs.js';
import { fillPlaceholders, fillShortText } from './values/values.js';
import { isConditionMet } from './values/when.js';

/** A block with choices that its recipe defines. */
type ChoosingBlock = Extract<AgentFacingBlock, { choices: ResolvedChoice[] }>;

/**
 * Lists the choices that a block offers now: only those whose condition holds. A choice that leads back is offered only
 * while rounds remain, and a choice that makes the work larger only if a larger size exists (recipes.md, Choices).
 */
export function listOfferedChoices(tx: Transaction, block: ChoosingBlock, shared: ActionBase) {
  const program = tx.captured.recipe.program.blocks.find((candidate) => candidate.id === block.id);
  const counters = tx.state.machine.counters[block.id];
  const ids = program === undefined || counters === undefined ? [] : listOfferedChoiceIds(program, counters);
  return block.choices
    .filter((choice) => ids.includes(choice.id) && isOpen(tx, block.id, choice))
    .map((choice) => ({
      id: choice.id,
      label: fillShortText(tx, choice.label, block.id),
      ack: buildAcknowledgement(tx, choice, shared),
      ...(choice.reasonRequired ? { reason: 'required' as const } : {}),
    }));
}

function isOpen(tx: Transaction, block: string, { when, grows }: ResolvedChoice): boolean {
  if (grows === true && getSize(tx.state).value === 'large') return false;
  return when === undefined || isConditionMet(tx, when, block);
}

function buildAcknowledgement(tx: Transaction, choice: ResolvedChoice, shared: ActionBase) {
  const note = displayPath(tx.place, tx.state.name, `actions/${shared.actionId}/note.md`);
  return shared.acknowledge({
    choice: choice.id,
    ...(choice.reasonRequired ? { note: `@${note}` } : {}),
  });
}

/**
 * Acknowledges a choice of an `llm` block, of a gate, or of a loop that has used up its rounds (protocol.md §3;
 * recipes.md, Choices).
 * @throws DevCliError `UNKNOWN_CHOICE`, `DATA_MISSING`, `HUMAN_REQUIRED`, `INPUT_CHANGED`, `PLAN_EDITED`; whatever
 * `saveChoice` and `takeData` throw
 */
export function acknowledgeChoice(tx: Transaction, pending: PendingBlock, input: AckInput): Acknowledged {
  const { block } = pending;
  const { chosen, note } = requireChoice(tx, pending, { ...input, ...readHandwrittenChoice(tx, pending, input) });
  const digest = digestArtifact(tx, pending, chosen.id);
  const plan = isPlanGate(block) ? { plan: tx.files.digest(PLAN_CONTENT) } : {};
  const noteFile = storeNote(tx, pending, note);
  const data = input.data ?? readWrittenData(tx, pending);
  if (handsIn(block)) {
    if (data !== undefined) takeData(tx, block, pending.action, data);
    else if (block.schema === 'size') tellMissingSize(tx, block.id);
  }
  saveChoice(tx, pending, chosen.id);
  const leadsBack = findTarget(pending, chosen.id) === 'back';
  const by = getDecider(tx, pending);
  if (note !== undefined && leadsBack && hasTrait(block, 'by', 'person'))
    addNoteToDraft(tx, { gate: block.id, note, by });
  tx.state.gates[block.id] = {
    choice: chosen.id,
    ...omitUndefined({ digest }),
    ...plan,
    ...omitUndefined({ note }),
    by,
    at: tx.at,
    seq: 0,
  };
  recordInputs(tx, pending);
  recordAcknowledged(tx, pending, { choice: chosen.id, ...omitUndefined({ note, digest }), ...plan }, chosen.id);
  if (note !== undefined && leadsBack) tx.because.push(noteFile);
  if ('choices' in block && block.choices.some(({ id, grows }) => id === chosen.id && grows === true))
    enlargeByChoice(tx, block.id);
  return { result: { kind: 'completed', block: block.id }, event: { type: 'CHOOSE', choice: chosen.id } };
}

/**
 * Whether the agent hands in data together with the choice. It does not at a loop that has used up its rounds: that
 * loop's choices come from dev-cli, not from the recipe.
 */
const handsIn = (block: ResolvedBlock) => 'choices' in block && hasTrait(block, 'hands', 'data');

/** Whether the block may store the id of its choice, by `save` or in a section of the draft. */
const savesChoice = (block: ResolvedBlock) => 'sections' in block && handsIn(block);

/** Reads the data requested with the choice from the file that the action names; undefined if it was not written. */
function readWrittenData(tx: Transaction, { action }: PendingBlock): AckInput['data'] {
  if (!('data' in action) || action.data === undefined) return undefined;
  const path = parseDisplayPath(tx.place, tx.state.name, action.data.write);
  const text = tx.files.facts(path).kind === 'file' ? tx.files.text(path) : null;
  return text === null ? undefined : { source: 'file', name: action.data.write, text };
}

/**
 * If nobody named a size, says in the answer that the default size counts. Otherwise an agent whose data was lost might
 * believe that its size had arrived.
 */
function tellMissingSize(tx: Transaction, block: string): void {
  const { value, by } = getSize(tx.state);
  if (by === 'default') tx.ran.push({ block, ok: true, summary: `size ${value}: nobody named one` });
}

/** If the command names no choice, reads the choice written to the block's section since the action was issued. */
function readHandwrittenChoice(
  tx: Transaction,
  { block, action }: PendingBlock,
  { choice }: AckInput,
): Pick<AckInput, 'choice'> {
  if (choice !== undefined || !savesChoice(block)) return {};
  const [section] = listSectionsWrittenSince(tx, block, action);
  const draft = section === undefined ? null : tx.files.text('DRAFT.md');
  return section === undefined || draft === null ? {} : { choice: readDraft(draft)[section].text.trim() };
}

/**
 * Returns the choice that was made, with its note, if the action offers it and the caller may make it.
 * @throws DevCliError `UNKNOWN_CHOICE`, `DATA_MISSING`, `HUMAN_REQUIRED`
 */
export function requireChoice(
  tx: Transaction,
  pending: PendingBlock,
  input: AckInput,
): { chosen: { id: string }; note: string | undefined } {
  const choices = pending.choices ?? [];
  const chosen = choices.find((choice) => choice.id === input.choice);
  if (chosen === undefined) throw buildUnknownChoiceError(choices, input.choice);
  const note = input.note?.trim() === '' ? undefined : input.note;
  if (chosen.reason === 'required' && note === undefined) {
    throw new DevCliError('DATA_MISSING', `The choice "${chosen.id}" requires a reason.`, {
      fix: 'Write the reason, in the words of the person who chose, to the file named by the choice, then repeat its ack.',
      pending: { actionId: pending.action.actionId, ...omitUndefined({ ack: chosen.ack }) },
    });
  }
  requirePerson(tx, pending);
  return { chosen, note };
}

/** Stores the note of a choice, if there is one, beside its action; returns its path. */
export function storeNote(tx: Transaction, { action }: PendingBlock, note: string | undefined): string {
  const path = `actions/${action.actionId}/note.md`;
  if (note !== undefined && tx.files.text(path) !== note) tx.files.write(path, note);
  return path;
}

/** Returns who made a choice, in the form that `gates` stores. */
export function getDecider(tx: Transaction, pending: PendingBlock): string {
  return isHuman(tx, pending) ? 'human' : tx.by.kind;
}

function buildUnknownChoiceError(choices: readonly { id: string }[], given: string | undefined): DevCliError {
  const ids = choices.map((choice) => choice.id).join(', ');
  return new DevCliError(
    'UNKNOWN_CHOICE',
    given === undefined
      ? 'This action requires a choice.'
      : `This action does not offer ${JSON.stringify(given.slice(0, 40))}.`,
    { fix: `Choose one of: ${ids}. Each choice has its own ack.` },
  );
}

/**
 * Refuses to pass a gate with `human: required` until a person has answered since it was issued; an acknowledgement
 * does not count as such an answer (protocol.md §3).
 * @throws DevCliError `HUMAN_REQUIRED`
 */
function requirePerson(tx: Transaction, pending: PendingBlock): void {
  const { action } = pending;
  if (action.action !== 'wait-for-user' || action.human !== 'required' || isHuman(tx, pending)) return;
  throw new DevCliError(
    'HUMAN_REQUIRED',
    `"${pending.block.id}" is for the user to decide, and the user has not answered since the question was asked.`,
    {
      fix: 'Show the user the message and wait: where hooks are installed, their next prompt in this chat counts as the answer, and a note gives you the commands; otherwise they run `answer` in their own terminal. Then continue with `next`. Never choose for them.',
      answer: { command: 'approve', input: { name: tx.state.name } },
    },
  );
}

function isHuman(tx: Transaction, pending: PendingBlock): boolean {
  return tx.by.kind === 'human' || (tx.state.lastHuman?.seq ?? 0) > pending.action.issuedSeq;
}

/**
 * Returns the digest of the gate's artifact; undefined when there is none. Nobody may approve what was not shown, so if
 * the artifact has changed since the question was asked, every choice that leads forward is refused.
 * @throws DevCliError `INPUT_CHANGED`, `PLAN_EDITED`
 */
function digestArtifact(tx: Transaction, pending: PendingBlock, choice: string): string | null | undefined {
  const { block, action } = pending;
  if (!('artifact' in block) || block.artifact === undefined || action.action !== 'wait-for-user') {
    return undefined;
  }
  const path = fillPlaceholders(tx, block.artifact, block.id);
  const on = findTarget(pending, choice) === 'on';
  if (path === PLAN && on) requirePlanAgreement(tx);
  const changed = findChangedArtifact(tx, pending.action);
  if (changed !== null && on) throw buildChangedArtifactError(tx, pending, changed);
  if (changed !== null) tx.warnings.push(`${changed} changed after the question was asked`);
  return tx.files.digest(path);
}

/**
 * Finds a document that has changed since a gate asked about it: the gate's artifact or plan-content.json. Null if
 * neither has changed.
 */
export function findChangedArtifact({ files, place, state }: Transaction, action: PendingState): string | null {
  if (action.action !== 'wait-for-user') return null;
  const { artifact, handed = {} } = action;
  if (artifact !== undefined && files.digest(parseDisplayPath(place, state.name, artifact.path)) !== artifact.digest) {
    return artifact.path;
  }
  const other = Object.entries(handed).find(([path, digest]) => files.digest(path) !== digest);
  return other === undefined ? null : displayPath(place, state.name, other[0]);
}

/** Builds the refusal of a decision about a version that was not shown; the fix it offers makes the gate ask again. */
export function buildChangedArtifactError(tx: Transaction, { block }: PendingBlock, changed: string): DevCliError {
  return new DevCliError('INPUT_CHANGED', `${changed} changed after the question was asked.`, {
    details: [{ target: changed, problem: 'changed since the question was asked' }],
    fix: { command: 'step invalidate', input: { name: tx.state.name, step: block.id } },
  });
}

/**
 * Refuses a decision on a plan when PLAN.md, which people read, disagrees with plan-content.json, which is executed.
 * @param added todos that the run has added to the plan
 * @throws DevCliError `PLAN_EDITED`
 */
export function requirePlanAgreement(tx: Transaction, added: readonly PlanTodo[] = []): void {
  const fault = findPlanMismatch(tx.files, added);
  if (fault === null) return;
  throw new DevCliError('PLAN_EDITED', `${fault}; a decision on it is not possible.`, {
    fix: { command: 'plan apply', input: { name: tx.state.name } },
  });
}

/** Stores the id of the choice if the block saves it (recipes.md, Data). */
function saveChoice(tx: Transaction, { block }: PendingBlock, choice: string): void {
  if (!savesChoice(block)) return;
  const [section] = block.sections;
  if (block.save?.command === 'draft update' || (block.save === undefined && section !== undefined)) {
    if (section !== undefined) storeInDraft(createCommandContext(tx), { [section]: choice });
  } else if (block.save !== undefined) {
    runOwnCommandOrRefuse(tx, block.save, block.id, { data: { source: 'inline', text: JSON.stringify(choice) } });
  }
}

/**
 * Determines where a choice leads. The choices at a loop that has used up its rounds come from dev-cli, not from the
 * recipe; they never lead to another block, so they count as leading on.
 */
function findTarget({ block }: PendingBlock, choice: string): 'on' | 'back' | 'halt' {
  if (!('choices' in block)) return 'on';
  const goto = block.choices.find(({ id }) => id === choice)?.goto ?? 'next';
  if (goto === 'next') return 'on';
  return goto === 'halt' ? 'halt' : 'back';
}
