/** What a part of a text is, for a terminal that shows colours; a sign or a word always says the same. */
export type Shade = 'good' | 'bad' | 'you' | 'busy' | 'quiet' | 'strong';

/** A part of a line; text of others is cleaned already. */
export interface Span {
  text: string;
  as?: Shade;
  /** On a screen: the column where it begins, from 0. Terminals differ about joined signs, so what stands before does not say it. */
  at?: number;
}

/** A line of a frame. */
export type Line = readonly Span[];
