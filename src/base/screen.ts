import type { Line } from './spans.js';

/** The size of a terminal, in characters. */
export interface TerminalSize {
  columns: number;
  rows: number;
}

/** The documents of a run that the pager can show. */
export type DocumentName = 'log' | 'plan' | 'diff' | 'report';

/** A request of the person that a screen cannot fulfil by drawing. */
export type ScreenRequest =
  | { do: 'leave' | 'back' | 'open' | 'answer' | 'hold' | 'release' | 'page' }
  | { do: 'show'; document: DocumentName };

/** The run that a screen, or the row under its cursor, is about. */
export interface RunReference {
  name: string;
  /** The root of the run, absolute; absent where it is the root of the call. */
  root?: string;
}

/**
 * A document for the pager: its text, the path of a file that may still grow, or the reason why there is no document.
 */
export type PagerDocument = { text: string } | { growing: string } | { none: string };

/** A screen of a terminal as its driver sees it (view.md, Drawing). */
export interface Screen {
  /**
   * Reads what has changed since the last call.
   * @returns one line for each event that must ring
   * @throws DevCliError where nothing can be read any more
   */
  read(): Promise<string[]>;
  /** Waits until something may have changed, or the signal is aborted. */
  changed(signal: AbortSignal): Promise<void>;
  /** Whether durations on the screen still grow because somebody is at work. */
  isBusy(): boolean;
  /** Lays out exactly as many lines as the terminal has, none wider than the terminal. */
  frame(size: TerminalSize): Line[];
  /**
   * Handles a key, named by the character it types or else by its name in node:readline; returns the request left to
   * the driver.
   */
  press(key: string, size: TerminalSize): ScreenRequest | null;
  /** Shows a notice until the next key. @param notice one line, cleaned */
  tell(notice: string): void;
  /** Returns the run under the cursor; null where the cursor is on no run. */
  place(): RunReference | null;
  /** Finds a document of the run under the cursor. @throws DevCliError */
  find(document: DocumentName): Promise<PagerDocument>;
  /** Stops what the screen has started. */
  close(): void;
}
