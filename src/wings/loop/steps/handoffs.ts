import { DevCliError } from '../../../base/errors.js';
import { type HandoffFile, readHandoffFile, sortHandoffNames } from '../../../documents/handoff-file.js';
import type { Context } from '../../../run/context.js';

/** Where handoffs lie, relative to the root. */
export const HANDOFFS = '.ai/handoffs';

/** A handoff with its file's name and text. */
export interface NamedHandoff {
  name: string;
  text: string;
  handoff: HandoffFile;
}

/** Keys whose value an agent writes as a sentence, which need not be YAML. */
const PLAIN = /^((?:timestamp|status|goal_id|reason|branch|head):[ \t]+)(?!["'|>])(.*?)[ \t\r]*$/gm;

/** Reads a handoff; where its head is no YAML, once more with each value as the text that it is. */
export function readHandoff(text: string): HandoffFile | null {
  const [head = '', ...rest] = text.split(/^(?=---[ \t\r]*$)/m).slice(text.startsWith('---') ? 0 : 1);
  const quoted = head.replace(PLAIN, (_, key: string, value: string) => `${key}${JSON.stringify(value)}`);
  return readHandoffFile(text) ?? readHandoffFile([quoted, ...rest].join(''));
}

/** The text of a handoff by its absolute path; null where there is none, and where it is too large or no plain file. */
export function readHandoffText({ reader }: Pick<Context, 'reader'>, path: string): string | null {
  try {
    return reader.read(path);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'IO') return null;
    throw error;
  }
}

/** The goal of the newest handoff of a project; null where there is none. @throws DevCliError `IO` */
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
