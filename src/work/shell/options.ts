/**
 * Divides the words after a program's name into options, their values and operands (harness.md, Guard). Pure: looks
 * only at the words, never at files.
 */

/** Stands for a word whose value only the shell knows. No path or option contains this character. */
export const UNKNOWN_WORD = '\0';

/** Which options of a program take a value. */
export interface Grammar {
  /** Space-separated options that take the rest of their word or else the next word as their value. */
  valued?: string;
  /** Letters of options that take only the rest of their word as a value. */
  attached?: string;
  /** Whether the first operand ends the options. */
  stops?: boolean;
}

/** Options without a value that must not be read as abbreviations: `--backup` is not short for `--backup-dir`. */
const WHOLE = ['--backup', '--partial', '--strip'];

/** The options and operands on a program's command line. */
export class ProgramArguments {
  readonly operands: string[] = [];
  readonly #given: [option: string, value: string | null][] = [];
  readonly #valued: readonly string[];
  readonly #attached: string;

  constructor(words: readonly string[], { valued = '', attached = '', stops = false }: Grammar) {
    this.#valued = valued.split(' ');
    this.#attached = attached;
    let at = 0;
    const next = (): string => words[++at] ?? '';
    for (; at < words.length; at += 1) {
      const word = words[at] ?? '';
      if (word === '--' || (stops && word !== '' && !word.startsWith('-'))) {
        this.operands.push(...words.slice(word === '--' ? at + 1 : at));
        break;
      }
      if (word.startsWith('--')) this.#long(word, next);
      else if (word.startsWith('-')) this.#cluster(word, next);
      else if (word !== '') this.operands.push(word);
    }
  }

  #long(word: string, next: () => string): void {
    const [given = '', value] = word.split(/=(.*)/s);
    const isWhole = this.#valued.includes(given) || WHOLE.includes(given);
    const meant = isWhole ? undefined : this.#valued.find((one) => one.startsWith(given));
    const option = meant ?? given;
    this.#given.push([option, value ?? (this.#valued.includes(option) ? next() : null)]);
  }

  #cluster(word: string, next: () => string): void {
    for (let index = 1; index < word.length; index += 1) {
      const option = `-${word[index]}`;
      const takes = this.#valued.includes(option);
      this.#given.push([option, takes ? word.slice(index + 1) || next() : null]);
      if (takes || this.#attached.includes(word[index] ?? '')) return;
    }
  }

  /**
   * Returns whether one of these options was given and not revoked by a later `--no-…`. Also recognizes abbreviated
   * long options, as GNU programs and git do.
   */
  has(...options: string[]): boolean {
    return this.#given.reduce((is, [option]) => {
      if (this.#means(option, options)) return true;
      const [, taken] = /^--no-(.+)$/s.exec(option) ?? [];
      return is && !(taken && this.#means(taken.length === 1 ? `-${taken}` : `--${taken}`, options));
    }, false);
  }

  /** Returns the values given to any of these options, in order. */
  values(...options: string[]): string[] {
    return this.#given.flatMap(([option, value]) => (value && this.#means(option, options) ? [value] : []));
  }

  #means(given: string, options: readonly string[]): boolean {
    if (options.includes(given)) return true;
    const isShort = given.startsWith('--') && given.length > 2 && !this.#valued.includes(given);
    return isShort && options.some((option) => option.startsWith(given));
  }
}
