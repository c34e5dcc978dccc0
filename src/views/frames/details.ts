import { formatDuration } from '../../base/duration.js';
import type { Line, Shade } from '../../base/spans.js';
import { renderCount } from '../../base/words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { SIGNS } from '../signs.js';
import type { TimelineRow } from '../timeline-rows.js';
import { wrapSpans } from './columns.js';

/** How many segments (periods of work on the row), and how many files, are listed at most: the newest ones. */
const STRETCHES = 12;

const WHO = { agent: 'agent', you: 'you', commands: 'command' } as const;

/** Lays out the details of a row: state, attempts, reason for a failure, segments with their outcome, files. */
export function renderDetails(row: TimelineRow, columns: number, now: number): Line[] {
  const { id, title, state, attempts, commit, why, after, segments } = row;
  const line = (text: string, as?: Shade): Line[] =>
    wrapSpans([{ text, ...(as === undefined ? {} : { as }) }], columns, 2);
  const facts = [
    SIGNS[state].word,
    ...(attempts > 1 ? [renderCount(attempts, 'attempt')] : []),
    ...(commit === null ? [] : [`commit ${commit.slice(0, 10)}`]),
  ];
  const files = [...new Set(segments.flatMap(({ documents }) => documents.map(({ path }) => path)))];
  return [
    ...line(toBoundedLine(title === id ? id : `${id}  ${title}`, 300), 'strong'),
    ...line(facts.join(', ')),
    ...(why === null ? [] : line(toBoundedLine(why, 600), state === 'failed' ? 'bad' : undefined)),
    ...(after.length === 0 ? [] : line(toBoundedLine(`after ${after.join(', ')}`, 300), 'quiet')),
    ...segments
      .slice(-STRETCHES)
      .reverse()
      .flatMap(({ who, what, from, to, ok }) => {
        const { sign, as } = SIGNS[to === null ? 'running' : ok === null ? 'skipped' : ok ? 'done' : 'failed'];
        const facts = `  ${formatDuration((to ?? now) - from)}`;
        return wrapSpans(
          [{ text: sign, as }, { text: ` ${WHO[who]}: ${toBoundedLine(what, 200)}` }, { text: facts, as: 'quiet' }],
          columns,
          2,
        );
      }),
    ...files.slice(-STRETCHES).flatMap((path) => line(toBoundedLine(path, 200), 'quiet')),
  ];
}
