import { DevCliError } from '../../base/errors.js';
import { isTrusted } from '../../project/trust.js';
import { PREFERENCES_FILE, readProjectSettings } from '../../recipe/settings/project-settings.js';
import { quoteForShell } from '../../registry/render.js';
import type { Context } from '../../run/context.js';
import { runNotification } from '../../work/notification.js';
import { computeNotifyDigest } from '../trust/digests.js';

/** The parts of a context that a notifier needs. */
export type NotifierContext = Pick<Context, 'reader' | 'root' | 'signal' | 'trustDirectory'>;

/** Seconds that the `notify` command may take. */
const LIMIT = 10;

/** Notifies a person of an open gate by the `notify` command of the preferences (harness.md, Telling a person). */
export interface Notifier {
  /**
   * Starts the command without waiting for it.
   * @param message passed as the command's last argument: one line that cannot be mistaken for an option
   * @param about additional environment variables
   */
  tell(message: string, about: Readonly<Record<string, string>>): void;
  /** Returns and clears the reports about the preferences and failed commands: one line each, none twice in a row. */
  takeReports(): string[];
  /** Waits until no command is running. */
  finish(): Promise<void>;
  /** Stops the commands that are still running. */
  stop(): void;
}

/**
 * Creates a notifier. Reads the preferences now, so that a reason why nobody would be notified is reported at once, and
 * reads them again for each message.
 */
export function createNotifier(context: NotifierContext): Notifier {
  const reports: string[] = [];
  const stopped = new AbortController();
  const signal = AbortSignal.any([context.signal, stopped.signal]);
  const running = new Set<Promise<void>>();
  let last: string | null = null;
  const report = (line: string) => {
    if (line !== last) reports.push(line);
    last = line;
  };
  const find = (): readonly string[] | null => {
    try {
      return findCommand(context);
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      report(`nobody is notified: ${describe(error)}`);
      return null;
    }
  };
  find();
  return {
    tell(message, about) {
      const command = find();
      if (command === null) return;
      const env = { DEV_CLI_ROOT: context.root, ...about };
      const run = runNotification({ argv: [...command, message], cwd: context.root, env, signal, seconds: LIMIT });
      const settled = run.then((why) => {
        if (why !== null) report(`notify: ${quoteForShell(command[0] ?? '')} ${why}`);
        running.delete(settled);
      });
      running.add(settled);
    },
    takeReports: () => reports.splice(0),
    finish: async () => {
      await Promise.all(running);
    },
    stop: () => stopped.abort(),
  };
}

/**
 * Finds the `notify` command; null if the preferences name none. The preferences count only if a person has trusted
 * them here: that they are committed is not enough, because every clone has them.
 * @throws DevCliError `PREFERENCES_INVALID`, `IO`; `RECIPE_UNTRUSTED` if no person has trusted exactly these
 * preferences here
 */
function findCommand({ reader, root, trustDirectory }: NotifierContext): readonly string[] | null {
  const text = reader.read(`${root}/${PREFERENCES_FILE}`);
  const { notify } = readProjectSettings(text, ['notify']);
  if (text === null || notify === undefined) return null;
  if (isTrusted(trustDirectory, computeNotifyDigest(root, text))) return notify;
  throw new DevCliError(
    'RECIPE_UNTRUSTED',
    `no person has trusted this version of ${PREFERENCES_FILE} here; run \`dev-cli trust preferences\` in a terminal`,
  );
}

function describe({ message, details }: DevCliError): string {
  return [message, ...details.map(({ at, problem }) => `${String(at)}: ${String(problem)}`)].join(' ');
}
