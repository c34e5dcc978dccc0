import { type Command, isBeginning, isFileDescriptor, joinTexts, type Word, type WordPart } from './words.js';

/** Parses a shell command as far as the guard needs (harness.md, Guard), in one pass. Never rejects invalid input. */

/** An item of a parsed line. The commands between an `enter` and its `leave` run in a subshell. */
export type ShellItem = Command | 'enter' | 'leave';

const DEEPEST = 60;
const REDIRECTION = /&>>?|>\||>>|>&|<>|<<<|<<-|<<|<&|>|</y;
const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y;
/** Braces whose contents need no further parsing, such as `{a,b}`. */
const BRACES = /\{([^\s;&|<>(){}'"`$\\]*)\}/y;
const ENDS_WORD = /[\s;&|<>()]/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', e: '\u001b', a: '\u0007' };

/** Lists the commands of a shell line. Never throws. */
export function parseShell(text: string, depth = 0): ShellItem[] {
  return new Parser(text, depth).parse();
}

/** The character that ends a list of commands; null for the end of the text. */
type End = ')' | '`' | null;

const begin = (): Command => ({ words: [], writes: [], body: null });

interface Awaited {
  command: Command;
  end: string;
  quoted: boolean;
  indented: boolean;
}

class Parser {
  readonly #text: string;
  readonly #items: ShellItem[] = [];
  readonly #awaited: Awaited[] = [];
  #at = 0;
  #depth: number;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  parse(): ShellItem[] {
    while (this.#at < this.#text.length) this.#list(null);
    return this.#items;
  }

  /** Lists the commands in `$(…)` and backticks of a text that is not itself a command. */
  parseSubstitutions(): ShellItem[] {
    this.#quoted([], null);
    return this.#items;
  }

  #list(end: End): void {
    let command = begin();
    while (this.#at < this.#text.length && this.#text[this.#at] !== end) {
      if (this.#readOn(command, end)) continue;
      this.#finish(command);
      command = begin();
      this.#separator();
    }
    this.#finish(command);
    this.#at += 1;
  }

  #finish(command: Command): void {
    if (command.words.length + command.writes.length > 0) this.#items.push(command);
  }

  /** Reads the next part of this command; returns false if the command ends here. */
  #readOn(command: Command, end: End): boolean {
    const char = this.#text[this.#at] ?? '';
    const next = this.#text[this.#at + 1];
    const isRedirection = /[<>]/.test(char) || (char === '&' && next === '>');
    if (char === '\n' || (/[;&|)]/.test(char) && !isRedirection)) return false;
    if (char === '(') return this.#parenthesis(command, next);
    if (/\s/.test(char)) this.#at += 1;
    else if (char === '\\' && next === '\n') this.#at += 2;
    else if (char === '#') this.#skipTo('\n', 0);
    else if (isRedirection && next !== '(') this.#redirection(command, end);
    else this.#addWord(command, this.#word(end));
    return true;
  }

  #addWord(command: Command, word: Word): void {
    if (isFileDescriptor(word) && /[<>]/.test(this.#text[this.#at] ?? '')) return;
    if (word[0] === '[[' && isBeginning(command)) this.#skipOver(']]');
    else command.words.push(word);
  }

  #parenthesis(command: Command, next: string | undefined): boolean {
    if (next === '(' && isBeginning(command) && this.#isArithmetic(this.#at + 2)) {
      this.#at += 2;
      this.#skipOver('))');
      return true;
    }
    // After `=`, the parenthesis begins an array, not a subshell.
    if (this.#text[this.#at - 1] !== '=') return false;
    this.#at += 1;
    this.#nested(')', true);
    return true;
  }

  /** Reads the separator between two commands. */
  #separator(): void {
    const char = this.#text[this.#at];
    this.#at += 1;
    if (char === '\n') this.#readBodies();
    if (char === '(') this.#nested(')');
  }

  #nested(end: Exclude<End, null>, isDropped = false): void {
    if (this.#depth >= DEEPEST) {
      this.#at = this.#text.length;
      return;
    }
    const before = this.#items.length;
    this.#items.push('enter');
    this.#depth += 1;
    this.#list(end);
    this.#depth -= 1;
    this.#items.push('leave');
    if (isDropped) this.#drop(before);
  }

  /** Removes array elements that were read as commands, but keeps the substitutions in them, which run. */
  #drop(from: number): void {
    let depth = 0;
    for (const item of this.#items.splice(from)) {
      if (item === 'leave') depth -= 1;
      if (depth > (item === 'leave' ? 0 : 1) || (item === 'enter' && depth === 1)) this.#items.push(item);
      if (item === 'enter') depth += 1;
    }
  }

  /** Returns whether the text after `((` is an arithmetic expression; otherwise it is a subshell in a subshell. */
  #isArithmetic(from: number): boolean {
    let depth = 1;
    for (let at = from; at < this.#text.length; at += 1) {
      if (this.#text[at] === '(') depth += 1;
      else if (this.#text[at] === ')') depth -= 1;
      if (depth === 0) return this.#text[at + 1] === ')';
    }
    return true;
  }

  /** Skips past `end`; reads the substitutions on the way, since they run. */
  #skipOver(end: string): void {
    const text = this.#text.slice(this.#at, this.#skipTo(end, end.length));
    if (this.#depth < DEEPEST && /`|\$[({]/.test(text)) {
      this.#items.push(...new Parser(text, this.#depth + 1).parseSubstitutions());
    }
  }

  #redirection(command: Command, end: End): void {
    REDIRECTION.lastIndex = this.#at;
    const [operator = ''] = REDIRECTION.exec(this.#text) ?? [];
    this.#at += Math.max(operator.length, 1);
    while (/[ \t]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    const from = this.#at;
    const word = this.#word(end);
    if (operator === '<<' || operator === '<<-') {
      const quoted = /['"\\]/.test(this.#text.slice(from, this.#at));
      this.#awaited.push({ command, end: word.join(''), quoted, indented: operator === '<<-' });
    } else if (operator === '<<<') command.body = word;
    else if (operator.includes('>') && !(operator === '>&' && /^(?:\d+-?|-)$/.test(word.join('')))) {
      command.writes.push(word);
    }
  }

  #readBodies(): void {
    for (const { command, end, quoted, indented } of this.#awaited.splice(0)) {
      const from = this.#at;
      let until = this.#text.length;
      while (this.#at < this.#text.length) {
        const at = this.#at;
        const line = this.#text.slice(at, this.#skipTo('\n', 1));
        const text = line.endsWith('\n') ? line.slice(0, -1) : line;
        if ((indented ? text.replace(/^\t+/, '') : text) !== end) continue;
        until = at;
        break;
      }
      const text = this.#text.slice(from, until);
      command.body = [text];
      if (!quoted && this.#depth < 4 && /`|\$\(/.test(text)) {
        this.#items.push(...new Parser(text, this.#depth + 1).parseSubstitutions());
      }
    }
  }

  #word(end: End): Word {
    const parts: WordPart[] = [];
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? '';
      const next = this.#text[this.#at + 1];
      if (/[<>]/.test(char) && next === '(' && parts.length === 0) {
        this.#at += 2;
        this.#nested(')');
        parts.push(null);
      } else if (ENDS_WORD.test(char) || char === end) break;
      else this.#piece(parts, char, next);
    }
    return joinTexts(parts);
  }

  #piece(parts: WordPart[], char: string, next: string | undefined): void {
    if (char === '\\') {
      if (next !== '\n') parts.push(next ?? '');
      this.#at += 2;
    } else if (char === "'") parts.push(this.#single());
    else if (char === '"') {
      this.#at += 1;
      // Without this empty part, `""` would not count as a word.
      parts.push('');
      this.#quoted(parts, '"');
    } else if (char === '$' && next === "'") parts.push(this.#escaped());
    else if (char === '$' && next === '"') this.#at += 1;
    else if (char === '{') parts.push(this.#brace());
    else parts.push(this.#character(char));
  }

  #brace(): WordPart {
    BRACES.lastIndex = this.#at;
    const [whole = '{', inner = ''] = BRACES.exec(this.#text) ?? [];
    this.#at += whole.length;
    return inner.includes(',') ? { choices: inner.split(',') } : whole;
  }

  /** Reads `'…'`, starting at the first quote. */
  #single(): string {
    const from = this.#at + 1;
    this.#at = from;
    const after = this.#skipTo("'", 1);
    const isClosed = after > from && this.#text[after - 1] === "'";
    return this.#text.slice(from, isClosed ? after - 1 : after);
  }

  /** Reads characters that have the same meaning inside and outside double quotes. */
  #character(char: string): WordPart {
    if (char === '$') return this.#dollar();
    this.#at += 1;
    if (char !== '`') return char;
    this.#nested('`');
    return null;
  }

  /** Reads text between double quotes, or a here-document's text. */
  #quoted(parts: WordPart[], end: '"' | null): void {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? '';
      const next = this.#text[this.#at + 1] ?? '';
      if (char === end) {
        this.#at += 1;
        return;
      }
      if (char === '\\' && /["\\$`\n]/.test(next)) {
        if (next !== '\n') parts.push(next);
        this.#at += 2;
      } else parts.push(this.#character(char));
    }
  }

  /** Reads `$'…'`, starting at the `$`. */
  #escaped(): string {
    let text = '';
    this.#at += 2;
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? '';
      this.#at += 1;
      if (char === "'") break;
      if (char !== '\\') {
        text += char;
        continue;
      }
      const [whole = '', x, u, octal] =
        /^(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|([0-7]{1,3}))/i.exec(this.#text.slice(this.#at, this.#at + 5)) ?? [];
      const code = octal === undefined ? Number.parseInt(x ?? u ?? '', 16) : Number.parseInt(octal, 8);
      const plain = this.#text[this.#at] ?? '';
      text += whole === '' ? (ESCAPES[plain] ?? plain) : String.fromCharCode(code);
      this.#at += Math.max(whole.length, 1);
    }
    return text;
  }

  #dollar(): WordPart {
    VARIABLE.lastIndex = this.#at;
    const [whole, plain, braced] = VARIABLE.exec(this.#text) ?? [];
    const name = plain ?? braced;
    if (whole !== undefined && name !== undefined) {
      this.#at += whole.length;
      return { variable: name };
    }
    const next = this.#text[this.#at + 1] ?? '';
    if (next === '(' && this.#text[this.#at + 2] === '(' && this.#isArithmetic(this.#at + 3)) {
      this.#at += 3;
      this.#skipOver('))');
    } else if (next === '(') {
      this.#at += 2;
      this.#nested(')');
    } else if (next === '{') {
      this.#at += 2;
      this.#skipOver('}');
    } else if (/[\d@*#?$!-]/.test(next)) this.#at += 2;
    else {
      this.#at += 1;
      return '$';
    }
    return null;
  }

  /** Moves `more` characters past the start of the next `what`, or to the end of the text if there is none. */
  #skipTo(what: string, more: number): number {
    const found = this.#text.indexOf(what, this.#at);
    this.#at = found === -1 ? this.#text.length : found + more;
    return this.#at;
  }
}
