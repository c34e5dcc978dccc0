/** Splits a shell line into its commands, as far as judging them requires. Never throws. */

/** A command of a shell line. */
export interface ShellCommand {
  /** Its words without quotes; `$` replaces what only the shell would know, such as a variable's value. */
  words: string[];
  /** The operator between the previous command and this one. */
  joined: ';' | '&&' | '||' | '|';
  /** Whether a redirection writes a file. */
  writes: boolean;
  /** Whether it runs in the background: `npm test &`. */
  isAside: boolean;
  /** The text of a here-document. */
  body: string;
  /** Where the command starts in the line, at the operator before it; -1 for a command inside `$(…)` or backticks. */
  start: number;
}

const SEPARATOR = /&&|\|\||\|&|;;|[;&|\n(){}]/y;
const REDIRECTION = /(?:\d+|&)?>>?(?:&[\d-]+|\|)?|(?:\d+)?<(?:<<|<-?|&[\d-]+)?/y;
/** Words after which a command begins. */
const KEYWORDS = new Set(['if', 'elif', 'then', 'else', 'do', '!', 'time', 'fi', 'done', 'esac']);
/** Maximum nesting of substitutions. */
const DEEPEST = 8;

/** Lists the commands of a line or a script, including those in substitutions. */
export function splitShell(text: string, depth = 0): ShellCommand[] {
  return new Splitter(text, depth).split();
}

class Splitter {
  #text: string;
  readonly #depth: number;
  readonly #commands: ShellCommand[] = [];
  readonly #inner: ShellCommand[] = [];
  #at = 0;
  #current: ShellCommand = { words: [], joined: ';', writes: false, isAside: false, body: '', start: 0 };

  constructor(text: string, depth: number) {
    this.#text = text.replace(/\\\n/g, '  ');
    this.#depth = depth;
  }

  split(): ShellCommand[] {
    while (this.#at < this.#text.length) this.#step();
    this.#end(';');
    return [...this.#inner, ...this.#commands];
  }

  #step(): void {
    const rest = this.#text.charAt(this.#at);
    if (/[^\S\n]/.test(rest)) this.#at += 1;
    else if (rest === '#') this.#at = this.#find('\n', this.#at);
    else if (this.#redirect()) return;
    else if (!this.#separate()) this.#word();
  }

  /** Consumes the match of a pattern at the current position. */
  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const [found = null] = pattern.exec(this.#text) ?? [];
    if (found !== null) this.#at += found.length;
    return found;
  }

  #redirect(): boolean {
    const operator = this.#take(REDIRECTION);
    if (operator === null) return false;
    if (/&[\d-]+$/.test(operator)) return true;
    if (this.#text.charAt(this.#at) === '(') return true;
    this.#take(/[ \t]*/y);
    const target = this.#read();
    if (operator.includes('>')) this.#current.writes ||= !/^\/dev\/(?:null|stdout|stderr)$/.test(target);
    else if (operator.endsWith('<<') || operator.endsWith('<<-')) this.#skipDocument(target);
    return true;
  }

  /** Keeps the text of a here-document as the command's `body`, and skips it, because its lines are not commands. */
  #skipDocument(end: string): void {
    const begin = this.#find('\n', this.#at);
    const close = new RegExp(`\\n[ \\t]*${end.replace(/[^\w-]/g, '')}[ \\t]*(?=\\n|$)`, 'g');
    close.lastIndex = begin;
    const found = close.exec(this.#text);
    if (found === null || begin >= this.#text.length) return;
    this.#current.body = this.#text.slice(begin + 1, found.index);
    // Only the here-document is overwritten with spaces: the rest of the line with `<<` still belongs to the command.
    const blank = `${' '.repeat(found.index + found[0].length - begin - 1)}\n`;
    this.#text = this.#text.slice(0, begin) + blank + this.#text.slice(begin + blank.length);
  }

  #separate(): boolean {
    const at = this.#at;
    const found = this.#take(SEPARATOR);
    if (found === null) return false;
    // Braces within a word, such as `{}` and `{a,b}`, group no commands.
    if (/[{}]/.test(found) && /\S/.test(this.#text.charAt(this.#at)) && this.#text.charAt(this.#at) !== ';') {
      this.#at = at;
      return false;
    }
    this.#current.isAside = found === '&';
    this.#end(found === '&&' || found === '||' ? found : found.startsWith('|') ? '|' : ';', at);
    return true;
  }

  #end(next: ShellCommand['joined'], at = this.#at): void {
    const { words, writes, isAside, body, start } = this.#current;
    const first = words.findIndex((word) => !KEYWORDS.has(word));
    const own = first < 0 ? [] : words.slice(first);
    if (own.length > 0 || writes) this.#commands.push({ ...this.#current, words: own });
    // After another operator, a `;` or line break is ignored: after `a &&` and a line break, `&&` still joins `b`.
    else if (next === ';') {
      this.#current = { words: [], joined: this.#current.joined, writes, isAside, body, start };
      return;
    }
    this.#current = { words: [], joined: next, writes: false, isAside: false, body: '', start: at };
  }

  #word(): void {
    const from = this.#at;
    const word = this.#read();
    if (this.#at === from) this.#at += 1;
    else this.#current.words.push(word);
  }

  /** Reads a word, up to a space or a separator. */
  #read(): string {
    let word = '';
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (/[\s;&|<>()]/.test(char)) break;
      this.#at += 1;
      if (char === "'") word += this.#until("'");
      else if (char === '"') word += this.#quoted();
      else if (char === '\\') word += this.#text.charAt(this.#at++);
      else if (char === '$' || char === '`') word += this.#substitution(char);
      else word += char;
    }
    return word;
  }

  #quoted(): string {
    let word = '';
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      this.#at += 1;
      if (char === '"') break;
      if (char === '\\') word += this.#text.charAt(this.#at++);
      else word += char === '$' || char === '`' ? this.#substitution(char) : char;
    }
    return word;
  }

  /** Reads `$…` or backticks. The commands inside are listed; their output is unknown, so `$` is returned for it. */
  #substitution(char: string): string {
    const next = this.#text.charAt(this.#at);
    if (char === '`') this.#nest(this.#until('`'));
    else if (next === '(') {
      const from = this.#at + 1;
      this.#at = this.#closing(this.#at);
      this.#nest(this.#text.slice(from, this.#at - 1));
    } else if (next === "'" || next === '"') return '';
    else if (this.#take(/\{[^}]*\}|\w+|[@*#?$!-]/y) === null) return char;
    return '$';
  }

  #nest(text: string): void {
    if (this.#depth >= DEEPEST) return;
    this.#inner.push(...splitShell(text, this.#depth + 1).map((command) => ({ ...command, start: -1 })));
  }

  /** Returns the position after the bracket that closes the one at `from`. */
  #closing(from: number): number {
    let open = 0;
    for (let at = from; at < this.#text.length; at += 1) {
      const char = this.#text.charAt(at);
      if (char === '(') open += 1;
      if (char === ')') open -= 1;
      if (open === 0) return at + 1;
    }
    return this.#text.length;
  }

  #until(end: string): string {
    const from = this.#at;
    const at = this.#find(end, from);
    this.#at = Math.min(at + 1, this.#text.length);
    return this.#text.slice(from, at);
  }

  #find(what: string, from: number): number {
    const found = this.#text.indexOf(what, from);
    return found < 0 ? this.#text.length : found;
  }
}
