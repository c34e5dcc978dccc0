import { useState } from 'preact/hooks';
import { formatDuration } from '../../../base/duration.js';
import { SIGNS } from '../../../views/signs.js';
import type { PageRow, PageSegment, RunPage } from '../wire.js';
import { Document } from './documents.js';
import type { Source } from './source.js';
import { Instant } from './time.js';

interface Props {
  row: PageRow;
  page: RunPage;
  source: Source;
  now: number;
  choose: (id: string) => void;
}

/** All that is known of a row. */
export function Details({ row, page, source, now, choose }: Props) {
  const { id, title, state, kind, attempts, why, commit, after, segments } = row;
  const [isDiff, setDiff] = useState(false);
  const behind = page.rows.filter((one) => one.after.includes(id)).map((one) => one.id);
  return (
    <>
      <h2>
        <bdi class="id">{id}</bdi> <bdi>{title === id ? '' : title}</bdi>
      </h2>
      <p class="quiet">
        {kind}, {SIGNS[state].word}
        {attempts > 1 && `, ${attempts} attempts`}
      </p>
      {why && (
        <p class={state === 'failed' ? 'bad' : ''}>
          <bdi>{why}</bdi>
        </p>
      )}
      <Names label="Builds on" ids={after} choose={choose} />
      <Names label="On it build" ids={behind} choose={choose} />
      {commit && (
        <p>
          Commit{' '}
          <button type="button" aria-expanded={isDiff} onClick={() => setDiff(!isDiff)}>
            <code>{commit.slice(0, 7)}</code> diff
          </button>
        </p>
      )}
      {commit && isDiff && (
        <Document {...{ source, page }} wanted={{ kind: 'commit', sha: commit }} label={`Diff of ${commit}`} />
      )}
      {segments.length === 0 && <p class="quiet">Nothing has been done on it yet.</p>}
      <ol>
        {segments.map((segment, index) => (
          <li>
            <Segment {...{ segment, index, row, page, source, now }} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** Ids that are shown; the rest is counted. */
const NAMED = 12;

function Names({ label, ids, choose }: { label: string; ids: readonly string[]; choose: (id: string) => void }) {
  if (ids.length === 0) return null;
  return (
    <p>
      {label}{' '}
      {ids.slice(0, NAMED).map((id) => (
        <button key={id} type="button" onClick={() => choose(id)}>
          <bdi>{id}</bdi>
        </button>
      ))}
      {ids.length > NAMED && ` and ${ids.length - NAMED} more`}
    </p>
  );
}

function Segment({ segment, index, ...of }: Omit<Props, 'choose'> & { segment: PageSegment; index: number }) {
  const { from, to, who, what, ok, seq, documents } = segment;
  const [open, setOpen] = useState<number | null>(null);
  const gate = of.page.gates.find((one) => one.seq === seq);
  return (
    <>
      <p>
        <i class={who} aria-hidden="true" /> <strong>{WHO[who]}</strong> <bdi>{what}</bdi>{' '}
        <span class={ok === false ? 'bad' : 'quiet'}>
          {to === null ? 'goes on' : ok === null ? 'became void' : ok ? '✓ done' : '✗ not passed'}
        </span>
      </p>
      <p class="quiet">
        <Instant at={from} seconds /> · {formatDuration((to ?? of.now) - from)} · entry {seq}
      </p>
      {gate && (
        <p>
          <bdi>{gate.question}</bdi> {gate.choice === null ? 'Nobody has decided yet.' : <strong>{gate.choice}</strong>}
          {gate.by && (
            <>
              , by <bdi>{gate.by}</bdi>
            </>
          )}
          {gate.digest && (
            <>
              , on <code title={gate.digest}>{gate.digest.replace(/^sha256:/, '').slice(0, 12)}</code>
            </>
          )}
          {gate.note && (
            <>
              : <bdi>{gate.note}</bdi>
            </>
          )}
        </p>
      )}
      <p>
        {documents.map((name, at) => (
          <button key={name} type="button" aria-expanded={open === at} onClick={() => setOpen(open === at ? null : at)}>
            <bdi>{name}</bdi>
          </button>
        ))}
      </p>
      {open !== null && (
        <Document
          key={open}
          source={of.source}
          page={of.page}
          wanted={{ kind: 'document', row: of.row.id, segment: index, document: open }}
          label={`${documents[open]} of entry ${seq}`}
        />
      )}
    </>
  );
}

const WHO = { agent: 'agent', you: 'you', commands: 'command' } as const;
