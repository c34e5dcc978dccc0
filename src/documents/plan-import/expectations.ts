import { type ShellCommand, splitShell } from './split-shell.js';

/** What a source expects of a command, and what of it a plan can say (plans-from-elsewhere.md, What becomes of what). */

/** What is expected. */
export type Expectation =
  | { kind: 'passes' }
  | { kind: 'fails' }
  | { kind: 'silent' }
  | { kind: 'exits'; code: number }
  | { kind: 'prints'; text: string }
  | { kind: 'counts'; count: number };

/** `Expected: …`, at the beginning of a line. */
const LEAD =
  /^\W*(?:expected|expect)\b(?:\s+(?:output|result|value|count|exit(?:\s+(?:code|status))?))?(?:\s*\([^)]*\))?\s*[:：—–-]\s*/i;

/** Where the words about one command end and those about what is expected begin. */
export const EXPECTED = /(?=\bexpected\b[^:：.]{0,30}[:：])/i;

const NEGATED = /\b(?:no|not|never|zero|0|without|any|neither)\s+(?:\w+\s+){0,2}$/i;
const PASSES = /\bpass|\bok\b|\bsucce|\bgreen\b|\bclean(?:ly)?\b|成功|通过|通過|全て|すべて/i;
const FAILS =
  /\bfail(?:s|ed|ing|ure)?\b|\b\w*(?:error|exception)s?\b|\btraceback\b|\bnot defined\b|\bno module named\b|\bcannot find\b|\bred\b|失敗|失败|\bnon-?zero\b/gi;
const SILENT =
  /^\W*(?:no (?:output|match|hit|result|line|remaining|occurrence|paths?\b)|nothing\b|empty\b|zero (?:match|hit|line|result|occurrence)|0 (?:match|hit|line|result|occurrence)|prints? nothing|returns? nothing|(?:\w+ ){1,4}(?:prints?|returns?|shows?|gives?|with) (?:no output|nothing)|空|出力(?:ナシ|なし)|差分なし|无输出|没有输出|該当なし)/i;
const EXIT = /\bexit(?:s|ed)?\b(?:\s+(?:with|code|status))*\s*[:=]?\s*`?(\d{1,3})\b/i;
/** What says no more than that something is printed. */
const IDLE =
  /^(?:(?:it|the|a|an|to|this|command|should|must|prints?|printed|outputs?|shows?|contains?|includes?|returns?|see|line|lines|with|text|string|word|stdout|exactly|only|is|be|single|value|output)\b|[\s:.,;"“”'()])*$/i;

/** Reads what stands behind `Expected:`; null where the line says nothing of the kind. */
export function readExpectation(line: string): Expectation | null {
  const [lead] = LEAD.exec(line) ?? [];
  return lead === undefined ? null : readExpected(line.slice(lead.length));
}

/** Reads what is said to be expected. */
export function readExpected(given: string): Expectation {
  // A bracket that was opened before what is expected.
  const said = given.replace(/^([^()]*)\)\W*$/, '$1');
  const first = /^(?:[^.;。；(（`\n]|`[^`]*`|\.(?=\w))*/.exec(said)?.[0] ?? said;
  const [, code] = EXIT.exec(first) ?? [];
  if (code !== undefined) return code === '0' ? { kind: 'passes' } : { kind: 'exits', code: Number(code) };
  if (SILENT.test(first)) return { kind: 'silent' };
  const plain = first.replace(/[`*"“”]/g, '').trim();
  if (/^(?:(?:exactly|=|is|prints?|returns?|outputs?|shows?)\s+)*\d+$/i.test(plain))
    return { kind: 'counts', count: Number(/\d+/.exec(plain)?.[0]) };
  if (fails(first)) return { kind: 'fails' };
  const quoted = readQuoted(first);
  return quoted === null ? { kind: 'passes' } : { kind: 'prints', text: quoted };
}

function fails(said: string): boolean {
  const pass = said.search(PASSES);
  for (const { index } of said.matchAll(FAILS)) {
    if (NEGATED.test(said.slice(0, index))) continue;
    return pass < 0 || index < pass;
  }
  return false;
}

/** The one text in quotes that is to be printed, or a word in capitals that stands alone. */
function readQuoted(said: string): string | null {
  const spans = [...said.matchAll(/`([^`]+)`|"([^"]+)"|“([^”]+)”/g)];
  const [only, ...more] = spans;
  const rest = said.replace(only?.[0] ?? '', ' ');
  if (only !== undefined) {
    const text = (only[1] ?? only[2] ?? only[3] ?? '').trim();
    // How a test runner words its success differs by its version and by where it prints.
    return more.length === 0 && IDLE.test(rest) && text.length > 1 && !/…|\.\.\.|pass|fail|<|^ok$/i.test(text)
      ? text
      : null;
  }
  const [, word] = /^[\s*]*([A-Z]{2,}(?:[ _-][A-Z]+)*)[\s*.!]*$/.exec(said) ?? [];
  return word !== undefined && !/^(?:PASS|OK|SUCCE|GREEN)/.test(word) ? word : null;
}

/** The expectation as an acceptance has it; a text says why it cannot be said. */
export function toExpect(
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
      return 'it has to fail, so that it judges nothing';
    case 'exits':
      return canFail(commands) ? { exitCode: expected.code } : HOLLOW;
    case 'prints':
      return { stdoutContains: expected.text };
    case 'silent':
      if (/^(?:[ef]?grep|rg|ag|git grep)$/.test(program)) return { exitCode: 1 };
      return QUIET.test([program, ...(first?.words.slice(1) ?? [])].join(' '))
        ? {}
        : 'it is expected to print nothing, and the source does not say with which status it ends';
    case 'counts':
      if (
        expected.count === 0 &&
        /^(?:[ef]?grep|rg)$/.test(program) &&
        first?.words.some((word) => /^-[a-zA-Z]*c|^--count$/.test(word))
      )
        return { exitCode: 1 };
      return `it is expected to print ${expected.count} and nothing else, which no acceptance can say`;
  }
}

const HOLLOW = 'it ends well whatever it finds, so that it judges nothing';

/** Programs that are silent where they end well, and only there. */
const QUIET =
  /^(?:(?:npx |pnpm exec |yarn )?tsc\b|node --check\b|python[\d.]* -m py_compile\b|go (?:vet|build)\b|cmp\b|diff\b|test\b|\[|git diff .*--(?:check|exit-code|quiet)\b)/;

function getProgram(command: ShellCommand | undefined): string {
  const [path = '', second = ''] = command?.words ?? [];
  const base = path.slice(path.lastIndexOf('/') + 1);
  return base === 'git' && second === 'grep' ? 'git grep' : base;
}

/** Programs that end well whatever they are given. */
const CONTENT =
  /^(?:true|:|find|echo|printf|sleep|pwd|date|set|export|unset|wait|exit|return|yes|seq|whoami|uname|cd)$/;
/** Programs that end well whatever is piped into them. */
const FILTERS = /^(?:cat|head|tail|tee|sort|uniq|wc|less|more|awk|sed|tr|cut|column|nl|fold|rev|xargs)$/;
const GIT_SHOWS = /^(?:status|rev-parse|log|branch|stash|remote|show|diff|shortlog|blame|reflog)$/;

/** Whether the status of a line says anything. */
function canFail(all: readonly ShellCommand[]): boolean {
  const commands = all.filter(({ start }) => start >= 0);
  if (commands.some(({ words }) => words[0] === 'exit' && words[1] !== '0' && words[1] !== undefined)) return true;
  const strict = commands.some(({ words }) => words[0] === 'set' && /e/.test(words[1] ?? ''));
  let status = false;
  // A pipe has the status of its last command.
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

/** Viewers at the end of a pipe hide how the command before them ends. */
const VIEWERS = /^(?:head|tail|less|more|cat)$/;

/** Drops viewers from the end of a line, so that its status is that of the command. */
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
