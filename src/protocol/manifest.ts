import type { Answer } from '../base/answer.js';
import type { Files } from '../base/files.js';
import type { Written } from '../base/invocation.js';
import { changedApprovals } from '../blocks/approvals.js';
import { type Draft, readDraft } from '../documents/draft.js';
import { renderCommand } from '../registry/render.js';
import { writtenOut } from '../registry/written-out.js';
import type { Action } from '../run/action.js';
import type { ReadContext } from '../run/context.js';
import { actionView } from '../views/action-json.js';
import { MANIFEST_SECTIONS } from '../views/manifest-sections.js';
import type { SectionInput } from '../views/section.js';
import { findRun } from './find-run.js';
import { NOTHING_RARE, withRare } from './rare.js';
import { readRun } from './running.js';
import { type Asking, capturedOf, movedLine, openTurn } from './turns.js';

/** The run's part of the manifest: 1,200 tokens at four characters each (protocol.md §5). */
const BUDGET = 1200 * 4;

/** Kept for the lines before the action, in characters. */
const RESERVED = 1000;

/**
 * `manifest`: all that an agent needs after its context was compacted, ending with the pending action. The action comes
 * whole, but for agents that are too many to be listed; the lines before it share what it leaves.
 */
export function manifest(context: ReadContext, given: unknown): Promise<Answer> {
  return withRare((rare) => manifestOf(context, given, rare));
}

/** The same with what is rare handed in, for who can do without it. */
export async function manifestOf(
  context: ReadContext,
  given: unknown,
  { recompile, planMoved }: Asking,
): Promise<Answer> {
  const name = await findRun(context, given, false);
  const head = await readRun(context, name);
  const { snapshot: state } = head;
  const action = state.pendingAction?.action ?? null;
  const view = action === null ? null : actionView(action, false);
  const asks = action !== null && action.action !== 'done' && action.asks === 'user';
  const first = asks
    ? [`${name}: this step asks the user, whatever a compaction notice says. Ask, and wait for the answer.`]
    : [`${name}: ${state.status}`];
  const closing = closingLine(action);
  const captured = capturedOf(head, recompile);
  const input: SectionInput = { state, captured, files: head.files, draft: draftOf(head.files), context };
  const changed = changedApprovals(openTurn(context, head, state, captured, NOTHING_RARE));
  const moved = movedLine(head, planMoved);
  const more = [
    told('plan', 'The plan has moved on', moved === null ? [] : [moved]),
    told(
      'changed',
      'Changed since it was decided on',
      changed.map(({ block, path }) => `${path} (${block})`),
    ),
    told('recovered', 'Recovered', [...state.recovered, ...head.notices]),
  ];
  const page = (written: Written) => {
    const json = view === null ? '{}' : JSON.stringify(withinBudget(name, view, written), writtenOut(written));
    const left = BUDGET - json.length - closing.length - first.join('\n').length - 3;
    return { json, sections: rendered(input, left, more) };
  };
  return {
    exit: 0,
    json: {
      run: name,
      status: state.status,
      asksUser: asks,
      // Only where it is printed: as text the same page is written for the manner of the call.
      get sections() {
        return Object.fromEntries(page(renderCommand).sections.map(({ id, line }) => [id, line]));
      },
      next: view,
    },
    text: (written) => {
      const { json, sections } = page(written);
      return [...first, ...sections.map(({ line }) => line), closing, json].join('\n');
    },
  };
}

/** What the pending action below it is for. */
function closingLine(action: Action | null): string {
  if (action?.action === 'done') return 'The end:';
  if (action?.action === 'wait-for-user' && action.answer !== undefined) {
    return 'The pending action; only the user answers it, with `answer`:';
  }
  return 'The pending action; do it, then run its ack:';
}

function draftOf(files: Files): SectionInput['draft'] {
  let draft: Draft | null | undefined;
  return () => {
    if (draft === undefined) {
      const text = files.read('DRAFT.md')?.toString('utf8');
      draft = text === undefined ? null : readDraft(text);
    }
    return draft;
  };
}

/** What is shortened first comes first: a list that is cut says how many it lost, and where all of them are. */
const LISTS: readonly { key: string; more: string; what: string }[] = [
  { key: 'running', more: 'moreRunning', what: 'running tasks are left out here; all of them' },
  { key: 'warnings', more: 'moreWarnings', what: 'warnings are left out here; all of them' },
  { key: 'failed', more: 'moreFailed', what: 'failures are left out here; all of them' },
  { key: 'artifacts', more: 'moreArtifacts', what: 'artifacts are left out here; all of them' },
  { key: 'tasks', more: 'moreTasks', what: 'tasks are left out here; start them all' },
  { key: 'agents', more: 'moreAgents', what: 'agents are left out here; start them all' },
];

/** An action with as much of its message and of its lists as there is room for, and how to learn of the rest. */
function withinBudget(name: string, view: object, written: Written): object {
  const whole = written({ command: 'next', input: { name } });
  const room = BUDGET - RESERVED;
  const length = (value: unknown) => JSON.stringify(value, writtenOut(written)).length + 1;
  let fitted = view as Record<string, unknown>;
  for (const { key, more, what } of LISTS) {
    const list = fitted[key];
    if (!Array.isArray(list) || list.length === 0 || length(fitted) <= room) continue;
    const note = (left: number) => ({ [more]: `${left} of ${list.length} ${what}: ${whole}` });
    let free = room - length({ ...fitted, [key]: [], ...note(list.length) });
    const fitting = list.findIndex((item) => {
      free -= length(item);
      return free < 0;
    });
    if (fitting !== -1) fitted = { ...fitted, [key]: list.slice(0, fitting), ...note(list.length - fitting) };
  }
  const { message } = fitted;
  if (typeof message !== 'string' || length(fitted) <= room) return fitted;
  const end = ` [cut; all of it: ${whole}]`;
  return { ...fitted, message: cut(message, Math.max(0, message.length - (length(fitted) - room) - end.length)) + end };
}

interface Line {
  id: string;
  line: string;
}

/** A line of its own beside the sections; null when there is nothing to tell. */
function told(id: string, title: string, items: string[]): Line | null {
  return items.length === 0 ? null : { id, line: cut(`${title}: ${items.join('; ')}`, 300) };
}

/** The sections that fit, each cut to its own budget and all to what is left. */
function rendered(input: SectionInput, characters: number, more: (Line | null)[]): Line[] {
  let left = characters;
  const lines: Line[] = [];
  const all = MANIFEST_SECTIONS.flatMap((section) => {
    const text = section.render(input)?.join('\n');
    return text === undefined ? [] : [{ id: section.id, line: cut(text, section.budget) }];
  });
  for (const { id, line } of [...all, ...more.filter((one) => one !== null)]) {
    const fitted = cut(line, Math.max(0, left - 1));
    if (fitted.length < 12) break;
    lines.push({ id, line: fitted });
    left -= fitted.length + 1;
  }
  return lines;
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, Math.max(0, characters - 1))}…`;
}
