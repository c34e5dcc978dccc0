import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunPage, TabName } from '../wire.js';
import { DocumentView } from './documents.js';
import { Find, matchRow, NO_FINDING, type RowFilter } from './find.js';
import { type Keys, useKeys } from './keys.js';
import { writeRoute } from './route.js';
import { Rows } from './rows.js';
import { buildTabRequest, type Source } from './source.js';
import { Waves } from './waves.js';

const TABS: Readonly<Record<TabName, string>> = {
  plan: 'Plan',
  recipe: 'Recipe',
  journal: 'Journal',
  report: 'Report',
};

/** The rows with their time, or a tab. */
export function Work({
  page,
  source,
  wanted,
  now,
}: {
  page: RunPage;
  source: Source;
  wanted: string | null;
  now: number;
}) {
  const [tab, setTab] = useState<TabName | null>(null);
  const [finding, setFinding] = useState<RowFilter>(NO_FINDING);
  const [chosen, setChosen] = useState({ id: wanted, isOpen: wanted !== null });
  const { name, rows, runs, runId } = page;
  useEffect(() => {
    if (wanted === null) return;
    setChosen({ id: wanted, isOpen: true });
    setTab(null);
  }, [wanted]);
  useEffect(() => {
    const run = runs.at(-1)?.runId === runId ? undefined : runId;
    // Delayed, because browsers limit how often an address is replaced.
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
  const keys: Keys = {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Home: () => move(-found.length),
    End: () => move(found.length),
    Enter() {
      setChosen(({ id }) => ({ id, isOpen: id !== null }));
      setTimeout(focus, 0, 'aside');
    },
    Escape() {
      if (!chosen.isOpen) setFinding(NO_FINDING);
      setChosen(({ id }) => ({ id, isOpen: false }));
      focus('.list');
    },
    '/': () => focus('#find'),
    '+': () => setZoom((last) => Math.min(64, last * 2)),
    '-': () => setZoom((last) => Math.max(1, last / 2)),
    '0': () => setZoom(1),
  };
  useKeys(tab === null ? keys : {});
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
        <DocumentView key={tab} source={source} page={page} wanted={buildTabRequest(tab)} label={TABS[tab]} />
      )}
    </>
  );
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
}
