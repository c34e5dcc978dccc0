import { SIGNS } from '../../../views/signs.js';
import type { PageRow } from '../wire.js';

/** The search criteria for rows. */
export interface RowFilter {
  text: string;
  state: PageRow['state'] | null;
}

export const NO_FINDING: RowFilter = { text: '', state: null };

/** Returns whether a row has the wanted state, and the wanted text in its id, its title or the reason why it failed. */
export function matchRow({ id, title, why, state }: PageRow, finding: RowFilter): boolean {
  const text = finding.text.toLowerCase();
  const isNamed = text === '' || [id, title, why ?? ''].some((one) => one.toLowerCase().includes(text));
  return isNamed && (finding.state === null || finding.state === state);
}

interface Props {
  rows: readonly PageRow[];
  found: number;
  finding: RowFilter;
  set: (finding: RowFilter) => void;
  zoom: number;
  setZoom: (zoom: number) => void;
}

/** The search field, a button for each state with its count, and zoom. */
export function Find({ rows, found, finding, set, zoom, setZoom }: Props) {
  const counts = new Map<PageRow['state'], number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (
    <search class="find">
      <input
        id="find"
        type="search"
        aria-label="Find a row"
        placeholder="Find  /"
        value={finding.text}
        onInput={({ currentTarget }) => set({ ...finding, text: currentTarget.value })}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Escape') set(NO_FINDING);
          if (key === 'Enter' || key === 'Escape') currentTarget.blur();
        }}
      />
      {[...counts].map(([state, count]) => (
        <button
          key={state}
          type="button"
          aria-pressed={finding.state === state}
          onClick={() => set({ ...finding, state: finding.state === state ? null : state })}
        >
          <span class={SIGNS[state].as} aria-hidden="true">
            {SIGNS[state].sign}
          </span>{' '}
          {SIGNS[state].word} {count}
        </button>
      ))}
      <fieldset aria-label="Zoom">
        {zoom > 1 && <span class="quiet">{zoom}×</span>}
        <button type="button" aria-label="Zoom in" onClick={() => setZoom(Math.min(64, zoom * 2))}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => setZoom(Math.max(1, zoom / 2))}>
          −
        </button>
        <button type="button" aria-label="0: show the whole run" onClick={() => setZoom(1)}>
          0
        </button>
      </fieldset>
      {found === 0 && (
        <p role="status">
          {rows.length === 0 ? 'Nothing has begun yet.' : `No row ${tell(finding)}.`}{' '}
          {rows.length > 0 && (
            <button type="button" onClick={() => set(NO_FINDING)}>
              Show all {rows.length}
            </button>
          )}
        </p>
      )}
    </search>
  );
}

const tell = ({ text, state }: RowFilter) =>
  [text !== '' && `has “${text}”`, state !== null && `is ${SIGNS[state].word}`].filter(Boolean).join(' and ');
