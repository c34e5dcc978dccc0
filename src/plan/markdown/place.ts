import { toBoundedLine } from '../../documents/foreign.js';

/** A range of lines in a text that somebody else wrote. */
export interface SourceLocation {
  path: string;
  /** The first line, counted from 1. */
  line: number;
  /** The last line, if there are several. */
  end?: number;
}

/** Renders a place as `FILE:LINE` or `FILE:LINE-LINE`. */
export function formatSourceLocation({ path, line, end }: SourceLocation): string {
  const shown = toBoundedLine(path, 500);
  return end === undefined || end <= line ? `${shown}:${line}` : `${shown}:${line}-${end}`;
}
