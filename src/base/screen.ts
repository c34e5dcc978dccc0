import type { Line } from './spans.js';

/** The size of a terminal, in characters. */
export interface TerminalSize {
  columns: number;
  rows: number;
}

/** The documents of a run that the pager can show. */
export type DocumentName = 'log' | 'plan' | 'diff' | 'report';

/** A person's request that a screen cannot fulfil just by drawing. */
export type ScreenRequest =
  | { do: 'leave' | 'back' | 'open' | 'answer' | 'hold' | 'release' | 'page' }
  | { do: 'show'; document: DocumentName };

/** The run that a screen, or the row under its cursor, is about. */
export interface RunReference {
  name: string;
  /** The run's root, absolute; absent if it is the call's root. */
  root?: string;
}

/**
 * A document for the pager: its text, the path of a file that may still grow, or the reason why there is no document.
 */
export type PagerDocument = { text: string } | { growing: string } | { none: string };

/** A terminal screen, as seen by the code that reads its keys and draws its frames (view.md, Drawing). */
export interface Screen {
  /**
   * Reads what has changed since the last call.
   * @returns one line for each event for which the bell must ring
   * @throws DevCliError if nothing can be read any more
   */
  read(): Promise<string[]>;
  /** Waits until something may have changed, or the signal is aborted. */
  changed(signal: AbortSignal): Promise<void>;
  /** Returns whether elapsed times on the screen still grow because work is in progress. */
  isBusy(): boolean;
  /** Lays out exactly as many lines as the terminal has, none wider than the terminal. */
  frame(size: TerminalSize): Line[];
  /**
   * Handles a key, given as the character that it types or, without one, its name in node:readline. Returns the
   * person's request if the driver has to fulfil it, otherwise null.
   */
  press(key: string, size: TerminalSize): ScreenRequest | null;
  /** Shows a notice until the next key press. @param notice one line without control characters */
  tell(notice: string): void;
  /** Returns the run under the cursor; null if the cursor is not on a run. */
  place(): RunReference | null;
  /** Finds a document of the run under the cursor. @throws DevCliError */
  find(document: DocumentName): Promise<PagerDocument>;
  /** Stops everything that the screen has started, such as reading. */
  close(): void;
}
