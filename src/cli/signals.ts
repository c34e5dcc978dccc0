/** What ends a call from outside: Ctrl-C, a harness whose time is over, a terminal that goes away (protocol.md §1). */
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens from now on for signals that end a call. Each is heard once: the second of a kind ends the process at once.
 * @returns aborted by the first of them
 */
export function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ENDING_SIGNALS) process.once(signal, () => controller.abort());
  return controller.signal;
}
