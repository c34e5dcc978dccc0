import { useEffect, useRef, useState } from 'preact/hooks';
import { formatDuration } from '../../../base/duration.js';
import type { RunsPage, RunsRow } from '../wire.js';
import { useKeys } from './keys.js';
import { keepListening } from './live.js';
import { writeRoute } from './route.js';
import { Sign } from './sign.js';
import type { LoadError, Source } from './source.js';
import { Trouble } from './trouble.js';

/** The first page, updated live: the runs that wait for the person, those in progress, and those that have ended. */
export function Runs({ follow }: { follow: NonNullable<Source['runs']> }) {
  const [page, setPage] = useState<RunsPage | null>(null);
  const [trouble, setTrouble] = useState<LoadError | null>(null);
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const stop = new AbortController();
    const listen = (isHeard: () => void) =>
      follow((read) => {
        isHeard();
        setPage(read);
        setTrouble(null);
      }, stop.signal);
    void keepListening(listen, setTrouble, stop.signal);
    return () => stop.abort();
  }, [follow]);
  const waiting = page?.groups[0]?.title === 'Waiting for you' ? page.groups[0].rows.length : 0;
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${page?.project ?? 'dev-cli'}`;
  const move = (by: number): void => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const at = links.findIndex((link) => link.matches(':focus'));
    links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1) });
  return (
    <main class="runs" ref={list}>
      {trouble && <Trouble trouble={trouble} />}
      <header>
        <h1>
          <bdi>{page?.project ?? 'dev-cli'}</bdi>
        </h1>
        {page?.branch && <bdi class="quiet">{page.branch}</bdi>}
      </header>
      {page?.groups.map(({ title, rows, more }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul>
            {rows.map((row) => (
              <RunLine key={`${row.elsewhere}/${row.name}`} row={row} now={page.now} />
            ))}
          </ul>
          {more > 0 && (
            <p class="quiet">
              and {more} more: <code>dev-cli list</code>
            </p>
          )}
        </section>
      ))}
      {page?.groups.length === 0 && (
        <section>
          <h2>No runs yet</h2>
          <p>
            In your agent: <code>/specify what you want</code>. See how it goes: <code>dev-cli demo</code>.
          </p>
        </section>
      )}
    </main>
  );
}

function RunLine({ row, now }: { row: RunsRow; now: number }) {
  const ago = (at: number) => formatDuration(now - at);
  return (
    <li>
      <Sign name={row.sign} />
      {row.elsewhere === undefined ? (
        <a href={writeRoute({ name: row.name })}>
          <bdi>{row.name}</bdi>
        </a>
      ) : (
        <span>
          <bdi>{row.name}</bdi> <small>in {<bdi>{row.elsewhere}</bdi>}</small>
        </span>
      )}
      <span class="what">
        {row.progress} <bdi>{row.text}</bdi>
        {row.silent !== undefined && <em class="bad"> silent for {ago(row.silent)}</em>}
        {row.command && <code>{row.command}</code>}
      </span>
      <span class="quiet">{row.since !== undefined && ago(row.since)}</span>
    </li>
  );
}
