import { useState } from 'preact/hooks';
import { LineList } from './documents.js';
import { GateSection } from './gate.js';
import { Head } from './head.js';
import { useRun } from './live.js';
import type { Source } from './source.js';
import { SplitLine } from './split.js';
import { useNow } from './time.js';
import { Trouble } from './trouble.js';
import { Work } from './work.js';

interface Props {
  source: Source;
  name: string;
  run: string | undefined;
  /** The row that the address names. */
  row: string | null;
}

/** The page of a run, updated live (view-page.md, In the browser). */
export function Run({ source, name, run, row }: Props) {
  const [again, setAgain] = useState(0);
  const { page, trouble, heardAt, news } = useRun(source, name, run, again);
  const clock = useNow(page?.clock.isRunning === true && trouble === null);
  // Adds the time passed in the browser to the run's clock, because the clocks of server and browser may differ.
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
                <strong>The journal is damaged; everything before the damage is shown.</strong>{' '}
                <code>{page.fault.code}</code> <bdi>{page.fault.message}</bdi>
              </p>
            )}
            <GateSection page={page} source={source} again={() => setAgain((count) => count + 1)} />
            <SplitLine page={page} now={now} />
            {page.left.map((section) => (
              <LineList key={section.heading} {...section} />
            ))}
            <Work page={page} source={source} wanted={row} now={now} />
          </>
        )}
      </main>
    </>
  );
}
