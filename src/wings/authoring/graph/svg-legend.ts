import type { Graph } from './graph.js';
import { type Drawn, renderLine } from './svg-lines.js';
import { renderPerson } from './svg-nodes.js';
import { colour } from './svg-style.js';
import { MARGIN, renderText, SMALL } from './svg-text.js';
import { measureText } from './text.js';

/** What the signs of an SVG mean, as far as it has them. */

/** Something drawn, and how large it is. */
interface Legend {
  text: string;
  height: number;
  width: number;
}

/** Renders the signs that a graph has, each with its words. */
export function renderLegend(graph: Graph): Legend {
  const entries = listLegend(graph);
  const text = entries.map(({ sign, words }, index) => {
    const y = 20 + index * 18;
    return `<g transform="translate(0 ${y})">${sign}${renderText(words, { x: 34, y: 4 }, { colours: colour('quiet'), columns: 70 })}</g>`;
  });
  const columns = Math.max(0, ...entries.map(({ words }) => measureText(words)));
  return {
    text: text.join('\n'),
    width: 2 * MARGIN + 34 + columns * SMALL.column,
    height: entries.length === 0 ? 8 : entries.length * 18 + 26,
  };
}

function listLegend({ nodes, edges, type }: Graph): { sign: string; words: string }[] {
  const line = (kind: Drawn) => renderLine(kind, 'M0 0H22');
  const box = (attributes: string) => `<rect ${attributes} x="1" y="-6" width="22" height="12" rx="4"/>`;
  return [
    ...(nodes.some(({ kind }) => kind === 'person')
      ? [{ sign: `<g transform="translate(6 5)">${renderPerson(0, 0)}</g>`, words: 'a person answers' }]
      : []),
    ...(nodes.some(({ optional }) => optional)
      ? [
          {
            sign: box(`${colour('box', 'rim')} stroke-dasharray="5 3"`),
            words: 'left out unless its condition holds',
          },
        ]
      : []),
    ...(nodes.some(({ repeats }) => repeats) || edges.some(({ kind }) => kind === 'back')
      ? [{ sign: line('back'), words: 'leads back, at most as often as it says' }]
      : []),
    ...(edges.some(({ kind, implied }) => kind === 'halt' && implied)
      ? [
          {
            sign: `<g transform="translate(11 0)"><circle ${colour('box', 'k-halted')} r="6" stroke-width="1.6"/><path ${colour('k-halted')} d="M-2.5 -2.5l5 5m0 -5l-5 5" stroke-width="1.6"/></g>`,
            words:
              type === 'engine'
                ? 'what fails for good fails its todo'
                : `a ${type === 'meta' ? 'phase' : 'step'} that fails halts the run, where it says nothing else`,
          },
        ]
      : []),
  ];
}
