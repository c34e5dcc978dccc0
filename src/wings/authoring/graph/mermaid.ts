import { type GraphEdge, type GraphNode, MARK_SIGNS, type Mark, type RecipeGraph } from './graph.js';
import { cutText } from './text.js';

/** Maximum columns of a line; longer text is cut. */
const COLUMNS = 60;

/** Renders a graph as a Mermaid flowchart (graph.md, Mermaid). */
export function renderMermaid(graph: RecipeGraph): string {
  const ids = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}`]));
  const idOf = (node: string) => ids.get(node) ?? '';
  const drawn = graph.edges.filter(({ implied }) => !implied);
  const loose = graph.nodes.filter(({ group }) => group === undefined);
  const lines = [
    'flowchart TD',
    ...loose.map((node) => `  ${renderNode(node, idOf(node.id))}`),
    ...graph.groups.flatMap((group, index) => [
      `  subgraph g${index}["${escapeMermaid(group.label)}"]`,
      ...graph.nodes.filter((node) => node.group === group.id).map((node) => `    ${renderNode(node, idOf(node.id))}`),
      '  end',
    ]),
    ...drawn.map((edge) => `  ${renderEdge(edge, idOf(edge.from), idOf(edge.to))}`),
    ...renderClasses(graph.nodes, idOf),
  ];
  return `${lines.join('\n')}\n`;
}

/** Escapes text as Mermaid entities: nothing in it is interpreted as Mermaid, Markdown or HTML. */
function escapeMermaid(text: string): string {
  return cutText(text, COLUMNS).replace(
    /[^\p{L}\p{N} .,:?!+=/()'–—…≤×›“”-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}

function renderNode(node: GraphNode, id: string): string {
  const words = escapeMermaid(node.name);
  switch (node.kind) {
    case 'start':
      return `${id}(["${words}"])`;
    case 'completed':
    case 'halted':
      return `${id}((("${words}")))`;
    case 'person':
      return `${id}{{"${renderWords(node)}"}}`;
    case 'engine':
    case 'recipe':
      return `${id}[["${renderWords(node)}"]]`;
    case 'agents':
    case 'agent':
    case 'cli':
      return `${id}["${renderWords(node)}"]`;
  }
}

function renderWords({ name, note, facts, mark }: GraphNode): string {
  const lines = [name, note, ...facts].filter((line) => line !== '').map(escapeMermaid);
  return [...lines, ...(mark === undefined ? [] : [MARK_SIGNS[mark]])].join('<br/>');
}

function renderEdge({ kind, label }: GraphEdge, from: string, to: string): string {
  const arrow = kind === 'back' || kind === 'again' ? '-.->' : '-->';
  return `${from} ${arrow}${label === '' ? '' : `|"${escapeMermaid(label)}"|`} ${to}`;
}

/** Fill and text colours are both given, so that they work in light and dark themes. */
const STYLES: Readonly<Record<Mark | 'person' | 'optional', string>> = {
  person: 'stroke:#bc4c00,stroke-width:2px',
  optional: 'stroke-dasharray:6 4',
  done: 'fill:#1a7f37,stroke:#1a7f37,color:#ffffff',
  current: 'fill:#0969da,stroke:#0969da,color:#ffffff,stroke-width:3px',
  failed: 'fill:#cf222e,stroke:#cf222e,color:#ffffff',
  stale: 'fill:#9a6700,stroke:#9a6700,color:#ffffff',
  skipped: 'fill:#59636e,stroke:#59636e,color:#ffffff',
};

function renderClasses(nodes: readonly GraphNode[], idOf: (node: string) => string): string[] {
  const uses = (style: keyof typeof STYLES) =>
    nodes.filter(
      (node) =>
        node.mark === style || (style === 'person' && node.kind === style) || (style === 'optional' && node.optional),
    );
  return (Object.keys(STYLES) as (keyof typeof STYLES)[]).flatMap((style) => {
    const ids = uses(style).map(({ id }) => idOf(id));
    return ids.length === 0 ? [] : [`  classDef ${style} ${STYLES[style]}`, `  class ${ids.join(',')} ${style}`];
  });
}
