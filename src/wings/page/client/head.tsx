import { formatDuration } from '../../../base/duration.js';
import type { RunPage } from '../wire.js';
import { writeRoute } from './route.js';
import { Sign } from './sign.js';
import { Instant } from './time.js';

/** The head of a run's page: its recipe and status, what the run waits for, and links to all runs of its name. */
export function Head({ page, now, hasRuns }: { page: RunPage; now: number; hasRuns: boolean }) {
  const { name, runId, recipe, status, held, goal, waits, clock, runs, decision, gates } = page;
  const isAsked = status === 'live' && gates.some(({ choice }) => choice === null);
  const sign = held ? 'held' : isAsked ? 'waiting' : SIGN_OF[status];
  return (
    <header>
      {hasRuns && <a href="#/">‹ All runs</a>}
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <p>
        <Sign name={sign ?? 'failed'} /> {held ? 'held, ' : ''}
        {status} · <bdi>{recipe}</bdi> · {formatDuration(now - clock.from)} since <Instant at={clock.from} />
        {runs.length > 1 && (
          <span>
            {' · runs:'}
            {runs.map((one, index) => (
              <>
                {' '}
                <a
                  href={writeRoute({ name, run: index === runs.length - 1 ? undefined : one.runId })}
                  aria-current={one.runId === runId ? 'page' : undefined}
                  title={one.status}
                >
                  <bdi>{one.recipe}</bdi>, <Instant at={Date.parse(one.at)} />
                </a>
              </>
            ))}
          </span>
        )}
      </p>
      {goal && (
        <p>
          <bdi>{goal}</bdi>
        </p>
      )}
      {!decision && waits.text && (
        <p class="quiet">
          <bdi>{waits.text}</bdi>
          {waits.since !== null && `, for ${formatDuration(now - waits.since)}`}{' '}
          {waits.command && <code>{waits.command}</code>}
        </p>
      )}
    </header>
  );
}

const SIGN_OF: Readonly<Record<string, 'done' | 'skipped' | 'failed' | 'running'>> = {
  live: 'running',
  completed: 'done',
  aborted: 'skipped',
};
