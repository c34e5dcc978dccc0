import { type ShellCommand, splitShell } from './split-shell.js';

/**
 * Parses the result that a source expects of a command, and converts it to a form that a plan can express
 * (plans-from-elsewhere.md, What becomes of what).
 */

/** An expected result. */
export type Expectation =
  | { kind: 'passes' }
  | { kind: 'fails' }
  | { kind: 'silent' }
  | { kind: 'exits'; code: number }
  | { kind: 'prints'; text: string }
  | { kind: 'counts'; count: number }
  /** The program must find or print something, or a file must exist. */
  | { kind: 'finds' }
  | { kind: 'absent' }
  /** The wording contains nothing that a plan could check. */
  | { kind: 'unclear' };

const WORD = '(?:\\bexpect(?:ed)?\\b|期望|预期|期待|予想|기대|예상)';
/** Matches `Expected: …` at the beginning of a line. */
const LEAD = new RegExp(
  `^[^\\p{L}\\p{N}]*${WORD}(?:\\s+(?:output|result|value|count|exit(?:\\s+(?:code|status))?)|结果|输出|值|出力|結果)?(?:\\s*\\([^)]*\\))?\\s*[:：—–-]\\s*`,
  'iu',
);
/** Matches the position in a line where an expectation begins. */
export const EXPECTATION_START = `(?=${WORD}[^:：.。]{0,30}[:：])`;

const NEGATED = /\b(?:no|not|never|zero|0|without|any|neither)\s+(?:\w+\s+){0,2}$/i;
/** Matches text that expects no problems, such as `no errors`. */
const NO_FAULT =
  /(?:^|[^\w.])(?:no|zero|0|without(?: any)?)\s+(?:\w+\s+){0,2}(?:errors?|warnings?|failures?|issues?|problems?|vulnerabilit\w+|violations?|diagnostics|findings|regressions?|fail\w*)\b/i;
const PASSES =
  /\bpass|\bok\b|\bsucce|\bgreen\b|\bclean(?:ly)?\b|\bworks?\b|\bbuil[dt]s?\b|\bcompiles?\b|\bvalid\b|\bends? well\b|\bcompletes?\b|\bfinishe[sd]\b|[✓✅✔]|成功|通过|通過|合格|全て|すべて|全部|エラーなし|통과|성공/i;
const FAILS =
  /\bfail(?:s|ed|ing|ure)?\b|\b\w*(?:error|exception)s?\b|\btraceback\b|\bnot defined\b|\bno module named\b|\bcannot find\b|\bred\b|失敗|失败|실패|\bnon-?zero\b|\b(?:does|do|must|should|will) not (?:yet )?pass\b|n['’]t (?:yet )?pass\b|[❌✗✘]/gi;
const SILENT =
  /^\W*(?:no (?:output|match|hit|result|line|remaining|occurrence|paths?\b)|nothing\b|empty\b|zero (?:match|hit|line|result|occurrence)|0 (?:match|hit|line|result|occurrence)|prints? nothing|returns? nothing|(?:\w+ ){1,4}(?:prints?|returns?|shows?|gives?|with) (?:no output|nothing)|空|出力(?:ナシ|なし)|差分なし|无输出|没有输出|該当なし)/i;
const EXIT = /\bexit(?:s|ed)?\b(?:\s+(?:with|code|status))*\s*[:=]?\s*`?(\d{1,3})\b/i;
const COUNT =
  /^(?:(?:exactly|=|is|prints?|returns?|outputs?|shows?|count(?: of)?)[:\s]+)*(\d+|zero|none)(?: (?:match(?:es)?|lines?|hits?|occurrences?|results?))?$/i;
const FINDS =
  /^(?:at least |>=? ?|≥ ?)?(?:one|1|a|the|some) (?:match|line|hit|result|occurrence|file)\b|^(?:match|found|exists|present|lists?\b|shows?\b|finds?\b|(?:the |both |all )?(?:\w+ )?files? (?:is|are|exists?|listed|found|present)\b)/i;
const ABSENT =
  /\b(?:does|do|must|should|will) not exist\b|n['’]t exist\b|\bno such file\b|\bno longer (?:exists?|there)\b|\b(?:is|are) (?:gone|missing|absent)\b|\bnot found\b|不存在|存在しない/i;
/** Matches text around a quotation that adds nothing to it, such as `it should print`. */
const IDLE =
  /^(?:(?:it|the|a|an|to|this|command|should|must|prints?|printed|outputs?|shows?|contains?|includes?|returns?|see|line|lines|with|text|string|word|stdout|exactly|only|is|be|single|value|output)\b|[\s:.,;"“”'()])*$/i;

/**
 * Reads the text after `Expected:`. Returns `below` if nothing follows on that line, and null if the line does not
 * begin with such a label.
 */
export function readExpectation(line: string): Expectation | 'below' | null {
  const [lead] = LEAD.exec(line) ?? [];
  if (lead === undefined) return null;
  const said = line.slice(lead.length).trim();
  return said === '' ? 'below' : readExpected(said);
}

/**
 * Reads a block of code that shows the expected output. More than one line is `unclear`: a plan can look for only one.
 */
export function readPrinted(code: string): Expectation {
  const [only = '', ...more] = code.trim().split('\n');
  return only === '' || more.length > 0 || /…|\.\.\.|</.test(only)
    ? { kind: 'unclear' }
    : { kind: 'prints', text: only };
}

/** Parses the text of an expectation. */
export function readExpected(given: string): Expectation {
  // A text taken out of parentheses still ends with their `)`; it is removed.
  const said = given.replace(/^([^()]*)\)\W*$/, '$1');
  const plainly = said.replace(/(`[^`]*`)|\([^()]*\)|（[^（）]*）/g, '$1 ');
  const first = /^(?:[^.;。；(（`\n]|`[^`]*`|\.(?=\w))*/.exec(plainly)?.[0] ?? plainly;
  const [, code] = EXIT.exec(first) ?? [];
  if (code !== undefined && code !== '0')
    return fails(first) ? { kind: 'fails' } : { kind: 'exits', code: Number(code) };
  if (code === '0') return { kind: 'passes' };
  const plain = first.replace(/[`*"“”]/g, '').trim();
  const [, count] = COUNT.exec(plain) ?? [];
  if (count !== undefined) return { kind: 'counts', count: Number(/\d+/.exec(count)?.[0] ?? 0) };
  if (SILENT.test(first)) return { kind: 'silent' };
  if (ABSENT.test(first)) return { kind: 'absent' };
  if (fails(first)) return { kind: 'fails' };
  const quoted = readQuoted(first);
  if (quoted !== null) return { kind: 'prints', text: quoted };
  if (PASSES.test(first) || NO_FAULT.test(first)) return { kind: 'passes' };
  return { kind: FINDS.test(plain) ? 'finds' : 'unclear' };
}

function fails(said: string): boolean {
  const pass = said.search(PASSES);
  for (const { index } of said.matchAll(FAILS)) {
    if (NEGATED.test(said.slice(0, index))) continue;
    return pass < 0 || index <= pass || /^[^a-z]*(?:\w+ ){0,3}n(?:o|['’])t/i.test(said.slice(index));
  }
  return false;
}

/**
 * Returns the text that the command should print: the only quotation, or a text that consists of capitals. Null if
 * there is neither.
 */
function readQuoted(said: string): string | null {
  const spans = [...said.matchAll(/`([^`]+)`|"([^"]+)"|“([^”]+)”/g)];
  const [only, ...more] = spans;
  const rest = said.replace(only?.[0] ?? '', ' ');
  if (only !== undefined) {
    const text = (only[1] ?? only[2] ?? only[3] ?? '').trim();
    // A success message such as `5 passed` is not used: the next version of the test runner may word it differently.
    return more.length === 0 &&
      IDLE.test(rest) &&
      text.length > 1 &&
      !/…|\.\.\.|pass|fail|<|^O[Kk]$/.test(text.replace(/pass|fail/gi, 'fail'))
      ? text
      : null;
  }
  const [, word] = /^[\s*]*([A-Z]{2,}(?:[ _-][A-Z]+)*)[\s*.!]*$/.exec(said) ?? [];
  return word !== undefined && !/^(?:PASS|OK|SUCCE|GREEN)/.test(word) ? word : null;
}

/**
 * Converts an expectation to the `expect` of an acceptance; an empty object means exit code 0. If an acceptance cannot
 * express it, returns a string that says why.
 */
export function toExpectedResult(
  line: string,
  expected: Expectation | null,
): { exitCode?: number; stdoutContains?: string } | string {
  const commands = splitShell(line);
  const [first, ...others] = commands;
  const program = others.length === 0 ? getProgram(first) : '';
  switch (expected?.kind) {
    case undefined:
    case 'passes':
      return canFail(commands) ? {} : HOLLOW;
    case 'fails':
      return 'it must fail, so it cannot judge anything';
    case 'exits':
      return canFail(commands) ? { exitCode: expected.code } : HOLLOW;
    case 'prints':
      return { stdoutContains: expected.text };
    case 'silent':
      if (GREPS.test(program)) return { exitCode: 1 };
      return QUIET.test([program, ...(first?.words.slice(1) ?? [])].join(' '))
        ? {}
        : 'it is expected to print nothing, but the source does not state its exit code';
    case 'finds':
      return FINDERS.test(program) && !isCounting(first) ? {} : UNCLEAR;
    case 'absent':
      return /^(?:test|\[)$/.test(program) && first?.words[1] !== '!' ? { exitCode: 1 } : UNCLEAR;
    case 'unclear':
      return UNCLEAR;
    case 'counts':
      if (expected.count === 0 && GREPS.test(program)) return { exitCode: 1 };
      return `it is expected to print ${expected.count} and nothing else, which an acceptance cannot express`;
  }
}

const UNCLEAR = 'its expected result is not one that an acceptance can express';
const GREPS = /^(?:[ef]?grep|rg|ag|git grep)$/;
/** Programs that exit with 0 if and only if they find something. */
const FINDERS = /^(?:[ef]?grep|rg|ag|git grep|test|\[|ls)$/;
const isCounting = (command: ShellCommand | undefined): boolean =>
  command?.words.some((word) => /^-[a-zA-Z]*c|^--count$/.test(word)) === true;
const HOLLOW = 'it succeeds whatever it finds, so it cannot judge anything';

/** Programs that print nothing exactly when they succeed, so "prints nothing" can be checked by exit code 0. */
const QUIET =
  /^(?:(?:npx |pnpm exec |yarn )?tsc\b|node --check\b|python[\d.]* -m py_compile\b|go (?:vet|build)\b|cmp\b|diff\b|test\b|\[|git diff .*--(?:check|exit-code|quiet)\b)/;

function getProgram(command: ShellCommand | undefined): string {
  const [path = '', second = ''] = command?.words ?? [];
  const base = path.slice(path.lastIndexOf('/') + 1);
  return base === 'git' && second === 'grep' ? 'git grep' : base;
}

/** Programs whose success says nothing about the project. */
const CONTENT =
  /^(?:true|:|find|echo|printf|sleep|pwd|date|set|export|unset|wait|exit|return|yes|seq|whoami|uname|cd)$/;
/** Programs that succeed whatever is piped into them. */
const FILTERS = /^(?:cat|head|tail|tee|sort|uniq|wc|less|more|awk|sed|tr|cut|column|nl|fold|rev|xargs)$/;
const GIT_SHOWS = /^(?:status|rev-parse|log|branch|stash|remote|show|diff|shortlog|blame|reflog)$/;

/** Returns whether a line of shell can end with an error. If it cannot, its exit code proves nothing. */
function canFail(all: readonly ShellCommand[]): boolean {
  const commands = all.filter(({ start }) => start >= 0);
  if (commands.some(({ words }) => words[0] === 'exit' && words[1] !== '0' && words[1] !== undefined)) return true;
  const strict = commands.some(({ words }) => words[0] === 'set' && /e/.test(words[1] ?? ''));
  let status = false;
  // Whether the commands before the current pipe can fail; a pipe has the exit code of its last command.
  let before = false;
  for (const [index, command] of commands.entries()) {
    const own = mayFail(command, command.joined === '|');
    if (command.joined !== '|') before = status;
    const joined = command.joined === '|' ? (findJoin(commands, index) ?? ';') : command.joined;
    status = combine(joined, before, own, strict);
  }
  return status;
}

function findJoin(commands: readonly ShellCommand[], index: number): ShellCommand['joined'] | undefined {
  return commands.slice(0, index).findLast(({ joined }) => joined !== '|')?.joined;
}

function combine(joined: ShellCommand['joined'], before: boolean, own: boolean, strict: boolean): boolean {
  switch (joined) {
    case '&&':
      return before || own;
    case '||':
      return before && own;
    case ';':
    case '|':
      return own || (strict && before);
  }
}

function mayFail({ words }: ShellCommand, isPiped: boolean): boolean {
  const [path = '', ...rest] = words;
  const program = path.slice(path.lastIndexOf('/') + 1);
  if (CONTENT.test(program)) return false;
  if (FILTERS.test(program)) return !isPiped && rest.some((word) => !word.startsWith('-'));
  if (rest.length === 1 && /^(?:-v|-V|--version|--help|-h|version|help)$/.test(rest[0] ?? '')) return false;
  if (program !== 'git') return true;
  const [shown = ''] = rest.filter((word) => !word.startsWith('-'));
  return !GIT_SHOWS.test(shown) || rest.some((word) => /^--(?:exit-code|quiet|check)$/.test(word));
}

/** Programs that only shorten or show what is piped into them. Their exit code would replace that of the command. */
const VIEWERS = /^(?:head|tail|less|more|cat)$/;

/** Removes viewers from the end of a line, so that its exit code is that of the command. */
export function dropViewers(line: string): string {
  const commands = splitShell(line).filter(({ start }) => start >= 0);
  if (commands.slice(1).some(({ joined }) => joined === '||' || joined === ';')) return line;
  let end = line.length;
  for (const { words, joined, start } of commands.toReversed()) {
    const isViewer =
      joined === '|' && VIEWERS.test(words[0] ?? '') && words.slice(1).every((word) => /^[-+]|^\d+$/.test(word));
    if (!isViewer) break;
    end = start;
  }
  return end === line.length
    ? line
    : line
        .slice(0, end)
        .trim()
        .replace(/\s*2>&1$/, '');
}
