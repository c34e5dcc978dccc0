import { ProgramArguments, UNKNOWN_WORD } from './options.js';
import { type DirectoryTest, joinPaths } from './paths.js';
import { listWritten } from './programs.js';
import { parseShell } from './syntax.js';
import type { Command, Word } from './words.js';

/**
 * Lists the paths that a shell command writes, as far as its text shows them plainly (harness.md, Guard). Other changes
 * are found afterwards, by comparing the work tree (the second net).
 */

/** Maximum number of values that are tracked for a variable or a word. */
const VALUES = 20;
/** Maximum nesting of scripts within scripts, and of programs that run others. */
const DEEPEST = 4;
/** Maximum length in characters of a path, and of a word with its variables replaced. */
const LONGEST = 4096;
/** Maximum number of words read after one `-exec`. */
const INNER = 100;
/**
 * Shell words that may precede a command. The programs of `RUNNERS`, below, run the rest of their words as a command;
 * each is listed with its options that take a value.
 */
const BEFORE = ['!', '{', 'then', 'do', 'else', 'elif', 'if', 'while', 'until'];
const RUNNERS: Readonly<Record<string, string>> = {
  time: '-o -f --output --format',
  command: '',
  builtin: '',
  exec: '-a',
  sudo: '-u -g -C -D -h -p -r -t --user --group --chdir --prompt --host',
  doas: '-u -C',
  su: '-c -g -G -s -w --command --group --shell',
  env: '-u -C -S --unset --chdir --split-string',
  nohup: '',
  setsid: '',
  busybox: '',
  nice: '-n --adjustment',
  ionice: '-c -n --class --classdata',
  chrt: '-T -P -D',
  taskset: '',
  stdbuf: '-i -o -e --input --output --error',
  strace: '-e -o -s -u -E -I -O -P -S --output',
  unbuffer: '',
  caffeinate: '-t -w',
  timeout: '-k -s --kill-after --signal',
  flock: '-c -w -E --command --timeout --conflict-exit-code',
  script: '-c -B -E -I -O -T -m -o --command',
  watch: '-n --interval',
  xargs: '-I -n -P -L -d -s -a -E --max-args --max-procs --max-lines --delimiter --arg-file',
};
/** Runners whose first operand is their own, such as the seconds of `timeout`; the command comes after it. */
const OPERAND = ['timeout', 'flock', 'script', 'su', 'chrt', 'taskset'];
/** Options with which a runner of `OPERAND` passes a script to a shell. */
const SCRIPTS = ['-c', '--command'];
/** Options with which a runner runs the command in another directory. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = { env: ['-C', '--chdir'], sudo: ['-D', '--chdir'] };
const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash'];
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/;

/**
 * Lists the paths that a command writes. They are as the command names them, except that each plain `cd` is applied.
 * `ANY_PATH` or a directory stands for any file below it. Never throws; a part that cannot be understood adds no path.
 * @param isDirectory returns whether a path in the command is a directory, in which a copied file keeps its name
 */
export function listShellWrites(command: string, isDirectory: DirectoryTest = () => false): string[] {
  return [...new Set(new Reader({ variables: createVariables(), isDirectory }, '', 0).read(command))];
}

/**
 * Lists the words of each simple command on a line, including commands in scripts and substitutions and those that
 * other programs run: `sudo git push` yields itself and `git push`. Leaves out assignments and shell words. A word that
 * only the shell knows is `UNKNOWN_WORD`. Never throws.
 */
export function listShellCommands(line: string): string[][] {
  const commands: string[][] = [];
  const note = (words: readonly string[]) => commands.push([...words]);
  new Reader({ variables: createVariables(), isDirectory: () => false, note }, '', 0).read(line);
  return commands;
}

const createVariables = () =>
  new Map([
    ['HOME', ['~']],
    ['PWD', ['.']],
  ]);

/** Context shared by a script and everything nested in it. */
interface Surroundings {
  variables: Map<string, string[]>;
  isDirectory: DirectoryTest;
  /** Called with each simple command. */
  note?: (words: readonly string[]) => void;
}

class Reader {
  readonly #around: Surroundings;
  readonly #variables: Map<string, string[]>;
  readonly #depth: number;
  readonly #paths: string[] = [];
  /** The current directory; null after a `cd` to an unknown one. */
  #directory: string | null;

  constructor(around: Surroundings, directory: string | null, depth: number) {
    this.#around = around;
    this.#variables = around.variables;
    this.#directory = directory;
    this.#depth = depth;
  }

  read(text: string): string[] {
    const outer: (string | null)[] = [];
    for (const item of parseShell(text)) {
      if (item === 'enter') outer.push(this.#directory);
      else if (item === 'leave') this.#directory = outer.pop() ?? null;
      else this.#readCommand(item);
    }
    return this.#paths;
  }

  #add(paths: readonly string[]): void {
    for (const path of paths) {
      const joined = joinPaths(this.#directory, path);
      if (joined !== null && !joined.includes(UNKNOWN_WORD)) this.#paths.push(joined);
    }
  }

  #readCommand({ words, writes, body }: Command): void {
    this.#add(writes.flatMap((word) => this.#evaluate(word)).filter((path) => !DEVICES.test(path)));
    const texts = body === null ? [] : this.#evaluate(body);
    this.#run(this.#assign(words), texts.length === 0 ? null : texts.join('\n'));
  }

  /** Applies the assignments before a command, and returns the remaining words. */
  #assign(words: readonly Word[]): string[] {
    const rest: string[] = [];
    const assigns = ['export', 'local', 'declare', 'readonly', 'typeset'];
    for (const word of words) {
      const [first] = word;
      const [prefix, name] = (typeof first === 'string' ? ASSIGNMENT.exec(first) : null) ?? [];
      if (prefix !== undefined && name !== undefined && (rest.length === 0 || assigns.includes(rest[0] ?? ''))) {
        const value = this.#evaluate([String(first).slice(prefix.length), ...word.slice(1)]);
        if (value.length > 0) this.#variables.set(name, value);
        else this.#variables.delete(name);
      } else {
        const known = this.#evaluate(word);
        rest.push(...(known.length === 0 ? [UNKNOWN_WORD] : known));
      }
    }
    return rest;
  }

  /** Returns the possible values of a word; empty if unknown. */
  #evaluate(word: Word): string[] {
    let values = [''];
    for (const part of word) {
      if (part === null) return [];
      const added =
        typeof part === 'string'
          ? [part]
          : 'choices' in part
            ? part.choices
            : (this.#variables.get(part.variable) ?? []);
      values = values.flatMap((value) => added.map((one) => value + one)).slice(0, VALUES);
      if (typeof part !== 'string') values = values.filter(({ length }) => length <= LONGEST);
    }
    return values;
  }

  #run(all: readonly string[], body: string | null, depth = 0): void {
    const at = all.findIndex((word) => word !== UNKNOWN_WORD && !BEFORE.includes(word));
    if (at === -1) return;
    this.#note(all, at, depth);
    if (depth > DEEPEST) return;
    const [program = '', ...rest] = all.slice(at);
    const name = program.slice(program.lastIndexOf('/') + 1);
    if (name === 'function') this.#run(rest.slice(1), body, depth + 1);
    // The word after `coproc` is its name only if a compound command follows that word.
    else if (name === 'coproc') this.#run(rest.slice(BEFORE.includes(rest[1] ?? '') ? 1 : 0), body, depth + 1);
    else if (name === 'for' || name === 'select') this.#loop(rest);
    else if (name === 'cd' || name === 'pushd') this.#changeDirectory(rest);
    else if (name === 'popd') this.#directory = null;
    else if (name === 'eval') this.#readScript(rest.filter((word, index) => index > 0 || word !== '--').join(' '));
    else if (SHELLS.includes(name)) this.#runShell(rest, body);
    else if (name === 'find') this.#find(rest, depth);
    else if (Object.hasOwn(RUNNERS, name)) this.#runInner(name, rest, body, depth);
    else if (name === 'apply_patch' || name === 'applypatch') this.#add(listPatched(body ?? rest[0] ?? ''));
    else this.#add(listWritten(name, rest, (path) => this.#isDirectory(path)));
  }

  #note(all: readonly string[], from: number, depth: number): void {
    // Beyond the maximum depth, the command is no longer parsed, so any word may be the next program.
    const to = depth > DEEPEST ? Math.min(all.length, from + INNER) : from + 1;
    for (let at = from; at < to; at += 1) this.#around.note?.(all.slice(at));
  }

  #isDirectory(path: string): boolean {
    const joined = joinPaths(this.#directory, path);
    return joined !== null && !joined.includes(UNKNOWN_WORD) && this.#around.isDirectory(joined);
  }

  #loop([variable = '', preposition, ...values]: readonly string[]): void {
    if (preposition === 'in' && values.length > 0) this.#variables.set(variable, values.slice(0, VALUES));
    else this.#variables.delete(variable);
  }

  #changeDirectory(rest: readonly string[]): void {
    const [to, ...more] = rest.filter((word) => !/^-[LPe@]*$|^--$/.test(word));
    const isKnown = to !== undefined && to !== UNKNOWN_WORD && more.length === 0 && !rest.includes('-');
    const joined = isKnown ? joinPaths(this.#directory, to) : null;
    this.#directory = joined !== null && joined.length <= LONGEST ? joined : null;
  }

  #readScript(text: string): void {
    if (this.#depth >= DEEPEST) return;
    this.#paths.push(...new Reader(this.#around, this.#directory, this.#depth + 1).read(text));
  }

  #runShell(rest: readonly string[], body: string | null): void {
    const at = rest.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word));
    const script = at === -1 ? undefined : rest.slice(at + 1).find((word) => !/^[-+]/.test(word));
    if (script !== undefined) this.#readScript(script);
    else if (body !== null && rest.every((word) => word.startsWith('-') || word === UNKNOWN_WORD))
      this.#readScript(body);
  }

  /** Reads `find`, which changes files below its starting points, or runs commands on them. */
  #find(rest: readonly string[], depth: number): void {
    const expression = rest.findIndex((word) => /^[-(!]/.test(word) && !/^-[HLPDO]/.test(word));
    const places = (expression === -1 ? rest : rest.slice(0, expression)).flatMap((word) =>
      word.startsWith('-') ? [] : word === UNKNOWN_WORD ? '.' : word,
    );
    const from = places.length === 0 ? ['.'] : places.slice(0, VALUES);
    for (let index = 0; index < rest.length; index += 1) {
      const word = rest[index] ?? '';
      if (word === '-delete') this.#add(from);
      if (/^-f(?:print0?|printf|ls)$/.test(word)) this.#add(rest.slice(index + 1, index + 2));
      if (!/^-(?:exec|ok)(?:dir)?$/.test(word)) continue;
      const after = rest.slice(index + 1, index + INNER);
      const end = after.findIndex((one) => one === ';' || one === '+');
      const inner = end === -1 ? after : after.slice(0, end);
      index += inner.length;
      for (const place of inner.some((one) => one.includes('{}')) ? from : from.slice(0, 1)) {
        const command = inner.map((one) => one.replaceAll('{}', place));
        this.#run(command, null, depth + 1);
      }
    }
  }

  #runInner(name: string, rest: readonly string[], body: string | null, depth: number): void {
    const told = new ProgramArguments(rest, { valued: RUNNERS[name] ?? '', stops: true });
    // With `-v` or `-V`, `command` only shows which program would run.
    if (name === 'command' && told.has('-v', '-V')) return;
    const isSetting = name === 'env' || name === 'sudo' || name === 'doas';
    const from = isSetting ? told.operands.findIndex((word) => !ASSIGNMENT.test(word)) : OPERAND.includes(name) ? 1 : 0;
    const inner = from === -1 ? [] : told.operands.slice(from);
    const before = this.#directory;
    for (const to of told.values(...(ELSEWHERE[name] ?? []))) this.#directory = joinPaths(this.#directory, to);
    const script = findScript(name, told, inner);
    this.#add(listLogs(name, told, inner));
    // `env`, `sudo` and `doas` may have further options after assignments.
    if (isSetting && inner[0]?.startsWith('-') && depth <= DEEPEST) this.#runInner(name, inner, body, depth + 1);
    else if (script !== undefined) this.#readScript(script);
    // The file names come from stdin and are unknown, so the current directory stands for them.
    else if (name === 'xargs') {
      this.#around.note?.(inner);
      this.#run([...inner.map((word) => word.replaceAll('{}', '.')), '.'], body, depth + 1);
    } else this.#run(inner, body, depth + 1);
    this.#directory = before;
  }
}

/** Returns the script if a runner passes one to a shell; undefined if it runs a program directly. */
function findScript(name: string, told: ProgramArguments, inner: readonly string[]): string | undefined {
  if (name === 'watch') return inner.join(' ');
  if (name === 'env') return told.values('-S', '--split-string').map((split) => [split, ...inner].join(' '))[0];
  const later = new ProgramArguments(inner, { valued: SCRIPTS.join(' '), stops: true });
  return OPERAND.includes(name) ? [told, later].flatMap((one) => one.values(...SCRIPTS))[0] : undefined;
}

/** Lists the files to which a runner writes its log of the command. */
function listLogs(name: string, told: ProgramArguments, inner: readonly string[]): string[] {
  if (name === 'time' || name === 'strace') return told.values('-o', '--output');
  // `script FILE` without a command and without `-c` may be an unrelated program that is also called `script`.
  return name === 'script' && (inner.length > 0 || told.has(...SCRIPTS)) ? told.operands.slice(0, 1) : [];
}

/** Devices that may always be written, because they store nothing or are the command's own streams. */
const DEVICES = /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+)$/;

/**
 * Lists every file in a patch in `apply_patch` format. Spaces around a heading are allowed, as by that format's
 * parsers.
 */
export function listPatched(patch: string): string[] {
  return patch.split('\n').flatMap((line) => {
    const [, path] = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*)$/s.exec(line) ?? [];
    return path === undefined ? [] : [path.trim()];
  });
}
