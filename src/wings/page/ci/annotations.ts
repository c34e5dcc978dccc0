import { posix } from 'node:path';
import { renderCount } from '../../../base/words.js';
import type { CiFinding } from './finding.js';

/** GitHub shows at most this many errors, and as many warnings, per step of a job. */
const SHOWN = 10;

/**
 * Renders findings as workflow commands of GitHub Actions (`::error …`): at most ten errors and ten warnings. If there
 * are more, the tenth says how many.
 * @param prefix path from the runner's workspace to the root; empty if they are the same
 */
export function renderAnnotations(findings: readonly CiFinding[], prefix: string): string {
  const lines = (['error', 'warning'] as const).flatMap((severity) => {
    const all = findings.filter((finding) => finding.severity === severity);
    const more = all.length - SHOWN;
    return all.slice(0, SHOWN).map((finding, index) => {
      const { check, file, line, column: col, message, fix } = finding;
      const rest =
        index === SHOWN - 1 && more > 0
          ? `\nand ${renderCount(more, `more ${severity}`)}: the log lists all of them.`
          : '';
      const properties = Object.entries({ file: posix.join(prefix, file), line, col, title: `dev-cli: ${check}` })
        .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${escapeProperty(String(value))}`]))
        .join(',');
      return `::${severity} ${properties}::${escapeData(`${message}${fix === undefined ? '' : `\n${fix}`}${rest}`)}\n`;
    });
  });
  return lines.join('');
}

/** Escapes text as the runner expects. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
