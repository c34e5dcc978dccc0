import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageDocument, RunPage } from '../wire.js';
import { Markdown } from './markdown.js';
import { Failure, type Source, type Wanted } from './source.js';
import { Trouble } from './trouble.js';

interface Props {
  source: Source;
  page: RunPage;
  wanted: Wanted;
  label: string;
}

/** A document, read when it is opened. */
export function Document({ source, page, wanted, label }: Props) {
  const [read, setRead] = useState<PageDocument | Failure | null>(null);
  useEffect(() => {
    let isLeft = false;
    const take = (got: PageDocument | Failure) => isLeft || setRead(got);
    source.document(page, wanted).then(take, (error) => {
      take(error instanceof Failure ? error : new Failure('UNEXPECTED', String(error)));
    });
    return () => {
      isLeft = true;
    };
  }, []);
  if (read === null) return <p class="quiet">Reading …</p>;
  if (read instanceof Failure) return <Trouble trouble={read} />;
  return (
    <div class="document">
      {read.of !== undefined && (
        <p class="quiet">
          Too large to be shown whole: {size(read.text.length)} of {size(read.of)}.
        </p>
      )}
      <Content document={read} label={label} />
    </div>
  );
}

const size = (bytes: number) => (bytes < 10_000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`);

function Content({ document: { kind, text }, label }: { document: PageDocument; label: string }) {
  switch (kind) {
    case 'text':
      return <Scroll label={label}>{text}</Scroll>;
    case 'markdown':
      return <Markdown text={text} />;
    case 'diff':
      return <Scroll label={label}>{splitDiff(text)}</Scroll>;
    case 'svg':
      // As an image nothing in it runs, loads or links.
      return <img src={`data:image/svg+xml,${encodeURIComponent(text)}`} alt={`${label}, drawn`} />;
  }
}

/** Text as it stands, which may be long: what scrolls is scrolled by keys, too. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section class="scroll" tabIndex={0} aria-label={label}>
      <pre dir="auto">{children}</pre>
    </section>
  );
}

/** Parts of a diff that are coloured; the rest is text. */
const PARTS = 400;

/** Joins neighbours of one kind: a diff of many lines has few elements. */
function splitDiff(text: string) {
  const lines = text.split(/(?<=\n)/);
  const kinds = lines.map((line) => ({ '+': 'good', '-': 'bad', '@': 'busy' })[line[0] ?? ''] ?? '');
  const parts: { kind: string; text: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const last = parts.at(-1);
    if (last !== undefined && (last.kind === kinds[index] || parts.length > PARTS)) last.text += line;
    else parts.push({ kind: kinds[index] ?? '', text: line });
  }
  return parts.map((part) => <span class={part.kind}>{part.text}</span>);
}
