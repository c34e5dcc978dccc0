import type { CallEnvironment } from '../app/environment.js';

/**
 * The environment of a call that asks nothing and reads no input. It needs no abort signal: since the call changes
 * nothing, a signal may end the process at once.
 */
export const NON_INTERACTIVE: Omit<CallEnvironment, 'cwd' | 'env' | 'root' | 'stdinIsTerminal' | 'stdoutIsTerminal'> = {
  given: {},
  signal: new AbortController().signal,
  readInput: refuse,
  ask: refuse,
  decide: refuse,
  tell: () => {},
};

function refuse(): never {
  throw new Error('This call neither reads input nor asks.');
}
