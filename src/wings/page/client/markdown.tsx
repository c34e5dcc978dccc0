import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import {
  type Inline,
  isNested,
  type ListItem,
  type MarkdownBlock,
  parseMarkdown,
  type TableRow,
} from '../../../plan/markdown/parse.js';

/** Maximum characters that are parsed; a longer text is shown verbatim, because parsing takes too long. */
const LONG = 400_000;

/** Foreign Markdown: everything except text and its structure, such as links and images, is shown as source text. */
export function Markdown({ text }: { text: string }) {
  return useMemo(() => {
    if (text.length > LONG || text.split('\n').some(isNested)) return <pre>{text}</pre>;
    return <div class="markdown">{parseMarkdown(text).map((node) => showBlock(node, text))}</div>;
  }, [text]);
}

type Node = MarkdownBlock | Inline | ListItem | TableRow;

function showAll(nodes: readonly Node[], source: string): ComponentChildren {
  return nodes.map((node) => showBlock(node, source));
}

function showBlock(node: Node, source: string): ComponentChildren {
  const written = source.slice(node.position?.start.offset, node.position?.end.offset);
  const inner = 'children' in node ? showAll(node.children as Node[], source) : null;
  switch (node.type) {
    case 'text':
      return <bdi>{node.value}</bdi>;
    case 'paragraph':
      return <p>{inner}</p>;
    case 'heading':
      // The page has its own h1.
      return ((Tag) => <Tag>{inner}</Tag>)(`h${Math.min(6, node.depth + 1)}` as 'h2');
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{inner}</ol> : <ul>{inner}</ul>;
    case 'listItem':
      return <li>{inner}</li>;
    case 'blockquote':
      return <blockquote>{inner}</blockquote>;
    case 'code':
      return <pre>{node.value}</pre>;
    case 'inlineCode':
      return <code>{node.value}</code>;
    case 'emphasis':
      return <em>{inner}</em>;
    case 'strong':
      return <strong>{inner}</strong>;
    case 'thematicBreak':
      return <hr />;
    case 'break':
      return <br />;
    case 'table':
      return showTable(node.children, source);
    case 'html':
      // Sections that a report folds are shown unfolded.
      return <bdi>{written.replace(/<\/?(?:details|summary)>/g, '')}</bdi>;
    default:
      return <bdi>{written}</bdi>;
  }
}

function showTable([head, ...rows]: readonly TableRow[], source: string) {
  const cells = (row: TableRow | undefined, Cell: 'th' | 'td') =>
    row?.children.map((cell) => <Cell>{showAll(cell.children, source)}</Cell>);
  return (
    <table>
      <thead>
        <tr>{cells(head, 'th')}</tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>{cells(row, 'td')}</tr>
        ))}
      </tbody>
    </table>
  );
}
