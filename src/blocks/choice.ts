import { DevCliError } from '../base/errors.js';
import { readDraft } from '../documents/draft.js';
import type { PlanTodo } from '../documents/plan-schema.js';
import { offeredChoices } from '../machine/transition.js';
import { approvesPlan } from '../recipe/declared.js';
import type { GateBlock, LlmBlock, ResolvedChoice } from '../recipe/resolved.js';
import { choicesOf } from '../run/acknowledgements.js';
import { PLAN, PLAN_CONTENT, shownPath, unshown } from '../run/paths.js';
import type { PendingState } from '../run/state.js';
import { noteStep, record, type Turn } from '../run/turn.js';
import type { AckInput, Acknowledged, Pending } from './acknowledgement.js';
import type { Common } from './action-parts.js';
import { draftStore } from './commands/draft.js';
import { planDisagrees } from './commands/plan.js';
import { noteInputs } from './inputs.js';
import { runOrRefuse, sceneOf } from './own-command.js';
import { writtenSince } from './section-evidence.js';
import { settleAction } from './settle.js';
import { filled, prose } from './values.js';

/** The choices of a block that are offered now; one that leads back disappears at its bound (recipes.md §2). */
export function offered(turn: Turn, block: GateBlock | LlmBlock, shared: Common) {
  const program = turn.captured.recipe.program.blocks.find((candidate) => candidate.id === block.id);
  const counters = turn.state.machine.counters[block.id];
  const ids = program === undefined || counters === undefined ? [] : offeredChoices(program, counters);
  return block.choices
    .filter((choice) => ids.includes(choice.id))
    .map((choice) => ({
      id: choice.id,
      label: prose(turn, choice.label, block.id),
      ack: acknowledgementOf(turn, choice, shared),
      ...(choice.reasonRequired ? { reason: 'required' as const } : {}),
    }));
}

function acknowledgementOf(turn: Turn, choice: ResolvedChoice, shared: Common) {
  const note = shownPath(turn.place, turn.state.name, `actions/${shared.actionId}/note.md`);
  return shared.acknowledge({ choice: choice.id, ...(choice.reasonRequired ? { note: `@${note}` } : {}) });
}

/** A choice: of an `llm`, of a gate, or of a loop at its bound (protocol.md §3; recipes.md, Choices). */
export function acknowledgeChoice(turn: Turn, pending: Pending, input: AckInput): Acknowledged {
  const { block, action } = pending;
  const { chosen, note } = chosenOf(turn, pending, { ...input, ...choiceByHand(turn, pending, input) });
  const digest = artifactDigest(turn, pending, chosen.id);
  const plan = approvesPlan(block) ? { plan: turn.files.digest(PLAN_CONTENT) } : {};
  const noteFile = keepNote(turn, pending, note);
  saveChoice(turn, pending, chosen.id);
  turn.state.gates[block.id] = {
    choice: chosen.id,
    ...(digest === undefined ? {} : { digest }),
    ...plan,
    ...(note === undefined ? {} : { note }),
    by: decidedBy(turn, pending),
    at: turn.at,
    seq: 0,
  };
  noteStep(turn, block.id, chosen.id);
  record(turn, 'acknowledged', {
    actionId: action.actionId,
    block: block.id,
    choice: chosen.id,
    ...(note === undefined ? {} : { note }),
    ...(digest === undefined ? {} : { digest }),
    ...plan,
  });
  settleAction(turn, pending);
  noteInputs(turn, pending);
  if (note !== undefined && targetOf(pending, chosen.id) === 'back') turn.because.push(noteFile);
  return { result: { kind: 'completed', block: block.id }, event: { type: 'CHOOSE', choice: chosen.id } };
}

/** Without a choice: the one that was written to the block's section since the action was issued. */
function choiceByHand(turn: Turn, { block, state }: Pending, { choice }: AckInput): Pick<AckInput, 'choice'> {
  if (choice !== undefined || block.kind !== 'llm') return {};
  const [section] = writtenSince(turn, block, state);
  const draft = section === undefined ? null : turn.files.text('DRAFT.md');
  return section === undefined || draft === null ? {} : { choice: readDraft(draft)[section].text.trim() };
}

/**
 * The choice that was made, of those the action offers, with what was said.
 * @throws DevCliError `UNKNOWN_CHOICE`, `DATA_MISSING`, `HUMAN_REQUIRED`
 */
export function chosenOf(
  turn: Turn,
  pending: Pending,
  input: AckInput,
): { chosen: { id: string }; note: string | undefined } {
  const choices = choicesOf(pending.action) ?? [];
  const chosen = choices.find((choice) => choice.id === input.choice);
  if (chosen === undefined) throw unknownChoice(turn, choices, input.choice);
  const note = input.note?.trim() === '' ? undefined : input.note;
  if (chosen.reason === 'required' && note === undefined) {
    throw new DevCliError('DATA_MISSING', `"${chosen.id}" needs a reason.`, {
      fix: 'Write the reason, in the words of who chose, to the file that the choice names, then repeat its ack.',
      pending: {
        actionId: pending.action.actionId,
        ...(chosen.ack === undefined ? {} : { ack: chosen.ack }),
      },
    });
  }
  requirePerson(turn, pending);
  return { chosen, note };
}

/** Keeps what was said with a choice beside its action; gives the path. */
export function keepNote(turn: Turn, { action }: Pending, note: string | undefined): string {
  const path = `actions/${action.actionId}/note.md`;
  if (note !== undefined && turn.files.text(path) !== note) turn.files.write(path, note);
  return path;
}

/** Who made a choice, as `gates` keeps it. */
export function decidedBy(turn: Turn, pending: Pending): string {
  return isHuman(turn, pending) ? 'human' : turn.by.kind;
}

function unknownChoice(_turn: Turn, choices: { id: string }[], given: string | undefined): DevCliError {
  const ids = choices.map((choice) => choice.id).join(', ');
  return new DevCliError(
    'UNKNOWN_CHOICE',
    given === undefined
      ? 'This action wants a choice.'
      : `This action does not offer ${JSON.stringify(given.slice(0, 40))}.`,
    { fix: `Choose one of: ${ids}. Each choice has its own ack.` },
  );
}

/** A gate that wants a person is opened by a person's word after its issue: the acknowledgement itself is none (protocol.md §3). */
function requirePerson(turn: Turn, pending: Pending): void {
  const { action } = pending;
  if (action.action !== 'wait-for-user' || action.human !== 'required' || isHuman(turn, pending)) return;
  throw new DevCliError(
    'HUMAN_REQUIRED',
    `"${pending.block.id}" is for the user to decide, and no word of the user came since it was asked.`,
    {
      fix: 'Show the user the message and what `answer` says: the user runs it in a terminal of their own. Once the user has answered, go on with `next`.',
      answer: { command: 'approve', input: { name: turn.state.name } },
    },
  );
}

function isHuman(turn: Turn, pending: Pending): boolean {
  return turn.by.kind === 'human' || (turn.state.lastHuman?.seq ?? 0) > pending.state.issuedSeq;
}

/**
 * The digest of what was decided on; undefined where the gate has no artifact. Nobody approves what was not shown: when
 * the artifact is no longer what was asked about, only a choice that does not lead on is taken.
 * @throws DevCliError `INPUT_CHANGED`
 */
function artifactDigest(turn: Turn, pending: Pending, choice: string): string | null | undefined {
  const { block, action } = pending;
  if (block.kind !== 'wait-for-user' || block.artifact === undefined || action.action !== 'wait-for-user') {
    return undefined;
  }
  const path = filled(turn, block.artifact, block.id);
  const on = targetOf(pending, choice) === 'on';
  if (path === PLAN && on) requirePlan(turn);
  const changed = changedSinceAsked(turn, pending.state);
  if (changed !== null && on) throw askedAboutAnother(turn, pending, changed);
  if (changed !== null) turn.warnings.push(`${changed} changed after the question was asked`);
  return turn.files.digest(path);
}

/** What a gate asked about and is another by now: its artifact, or what the plan was rendered from. Null when nothing is. */
export function changedSinceAsked({ files, place, state }: Turn, { action, handed = {} }: PendingState): string | null {
  if (action.action !== 'wait-for-user') return null;
  const { artifact } = action;
  if (artifact !== undefined && files.digest(unshown(place, state.name, artifact.path)) !== artifact.digest) {
    return artifact.path;
  }
  const other = Object.entries(handed).find(([path, digest]) => files.digest(path) !== digest);
  return other === undefined ? null : shownPath(place, state.name, other[0]);
}

/** Nobody approves what was not shown: the gate asks again. */
export function askedAboutAnother(turn: Turn, { block }: Pending, changed: string): DevCliError {
  return new DevCliError('INPUT_CHANGED', `${changed} changed after the question was asked.`, {
    details: [{ target: changed, problem: 'not as it was when the question was asked' }],
    fix: { command: 'step invalidate', input: { name: turn.state.name, step: block.id } },
  });
}

/**
 * @param added todos that the run has added to the plan
 * @throws DevCliError `PLAN_EDITED` when PLAN.md, which was read, is not what plan-content.json, which counts, says
 */
export function requirePlan(turn: Turn, added: readonly PlanTodo[] = []): void {
  const fault = planDisagrees(turn.files, added);
  if (fault === null) return;
  throw new DevCliError('PLAN_EDITED', `${fault}; nothing can be decided on it.`, {
    fix: { command: 'plan generate', input: { name: turn.state.name } },
  });
}

/** A block that saves stores the id of its choice (recipes.md, Data). */
function saveChoice(turn: Turn, { block }: Pending, choice: string): void {
  if (block.kind !== 'llm') return;
  const [section] = block.sections;
  if (block.save?.command === 'draft update' || (block.save === undefined && section !== undefined)) {
    if (section !== undefined) draftStore(sceneOf(turn), { [section]: choice });
  } else if (block.save !== undefined) {
    runOrRefuse(turn, block.save, block.id, { data: { source: 'inline', text: JSON.stringify(choice) } });
  }
}

/** Where a choice of the recipe leads. Those of a loop at its bound are the machine's own: none goes to another block. */
function targetOf({ block }: Pending, choice: string): 'on' | 'back' | 'halt' {
  if (!('choices' in block)) return 'on';
  const goto = block.choices.find(({ id }) => id === choice)?.goto ?? 'next';
  if (goto === 'next') return 'on';
  return goto === 'halt' ? 'halt' : 'back';
}
