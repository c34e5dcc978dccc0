/** A screen of a terminal as its driver sees it (view.md, Drawing). */

/** Of a terminal, in characters. */
export interface Size {
  columns: number;
  rows: number;
}

/** What can be shown of a run in the pager. */
export type DocumentName = 'log' | 'plan' | 'diff' | 'report';

/** What the person wants that a screen cannot do by drawing. */
export type Wish =
  | { do: 'leave' | 'open' | 'answer' | 'hold' | 'release' | 'page' }
  | { do: 'show'; document: DocumentName };

/** The run that a screen, or the row that the cursor is on, is about. */
export interface RunPlace {
  name: string;
  /** The root, absolute, where it is another one than the call's. */
  root?: string;
}
