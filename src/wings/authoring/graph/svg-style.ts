import type { Mark, NodeKind } from './graph.js';

/**
 * The colours of an SVG (graph.md, SVG). Each light colour is an attribute, for programs that ignore styles; the dark
 * colours are in a style, which overrides attributes.
 */

interface Theme {
  paper: string;
  ink: string;
  quiet: string;
  line: string;
  back: string;
  halt: string;
  box: string;
  group: string;
  kinds: Readonly<Record<NodeKind, string>>;
  marks: Readonly<Record<Mark, string>>;
  /** The text colour on a mark. */
  onMark: string;
}

const LIGHT: Theme = {
  paper: '#ffffff',
  ink: '#1f2328',
  quiet: '#59636e',
  line: '#818b98',
  back: '#8250df',
  halt: '#cf222e',
  box: '#f6f8fa',
  group: '#eef1f5',
  kinds: {
    start: '#59636e',
    completed: '#1a7f37',
    halted: '#cf222e',
    cli: '#59636e',
    agent: '#0969da',
    agents: '#0b7285',
    person: '#bc4c00',
    engine: '#0b7285',
    recipe: '#0969da',
  },
  marks: { done: '#1a7f37', current: '#0969da', failed: '#cf222e', stale: '#9a6700', skipped: '#59636e' },
  onMark: '#ffffff',
};

const DARK: Theme = {
  paper: '#0d1117',
  ink: '#f0f6fc',
  quiet: '#9198a1',
  line: '#6e7681',
  back: '#ab7df8',
  halt: '#f85149',
  box: '#151b23',
  group: '#11161d',
  kinds: {
    start: '#9198a1',
    completed: '#3fb950',
    halted: '#f85149',
    cli: '#9198a1',
    agent: '#4493f8',
    agents: '#39c5cf',
    person: '#f0883e',
    engine: '#39c5cf',
    recipe: '#4493f8',
  },
  marks: { done: '#3fb950', current: '#4493f8', failed: '#f85149', stale: '#d29922', skipped: '#9198a1' },
  onMark: '#0d1117',
};

/** A use of a colour: its class, and the property that it sets. */
type Use = readonly [name: string, property: 'fill' | 'stroke', of: (theme: Theme) => string];

const USES: readonly Use[] = [
  ['paper', 'fill', ({ paper }) => paper],
  ['ink', 'fill', ({ ink }) => ink],
  ['quiet', 'fill', ({ quiet }) => quiet],
  ['box', 'fill', ({ box }) => box],
  ['group', 'fill', ({ group }) => group],
  ['rim', 'stroke', ({ line }) => line],
  ['next', 'stroke', ({ line }) => line],
  ['back', 'stroke', ({ back }) => back],
  ['halt', 'stroke', ({ halt }) => halt],
  ['next-tip', 'fill', ({ line }) => line],
  ['back-tip', 'fill', ({ back }) => back],
  ['halt-tip', 'fill', ({ halt }) => halt],
  ['on-mark', 'fill', ({ onMark }) => onMark],
  ...Object.keys(LIGHT.kinds).flatMap((kind): Use[] => [
    [`k-${kind}`, 'stroke', ({ kinds }) => kinds[kind as NodeKind]],
    [`f-${kind}`, 'fill', ({ kinds }) => kinds[kind as NodeKind]],
  ]),
  ...Object.keys(LIGHT.marks).flatMap((mark): Use[] => [
    [`m-${mark}`, 'fill', ({ marks }) => marks[mark as Mark]],
    [`r-${mark}`, 'stroke', ({ marks }) => marks[mark as Mark]],
  ]),
];

/**
 * Renders the attributes that give an element these colour classes and their light colours.
 * @throws TypeError for an unknown class
 */
export function renderColours(...names: readonly string[]): string {
  const used = names.map((name) => {
    const use = USES.find(([one]) => one === name);
    if (use === undefined) throw new TypeError(`no colour is called ${name}`);
    return use;
  });
  return `class="${names.join(' ')}" ${used.map(([, property, of]) => `${property}="${of(LIGHT)}"`).join(' ')}`;
}

/** Renders the style for dark backgrounds, with the classes that a picture uses. */
export function renderDarkStyle(body: string): string {
  const rules = USES.filter(([name]) => new RegExp(`class="(?:[^"]* )?${name}[ "]`).test(body)).map(
    ([name, property, of]) => `.${name}{${property}:${of(DARK)}}`,
  );
  return `<style>@media (prefers-color-scheme:dark){${rules.join('')}}</style>`;
}
