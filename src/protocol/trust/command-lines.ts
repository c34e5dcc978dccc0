import { replaceInvisible } from '../../base/visible.js';
import { renderCount } from '../../base/words.js';
import { renderCodePoint } from '../../documents/plan-text.js';
import { quoteForShell } from '../../registry/render.js';

/** Renders commands for a person who decides whether they may run (protocol.md §4): in full, with nothing hidden. */

/**
 * Renders a command, quoted so that the reader sees where each argument ends. In the first line, `<script, 3 lines>`
 * stands for an argument of several lines, whose full text follows. It has no quotes, and a real argument with these
 * characters would have them.
 * @param cwd the directory where it runs, relative to the work tree
 */
export function renderCommandLines(argv: readonly string[], cwd = '.'): string[] {
  const scripts = argv.filter((argument) => argument.includes('\n'));
  const nameScript = (script: string) =>
    `<script${scripts.length === 1 ? '' : ` ${scripts.indexOf(script) + 1}`}, ${renderCount(countLines(script), 'line')}>`;
  const words = argv.map((argument) => (argument.includes('\n') ? nameScript(argument) : quoteForShell(argument)));
  const where = cwd === '.' ? '' : `   (in ${quoteForShell(cwd)})`;
  return [
    reveal(words.join(' ') + where),
    ...[...new Set(scripts)].flatMap((script) => [
      ...(scripts.length === 1 ? [] : [`    ${nameScript(script)}:`]),
      ...splitScript(script).map((line) => `    | ${reveal(line)}`),
    ]),
  ];
}

/** Renders a shell script line by line, with a mark before every line except the first. */
export function renderScript(script: string): string[] {
  return splitScript(script).map((line, at) => reveal(at === 0 ? line : `    | ${line}`));
}

function splitScript(script: string): string[] {
  return script.replace(/\n$/, '').split('\n');
}

const countLines = (script: string): number => splitScript(script).length;

/** Replaces characters that a terminal would not show, except tabs, with their codes. */
function reveal(line: string): string {
  return replaceInvisible(line.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, showTabs), renderCodePoint);
}

const showTabs = (character: string): string => (character === '\t' ? '  ' : renderCodePoint(character));
