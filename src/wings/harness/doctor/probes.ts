import type { GroupEnd } from '../../../work/processes.js';

/** The operations that `doctor` may perform on the machine (harness.md, Doctor). No probe writes into the project. */
export interface Probes {
  /** Runs a program to its end, or to the time limit of the call; then also ends all processes that it started. */
  run(program: string, args: readonly string[], around?: Around): Promise<ProgramEnd>;
  /**
   * Returns the text of a file, or null if nothing is there.
   * @throws DevCliError `IO`
   */
  read(path: string): string | null;
  /** Returns whether something is at a path. */
  exists(path: string): boolean;
  /**
   * Opens a file for writing without writing, and checks that its directory is writable; returns the error code of what
   * failed, or null if neither failed.
   */
  refusesWriting(path: string): string | null;
  /** Listens on a port of 127.0.0.1 for a moment; returns the error code, or null if that succeeded. */
  refusesListening(): Promise<string | null>;
}

/** The directory, environment and input with which a program runs. */
interface Around {
  /** Absolute; default: the directory of the call. */
  cwd?: string;
  /** Default: the environment of the call. */
  env?: EnvironmentVariables;
  /** The standard input; default: empty. */
  input?: string;
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** How a program ended. */
export type ProgramEnd = { stdout: string; stderr: string } & Exclude<GroupEnd, { end: 'interrupted' }>;

/** Describes how a program failed. The text continues a sentence after "it". */
export function describeProbeFailure(ran: ProgramEnd): string {
  switch (ran.end) {
    case 'exit':
      return `ended with exit code ${ran.code}`;
    case 'time':
      return `gave no answer in ${ran.seconds} s`;
    case 'signal':
      return `was ended by ${ran.signal}`;
    case 'unstarted':
      return `could not be started (${ran.code})`;
  }
}

/** Returns whether a program ended with exit code 0. */
export function hasSucceeded(ran: ProgramEnd): boolean {
  return ran.end === 'exit' && ran.code === 0;
}

/** Facts about the call that the checks need. */
export interface DoctorContext {
  /** Absolute: the directory that contains `.dev`. */
  root: string;
  /** Absolute: the directory that is edited and judged. */
  workTree: string;
  /** Absolute path of the user's home directory. */
  home: string;
  env: EnvironmentVariables;
  /** The version of this dev-cli. */
  version: string;
}
