import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageDocument, RunPage } from '../wire.js';
import { Markdown } from './markdown.js';
import { type DocumentRequest, LoadError, type Source, toFailure } from './source.js';
import { Trouble } from './trouble.js';

interface Props {
  source: Source;
  page: RunPage;
  wanted: DocumentRequest;
  label: string;
}

/** A document, loaded when it is opened. */
export function DocumentView({ source, page, wanted, label }: Props) {
  const [read, setRead] = useState<PageDocument | LoadError | null>(null);
  useEffect(() => void source.document(page, wanted).catch(toFailure).then(setRead), []);
  if (read === null) return <p class="quiet">Reading …</p>;
  if (read instanceof LoadError) return <Trouble trouble={read} />;
  const { text, of } = read;
  return (
    <div class="document">
      {of !== undefined && (
        <p class="quiet">
          Too large to be shown whole: {size(text.length)} of {size(of)}.
        </p>
      )}
      {show(read, label)}
    </div>
  );
}

const size = (bytes: number) => (bytes < 10_000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`);

function show({ kind, text }: PageDocument, label: string): ComponentChildren {
  switch (kind) {
    case 'text':
      return <Scroll label={label}>{text}</Scroll>;
    case 'markdown':
      return <Markdown text={text} />;
    case 'diff':
      return <Scroll label={label}>{splitDiff(text)}</Scroll>;
    case 'svg':
      // In an image, an SVG cannot run scripts, load anything or contain links.
      return <img src={`data:image/svg+xml,${encodeURIComponent(text)}`} alt={`${label}, drawn`} />;
  }
}

/**
 * Text shown verbatim. It may be long, so it is not wrapped in `<bdi>` to find its text direction. It has a tab index
 * so that keys can scroll it.
 */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section class="scroll" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  );
}

/** Foreign lines under a heading. */
export function LineList({ heading, lines }: { heading: string; lines: readonly string[] }) {
  return (
    <>
      <h3>{heading}</h3>
      <ul>
        {lines.map((line) => (
          <li>
            <bdi>{line.replace(/^- /, '')}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Number of coloured parts of a diff after which the rest is added to the last part. */
const PARTS = 400;
const SHADES: Readonly<Record<string, string>> = { '+': 'good', '-': 'bad', '@': 'busy' };

/** Joins adjacent lines of one kind, so that a long diff needs few elements. */
function splitDiff(text: string): ComponentChildren {
  const parts: { shade: string; text: string }[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    const shade = SHADES[line[0] ?? ''] ?? '';
    const last = parts.at(-1);
    if (last !== undefined && (last.shade === shade || parts.length > PARTS)) last.text += line;
    else parts.push({ shade, text: line });
  }
  return parts.map((part) => <span class={part.shade}>{part.text}</span>);
}
