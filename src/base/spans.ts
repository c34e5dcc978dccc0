/**
 * The meaning of a part of a text, shown as a colour. A sign or a word always says the same as the colour.
 */
export type Shade = 'good' | 'bad' | 'you' | 'busy' | 'quiet' | 'strong';

/** A part of a line; foreign text in it has already been cleaned. */
export interface Span {
  text: string;
  as?: Shade;
  /** Set if the part is a command to copy; if it has to be wrapped, it is continued in the shell's syntax. */
  command?: true;
  /**
   * On a screen, the column where the part begins, from 0. It is given explicitly because terminals differ in the width
   * of joined characters, so the width of the text before it is unknown.
   */
  at?: number;
}

/** A line of a frame. */
export type Line = readonly Span[];

/** A line before it is laid out, of any length. */
export interface Paragraph {
  spans: Line;
  /** How many spaces to put before each continuation line. */
  indent: number;
  /** Maximum number of columns that the paragraph uses, even on a wider terminal. */
  most?: number;
}
