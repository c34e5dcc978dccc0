import { DevCliError } from '../../../base/errors.js';
import { type HandoffFile, readHandoffFile, sortHandoffNames } from '../../../documents/handoff-file.js';
import type { Context } from '../../../run/context.js';

/** The directory of handoffs, relative to the root. */
export const HANDOFFS = '.ai/handoffs';

/** A handoff with the name and text of its file. */
export interface NamedHandoff {
  name: string;
  text: string;
  handoff: HandoffFile;
}

/** Keys whose values agents write as plain sentences without quotes, which may be invalid YAML. */
const PLAIN = /^((?:timestamp|status|goal_id|reason|branch|head):[ \t]+)(?!["'|>])(.*?)[ \t\r]*$/gm;

/** Parses a handoff; if its head is invalid YAML, parses it again with each value quoted. */
export function readHandoff(text: string): HandoffFile | null {
  const [head = '', ...rest] = text.split(/^(?=---[ \t\r]*$)/m).slice(text.startsWith('---') ? 0 : 1);
  const quoted = head.replace(PLAIN, (_, key: string, value: string) => `${key}${JSON.stringify(value)}`);
  return readHandoffFile(text) ?? readHandoffFile([quoted, ...rest].join(''));
}

/** Reads a handoff by its absolute path; null if it does not exist, is too large, or is not a regular file. */
export function readHandoffText({ reader }: Pick<Context, 'reader'>, path: string): string | null {
  try {
    return reader.read(path);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'IO') return null;
    throw error;
  }
}

/** Returns the goal of a project's newest handoff; null if there is none. @throws DevCliError `IO` */
export function findNewestGoal(context: Pick<Context, 'root' | 'reader'>): string | null {
  const directory = `${context.root}/${HANDOFFS}`;
  for (const name of sortHandoffNames(context.reader.list(directory)).reverse()) {
    const text = readHandoffText(context, `${directory}/${name}`);
    const handoff = text === null ? null : readHandoff(text);
    if (handoff !== null) return handoff.goalId;
  }
  return null;
}

/**
 * Lists the valid handoffs of a directory, oldest first.
 * @param directory absolute
 * @throws DevCliError `IO`
 */
export function listHandoffs(context: Pick<Context, 'reader'>, directory: string): NamedHandoff[] {
  return sortHandoffNames(context.reader.list(directory)).flatMap((name) => {
    const text = readHandoffText(context, `${directory}/${name}`);
    const handoff = text === null ? null : readHandoff(text);
    return text === null || handoff === null ? [] : [{ name, text, handoff }];
  });
}
