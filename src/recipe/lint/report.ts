import { replaceInvisible } from '../../base/visible.js';
import { renderCount } from '../../base/words.js';
import type { RecipeProblem } from '../source/problem.js';

/** The largest number of characters shown of a source line. */
const WIDTH = 120;

/**
 * Renders problems like a compiler: position, message, source line with carets, fix (recipes.md, recipe lint).
 * @param texts the files the problems point into, by name; a problem in another file has no source line
 */
export function renderLintReport(problems: readonly RecipeProblem[], texts: Readonly<Record<string, string>>): string {
  const parts = problems.map((problem) => {
    const { file, line, column, severity, message, fix } = problem;
    const lines = [
      `${file}:${line}:${column}: ${severity}: ${replaceControls(message)}`,
      ...renderExcerpt(problem, texts[file]),
    ];
    if (fix !== undefined) lines.push(`${' '.repeat(getGutterWidth(line))} = ${replaceControls(fix)}`);
    return `${lines.join('\n')}\n`;
  });
  return [...parts, renderSummary(problems)].join('\n');
}

function renderSummary(problems: readonly RecipeProblem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return `${renderOrNo(errors, 'error')}, ${renderOrNo(problems.length - errors, 'warning')}`;
}

function renderOrNo(count: number, word: string): string {
  return count === 0 ? `no ${word}s` : renderCount(count, word);
}

function renderExcerpt({ line, column, length }: RecipeProblem, text: string | undefined): string[] {
  const source = text?.split('\n')[line - 1]?.replace(/\r$/, '');
  if (source === undefined || source.trim() === '') return [];
  const start = column - 1 < WIDTH - 20 ? 0 : column - 1 - 20;
  const shown = replaceControls(source.slice(start, start + WIDTH));
  const carets = '^'.repeat(Math.max(1, Math.min(length, start + WIDTH - (column - 1))));
  return [
    `${String(line).padStart(getGutterWidth(line))} | ${shown.trimEnd()}`,
    `${' '.repeat(getGutterWidth(line))} | ${' '.repeat(column - 1 - start)}${carets}`,
  ];
}

function getGutterWidth(line: number): number {
  return Math.max(4, String(line).length);
}

/** Replaces each control or invisible character with one visible character, so that carets stay below their column. */
function replaceControls(text: string): string {
  return replaceInvisible(
    text.replace(/\t/g, ' ').replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '�'),
    () => '�',
  );
}
