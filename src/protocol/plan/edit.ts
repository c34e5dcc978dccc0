import type { Answer } from '../../base/answer.js';
import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import { readChecksum } from '../../plan/page/form.js';
import { lockPlanText, openPlanText, type PlanTextPlace } from '../../project/plan-text.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { Context } from '../../run/context.js';
import { createRestoredView } from '../../run/documents/lost.js';
import { documentsOf } from '../../run/documents/pending.js';
import { PLAN } from '../../run/paths.js';
import type { Lock } from '../../store/lock.js';
import { findRun } from '../find/find-run.js';
import { requireTerminal } from '../trust/person.js';
import { applyPlan } from './apply.js';
import { readKnownPlan } from './documents.js';
import { beginText, isAsBegun, keptError, MENDABLE, parseOrigin, readEdited, type TextOrigin } from './edited-text.js';

/** Opens a file in the person's editor, and returns when it is closed. */
export interface Editor {
  /**
   * @param path absolute
   * @param note what the person reads first; empty for nothing
   * @throws DevCliError `COMMAND_FAILED`
   */
  open(path: string, note: string): Promise<void>;
}

/**
 * `plan edit`: has a person edit PLAN.md on a copy, and takes the copy up as `plan apply` does (living-plan.md, plan edit).
 * Until then, or until it is thrown away on purpose, the text is kept.
 * @param given the run's name, if any
 * @param input.discard throws a kept text away
 * @param input.reopen done todos that are to be done again as the plan then reads
 * @throws DevCliError `TERMINAL_REQUIRED`; `LOCKED` while another editor is open; `COMMAND_FAILED`; `PLAN_EDITED`,
 * `SCHEMA_INVALID`, `PLAN_CONFLICT` for a text that was kept with its faults; `DOCUMENT_UNREADABLE`; as `applyPlan`
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
  // Before anything is made: it says so where there is no plan.
  const begun = discard ? null : await begin(context, name);
  const place = openPlanText(context.root, name);
  const lock = requireLock(context, name, place);
  // An interrupted call ends without coming back here.
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
    `The plan of "${name}" is open in the editor of process ${pid}, since ${at.slice(0, 24)}.`,
    {
      run: name,
      details: [{ target: place.shown, problem: `being edited by process ${pid}` }],
      fix: 'Close that editor first, then repeat the command.',
    },
  );
}

async function begin(context: Context, name: string): Promise<{ origin: TextOrigin; text: string }> {
  const head = await createRestoredView(context).store.read(name);
  return beginText(documentsOf(head.files), readKnownPlan(context, head, name));
}

function discardText(run: string, place: PlanTextPlace): Answer {
  const [origin, text] = [parseOrigin(place.readOrigin() ?? ''), place.readText()];
  const isOnlyLeft = origin?.left === true && text.kind === 'text' && isAsBegun(origin, text.text);
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

/** Edits until the text is taken up, kept or thrown away. */
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
    if (decided !== 'edit') throw keptError(name, told);
    note = '';
  }
}

/** Leaves the text where an editor that may be open still finds it, as the plan now reads. */
async function leaveOpen(context: Context, { name, place }: Walk, answer: Answer): Promise<Answer> {
  const { origin, text } = await begin(context, name);
  place.begin(JSON.stringify({ ...origin, left: true }), text);
  const waiting = `If the editor is still open, save there: ${place.shown} stays, and the next plan edit, plan apply or approve takes up what was saved. The edit is applied at once if the editor waits until the file is closed (\`code --wait\`).`;
  return { ...answer, text: (format) => `${answer.text?.(format) ?? ''}\n${waiting}` };
}

/**
 * Finds what a kept text is compared with; null where no text is kept. An editor that was still open when its call had ended
 * may have left one, too.
 * @throws DevCliError `DOCUMENT_UNREADABLE` where that cannot be read: to begin anew would lose the text
 */
function findKept(run: string, place: PlanTextPlace, begun: { origin: TextOrigin; text: string }): TextOrigin | null {
  const [stored, left] = [place.readOrigin(), place.readText()];
  if (left.kind === 'missing') return null;
  if (stored === null && left.kind === 'text') {
    // The call that began it was killed before anybody could type.
    if (left.text === begun.text) return null;
    if (readChecksum(left.text) === readChecksum(begun.origin.rendered)) return begun.origin;
  }
  const origin = parseOrigin(stored ?? '');
  // An editor may be open on it, in which nothing was saved.
  if (origin?.left === true && left.kind === 'text' && isAsBegun(origin, left.text)) return null;
  if (origin !== null) return origin;
  throw new DevCliError(
    'DOCUMENT_UNREADABLE',
    `The plan from which ${place.shown} was begun cannot be read any more.`,
    {
      run,
      fix: [
        'The text is kept. Copy what you need from it, then discard it: ',
        { command: 'plan edit', input: { name: run, discard: true } },
      ],
    },
  );
}

interface Opening {
  /** What the person reads first. */
  note: string;
  /** Nothing was typed into the text yet. */
  isNew: boolean;
}

/** Milliseconds in which nobody reads a plan: an editor that has ended by then may have a window open all the same. */
const AT_ONCE = 1000;

/** @returns what was taken up, and whether the editor may be open still; or why the text has to be edited again */
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
    if (error instanceof DevCliError && MENDABLE.includes(error.code)) return error;
    throw error;
  }
}

/**
 * Opens the editor once. A text that it has deleted or emptied is put back.
 * @returns the text, or why there is none
 */
async function openEditor({ name, place, editor }: Walk, { note, isNew }: Opening): Promise<string | DevCliError> {
  const before = place.readText();
  try {
    await editor.open(place.path, note);
  } catch (error) {
    const after = place.readText();
    const isTyped = !isNew || after.kind !== 'text' || before.kind !== 'text' || after.text !== before.text;
    if (isTyped || place.hasMore()) throw error instanceof DevCliError ? keptError(name, error) : error;
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

/** Reads the text first, so that its faults are told before anything is asked; then goes on as `plan apply` does. */
async function takeUp(context: Context, { name, reopen }: Walk, origin: TextOrigin, text: string): Promise<Answer> {
  const read = readEdited(origin, text);
  const head = await createRestoredView(context).store.read(name);
  const { source } = read(documentsOf(head.files), readKnownPlan(context, head, name));
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

/** Shows what cannot be taken up, and asks what to do with the text; null where nothing is answered. */
function decideOnFaults(context: Context, name: string, error: DevCliError): Promise<string | null> {
  return context.decide({
    title: `The edited plan of ${name} is not applied`,
    sections: [{ heading: error.message, lines: listFaults(error) }],
    answers: [
      { id: 'edit', label: 'Open the editor again' },
      { id: 'keep', label: 'Keep the text for the next plan edit' },
      { id: 'discard', label: 'Discard the text' },
    ],
    looks: [],
  });
}

/** Lists what keeps a plan from being taken up, a line each, for a person who is asked what to do about it. */
export function listFaults({ details }: Pick<DevCliError, 'details'>): string[] {
  return details.map(({ target, pointer, problem, expected }) => {
    const instead = expected === undefined ? '' : ` (${expected})`;
    return `${target ?? pointer ?? PLAN}: ${problem}${instead}`;
  });
}
