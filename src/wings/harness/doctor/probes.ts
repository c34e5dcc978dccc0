import type { GroupEnd } from '../../../work/processes.js';

/** What `doctor` may ask of the machine (harness.md, Doctor). Nothing in it writes into the project. */
export interface Probes {
  /** Runs a program to its end, or to the time limit of the call; what it started goes with it. */
  run(program: string, args: readonly string[], around?: Around): Promise<Ran>;
  /**
   * The text of a file, null where nothing is.
   * @throws DevCliError `IO`
   */
  read(path: string): string | null;
  /** Whether something is at a path. */
  exists(path: string): boolean;
  /** Opens a file for writing without writing, and asks the same of its directory; returns the error's code, or null. */
  refusesWriting(path: string): string | null;
  /** Listens on a port of 127.0.0.1 for a moment; returns the error's code, or null. */
  refusesListening(): Promise<string | null>;
}

/** What a program is run with. */
interface Around {
  /** Absolute; the root by default. */
  cwd?: string;
  /** The environment of the call by default. */
  env?: Environment;
  /** What it reads from standard input; nothing by default. */
  input?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a program ended. */
export type Ran = { stdout: string; stderr: string } & Exclude<GroupEnd, { end: 'interrupted' }>;

/** Describes an end that is none of its own choosing, for a sentence: "it …". */
export function describeEnd(ran: Ran): string {
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

/** Whether a program ended with exit code 0. */
export function succeeded(ran: Ran): boolean {
  return ran.end === 'exit' && ran.code === 0;
}

/** What the checks have to know of the call. */
export interface Situation {
  /** Absolute: where `.dev` is. */
  root: string;
  /** Absolute: what is edited and judged. */
  workTree: string;
  /** Absolute. */
  home: string;
  env: Environment;
  /** The version of this dev-cli. */
  version: string;
}
