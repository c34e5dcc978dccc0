import { runsWholeSuite } from '../../../plan/check/suite-commands.js';
import { parseCommandLine } from '../../../plan/model/command-line.js';
import { EXPECTED, type Expectation, readExpected } from './expectations.js';

/** Finds in prose the commands that it says to check by. Only code in backticks counts; nothing is made up. */

/** A command that a line names. */
export interface NamedCommand {
  code: string;
  /** The directory that the line says it runs in. */
  cwd?: string;
  /** What the line says is to come of it. */
  expected?: Expectation;
}

/** Commands of one order: `Run X and Y`. */
export interface OrderedCommands {
  named: NamedCommand[];
  /**
   * `labelled`: the line says that something is checked by them; `told`: it only says to run them, and they are commands by
   * their form; `fails`: they have to fail, so that they judge nothing.
   */
  how: 'labelled' | 'told' | 'fails';
}

/** `Run:` in the languages that plans are written in; a bracket may say where. */
const RUN_LABEL = String.raw`(?:\brun|运行|執行|执行|実行|실행)(?:\s*\([^)]*\))?\s*[:：]`;
/** Where the words about one command end: before what is expected of it, and before the next one. */
export const PARTS = new RegExp(`${EXPECTED}|(?=${RUN_LABEL})`, 'i');

/** `Run:`, `Verify with`, `Test by running`: what follows in backticks is a command to check by. */
const LABEL = new RegExp(
  String.raw`${RUN_LABEL}\s*$|(?:^|[.;:,(–—]\s*|\band\s+)(?:verify|test|check|validate|verification|验证|驗證|確認|検証|검증)\s*[:：]\s*$|(?:verify|test|check|validate|confirm)(?:ied|ed)?\s+(?:it\s+)?(?:with|by|via|using)(?:\s+running)?\s*:?\s*$`,
  'i',
);
/** `Run` in prose counts where the line says that something is checked. */
const RUN = /(?:^|[\s(])(?:re-?)?run\s+$/i;
const CHECKS = /\b(?:verif|check|test|validat|confirm|ensure|expect|pass|green|succeed)/i;

/** Where an order begins: what stands behind "how to" or "do not" is none. */
const BEGINS = String.raw`(?:^|[.;:,!(–—]\s*|\b(?:and|then|also|finally)\s+)`;
const RUNS = '(?:re-?)?run|execute';
const ENSURES = 'ensure|make sure|verify|check|confirm|validate';
/** `Run X`, and `Run the tests with X`. */
const ORDER = new RegExp(`${BEGINS}(?:${RUNS})\\s+(?:the\\s+(?:command|script)\\s+)?$`, 'i');
/** `Run the tests with X`, `Ensure that all is well (X)`. */
const LOOSE_ORDER = new RegExp(
  `${BEGINS}(?:${RUNS}|${ENSURES})\\s[^.;:!?]{1,60}?(?:\\s(?:with|by|via|using)(?:\\s+running)?\\s+|:\\s*|\\s\\()$`,
  'i',
);
/** `Ensure that X passes`; `X passes`. */
const SUBJECT = new RegExp(`${BEGINS}(?:(?:${ENSURES})\\s+(?:that\\s+)?(?:all of\\s+|both\\s+)?)?$`, 'i');
const PASSES =
  /^\s*(?:still\s+|all\s+|both\s+)*(?:pass|succeed|exits?\b|(?:is|are|stays?|runs?)\s+(?:green|clean|ok)\b)/i;
/** What stands between two commands of one order. */
const JOINS = /^(?:\s*,)?(?:\s*(?:and|then|&))*\s*$/i;
/** `and see it fail`: the order of whoever writes a test first. */
const FAILS =
  /\b(?:see|watch|confirm|verify|check|ensure|make sure|expect(?:ed)?)\b(?:\s+(?:that|it|they|them|this|these|the|all|new|tests?|command|for|is|are))*:?\s+(?:to\s+|must\s+)?(?:fail(?:s|ing|ure)?|red)\b/i;

const CODE = /(`+)(.+?)\1(?!`)/g;

/** Whether a step is about a test that has to fail, as whoever writes it first wants to see it. */
export const isRedStep = (title: string): boolean => FAILS.test(title.replace(CODE, '`'));

/** Lists the commands in backticks of a line that the line says to check by, each with those that are joined to it. */
export function listCheckCommands(text: string): OrderedCommands[] {
  const groups: OrderedCommands[] = [];
  const fails = isRedStep(text);
  let isOpen = false;
  let from = 0;
  for (const { 0: whole, 2: written = '', index } of text.matchAll(CODE)) {
    const span = { code: written.trim(), index, end: index + whole.length };
    const named = { code: span.code, ...readAround(text, span) };
    const last = groups.at(-1);
    if (isOpen && last !== undefined && JOINS.test(text.slice(from, index)) && isCommandLine(span.code)) {
      last.named.push(named);
    } else {
      const how = judge(text, span);
      isOpen = how !== null;
      if (how !== null) groups.push({ named: [named], how: fails ? 'fails' : how });
    }
    from = span.end;
  }
  return groups;
}

const INSIDE = String.raw`(?:in|from|inside|within|under)\s+(?:the\s+)?`;
const DIRECTORY = String.raw`(?:\`([^\`\s]*\/[^\`\s.]*)\`|((?:[\w.@-]+\/)+)(?=[\s,.;:)]|$)|\`([\w.@/-]+)\`\s+(?:directory|folder)\b)`;
/** `(in packages/x)`. */
const BRACKET = String.raw`\(${INSIDE}\`?([\w.@~/-]+)\`?\)`;
const IN_BEHIND = new RegExp(`^\\s*(?:\\(?${INSIDE}${DIRECTORY}|${BRACKET})`, 'i');
const IN_BEFORE = new RegExp(
  `(?:(?:^|[\\s(])${INSIDE}${DIRECTORY}|${BRACKET})\\s*\\)?\\s*[,:]?\\s*(?:(?:re-?)?run|execute|verify|check|test)?\\s*:?\\s*$`,
  'i',
);
/** `(expected: 0)`, `should print nothing`. */
const EXPECTS = /^[^`]{0,60}?\b(?:expect(?:ed|ing|s)?(?:\s+(?:output|result))?\b\s*:?|should|must)\s+(?:to\s+)?(.+)$/i;

/** Where a command runs, and what is to come of it, as its line says. */
function readAround(text: string, { index, end }: Span): Pick<NamedCommand, 'cwd' | 'expected'> {
  const [before, behind] = [text.slice(0, index), text.slice(end)];
  const cwd = (IN_BEHIND.exec(behind) ?? IN_BEFORE.exec(before))?.slice(1).find((part) => part !== undefined);
  const [, said] = EXPECTS.exec(behind.replace(FURTHER, '')) ?? [];
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(said === undefined ? {} : { expected: readExpected(said) }),
  };
}

/** A piece of code, and where it stands in its line. */
interface Span {
  code: string;
  index: number;
  end: number;
}

/** Characters before and behind a piece of code that say what it is. */
const AROUND = 120;

function judge(text: string, { code, index, end }: Span): OrderedCommands['how'] | null {
  const before = text.slice(Math.max(0, index - AROUND), index).replace(CODE, '`');
  const after = text.slice(end, end + AROUND);
  if (NEGATED.test(before)) return null;
  if (LABEL.test(before) || (RUN.test(before) && CHECKS.test(`${text.slice(0, index)}${text.slice(end)}`))) {
    return mayBeCommand(code) ? 'labelled' : null;
  }
  if (ORDER.test(before) && isCommandLine(code)) return 'told';
  if (!isSurelyCommand(code)) return null;
  const isAlone = ALONE.test(before) && /^[\s.]*$/.test(after);
  const isSubject = SUBJECT.test(before) && PASSES.test(after.replace(FURTHER, '').replace(IN_BEHIND, ''));
  return isAlone || isSubject || LOOSE_ORDER.test(before) ? 'told' : null;
}

/** Commands behind one, before what is said of all of them. */
const FURTHER = /^(?:(?:\s*,)?(?:\s*(?:and|then|&))*\s*(`+).+?\1(?!`))+/i;

/** What is not to be run, or only under a condition. */
const NEGATED =
  /\b(?:if|unless)\b[^.;:!?]*$|\b(?:not|never|without|instead of|no longer|avoid)\s+(?:re-?)?(?:run|execut)\w*\s+$|n['’]t\s+(?:re-?)?run\s+$/i;

/** Nothing, or a label, stands before a command that is all that its line says. */
const ALONE = /^(?:[^`:]{1,60}:)?\s*$/;

/** One word with the ending of a text or of code is a file, not a program. */
const FILE = /\.(?!sh$|bash$|bat$|cmd$|ps1$|exe$)[A-Za-z]\w*$/;
/** How lines of code and of SQL begin that are no commands. */
const NO_PROGRAM =
  /^(?:from|import|const|let|var|def|class|return|function|public|private|async|await|select|insert|delete|type|interface)$/;
/** What only a shell knows as a beginning. */
const SHELL_WORDS = /^(?:!|\.|\{|\[{1,2}|\(|for|while|if|until)$/;

/** Whether code that a label names can be a command: a program, or what a shell begins with. */
function mayBeCommand(code: string): boolean {
  const words = code.replace(/^\(\s*/, '( ').split(/\s+/);
  const [program = '', ...args] = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
  if (SHELL_WORDS.test(program) || (words.length > 1 && /^["']?\$/.test(program))) return true;
  if (!PROGRAM.test(program.replace(/^["']|["']$/g, '')) || NO_PROGRAM.test(program)) return false;
  if (args.length > 0) return !/^[=:(]/.test(args[0] ?? '');
  // One word with a capital is a name of the code.
  return /^\.{1,2}\//.test(program) || (!FILE.test(program) && !/^[^/]*\p{Lu}/u.test(program));
}

/** The name of a program, or a path to one. */
const PROGRAM = /^(?:\.{0,2}\/)?(?:[\w.@+-]+\/)*[a-z][\w+-]*(?:\.\w+)?$/;
/** Programs that run, build or check what others wrote. */
const RUNNERS =
  /^(?:np[mx]|pnpm|yarn|bunx?|deno|node|tsc|pythons?[\d.]*|python[\d.]*|pytest|uv|poetry|cargo|go|make|cmake|ctest|mvn|gradle|dotnet|swift|mix|bundle|rake|rspec|php|composer|ruby|just|tox|nox|eslint|biome|ruff|mypy)$/;

/** Whether code is a command line where the prose says that it is one: a program and its arguments. */
function isCommandLine(code: string): boolean {
  const [program = '', ...args] = code.split(/\s+/);
  if (!PROGRAM.test(program)) return false;
  return args.length > 0 ? !/^[=:(]/.test(args[0] ?? '') : runsWholeSuite([program]) || /^\.{0,2}\//.test(program);
}

/** Whether code is a command line, whatever the prose says. */
function isSurelyCommand(code: string): boolean {
  const [program = '', ...args] = code.split(/\s+/);
  return (
    isCommandLine(code) && (RUNNERS.test(program) || program.includes('/') || args.some((arg) => /^--?\w/.test(arg)))
  );
}

/** Whether a line of code orders what stands in the block of shell code below it. */
export function ordersBlock(line: string): boolean {
  return new RegExp(`^(?:${RUNS}|${ENSURES})\\b`, 'i').test(line) && !FAILS.test(line);
}

/** Why a command that the source only says to run is no proof; null where it may be one. */
export function findProseProblem(typed: string): string | null {
  return parseCommandLine(typed).kind === 'words'
    ? null
    : 'only a shell can run it, and no label says that it checks: it stays a statement';
}

/** Words of a line that orders commands and says that they have to pass. */
const IDLE = new Set(
  'run rerun re execute step expected ensure make sure verify check confirm validate see expect that with by via using running the a all both of it they and then also finally again once more still whole full complete entire test tests testing suite suites linter lint types type typecheck checks checker checking build command commands script everything must should to is are be stays pass passes passing succeed succeeds green clean ok exit exits zero 0 code status without no any errors error warnings final locally project validation verification'.split(
    ' ',
  ),
);

/** Whether a line does nothing but order commands, so that nothing is left to be worked on. */
export function onlyOrders(text: string): boolean {
  const named = new Set(listCheckCommands(text).flatMap((group) => group.named.map(({ code }) => code)));
  const rest = text.replace(CODE, (whole, _, code: string) => (named.has(code.trim()) ? ' ' : whole));
  return !rest.includes('`') && (rest.match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => IDLE.has(word.toLowerCase()));
}
