import type { Line } from './spans.js';

/** Of a terminal, in characters. */
export interface Size {
  columns: number;
  rows: number;
}

/** What can be shown of a run in the pager. */
export type DocumentName = 'log' | 'plan' | 'diff' | 'report';

/** What the person wants that a screen cannot do by drawing. */
export type Wish =
  | { do: 'leave' | 'back' | 'open' | 'answer' | 'hold' | 'release' | 'page' }
  | { do: 'show'; document: DocumentName };

/** The run that a screen, or the row that its cursor is on, is about. */
export interface RunPlace {
  name: string;
  /** The root, absolute, where it is another one than the call's. */
  root?: string;
}

/** A document for the pager: its text, or a file that something may still write to; else why there is none. */
export type Shown = { text: string } | { growing: string } | { none: string };

/** A screen of a terminal as its driver sees it (view.md, Drawing). */
export interface Screen {
  /**
   * Takes what has come since.
   * @returns what rings, each in one line
   * @throws DevCliError where it can be read no more
   */
  read(): Promise<string[]>;
  /** Waits until something may have come, or something has aborted the signal. */
  changed(signal: AbortSignal): Promise<void>;
  /** Whether durations go on because somebody is at work. */
  isBusy(): boolean;
  /** Lays out exactly as many lines as the terminal has, none wider than it is. */
  frame(size: Size): Line[];
  /** Carries out a key, by the sign that it writes, else what node:readline calls it; returns what is left to do. */
  press(key: string, size: Size): Wish | null;
  /** Says something until the next key. @param notice one line, cleaned */
  tell(notice: string): void;
  /** Null where the cursor is on no run. */
  place(): RunPlace | null;
  /** @throws DevCliError */
  find(document: DocumentName): Promise<Shown>;
  /** Ends what it has started. */
  close(): void;
}
