import { formatDuration } from '../../base/duration.js';
import type { TerminalSize } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { SIGNS } from '../signs.js';
import type { TimelineRow } from '../timeline-rows.js';
import { wrapSpans } from './columns.js';
import type { RunModel } from './run-model.js';

/** The largest width of the bar, in columns. */
const BAR = 30;

/** The states that are counted beside the bar, those that need most attention first. */
const COUNTED = ['failed', 'waiting', 'running', 'stale'] as const;

/** Lays out the part that never scrolls: the run, what it waits for, its progress, and how its time was spent. */
export function renderHead(model: RunModel, { columns, rows }: TerminalSize, now: number): Line[] {
  const { name, recipe, waits, fault, isLive } = model;
  const since = waits.since === null || !isLive ? '' : `  ${formatDuration(now - waits.since)}`;
  const { sign, as } = SIGNS[waits.sign];
  const spans: Line = [{ text: sign, as }, { text: ` ${waits.text}` }, { text: since, as: 'quiet' }];
  const most = rows < 16 ? 1 : 3;
  const question = wrapSpans(spans, columns, 2);
  const cut = wrapSpans(spans, columns - 2, 2).slice(0, most);
  return [
    [{ text: toBoundedLine(name, 200), as: 'strong' }, { text: `  ${toBoundedLine(recipe, 200)}` }],
    ...(question.length <= most ? question : [...cut.slice(0, -1), [...cut.slice(-1).flat(), { text: ' …' }]]),
    ...(fault === null ? [] : [[{ text: `the journal cannot be read beyond this: ${fault}`, as: 'bad' as const }]]),
    renderBar(model.rows, columns),
    [{ text: describeSplit(model, now), as: 'quiet' }],
    [],
  ];
}

/** Renders a bar with counts: of todos or, if there are none, of steps. */
function renderBar(rows: readonly TimelineRow[], columns: number): Line {
  const todos = rows.filter(({ kind }) => kind === 'todo');
  const counted = todos.length > 0 ? todos : rows.filter(({ kind }) => kind === 'step');
  const done = counted.filter(({ state }) => state === 'done' || state === 'skipped').length;
  const width = Math.min(BAR, Math.floor(columns / 3));
  const full = counted.length === 0 ? 0 : Math.floor((done / counted.length) * width);
  const others = COUNTED.flatMap((state) => {
    const count = rows.filter((row) => row.state === state).length;
    return count === 0 ? [] : [{ text: `  ${SIGNS[state].sign} ${count}`, as: SIGNS[state].as }];
  });
  return [
    { text: '━'.repeat(full), as: 'good' },
    { text: '╌'.repeat(width - full), as: 'quiet' },
    { text: ` ${done}/${counted.length}` },
    ...others,
  ];
}

/** Describes how long the run took, and the share of that time in which it waited for you. */
function describeSplit({ split, isLive, waits, at }: RunModel, now: number): string {
  const more = isLive ? Math.max(0, now - at) : 0;
  const length = split.agent + split.commands + split.you + split.idle + more;
  const yours = split.you + (waits.sign === 'waiting' ? more : 0);
  const share = length === 0 ? 0 : Math.round((yours / length) * 100);
  return `${isLive ? 'for' : 'took'} ${formatDuration(length)}, of which ${share} % waited for you`;
}
