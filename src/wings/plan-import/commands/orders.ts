import { CHECKING_PROGRAMS, READING_PROGRAMS } from './checkers.js';
import { type ShellCommand, splitShell } from './split-shell.js';

/**
 * Tells checks from "orders", which are commands that change something. An order must not become a check, because each
 * judgement would carry it out again (plans-from-elsewhere.md, What becomes of what). A command counts as a check only
 * if its words show that; every other command is imported as a step for the worker.
 */

/** Why a command is not a check. */
export type OrderProblem =
  | 'a command that changes the repository judges nothing'
  | 'it is not known to do nothing but check: it stays a statement'
  | 'it leaves the project'
  | 'nobody can tell which program it starts: it stays a statement';

const GIT: OrderProblem = 'a command that changes the repository judges nothing';
const UNKNOWN: OrderProblem = 'it is not known to do nothing but check: it stays a statement';
const OUTSIDE: OrderProblem = 'it leaves the project';
const HIDDEN: OrderProblem = 'nobody can tell which program it starts: it stays a statement';

/**
 * Returns why a line is an order, or null if it only checks.
 * @param line as typed into a shell
 */
export function findOrder(line: string): OrderProblem | null {
  const problems = splitShell(line).flatMap((command) => judgeCommand(command) ?? []);
  return problems.find((problem) => problem === GIT) ?? problems[0] ?? null;
}

function judgeCommand({ words, writes, isAside, body, joined }: ShellCommand): OrderProblem | null {
  if (writes || isAside) return UNKNOWN;
  return judgeWords(words, { body, isPiped: joined === '|' });
}

interface Given {
  /** The text of a here-document. */
  body: string;
  isPiped: boolean;
}

/** Programs that start the command given after their own options. */
const STARTERS =
  /^(?:env|command|time|nice|nohup|stdbuf|timeout|gtimeout|chronic|xvfb-run|cross-env|npx|bunx|pnpx|uvx|c8|nyc|(?:npm|pnpm|yarn) (?:exec|dlx|x)|bun x|(?:uv|poetry|pipenv|pdm|hatch|rye|coverage) run|uv tool run|(?:bundle|mise|direnv) exec)$/;
/** Options of `STARTERS` that take a value. */
const VALUED =
  /^(?:-p|--package|--with|--extra|--group|--python|--project|--directory|--prefix|-w|--workspace|-C|--dir|--filter|-F|--cwd)$/;
/** Environment variables that make a program write, or start another program. */
const TURNING = /^(?:GIT_|LD_|DYLD_|BASH_|PROMPT|NODE_OPTIONS)|PAGER|EDITOR|UPDATE|SNAPSHOT|WATCH/;
const SHELL = /^(?:ba|da|z|k|a)?sh$/;
/** Commands built into a shell that change nothing outside it. */
const OF_SHELL =
  /^(?:cd|true|false|:|echo|printf|exit|set|unset|export|local|read|for|case|select|break|continue|return|shift|wait|\[|\[\[)$/;

function judgeWords(given: readonly string[], { body, isPiped }: Given): OrderProblem | null {
  const first = given.findIndex((word) => !ASSIGNED.test(word));
  if (given.slice(0, first < 0 ? undefined : first).some((word) => TURNING.test(word))) return UNKNOWN;
  const [path = '', ...rest] = first < 0 ? [] : given.slice(first);
  if (path === '') return null;
  if (path.includes('$')) return HIDDEN;
  const program = getBase(path);
  if (leaves(path, rest)) return OUTSIDE;
  if (OF_SHELL.test(program)) return rest.some((word) => ASSIGNED.test(word) && TURNING.test(word)) ? UNKNOWN : null;
  const writes = READING_PROGRAMS[program];
  if (writes !== undefined) return writes.test(rest.join(' ')) ? UNKNOWN : null;
  // Outside a pipe, a pager would wait for a person to press keys.
  if (/^(?:less|more)$/.test(program)) return isPiped ? null : UNKNOWN;
  if (SHELL.test(program)) return judgeShell(rest, body);
  const [second = '', ...others] = rest;
  if (STARTERS.test(`${program} ${second}`)) return judgeStarted(program, others);
  if (STARTERS.test(program)) return judgeStarted(program, rest);
  return judgeProgram(path, rest, body);
}

const ASSIGNED = /^\w+\+?=/;
const LEAVES = /^[/~$-]|(?:^|\/)\.\.(?:\/|$)/;

/** Returns whether a command works in a directory outside the project. */
function leaves(path: string, rest: readonly string[]): boolean {
  if (path === 'cd') return LEAVES.test(rest.find((word) => !/^-[LP]$/.test(word)) ?? '~');
  const at = rest.findIndex((word) => /^(?:-C|--prefix|--cwd|--directory|--dir|--project-dir)$/.test(word));
  return /^(?:~|\.\.\/)/.test(path) || (at >= 0 && LEAVES.test(rest[at + 1] ?? ''));
}

/** Package managers: before the command that they start, an option may be followed by its value. */
const PACKAGES = /^(?:npx|bunx|pnpx|uvx|npm|pnpm|yarn|bun|uv|poetry|pdm|hatch|rye|pipenv)$/;

function judgeStarted(program: string, rest: readonly string[]): OrderProblem | null {
  const isValue = (index: number) => PACKAGES.test(program) && VALUED.test(rest[index - 1] ?? '');
  const at = rest.findIndex(
    (word, index) => !/^[-+]|^\d+(?:\.\d+)?[smh]?$/.test(word) && !ASSIGNED.test(word) && !isValue(index),
  );
  const before = rest.slice(0, at < 0 ? undefined : at);
  if (before.some((word) => TURNING.test(word))) return UNKNOWN;
  if (before.includes('-c')) return findOrder(rest[rest.indexOf('-c') + 1] ?? '');
  if (before[0] === '-m') return judgeModule(rest.slice(1));
  const [path, ...more] = rest.slice(at);
  return at < 0 || path === undefined ? UNKNOWN : judgeWords([path.replace(/@[\w.^~-]+$/, ''), ...more], NOTHING);
}

const NOTHING: Given = { body: '', isPiped: false };

function judgeShell(rest: readonly string[], body: string): OrderProblem | null {
  if (body !== '') return findOrder(body);
  const at = rest.findIndex((word) => /^[-+][a-zA-Z]*c$/.test(word));
  if (at >= 0) return findOrder(rest.slice(at + 1).find((word) => !word.startsWith('-')) ?? '');
  const script = rest.findIndex((word) => !/^[-+]/.test(word));
  // Commands that a shell reads from stdin cannot be judged.
  if (script < 0 || rest.includes('$')) return HIDDEN;
  return rest.includes('-n') ? null : judgeScript(rest.slice(script));
}

/** Judges `python -m MODULE`: a name with dots is a script of the project, another name a program such as `pytest`. */
function judgeModule([module = '', ...more]: readonly string[]): OrderProblem | null {
  return module.includes('.')
    ? judgeScript([module.replaceAll('.', '/'), ...more], STARTS)
    : judgeProgram(module, more, '');
}

const INTERPRETER = /^(?:node|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|osascript|Rscript|lua|julia)$/;
/** Options that make a checking program change files, keep running or open a window. */
const WRITING =
  /^(?:--(?:fix(?!-dry-run).*|write|apply.*|in-?place|unsafe-fixes|update.*|snapshot-update|accept|watch.*|open|ui|headed|remote|serve|auto-correct.*|autocorrect.*|out(?:put)?(?:-?(?:file|dir))?|auto-?fix)(?:=(?!false).*)?|-o|-u|-w|-i)$/;
const ASKED = /^--(?:version|help)$/;
/** Options with which a program only shows what it would do. */
const DRY =
  /^(?:--check(?:-only|-formatted)?|--dry-run(?:=.*)?|--list-different|--verify(?:-no-changes)?|--no-write|--diff)$/;

function judgeProgram(path: string, rest: readonly string[], body: string): OrderProblem | null {
  const program = getBase(path);
  const joined = rest.join(' ');
  // Commands of dev-cli belong to the agent that drives the run, so none becomes a check.
  if ([path, ...rest].some((word) => /^dev-cli\b/.test(getBase(word)))) return UNKNOWN;
  if (/^python[\d.]*$/.test(program) && rest[0] === '-m') return judgeModule(rest.slice(1));
  const known = CHECKING_PROGRAMS[program.replace(/^pip3$/, 'pip')];
  const writes = rest.some((word) => WRITING.test(word));
  if (known !== undefined) {
    if (known.test(joined) && !writes) return null;
    return program === 'git' ? GIT : UNKNOWN;
  }
  if (rest.length === 1 && ASKED.test(joined)) return null;
  if (INTERPRETER.test(program)) return judgeInterpreted(program, rest, body);
  const managed = judgeManager(program, rest);
  if (managed !== null) return managed ? null : UNKNOWN;
  return OF_PROJECT.test(path) ? judgeScript([path, ...rest]) : judgeUnknown(program, rest);
}

/** Matches a path to a script of the project, but not to one installed by a package manager. */
const OF_PROJECT = /^(?!\/|.*(?:node_modules\/\.bin|vendor\/bin|venv\/bin)\/).*\//;

/** Judges an unknown program: it only checks if its subcommand or an option says so, as in `openspec validate`. */
function judgeUnknown(program: string, rest: readonly string[]): OrderProblem | null {
  const [verb = ''] = rest;
  const isDry = rest.some((word) => DRY.test(word));
  const writes = rest.some((word) => WRITING.test(word) && !/^-[iuw]$/.test(word));
  if ((writes || nameOrders(verb)) && !isDry) return UNKNOWN;
  return (isDry || nameLooks(verb)) && !STARTING.test(program) ? null : UNKNOWN;
}

/** Programs whose next word does not say what happens: they start another program, or change files whatever it is. */
const STARTING =
  /^(?:sudo|doas|su|ssh|xargs|parallel|watch|script|strace|flock|find|entr|eval|exec|trap|source|\.|alias|rm|mv|cp|kill|pkill)$/;

function judgeInterpreted(program: string, rest: readonly string[], body: string): OrderProblem | null {
  const [option = '', code = ''] = rest;
  if (
    /^(?:-c|-e|-p|-pe|-r|--eval|--print|eval)$/.test(option) &&
    /^(?:python|node|deno|tsx)/.test(program) &&
    (option !== '-c' || !/^node/.test(program))
  )
    return onlyReads(code) ? null : UNKNOWN;
  if (body !== '') return onlyReads(body) ? null : UNKNOWN;
  if (/^(?:-[a-zA-Z]*e|-[a-zA-Z]*i\S*|-r|-S)$/.test(option)) return UNKNOWN;
  if (/^(?:test|check|lint|bench|--test|--check|-c|-l)$/.test(option))
    return rest.some((word) => WRITING.test(word)) ? UNKNOWN : null;
  if (option === 'fmt') return rest.includes('--check') ? null : UNKNOWN;
  const words = /^(?:run|task)$/.test(option) ? rest.slice(1) : rest;
  const at = words.findIndex((word) => !word.startsWith('-'));
  return at < 0 ? HIDDEN : judgeScript(words.slice(at), STARTS);
}

/** Functions that an inline program (`node -e …`, `python -c …`) may call, because they change nothing. */
const READING =
  /^(?:print|open|read|readlines?|readFileSync|existsSync|statSync|readdirSync|parse|loads?|safe_load|require|import|import_module|log|error|exit|len|sorted|list|dict|set|sum|any|all|str|int|repr|type|isinstance|hasattr|getattr|map|filter|join|split|splitlines|strip|trim|get|keys|values|items|entries|includes|startsWith|endswith|startswith|test|match|search|findall|exists|is_file|is_dir|isfile|isdir|Path|assert|ok|equal|stringify|insert|walk|then|format|count|index|slice|for|if|while|and|or|not|in|range|enumerate|zip|print_help)$/;

/** Returns whether an inline program only reads: it calls no function except those of `READING`. */
function onlyReads(code: string): boolean {
  if (/[)\]]\s*\(|`|\bopen\([^)]*,\s*(?!encoding)|\b(?:subprocess|child_process|urllib|http)\b/.test(code))
    return false;
  return [...code.matchAll(/([\w$]+)\s*\(/g)].every(([, called = '']) => READING.test(called));
}

/** Names of scripts that start the application. */
const STARTS = /^(?:app|main|index|server|bot|worker)$/;

/** Programs that run a script of the project by its name. Those of `TARGETS` run the targets of a build file. */
const SCRIPTS = /^(?:npm|pnpm|yarn|bun|turbo|composer)$/;
const TARGETS = /^(?:make|gmake|just|task|rake|invoke|gradlew?|mvnw?|mage|ninja|bazel)$/;
/** Subcommands of npm and composer that only read. To run any other script, these two need `run` before its name. */
const OWN = /^(?:npm|composer) (?:t|tst|tests?|audit|ls|list|outdated|view|why|explain|validate|diagnose|check\S*)$/;

/** Returns whether a package manager or build tool runs something that only checks; null for any other program. */
function judgeManager(program: string, rest: readonly string[]): boolean | null {
  const isTarget = TARGETS.test(program);
  if (!isTarget && !SCRIPTS.test(program)) return null;
  if (rest.some((word) => WRITING.test(word) && !/^-[wio]$/.test(word))) return false;
  const end = rest.indexOf('--');
  const isValue = (word: string, option = '') =>
    (VALUED.test(option) || (isTarget && option === '-f')) && !(/^-\w$/.test(option) && nameOrders(word));
  const words = rest
    .slice(0, end < 0 ? undefined : end)
    .filter((word, index) => !word.startsWith('-') && !ASSIGNED.test(word) && !isValue(word, rest[index - 1]));
  if (isTarget) {
    const targets = words.filter((word) => !(word === 'clean' && /^(?:gradle|mvn)/.test(program)));
    return targets.length > 0 ? !targets.some(nameOrders) : /^g?make$/.test(program);
  }
  const [first = '', name = '', ...behind] = words;
  const run = /^run(?:-script)?$/.test(first) ? name : program === 'bun' && /[./]/.test(first) ? first : null;
  if (run !== null) return judgeScript([run, ...behind], /[./]/.test(run) ? STARTS : undefined) === null;
  if (first === 'workspace') return !nameOrders(behind[0] ?? 'i');
  if (/^(?:npm|composer)$/.test(program)) return OWN.test(`${program} ${first}`) && name !== 'fix';
  return first.length > 2 && !nameOrders(first);
}

/**
 * Judges a script by its own name, and by its first argument that is not an option: either may name a change.
 * @param starts names of scripts that would start the application
 */
function judgeScript([path = '', ...rest]: readonly string[], starts = /^(?=a)b/): OrderProblem | null {
  if (path.includes('$')) return HIDDEN;
  if (rest.some((word) => DRY.test(word)) || (rest.length === 1 && ASKED.test(rest[0] ?? ''))) return null;
  const name = getBase(path).replace(/\.\w+$/, '');
  const [verb = ''] = rest.filter((word) => !word.startsWith('-'));
  if (nameOrders(name) || (!/[./]/.test(verb) && nameOrders(verb))) return UNKNOWN;
  return starts.test(name) || rest.some((word) => WRITING.test(word) && word.startsWith('--')) ? UNKNOWN : null;
}

function getBase(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.exe$/, '');
}

/** Words in the name of a script, target or subcommand that say that it changes something. */
const VERBS =
  /^(?:i|install|add|remove|delete|uninstall|update|upgrade|publish|deploy|release|init|create|new|generate|gen|migrate|migration|seed|push|pull|apply|up|down|link|start|stop|dev|serve|server|runserver|run|boot|preview|fix|format|fmt|write|clean|reset|destroy|drop|sync|bootstrap|setup|provision|bump|login|logout|rollback|scaffold|upload|send|startapp|startproject|s|watch|record|accept|approve|archive|close|exec|tag|commit|dedupe|prune|rebuild|patch|set|config|store|pack|use|load|restore|purge|truncate|wipe|flush|restart|launch|open|submit|notify|listen|storybook|studio|ios|android|emulators?|daemon|proxy|tunnel)$/;
/** Words in the name of a script, target or subcommand that say that it only reads or builds. */
const LOOKS =
  /^(?:tests?|specs?|check|checks|checker|lints?|linter|verify|verification|validate|validation|dry|status|list|ls|smoke|e2e|audit|diff|show|report|analyze|doctor|types?|typecheck|build|compile|coverage)$/;

const listWords = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);

/**
 * Returns whether a name says that it changes something: `db:migrate`, `test:update`, `bootRun`; not `format:check`. If
 * a name has several words of `VERBS` and `LOOKS`, the last of them decides.
 */
function nameOrders(name: string): boolean {
  const last = listWords(name).findLast((word) => VERBS.test(word) || LOOKS.test(word));
  return last !== undefined && !LOOKS.test(last);
}

/** Returns whether a name says that it only reads: `check`, `status`. */
function nameLooks(name: string): boolean {
  return LOOKS.test(name);
}
