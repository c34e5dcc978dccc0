import { formatDuration } from '../../../base/duration.js';
import type { RunPage } from '../wire.js';

const PARTS = [
  ['agent', 'agents'],
  ['commands', 'commands'],
  ['you', 'you'],
  ['idle', 'nobody'],
] as const;

/**
 * How the run's time is split, as a bar and in words. The time since the page was sent is added to the part of whoever
 * is working now.
 */
export function SplitLine({ page, now }: { page: RunPage; now: number }) {
  const open = page.rows.flatMap(({ segments }) => segments.filter(({ to }) => to === null).map(({ who }) => who));
  const [going = 'idle'] = PARTS.map(([who]) => who).filter((who) => open.some((one) => one === who));
  const split = { ...page.split, [going]: page.split[going] + now - page.clock.to };
  const whole = Math.max(1, split.agent + split.commands + split.you + split.idle);
  return (
    <section class="split" aria-label="Time">
      <div class="line" aria-hidden="true">
        {PARTS.map(([who]) => (
          <i key={who} class={who} style={{ '--size': `${(100 * split[who]) / whole}%` }} />
        ))}
      </div>
      <p>
        {PARTS.map(([who, word]) => (
          <span key={who}>
            <i class={who} aria-hidden="true" /> {word} {formatDuration(split[who])} (
            {Math.round((100 * split[who]) / whole)}%)
          </span>
        ))}
        <span class="quiet">{page.cost}</span>
      </p>
    </section>
  );
}
