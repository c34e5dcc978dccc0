import { omitUndefined } from '../../../base/defined.js';
import type { DevCliError } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';

/** A fault of the project, with its place (view.md, CI). */
export interface CiFinding {
  /** What found the fault: `plan`, `journal`, `preferences`, or a name that an audit of another wing supplies. */
  check: string;
  severity: 'error' | 'warning';
  /** The file's path relative to the root, with `/`; invisible characters are removed, and secrets masked. */
  file: string;
  /** Line and column are counted from 1. */
  line?: number;
  column?: number;
  /** In message and fix, too, invisible characters are removed, and secrets masked. */
  message: string;
  fix?: string;
}

/** Maximum characters of a message. */
const LIMIT = 1000;

/** Builds a finding from text that may be foreign. */
export function buildFinding(
  check: string,
  found: Omit<CiFinding, 'check' | 'severity'> & Partial<Pick<CiFinding, 'severity'>>,
): CiFinding {
  const { severity = 'error', file, line, column, message, fix } = found;
  const said = fix === undefined ? {} : { fix: toBoundedLine(fix, LIMIT) };
  const [place, text] = [toBoundedLine(file, LIMIT), toBoundedLine(message, LIMIT)];
  return { check, severity, file: place, ...omitUndefined({ line, column }), message: text, ...said };
}

/** Builds a finding from an error about a file, at the place that the error names. */
export function buildErrorFinding(check: string, file: string, { message, details: [first] }: DevCliError): CiFinding {
  const [, line, column] = /(?:^|:)(\d{1,9}):(\d{1,9})$/.exec(first?.at ?? '') ?? [];
  const place = line === undefined ? {} : { line: Number(line), column: Number(column) };
  const why = first === undefined || message.includes(first.problem) ? '' : ` ${first.problem}`;
  return buildFinding(check, { file, ...place, message: `${message}${why}` });
}
