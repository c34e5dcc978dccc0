import type { Answer } from '../../base/answer.js';
import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import { readChecksum } from '../../plan/page/form.js';
import { lockPlanText, openPlanText, type PlanTextPlace } from '../../project/plan-text.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { Context } from '../../run/context.js';
import { createRestoredView } from '../../run/documents/lost.js';
import { toDocuments } from '../../run/documents/pending.js';
import { PLAN } from '../../run/paths.js';
import type { Lock } from '../../store/lock.js';
import { findRun } from '../find/find-run.js';
import { requireTerminal } from '../trust/person.js';
import { applyPlan } from './apply.js';
import { readKnownPlan } from './documents.js';
import {
  beginEditText,
  isUnedited,
  parseOrigin,
  RECOVERABLE_CODES,
  readEdited,
  type TextOrigin,
  textKeptError,
} from './edited-text.js';

/** Opens a file in the person's editor, and returns when the editor is closed. */
export interface Editor {
  /**
   * @param path absolute
   * @param note text to show before the editor opens; may be empty
   * @throws DevCliError `COMMAND_FAILED`
   */
  open(path: string, note: string): Promise<void>;
}

/**
 * `plan edit`: lets a person edit a copy of PLAN.md, and applies the copy as `plan apply` does (living-plan.md, plan
 * edit). The edited copy is kept until it is applied or deliberately discarded.
 * @param given the run's name, if any
 * @param input.discard discards a kept text
 * @param input.reopen done todos that are to be done again with their new text
 * @throws DevCliError `TERMINAL_REQUIRED`; `LOCKED` while another editor is open; `COMMAND_FAILED`; `PLAN_EDITED`,
 * `SCHEMA_INVALID`, `PLAN_CONFLICT` for a faulty text, which is kept; `DOCUMENT_UNREADABLE`; as `applyPlan`
 */
export async function editPlan(
  context: Context,
  given: unknown,
  { discard = false, reopen = [] }: Omit<InputOf<'plan edit'>, 'name'>,
  editor: Editor,
): Promise<Answer> {
  const name = await findRun(context, given, true);
  const again = reopen.length === 0 ? {} : { reopen };
  requireTerminal(context, { command: 'plan edit', input: { name, ...(discard ? { discard } : again) } }, name);
  // Called first because it throws if there is no plan, and no file has been created yet.
  const begun = discard ? null : await begin(context, name);
  const place = openPlanText(context.root, name);
  const lock = requireLock(context, name, place);
  // Needed because an interrupted call does not reach the `finally` block.
  const release = () => lock.release();
  context.signal.addEventListener('abort', release, { once: true });
  try {
    if (begun === null) return discardText(name, place);
    return await walk(context, { name, place, editor, reopen }, begun);
  } finally {
    context.signal.removeEventListener('abort', release);
    release();
  }
}

function requireLock(context: Context, name: string, place: PlanTextPlace): Lock {
  const lock = lockPlanText(context.root, name, context);
  if ('release' in lock) return lock;
  const { pid, at } = lock.holder;
  throw new DevCliError(
    'LOCKED',
    `The plan of "${name}" has been open in the editor of process ${pid} since ${at.slice(0, 24)}.`,
    {
      run: name,
      details: [{ target: place.shown, problem: `being edited by process ${pid}` }],
      fix: 'Close that editor first, then repeat the command.',
    },
  );
}

async function begin(context: Context, name: string): Promise<{ origin: TextOrigin; text: string }> {
  const head = await createRestoredView(context).store.read(name);
  return beginEditText(toDocuments(head.files), readKnownPlan(context, head, name));
}

function discardText(run: string, place: PlanTextPlace): Answer {
  const [origin, text] = [parseOrigin(place.readOrigin() ?? ''), place.readText()];
  const isOnlyLeft = origin?.left === true && text.kind === 'text' && isUnedited(origin, text.text);
  const isThere = !isOnlyLeft && (place.readOrigin() !== null || text.kind !== 'missing');
  place.discard();
  const status = isThere ? 'discarded' : 'nothing';
  return {
    exit: 0,
    json: { ok: true, run, edit: { status } },
    text: () => (isThere ? 'The text was discarded; the plan is as it was.' : 'No text was kept.'),
  };
}

interface Walk {
  name: string;
  place: PlanTextPlace;
  editor: Editor;
  /** Done todos that are to be done again. */
  reopen: readonly string[];
}

/** Opens the editor until the text is applied, kept or discarded. */
async function walk(context: Context, at: Walk, begun: { origin: TextOrigin; text: string }): Promise<Answer> {
  const { name, place } = at;
  const kept = findKept(name, place, begun);
  const origin = kept ?? begun.origin;
  if (kept === null) place.begin(JSON.stringify(origin), begun.text);
  let note = kept === null ? '' : `This continues an earlier edit, whose text was kept (${place.shown}).`;
  for (let isNew = kept === null; ; isNew = false) {
    const told = await editOnce(context, at, origin, { note, isNew });
    if (!(told instanceof DevCliError)) {
      const { answer, isOpen } = told;
      if (!isOpen) place.discard();
      return isOpen ? leaveOpen(context, at, answer) : answer;
    }
    const decided = await decideOnFaults(context, name, told);
    if (decided === 'discard') return discardText(name, place);
    if (decided !== 'edit') throw textKeptError(name, told);
    note = '';
  }
}

/** Stores the present plan as the text, for an editor that may still be open and save there later. */
async function leaveOpen(context: Context, { name, place }: Walk, answer: Answer): Promise<Answer> {
  const { origin, text } = await begin(context, name);
  place.begin(JSON.stringify({ ...origin, left: true }), text);
  const waiting = `If the editor is still open, save there: ${place.shown} stays, and the next plan edit, plan apply or approve takes up what was saved. The edit is applied at once if the editor waits until the file is closed (\`code --wait\`).`;
  return { ...answer, text: (format) => `${answer.text?.(format) ?? ''}\n${waiting}` };
}

/**
 * Finds the plan on which a kept text is based; null if no text is kept. A text counts as kept even if an editor saved
 * it only after its call had ended.
 * @throws DevCliError `DOCUMENT_UNREADABLE` if that plan cannot be read: beginning again would lose the text
 */
function findKept(run: string, place: PlanTextPlace, begun: { origin: TextOrigin; text: string }): TextOrigin | null {
  const [stored, left] = [place.readOrigin(), place.readText()];
  if (left.kind === 'missing') return null;
  if (stored === null && left.kind === 'text') {
    // Not a kept text: the call that began it was killed before anybody could type.
    if (left.text === begun.text) return null;
    if (readChecksum(left.text) === readChecksum(begun.origin.rendered)) return begun.origin;
  }
  const origin = parseOrigin(stored ?? '');
  // Not a kept text: it was stored in case an editor was still open, and no editor has saved anything into it since.
  if (origin?.left === true && left.kind === 'text' && isUnedited(origin, left.text)) return null;
  if (origin !== null) return origin;
  throw new DevCliError('DOCUMENT_UNREADABLE', `The plan that ${place.shown} is based on can no longer be read.`, {
    run,
    fix: [
      'The text is kept. Copy what you need from it, then discard it: ',
      { command: 'plan edit', input: { name: run, discard: true } },
    ],
  });
}

interface Opening {
  /** Text to show before the editor opens. */
  note: string;
  /** Whether nothing has been typed into the text yet. */
  isNew: boolean;
}

/** Milliseconds within which nobody can edit a plan. An editor command that ends sooner may have left a window open. */
const AT_ONCE = 1000;

/**
 * Opens the editor once, and applies what was saved.
 * @returns the answer, and whether the editor may still be open; or an error that the person can fix by editing again
 */
async function editOnce(
  context: Context,
  at: Walk,
  origin: TextOrigin,
  opening: Opening,
): Promise<{ answer: Answer; isOpen: boolean } | DevCliError> {
  const since = context.clock.now();
  const before = at.place.readText();
  const text = await openEditor(at, opening);
  if (text instanceof DevCliError) return text;
  const isSame = before.kind === 'text' && before.text === text;
  const isOpen = isSame && context.clock.now() - since < AT_ONCE;
  try {
    return { answer: await takeUp(context, at, origin, text), isOpen };
  } catch (error) {
    if (error instanceof DevCliError && RECOVERABLE_CODES.includes(error.code)) return error;
    throw error;
  }
}

/**
 * Opens the editor once. Restores the text if the editor has deleted or emptied it.
 * @returns the text, or the error if there is none
 */
async function openEditor({ name, place, editor }: Walk, { note, isNew }: Opening): Promise<string | DevCliError> {
  const before = place.readText();
  try {
    await editor.open(place.path, note);
  } catch (error) {
    const after = place.readText();
    const isTyped = !isNew || after.kind !== 'text' || before.kind !== 'text' || after.text !== before.text;
    if (isTyped || place.hasMore()) throw error instanceof DevCliError ? textKeptError(name, error) : error;
    place.discard();
    throw error;
  }
  const after = place.readText();
  if (after.kind === 'text' && after.text.trim() !== '') return after.text;
  const problem = after.kind === 'unreadable' ? after.problem : 'the editor left it empty or deleted it';
  if (after.kind !== 'unreadable' && before.kind === 'text') place.write(before.text);
  const details: ErrorDetail[] = [{ target: `${PLAN}:1`, problem }];
  return new DevCliError('PLAN_EDITED', `The text cannot be read: ${problem}.`, { run: name, details });
}

/**
 * Applies the edited text as `plan apply` does, but reads it first, so that its faults are reported before any question
 * is asked.
 */
async function takeUp(context: Context, { name, reopen }: Walk, origin: TextOrigin, text: string): Promise<Answer> {
  const read = readEdited(origin, text);
  const head = await createRestoredView(context).store.read(name);
  const { source } = read(toDocuments(head.files), readKnownPlan(context, head, name));
  if (source === null && reopen.length === 0) {
    return {
      exit: 0,
      json: { ok: true, run: name, plan: { status: 'unchanged' } },
      text: () => 'Nothing was changed.',
    };
  }
  const again = reopen.length === 0 ? {} : { reopen: [...reopen] };
  const call: Invocation = { command: 'plan edit', input: { name, ...again } };
  return applyPlan(context, name, again, { call, read });
}

/** Shows why the text cannot be applied, and asks what to do with it; null if there is no answer. */
function decideOnFaults(context: Context, name: string, error: DevCliError): Promise<string | null> {
  return context.decide({
    title: `The edited plan of ${name} is not applied`,
    sections: [{ heading: error.message, lines: listPlanFaults(error) }],
    answers: [
      { id: 'edit', label: 'Open the editor again' },
      { id: 'keep', label: 'Keep the text for the next plan edit' },
      { id: 'discard', label: 'Discard the text' },
    ],
    looks: [],
  });
}

/** Lists the faults that keep a plan from being applied, one per line, for a person who must decide what to do. */
export function listPlanFaults({ details }: Pick<DevCliError, 'details'>): string[] {
  return details.map(({ target, pointer, problem, expected }) => {
    const instead = expected === undefined ? '' : ` (${expected})`;
    return `${target ?? pointer ?? PLAN}: ${problem}${instead}`;
  });
}
