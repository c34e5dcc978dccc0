import { defined } from '../../../base/defined.js';
import type { DevCliError } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';

/** Something wrong with the project, at its place (view.md, CI). */
export interface Finding {
  /** `plan`, `journal`, or what an audit calls it. */
  check: string;
  severity: 'error' | 'warning';
  /** Relative to the root, with `/`; fit to be shown. */
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
  check: string,
  found: Omit<Finding, 'check' | 'severity'> & Partial<Pick<Finding, 'severity'>>,
): Finding {
  const { severity = 'error', file, line, column, message, fix } = found;
  const said = fix === undefined ? {} : { fix: toBoundedLine(fix, LIMIT) };
  const [place, text] = [toBoundedLine(file, LIMIT), toBoundedLine(message, LIMIT)];
  return { check, severity, file: place, ...defined({ line, column }), message: text, ...said };
}

/** Makes a finding of an error about a file, at the place that it names. */
export function buildErrorFinding(check: string, file: string, { message, details: [first] }: DevCliError): Finding {
  const [, line, column] = /(?:^|:)(\d{1,9}):(\d{1,9})$/.exec(first?.at ?? '') ?? [];
  const place = line === undefined ? {} : { line: Number(line), column: Number(column) };
  const why = first === undefined || message.includes(first.problem) ? '' : ` ${first.problem}`;
  return buildFinding(check, { file, ...place, message: `${message}${why}` });
}
