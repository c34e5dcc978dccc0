import { isRecord, parseOrNull } from '../../../base/json.js';
import { stripInvisible } from '../../../base/visible.js';
import { renderCount } from '../../../base/words.js';
import { maskSecrets, renderForeignBlock, toBoundedLine } from '../../../documents/foreign.js';
import { cutBytes, fitLastLines } from './cut.js';
import type { CallBlock, Message, ResultBlock } from './messages.js';
import { findResult, isCall } from './pairs.js';

/**
 * The summary that replaces messages removed by a compaction (runtime.md, Compaction). Its fields are stored and
 * updated by the next compaction; the message for the model is rendered from them.
 */

/** Values by name, the newest last. */
type Named<Value = string> = [name: string, value: Value][];

/** What the summary is made of, as a session stores it. */
export type SummaryFields = {
  /** The user's first message. */
  first: string | null;
  /** What the user said later. If there is no room, the oldest messages are dropped; `left` counts them. */
  users: string[];
  left: number;
  counts: { user: number; assistant: number; calls: number };
  tools: Named<number>;
  read: Named;
  changed: Named;
  /** Command lines, each with its latest outcome. */
  commands: Named;
  /** Calls that failed and have not succeeded since. */
  errors: Named;
  /** The model's last text. */
  current: string;
  timeline: string[];
};

/** Maximum bytes of the rendered message. */
const MOST = 8_192;
/** Maximum characters of a line. */
const LINE = 160;
/** Maximum entries of a list, and maximum lines of the timeline. */
const ENTRIES = 30;
const LINES = 40;
/** Maximum bytes of each part; the timeline gets the rest. */
const ROOM = {
  first: 1_500,
  users: 1_500,
  current: 500,
  tools: 300,
  changed: 800,
  read: 500,
  commands: 700,
  errors: 700,
};

const TITLE = '[A summary of the conversation so far]';
const HEAD = `${TITLE} It replaces earlier messages; the messages after it are verbatim. Continue the work from there, without a recap and without mentioning this summary.`;

const EMPTY: SummaryFields = {
  ...{ first: null, users: [], left: 0, counts: { user: 0, assistant: 0, calls: 0 }, tools: [], read: [] },
  ...{ changed: [], commands: [], errors: [], current: '', timeline: [] },
};

/** Returns whether a message was rendered by `renderSummary`. */
export function isSummary(message: Message | undefined): boolean {
  const [block] = message?.blocks ?? [];
  return block?.type === 'text' && block.text.startsWith(TITLE);
}

/** Merges newly removed messages into the fields of the earlier compaction. */
export function mergeSummary(before: SummaryFields | null, messages: readonly Message[]): SummaryFields {
  const now: SummaryFields = structuredClone({ ...EMPTY, ...before });
  for (const [at, message] of messages.entries()) {
    const text = clean(message.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n'));
    if (message.role === 'assistant') now.counts.assistant += 1;
    else if (message.role !== 'tool') noteUser(now, text);
    if (text !== '') now.timeline.push(toLine(`${message.role === 'assistant' ? 'model' : 'user'}: ${text}`));
    if (message.role === 'assistant' && text !== '') now.current = cutBytes(text, ROOM.current);
    for (const call of message.blocks.filter(isCall)) noteCall(now, call, findResult(call, messages[at + 1]));
  }
  now.timeline = now.timeline.slice(-LINES);
  return fitUsers(now);
}

/** Shortens runs of backticks, so that the fence around the text, which must exceed every run in it, stays short. */
const clean = (text: string): string => maskSecrets(stripInvisible(text)).replace(/`{4,}/g, '```').trim();
const toLine = (text: string): string => toBoundedLine(text.slice(0, 4 * LINE).replace(/`{4,}/g, '```'), LINE);

function noteUser(now: SummaryFields, text: string): void {
  now.counts.user += 1;
  if (now.first === null) now.first = cutBytes(text, ROOM.first);
  else now.users.push(cutBytes(text, ROOM.users));
}

function fitUsers(now: SummaryFields): SummaryFields {
  const isShort = now.users.length === fitLastLines(now.users, ROOM.users).length;
  const users = fitLastLines(isShort ? now.users : now.users.map(toLine), ROOM.users);
  return { ...now, users, left: now.left + now.users.length - users.length };
}

function noteCall(now: SummaryFields, { name: tool, input }: CallBlock, result: ResultBlock | undefined): void {
  const parsed = parseOrNull(input);
  const { path, command, pattern } = isRecord(parsed) ? parsed : {};
  const target = [path, command, pattern].find((one) => typeof one === 'string');
  const name = toLine(tool).slice(0, 64);
  const line = target === undefined ? '' : toLine(target);
  const end = result === undefined ? 'no result' : describeEnd(tool, result);
  now.counts.calls += 1;
  put(now.tools, name, (now.tools.find(([one]) => one === name)?.[1] ?? 0) + 1);
  if (line !== '' && tool === 'read_file') put(now.read, line, '');
  if (line !== '' && /^(?:write|edit)_file$/.test(tool) && result?.is_error === false) put(now.changed, line, '');
  if (line !== '' && tool === 'bash') put(now.commands, line, end);
  const key = `${name} ${line}`.trim();
  drop(now.errors, key);
  if (result?.is_error === true) put(now.errors, key, toLine(result.output));
  now.timeline.push(toLine(`${key}: ${end}`));
}

/** Describes how a call ended. The tool `bash` ends its output with a line such as `[exit 1]` if a command failed. */
function describeEnd(tool: string, { output, is_error: isError }: ResultBlock): string {
  const exit = tool === 'bash' ? /^\[((?:exit|ended) [^\]\n]{1,60})\]$/m.exec(output.slice(-2_000))?.[1] : undefined;
  return exit ?? (isError ? 'error' : tool === 'bash' ? 'exit 0' : 'done');
}

function drop<Value>(list: Named<Value>, name: string): void {
  const at = list.findIndex(([one]) => one === name);
  if (at >= 0) list.splice(at, 1);
}

function put<Value>(list: Named<Value>, name: string, value: Value): void {
  drop(list, name);
  list.push([name, value]);
  if (list.length > ENTRIES) list.shift();
}

/** Renders the fields as a message; everything except the user's own words is marked as data. */
export function renderSummary(summary: SummaryFields): Message {
  for (let lines = summary.timeline; ; lines = lines.slice(1)) {
    const text = render(summary, lines);
    if (Buffer.byteLength(text) <= MOST || lines.length === 0)
      return { role: 'user', blocks: [{ type: 'text', text: cutBytes(text, MOST) }] };
  }
}

function render(summary: SummaryFields, timeline: readonly string[]): string {
  const { first, users, left, counts } = summary;
  const more = left === 0 ? '' : `; ${renderCount(left, 'message')} before them left out`;
  const said: [string, string][] = [
    ['The first request', first ?? ''],
    [`What the user said after it${more}`, users.map((one) => `- ${one}`).join('\n')],
  ];
  const part = (title: string, lines: readonly string[], room: number): string[] => {
    const shown = fitLastLines(lines, room);
    const cut = shown.length < lines.length ? `, the last ${shown.length}` : '';
    return shown.length === 0 ? [] : [`${title}${cut}:`, ...shown.map((line) => `- ${line}`)];
  };
  const join = (list: Named<string | number>): string[] =>
    list.map(([name, value]) => (value === '' ? name : `${name}: ${value}`));
  const done = [
    `${renderCount(counts.user, 'message')} of the user, ${renderCount(counts.assistant, 'answer')}, ${renderCount(counts.calls, 'call')}.`,
    ...part('Calls by tool', join(summary.tools), ROOM.tools),
    ...part('Files changed', join(summary.changed), ROOM.changed),
    ...part('Files read', join(summary.read), ROOM.read),
    ...part('Commands', join(summary.commands), ROOM.commands),
    ...part('Open errors', join(summary.errors), ROOM.errors),
    ...(summary.current === '' ? [] : ['Current work, in the words of the model:', summary.current]),
    ...part('Timeline', timeline, MOST),
  ];
  return [
    HEAD,
    ...said.flatMap(([label, text]) => (text === '' ? [] : [renderForeignBlock(text, { label, holds: true })])),
    renderForeignBlock(done.join('\n'), { label: 'What was done' }),
  ].join('\n\n');
}
