// outside: hook

import type { Answer } from '../base/answer.js';
import type { CommandFormatter } from '../base/invocation.js';
import { createCommandReplacer, renderInvocation } from '../registry/render.js';
import type { ShownAction } from '../run/action.js';
import { getShownAction } from '../run/pending-action.js';
import { type ActionReader, buildActionView } from './action.js';
import { MANIFEST_SECTIONS } from './manifest-sections.js';
import { type RenderedSection, type RunView, renderSections, type Section, truncate } from './run-view.js';

/** The manifest's budget for the run, in characters: 1,200 tokens of four characters (protocol.md §5). */
const BUDGET = 1200 * 4;

/** Characters reserved for the lines before the action. */
const RESERVED = 1000;

/**
 * Builds the manifest of a run. It shows the whole pending action, except for lists that are too long; the sections
 * before the action share the remaining room.
 * @param added sections of wings, which come last
 * @param reader the caller, who is told how to carry out the action
 */
export function buildManifest(
  run: RunView,
  added: readonly Section[],
  reader: ActionReader,
): Pick<Answer, 'json' | 'text'> {
  const { name, status } = run.state;
  const action = getShownAction(run.state);
  const view = action === null ? null : buildActionView(action, false, reader);
  const asks = action !== null && 'asks' in action && action.asks === 'user';
  const first = asks
    ? `${name}: this step asks the user, whatever a compaction notice says. Ask, and wait for the answer.`
    : `${name}: ${status}`;
  const closing = renderClosing(action);
  const all = [
    ...renderSections(run, 'manifest', MANIFEST_SECTIONS),
    ...renderChanges(run),
    ...renderSections(run, 'manifest', added),
  ];
  const page = (format: CommandFormatter) => {
    const json = view === null ? '{}' : JSON.stringify(fitAction(name, view, format), createCommandReplacer(format));
    return { json, sections: fitSections(all, BUDGET - json.length - closing.length - first.length - 3) };
  };
  return {
    json: {
      run: name,
      status,
      asksUser: asks,
      // A getter, so that the work is not done in vain: either this JSON or the text below is printed, never both.
      get sections() {
        return Object.fromEntries(page(renderInvocation).sections.map(({ id, text }) => [id, text]));
      },
      next: view,
    },
    text: (format) => {
      const { json, sections } = page(format);
      return [first, ...sections.map(({ text }) => text), closing, json].join('\n');
    },
  };
}

/** Returns the line above the pending action. */
function renderClosing(action: ShownAction | null): string {
  if (action?.action === 'held') return 'The run is held; nothing new is handed out:';
  if (action?.action === 'done') return 'The end:';
  if (action?.action === 'wait-for-user' && action.answer !== undefined) {
    return 'The pending action; only the user answers it, with `answer`:';
  }
  return 'The pending action; do it, then run its ack:';
}

/** Renders lines about what has changed since the work began. */
function renderChanges({ planMoved, changedApprovals, recovered }: RunView): RenderedSection[] {
  const line = (id: string, title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [{ id, text: truncate(`${title}: ${items.join('; ')}`, 300) }];
  const changed = changedApprovals.map(({ block, path }) => `${path} (${block})`);
  return [
    ...line('plan', 'The plan has moved on', planMoved === null ? [] : [planMoved.line]),
    ...line('changed', 'Changed since the decision', changed),
    ...line('recovered', 'Recovered', recovered),
  ];
}

/** Returns the sections that fit, in order; the last one may be truncated. */
function fitSections(sections: readonly RenderedSection[], characters: number): RenderedSection[] {
  let left = characters;
  const fitted: RenderedSection[] = [];
  for (const { id, text } of sections) {
    const short = truncate(text, Math.max(0, left - 1));
    if (short.length < 12) break;
    fitted.push({ id, text: short });
    left -= short.length + 1;
  }
  return fitted;
}

/** The lists of an action that may be shortened, in this order, and the note that tells where the rest is. */
const LISTS: readonly { key: string; more: string; what: string }[] = [
  { key: 'running', more: 'moreRunning', what: 'running tasks are omitted here; to see all' },
  { key: 'warnings', more: 'moreWarnings', what: 'warnings are omitted here; to see all' },
  { key: 'failed', more: 'moreFailed', what: 'failures are omitted here; to see all' },
  { key: 'artifacts', more: 'moreArtifacts', what: 'artifacts are omitted here; to see all' },
  { key: 'tasks', more: 'moreTasks', what: 'tasks are omitted here; start them all' },
  { key: 'agents', more: 'moreAgents', what: 'agents are omitted here; start them all' },
];

/** Shortens an action's lists, and finally its message, to the budget, with notes about what was left out. */
function fitAction(name: string, view: object, format: CommandFormatter): object {
  const whole = format({ command: 'next', input: { name } });
  const room = BUDGET - RESERVED;
  const length = (value: unknown) => JSON.stringify(value, createCommandReplacer(format)).length + 1;
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
  const end = ` [cut; full text: ${whole}]`;
  return {
    ...fitted,
    message: truncate(message, Math.max(0, message.length - (length(fitted) - room) - end.length)) + end,
  };
}
