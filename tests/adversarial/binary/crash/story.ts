import type { Action, StandIn } from '../../../support/agent.mjs';
import type { Document } from '../../../support/cli.js';

/**
 * One command of a story, which is a list of commands. To add a story, write a file like `specify.story.ts` and a test
 * that passes the story to `sweep`.
 */
export interface Step {
  /** The command's title in the report's table. */
  title: string;
  /** The run whose journal the command may write. */
  run: string;
  /** Writes the files of agent, subagents and user before the command. Called again each time the story continues. */
  prepare?(agent: StandIn, action: Action): void;
  /** Returns the arguments of dev-cli. `action` is the pending action of `run` (an empty object before its init). */
  args(action: Action): string[];
  env?: { [name: string]: string };
  /** The exit code of the undisturbed command; default 0. */
  exit?: number;
  /** False for a command that does something else if it is repeated after it was done, such as `init --force`. */
  repeatable?: boolean;
}

export interface Story {
  name: string;
  /** Sets up the project before the first command. */
  set(root: string): void;
  steps: Step[];
}

/** The result of one call of the binary. */
export interface Call {
  signal: NodeJS.Signals | null;
  exit: number | null;
  stdout: string;
  stderr: string;
}

/** Returns the one document on stdout; null if it is incomplete. */
export function documentOf({ stdout }: Call): Document | null {
  if (!stdout.endsWith('\n')) return null;
  try {
    return JSON.parse(stdout) as Document;
  } catch {
    return null;
  }
}
