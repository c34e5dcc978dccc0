/** What surrounds one call: everything a use case may not look up by itself. */
export interface Environment {
  /** Absolute. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** `--root` as given; relative to `cwd`. */
  root?: string;
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  signal: AbortSignal;
  /**
   * Reads standard input (`-`, once) or a file.
   * @throws DevCliError `DATA_MISSING`, `DATA_MALFORMED`, `IO`
   */
  readInput: (source: '-' | { file: string }) => Buffer;
  /** Asks the person at the terminal for a line; only called when both ends are one. */
  ask: (question: string) => Promise<string>;
}
