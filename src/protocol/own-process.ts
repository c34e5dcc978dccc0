import { isRecord } from '../base/json.js';
import { foreignLine } from '../documents/foreign.js';
import { logFile, readText } from '../jobs/command.js';
import { runsAsProcess } from '../registry/find.js';
import type { Context } from '../run/context.js';
import type { CommandState } from '../run/state.js';

/** Commands of dev-cli that a recipe runs as a process of their own, because they talk to the world (recipes.md §4, open-pr). */

/** Longest reason that is told, in characters. */
const WHY_CAP = 240;

/** What is started for a command: one of ours is run by this very installation, on this root, whatever the PATH says. */
export function startedAs(context: Context, command: CommandState): string[] {
  return isOurs(command) ? [...context.program, ...command.argv.slice(1), '--root', context.root] : command.argv;
}

/** The document that one of our commands printed; null for others, and where it is none. */
export function answerOf(command: CommandState, directory: string): Record<string, unknown> | null {
  if (!isOurs(command)) return null;
  const answer = parsedJson(readText(logFile(directory)) ?? '');
  return isRecord(answer) ? answer : null;
}

/** What one of our commands says of its failure, to stand behind its exit; nothing for others, whose log is for people. */
export function whyFailed(command: CommandState, directory: string): string {
  const answer = answerOf(command, directory);
  const error = isRecord(answer?.['error']) ? answer['error'] : null;
  if (error === null) return '';
  const details = Array.isArray(error['details']) ? error['details'].filter(isRecord) : [];
  const said = [error['message'], ...details.map(({ problem }) => problem)];
  return `: ${foreignLine(said.filter((part) => typeof part === 'string').join(' '), WHY_CAP)}`;
}

function isOurs({ argv, shell }: CommandState): boolean {
  return !shell && runsAsProcess(argv);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
