import { runsWholeSuite } from '../../../plan/check/suite-commands.js';
import { parseCommandLine } from '../../../plan/model/command-line.js';
import { EXPECTATION_START, type Expectation, readExpected } from './expectations.js';

/** Finds the commands in prose that can serve as checks. Only text in backticks is taken for a command. */

/** A command that a line names. */
export interface ProseCommand {
  code: string;
  /** The directory in which it runs, according to the line. */
  cwd?: string;
  /** Its expected result, according to the line. */
  expected?: Expectation;
}

/** The commands of one instruction: `Run X and Y` names two. */
export interface OrderedCommands {
  named: ProseCommand[];
  /**
   * `labelled`: the line presents the commands as checks, as in `Verify: X`; `told`: it only says to run them, and they
   * look like commands; `fails`: it expects them to fail, so they prove nothing.
   */
  how: 'labelled' | 'told' | 'fails';
}

/** Matches `Run:` in the languages that plans are written in; parentheses may name the directory. */
const RUN_LABEL = String.raw`(?:\brun|运行|執行|执行|実行|실행)(?:\s*\([^)]*\))?\s*[:：]`;
/** Matches the positions at which a line is split into instructions: before each expectation and before each `Run:`. */
export const COMMAND_BOUNDARY = new RegExp(`${EXPECTATION_START}|(?=${RUN_LABEL})`, 'i');

/** Matches text like `Run:`, `Verify with`, `Test by running`, after which a command in backticks is a check. */
const LABEL = new RegExp(
  String.raw`${RUN_LABEL}\s*$|(?:^|[.;:,(–—]\s*|\band\s+)(?:verify|test|check|validate|verification|验证|驗證|確認|検証|검증)\s*[:：]\s*$|(?:verify|test|check|validate|confirm)(?:ied|ed)?\s+(?:it\s+)?(?:with|by|via|using)(?:\s+running)?\s*:?\s*$`,
  'i',
);
/** `Run X` without a colon presents X as a check only if a word of `CHECKS` is on the same line. */
const RUN = /(?:^|[\s(])(?:re-?)?run\s+$/i;
const CHECKS = /\b(?:verif|check|test|validat|confirm|ensure|expect|pass|green|succeed)/i;

/** Matches where an instruction may begin: at the start of a clause, but not after "how to" or "do not". */
const BEGINS = String.raw`(?:^|[.;:,!(–—]\s*|\b(?:and|then|also|finally)\s+)`;
const RUNS = '(?:re-?)?run|execute';
const ENSURES = 'ensure|make sure|verify|check|confirm|validate';
/** Matches `Run X`, and `Run the command X`. */
const ORDER = new RegExp(`${BEGINS}(?:${RUNS})\\s+(?:the\\s+(?:command|script)\\s+)?$`, 'i');
/** Matches `Run the tests with X`, `Ensure that all is well (X)`. */
const LOOSE_ORDER = new RegExp(
  `${BEGINS}(?:${RUNS}|${ENSURES})\\s[^.;:!?]{1,60}?(?:\\s(?:with|by|via|using)(?:\\s+running)?\\s+|:\\s*|\\s\\()$`,
  'i',
);
/** Match the text before and after a command X in `Ensure that X passes` or `X passes`. */
const SUBJECT = new RegExp(`${BEGINS}(?:(?:${ENSURES})\\s+(?:that\\s+)?(?:all of\\s+|both\\s+)?)?$`, 'i');
const PASSES =
  /^\s*(?:still\s+|all\s+|both\s+)*(?:pass|succeed|exits?\b|(?:is|are|stays?|runs?)\s+(?:green|clean|ok)\b)/i;
/** Matches the text between two commands of one instruction, such as a comma or `and`. */
const JOINS = /^(?:\s*,)?(?:\s*(?:and|then|&))*\s*$/i;
/** Matches text such as `and see it fail`: in test-first work, a new test must fail before the code is written. */
const FAILS =
  /\b(?:see|watch|confirm|verify|check|ensure|make sure|expect(?:ed)?)\b(?:\s+(?:that|it|they|them|this|these|the|all|new|tests?|command|for|is|are))*:?\s+(?:to\s+|must\s+)?(?:fail(?:s|ing|ure)?|red)\b/i;

const CODE = /(`+)(.+?)\1(?!`)/g;

/** Returns whether a step runs a test that must fail for now, because the code is not written yet. */
export const isRedStep = (title: string): boolean => FAILS.test(title.replace(CODE, '`'));

/** Lists the commands in backticks that a line presents as checks, grouped by instruction. */
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
/** Matches `(in packages/x)`. */
const BRACKET = String.raw`\(${INSIDE}\`?([\w.@~/-]+)\`?\)`;
const IN_BEHIND = new RegExp(`^\\s*(?:\\(?${INSIDE}${DIRECTORY}|${BRACKET})`, 'i');
const IN_BEFORE = new RegExp(
  `(?:(?:^|[\\s(])${INSIDE}${DIRECTORY}|${BRACKET})\\s*\\)?\\s*[,:]?\\s*(?:(?:re-?)?run|execute|verify|check|test)?\\s*:?\\s*$`,
  'i',
);
/** Matches `(expected: 0)`, `should print nothing`. */
const EXPECTS = /^[^`]{0,60}?\b(?:expect(?:ed|ing|s)?(?:\s+(?:output|result))?\b\s*:?|should|must)\s+(?:to\s+)?(.+)$/i;

/** Reads the directory and the expected result of a command from its line. */
function readAround(text: string, { index, end }: Span): Pick<ProseCommand, 'cwd' | 'expected'> {
  const [before, behind] = [text.slice(0, index), text.slice(end)];
  const cwd = (IN_BEHIND.exec(behind) ?? IN_BEFORE.exec(before))?.slice(1).find((part) => part !== undefined);
  const [, said] = EXPECTS.exec(behind.replace(FURTHER, '')) ?? [];
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(said === undefined ? {} : { expected: readExpected(said) }),
  };
}

/** A piece of code and its position in the line. */
interface Span {
  code: string;
  index: number;
  end: number;
}

/** Number of characters before and after a piece of code that are considered. */
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

/** Matches `and Y` after a command X. It is skipped, so that what follows Y (`X and Y pass`) counts for X, too. */
const FURTHER = /^(?:(?:\s*,)?(?:\s*(?:and|then|&))*\s*(`+).+?\1(?!`))+/i;

/** Matches text saying that a command must not be run, or only under a condition. */
const NEGATED =
  /\b(?:if|unless)\b[^.;:!?]*$|\b(?:not|never|without|instead of|no longer|avoid)\s+(?:re-?)?(?:run|execut)\w*\s+$|n['’]t\s+(?:re-?)?run\s+$/i;

/** Matches the text before a command that is alone on its line: nothing, or a label such as `Tests:`. */
const ALONE = /^(?:[^`:]{1,60}:)?\s*$/;

/** Matches a file extension, except those of scripts: a single word with one is a file to read, not a program. */
const FILE = /\.(?!sh$|bash$|bat$|cmd$|ps1$|exe$)[A-Za-z]\w*$/;
/** Words that begin lines of code or SQL, not commands. */
const NO_PROGRAM =
  /^(?:from|import|const|let|var|def|class|return|function|public|private|async|await|select|insert|delete|type|interface)$/;
/** Words that begin a command only in a shell. */
const SHELL_WORDS = /^(?:!|\.|\{|\[{1,2}|\(|for|while|if|until)$/;

/** Returns whether code after a label can be a command: it begins with a program or a shell word. */
function mayBeCommand(code: string): boolean {
  const words = code.replace(/^\(\s*/, '( ').split(/\s+/);
  const [program = '', ...args] = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
  if (SHELL_WORDS.test(program) || (words.length > 1 && /^["']?\$/.test(program))) return true;
  if (!PROGRAM.test(program.replace(/^["']|["']$/g, '')) || NO_PROGRAM.test(program)) return false;
  if (args.length > 0) return !/^[=:(]/.test(args[0] ?? '');
  // A single word with a capital letter is an identifier.
  return /^\.{1,2}\//.test(program) || (!FILE.test(program) && !/^[^/]*\p{Lu}/u.test(program));
}

/** The name of a program, or a path to one. */
const PROGRAM = /^(?:\.{0,2}\/)?(?:[\w.@+-]+\/)*[a-z][\w+-]*(?:\.\w+)?$/;
/** Programs that run, build or check code of the project. */
const RUNNERS =
  /^(?:np[mx]|pnpm|yarn|bunx?|deno|node|tsc|pythons?[\d.]*|python[\d.]*|pytest|uv|poetry|cargo|go|make|cmake|ctest|mvn|gradle|dotnet|swift|mix|bundle|rake|rspec|php|composer|ruby|just|tox|nox|eslint|biome|ruff|mypy)$/;

/**
 * Returns whether code that the prose calls a command is one: a program with arguments, a path, or a whole test suite.
 */
function isCommandLine(code: string): boolean {
  const [program = '', ...args] = code.split(/\s+/);
  if (!PROGRAM.test(program)) return false;
  return args.length > 0 ? !/^[=:(]/.test(args[0] ?? '') : runsWholeSuite([program]) || /^\.{0,2}\//.test(program);
}

/** Returns whether code is so clearly a command line that the text around it need not say so. */
function isSurelyCommand(code: string): boolean {
  const [program = '', ...args] = code.split(/\s+/);
  return (
    isCommandLine(code) && (RUNNERS.test(program) || program.includes('/') || args.some((arg) => /^--?\w/.test(arg)))
  );
}

/** Returns whether a line tells the reader to run the block of shell code below it. */
export function introducesCodeBlock(line: string): boolean {
  return new RegExp(`^(?:${RUNS}|${ENSURES})\\b`, 'i').test(line) && !FAILS.test(line);
}

/** Returns why a command that the source merely says to run cannot become a check; null if it can. */
export function findProseProblem(typed: string): string | null {
  return parseCommandLine(typed).kind === 'words'
    ? null
    : 'only a shell can run it, and no label says that it checks: it stays a statement';
}

/** Words that describe no work of their own in a line such as `Run X and make sure it passes`. */
const IDLE = new Set(
  'run rerun re execute step expected ensure make sure verify check confirm validate see expect that with by via using running the a all both of it they and then also finally again once more still whole full complete entire test tests testing suite suites linter lint types type typecheck checks checker checking build command commands script everything must should to is are be stays pass passes passing succeed succeeds green clean ok exit exits zero 0 code status without no any errors error warnings final locally project validation verification'.split(
    ' ',
  ),
);

/** Returns whether a line says only to run commands, and describes no other work. */
export function isOnlyCommandOrder(text: string): boolean {
  const named = new Set(listCheckCommands(text).flatMap((group) => group.named.map(({ code }) => code)));
  const rest = text.replace(CODE, (whole, _, code: string) => (named.has(code.trim()) ? ' ' : whole));
  return !rest.includes('`') && (rest.match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => IDLE.has(word.toLowerCase()));
}
