/** Signals that end a call: Ctrl-C, a harness's timeout, a terminal that closes (protocol.md §1). */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
