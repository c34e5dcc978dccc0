import { toBoundedLine } from '../../documents/foreign.js';

/** Lines of a text that somebody else wrote. */
export interface Place {
  path: string;
  /** From 1. */
  line: number;
  /** The last line, where there are several. */
  end?: number;
}

/** Writes a place as `FILE:LINE` or `FILE:LINE-LINE`. */
export function formatPlace({ path, line, end }: Place): string {
  const shown = toBoundedLine(path, 500);
  return end === undefined || end <= line ? `${shown}:${line}` : `${shown}:${line}-${end}`;
}
