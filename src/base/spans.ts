/** The meaning of a part of a text, for a terminal that shows colours; a sign or a word always says the same. */
export type Shade = 'good' | 'bad' | 'you' | 'busy' | 'quiet' | 'strong';

/** A part of a line; foreign text in it has already been cleaned. */
export interface Span {
  text: string;
  as?: Shade;
  /** The part is a command to copy: where it must be broken, it continues as the shell's syntax requires. */
  command?: true;
  /**
   * On a screen: the column where the part begins, from 0. It cannot be computed from the text before it, because
   * terminals differ in the width of joined characters.
   */
  at?: number;
}

/** A line of a frame. */
export type Line = readonly Span[];

/** A line before it is laid out, of any length. */
export interface Paragraph {
  spans: Line;
  /** Blanks before each continuation line. */
  indent: number;
  /** The most columns the paragraph uses, however wide the terminal is. */
  most?: number;
}
