import { useState } from 'preact/hooks';
import { formatDuration } from '../../../base/duration.js';
import { SIGNS } from '../../../views/signs.js';
import type { PageRow, PageSegment, RunPage } from '../wire.js';
import { DocumentView } from './documents.js';
import { buildDiffRequest, buildDocumentRequest, type Source } from './source.js';
import { Instant } from './time.js';

interface Props {
  row: PageRow;
  page: RunPage;
  source: Source;
  now: number;
  choose: (id: string) => void;
}

/** Everything known about a row. */
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
          {state === 'done' && 'Failed before: '}
          <bdi>{why}</bdi>
        </p>
      )}
      <Names label="Builds on" ids={after} choose={choose} />
      <Names label="Needed by" ids={behind} choose={choose} />
      {commit && (
        <button type="button" aria-expanded={isDiff} onClick={() => setDiff(!isDiff)}>
          Diff of <code>{commit.slice(0, 7)}</code>
        </button>
      )}
      {commit && isDiff && (
        <DocumentView {...{ source, page }} wanted={buildDiffRequest(commit)} label={`Diff of ${commit}`} />
      )}
      {segments.length === 0 && <p class="quiet">No work on this has begun yet.</p>}
      <ol>
        {segments.map((segment, index) => (
          <Segment {...{ segment, index, row, page, source, now }} />
        ))}
      </ol>
    </>
  );
}

/** Maximum ids shown; the others are only counted. */
const NAMED = 12;

function Names({ label, ids, choose }: { label: string; ids: readonly string[]; choose: (id: string) => void }) {
  if (ids.length === 0) return null;
  const named = ids.slice(0, NAMED).map((id) => (
    <button type="button" onClick={() => choose(id)}>
      <bdi>{id}</bdi>
    </button>
  ));
  return (
    <p>
      {label} {named} {ids.length > NAMED && `and ${ids.length - NAMED} more`}
    </p>
  );
}

const WHO = { agent: 'agent', you: 'you', commands: 'command' } as const;

function Segment({ segment, index, ...of }: Omit<Props, 'choose'> & { segment: PageSegment; index: number }) {
  const { from, to, who, what, ok, seq, documents } = segment;
  const [open, setOpen] = useState<number | null>(null);
  const gate = of.page.gates.find((one) => one.seq === seq);
  const ended = ok === null ? 'became void' : ok ? '✓ done' : '✗ not passed';
  return (
    <li>
      <p>
        <i class={who} aria-hidden="true" /> <strong>{WHO[who]}</strong> <bdi>{what}</bdi>{' '}
        <span class={ok === false ? 'bad' : 'quiet'}>{to === null ? 'in progress' : ended}</span>
      </p>
      <p class="quiet">
        <Instant at={from} seconds /> · {formatDuration((to ?? of.now) - from)} · entry {seq}
      </p>
      {gate && <Decided {...gate} />}
      {documents.map((name, at) => (
        <button type="button" aria-expanded={open === at} onClick={() => setOpen(open === at ? null : at)}>
          <bdi>{name}</bdi>
        </button>
      ))}
      {open !== null && (
        <DocumentView
          key={open}
          {...{ source: of.source, page: of.page, wanted: buildDocumentRequest(of.row.id, index, open) }}
          label={`${documents[open]} of entry ${seq}`}
        />
      )}
    </li>
  );
}

/** A gate's decision: the question, the choice, who made it, its digest and its note. */
function Decided({ question, choice, by, digest, note }: RunPage['gates'][number]) {
  if (choice === null) return <p>Nobody has decided yet: {<bdi>{question}</bdi>}</p>;
  return (
    <p>
      <bdi>{question}</bdi> <strong>{choice}</strong>, by <bdi>{by}</bdi>
      {digest && <code title={digest}> on {digest.replace('sha256:', '').slice(0, 12)}</code>}
      {note && <q>{<bdi>{note}</bdi>}</q>}
    </p>
  );
}
