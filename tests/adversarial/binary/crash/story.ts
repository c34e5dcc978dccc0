import type { Action, StandIn } from '../../../support/agent.mjs';
import type { Document } from '../../../support/cli.js';

/**
 * One command of a story. A story is a list of these: whoever adds one writes a file like `specify.story.ts` and a test that
 * gives it to the sweep.
 */
export interface Step {
  /** What the table calls it. */
  title: string;
  /** The run whose journal the command may write. */
  run: string;
  /** What agent, subagents and user do before the command: files that they write. Done again on every way to the end. */
  prepare?(agent: StandIn, action: Action): void;
  /** The arguments of dev-cli. `action` is the one that `run` has pending (an empty object before its init). */
  args(action: Action): string[];
  env?: { [name: string]: string };
  /** Exit code when nothing disturbs it; 0 when left out. */
  exit?: number;
  /** False for a command that means something else when it is given again after it was done, such as `init --force`. */
  repeatable?: boolean;
}

export interface Story {
  name: string;
  /** What lies in the project before the first command. */
  set(root: string): void;
  steps: Step[];
}

/** What one call of the binary gave. */
export interface Call {
  signal: NodeJS.Signals | null;
  exit: number | null;
  stdout: string;
  stderr: string;
}

/** The one document on stdout; null when it is not whole. */
export function documentOf({ stdout }: Call): Document | null {
  if (!stdout.endsWith('\n')) return null;
  try {
    return JSON.parse(stdout) as Document;
  } catch {
    return null;
  }
}
