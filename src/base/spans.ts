/** What a part of a text is, for a terminal that shows colours; a sign or a word always says the same. */
export type Shade = 'good' | 'bad' | 'you' | 'busy' | 'quiet' | 'strong';

/** A part of a line; text of others is cleaned already. */
export interface Span {
  text: string;
  as?: Shade;
  /** It is a command, to be copied: where it has no room it goes on as a shell takes it. */
  command?: true;
  /** On a screen: the column where it begins, from 0. Terminals differ about joined signs, so what stands before does not say it. */
  at?: number;
}

/** A line of a frame. */
export type Line = readonly Span[];

/** A line before it is laid out, of any length. */
export interface Paragraph {
  spans: Line;
  /** Blanks before what of it goes on below. */
  indent: number;
  /** Columns that it takes at most, however wide the terminal is. */
  most?: number;
}
