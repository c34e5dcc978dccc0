import type { Answer } from '../base/answer.js';
import type { ErrorDetail } from '../base/errors.js';
import { toBoundedLine, toCommandLine } from '../documents/foreign.js';
import type { QueuedCommand } from '../run/engine.js';
import type { CommandEvidence } from '../run/engine-rows.js';
import type { Directories } from '../run/paths.js';
import { displayPath } from '../run/paths.js';

/** The problems found in a document. A document with only warnings is valid. */
export interface DocumentFindings {
  problems: readonly ErrorDetail[];
  warnings: readonly string[];
}

/**
 * Builds the report of `check FILE`.
 * @param file the path as shown to the user, relative to the root
 * @param kind the kind of document, as the answer names it
 */
export function buildDocumentReport(file: string, kind: string, { problems, warnings }: DocumentFindings): Answer {
  const ok = problems.length === 0;
  return {
    exit: ok ? 0 : 3,
    json: { ok, file, kind, problems, ...(warnings.length === 0 ? {} : { warnings }) },
    text: () =>
      ok
        ? `${file}: valid (${kind})`
        : problems.map(({ pointer, problem }) => `${file}: ${pointer ?? ''} ${problem}`).join('\n'),
  };
}

/** How many unlisted paths (changed, but not in the result) are named; if there are more, the rest are only counted. */
const UNLISTED_SHOWN = 50;

/**
 * Builds the report of `check --action`: the commands of a todo that have run so far, failed ones first.
 * @param about.wait how many seconds the suggested poll command waits
 * @param found.running the command that is still running; null when all have ended
 * @param found.unlisted changed paths that the result does not list yet
 */
export function buildCommandReport(
  { name, action, place, wait }: { name: string; action: string; place: Directories; wait: number },
  { done, running, unlisted }: { done: readonly CommandEvidence[]; running: QueuedCommand | null; unlisted: string[] },
): Answer {
  // A command that is still running does not make the check fail.
  const ok = done.every((evidence) => evidence.ok);
  const status = !ok ? 'failed' : running === null ? 'passed' : 'running';
  const redFirst = [...done.filter((evidence) => !evidence.ok), ...done.filter((evidence) => evidence.ok)];
  const commands = redFirst.map(({ id, argv, ok: isGreen, exit, outcome, log, reused }) => ({
    id,
    run: argv,
    ok: isGreen,
    exit,
    outcome,
    log: displayPath(place, name, log),
    ...(reused === true ? { reused } : {}),
  }));
  const shown = unlisted.slice(0, UNLISTED_SHOWN).map((path) => toBoundedLine(JSON.stringify(path).slice(1, -1), 300));
  const named = unlisted.length > shown.length ? [...shown, `and ${unlisted.length - shown.length} more`] : shown;
  const again = { command: 'check', input: { subject: name, action, wait } };
  return {
    exit: ok ? 0 : 3,
    json: {
      ok,
      status,
      ...(running === null ? {} : { running: { id: running.id, run: running.argv }, poll: again }),
      run: name,
      action,
      commands,
      ...(unlisted.length === 0 ? {} : { unlisted: named }),
    },
    text: () =>
      [
        ...commands.map(({ id, run, outcome, log }) => `${id} ${shownCommand(run)}: ${outcome} (log ${log})`),
        ...(running === null ? [] : [`${running.id} ${shownCommand(running.argv)}: still running`]),
        ...(done.length === 0 && running === null ? ['This todo has no commands to run.'] : []),
        ...(named.length === 0
          ? []
          : [`unlisted; add each to filesChanged or notMine of the result: ${named.join(', ')}`]),
      ].join('\n'),
  };
}

/** Renders a plan's command on one line, shortened and with secrets masked: its text comes from an agent. */
function shownCommand(argv: readonly string[]): string {
  return toCommandLine(argv, 500);
}
