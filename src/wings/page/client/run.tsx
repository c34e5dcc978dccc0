import { useEffect, useMemo, useState } from 'preact/hooks';
import { formatDuration } from '../../../base/duration.js';
import type { RunPage, TabName } from '../wire.js';
import { Document, Lines } from './documents.js';
import { Find, type Finding, matchRow, NO_FINDING } from './find.js';
import { GateSection } from './gate.js';
import { useKeys } from './keys.js';
import { useRun } from './live.js';
import { writeRoute } from './route.js';
import { Rows } from './rows.js';
import { Sign } from './sign.js';
import { type Source, tabOf } from './source.js';
import { SplitLine } from './split.js';
import { Instant, useNow } from './time.js';
import { Trouble } from './trouble.js';
import { Waves } from './waves.js';

const TABS: Readonly<Record<TabName, string>> = {
  plan: 'Plan',
  recipe: 'Recipe',
  journal: 'Journal',
  report: 'Report',
};

interface Props {
  source: Source;
  name: string;
  run: string | undefined;
  /** The row that the address names. */
  row: string | null;
}

/** A run, live (view.md, Page). */
export function Run({ source, name, run, row }: Props) {
  const [again, setAgain] = useState(0);
  const { page, trouble, heardAt, news } = useRun(source, name, run, again);
  const clock = useNow(page?.clock.isRunning === true && trouble === null);
  // The run's clock goes on by what has passed here; that of the server and this one need not agree.
  const now = page === null ? 0 : page.clock.to + (page.clock.isRunning ? Math.max(0, clock - heardAt) : 0);
  document.title = `${page?.decision ? '(1) ' : ''}${page?.name ?? name}`;
  return (
    <>
      <p class="news" role="status">
        {news}
      </p>
      {trouble && <Trouble trouble={trouble} />}
      <main>
        {page === null ? (
          <h1>
            <bdi>{name}</bdi>
          </h1>
        ) : (
          <>
            <Head page={page} now={now} hasRuns={source.runs !== null} />
            {page.fault && (
              <p class="trouble" role="alert">
                <strong>The journal is damaged; all up to there is shown.</strong> <code>{page.fault.code}</code>{' '}
                <bdi>{page.fault.message}</bdi>
              </p>
            )}
            <GateSection page={page} source={source} again={() => setAgain((count) => count + 1)} />
            <SplitLine page={page} now={now} />
            {page.left.map((section) => (
              <Lines key={section.heading} {...section} />
            ))}
            <Work page={page} source={source} wanted={row} now={now} />
          </>
        )}
      </main>
    </>
  );
}

function Head({ page, now, hasRuns }: { page: RunPage; now: number; hasRuns: boolean }) {
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

/** Rows with their time, or a tab. */
function Work({ page, source, wanted, now }: { page: RunPage; source: Source; wanted: string | null; now: number }) {
  const [tab, setTab] = useState<TabName | null>(null);
  const [finding, setFinding] = useState<Finding>(NO_FINDING);
  const [chosen, setChosen] = useState({ id: wanted, isOpen: wanted !== null });
  const { name, rows, runs, runId } = page;
  useEffect(() => {
    if (wanted === null) return;
    setChosen({ id: wanted, isOpen: true });
    setTab(null);
  }, [wanted]);
  useEffect(() => {
    const run = runs.at(-1)?.runId === runId ? undefined : runId;
    // Browsers count how often an address is replaced.
    const timer = setTimeout(() => history.replaceState(null, '', writeRoute({ name, row: chosen.id, run })), 300);
    return () => clearTimeout(timer);
  }, [chosen.id]);
  const found = useMemo(() => rows.filter((one) => matchRow(one, finding)), [rows, finding]);
  const at = useMemo(() => new Map(found.map(({ id }, index) => [id, index])), [found]);
  const move = (by: number): void => {
    const index = Math.min(found.length - 1, Math.max(0, (at.get(chosen.id ?? '') ?? -1) + by));
    setChosen(({ isOpen }) => ({ id: found[index]?.id ?? null, isOpen }));
  };
  const [zoom, setZoom] = useState(1);
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Home: () => move(-found.length),
    End: () => move(found.length),
    Enter: () => setChosen(({ id }) => ({ id, isOpen: id !== null })),
    Escape: () => (chosen.isOpen ? setChosen({ ...chosen, isOpen: false }) : setFinding(NO_FINDING)),
    '/': () => document.querySelector<HTMLInputElement>('#find')?.focus(),
    '+': () => setZoom((last) => Math.min(64, last * 2)),
    '-': () => setZoom((last) => Math.max(1, last / 2)),
    '0': () => setZoom(1),
  });
  const choose = (id: string) => setChosen((last) => ({ id, isOpen: last.id !== id || !last.isOpen }));
  return (
    <>
      <nav class="tabs" aria-label="Views">
        {[null, ...page.tabs].map((one) => (
          <button key={one} type="button" aria-pressed={tab === one} onClick={() => setTab(one)}>
            {one === null ? 'Work' : TABS[one]}
          </button>
        ))}
      </nav>
      {tab === null ? (
        <>
          <Waves rows={rows} chosen={chosen.id} choose={choose} />
          <Find rows={rows} found={found.length} finding={finding} set={setFinding} zoom={zoom} setZoom={setZoom} />
          <Rows {...{ page, source, found, now, zoom, choose }} chosen={chosen} index={at.get(chosen.id ?? '') ?? -1} />
        </>
      ) : (
        <Document key={tab} source={source} page={page} wanted={tabOf(tab)} label={TABS[tab]} />
      )}
    </>
  );
}
