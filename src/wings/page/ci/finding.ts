import { defined } from '../../../base/defined.js';
import type { DevCliError } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';

/** Something wrong with the project, at its place (view.md, CI). */
export interface Finding {
  check: 'plan' | 'recipe' | 'test' | 'journal';
  severity: 'error' | 'warning';
  /** Relative to the root, with `/`. */
  file: string;
  /** From 1, as the column. */
  line?: number;
  column?: number;
  /** Fit to be shown, as the fix. */
  message: string;
  fix?: string;
}

/** Characters of a message. */
const LIMIT = 1000;

/** Makes a finding of what may be foreign text. */
export function buildFinding(
  check: Finding['check'],
  found: Omit<Finding, 'check' | 'severity'> & Partial<Pick<Finding, 'severity'>>,
): Finding {
  const { severity = 'error', file, line, column, message, fix } = found;
  const said = fix === undefined ? {} : { fix: toBoundedLine(fix, LIMIT) };
  return { check, severity, file, ...defined({ line, column }), message: toBoundedLine(message, LIMIT), ...said };
}

/** Makes a finding of an error about a file, where it says. */
export function buildErrorFinding(check: Finding['check'], file: string, { message, details }: DevCliError): Finding {
  const [, line, column] = /(?:^|:)(\d{1,9}):(\d{1,9})$/.exec(details[0]?.at ?? '') ?? [];
  const place = line === undefined ? {} : { line: Number(line), column: Number(column) };
  return buildFinding(check, { file, ...place, message });
}
