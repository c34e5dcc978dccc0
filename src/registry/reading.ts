import { parseArgs } from 'node:util';
import { type Detail, DevCliError } from '../base/errors.js';
import type { Json, JsonObject } from '../base/json.js';
import { GLOBAL_OPTIONS } from './find.js';
import { brokenRules, shown } from './rules.js';
import type { CommandSpec, OptionSpec, PositionalSpec } from './spec.js';
import { didYouMean, quoted, readValue } from './value.js';

/** What the options that every command takes say. */
export interface Globals {
  root?: string;
  json?: boolean;
  text?: boolean;
}

/** The arguments of one command as they are read: values and problems side by side, so that all are told at once. */
export class Reading {
  private readonly values = new Map<string, Json>();
  /** Also keys whose value was no good: they are not missing. */
  private readonly seen = new Set<string>();
  private readonly problems: Detail[] = [];
  private positionals = 0;

  constructor(
    private readonly spec: CommandSpec,
    args: readonly string[],
  ) {
    const options = nodeOptions(spec);
    const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
    for (const token of tokens) {
      if (token.kind === 'option') this.option(token.rawName, token.name, token.value, token.inlineValue === true);
      if (token.kind === 'positional') this.positional(token.value);
    }
  }

  get wantsHelp(): boolean {
    return this.seen.has('help');
  }

  get globals(): Globals {
    const root = this.values.get('root');
    return {
      ...(typeof root === 'string' && { root }),
      ...(this.values.has('json') && { json: true }),
      ...(this.values.has('text') && { text: true }),
    };
  }

  /**
   * The command's input: positionals first, then options, in the order of the specification.
   * @throws DevCliError `USAGE` with every problem in `details`
   */
  input(): JsonObject {
    const details = [...this.problems, ...brokenRules(this.spec, this.seen)];
    if (details.length > 0) throw usage(this.spec, details);
    const input: JsonObject = {};
    for (const { key } of [...this.spec.positionals, ...this.spec.options]) {
      const value = this.values.get(key);
      if (value !== undefined) input[key] = value;
    }
    return input;
  }

  private option(rawName: string, flag: string, value: string | undefined, inline: boolean): void {
    const known = [...this.spec.options, ...GLOBAL_OPTIONS];
    const option = known.find((candidate) => candidate.flag === flag);
    if (!option) {
      const flags = known.filter(({ hidden }) => !hidden).map(shown);
      this.problem(rawName, `unknown option ${quoted(rawName)}.${didYouMean(rawName, flags)}`);
      return;
    }
    const again = this.seen.has(option.key) && option.form !== 'pair';
    this.seen.add(option.key);
    if (again) this.problem(rawName, `${rawName} is given twice.`);
    else if (option.form === 'flag' && inline) this.problem(rawName, `${rawName} takes no value.`);
    else if (option.form === 'flag') this.values.set(option.key, true);
    else if (value === undefined) this.problem(rawName, `${rawName} needs a value.`);
    else this.value(option, value);
  }

  private positional(text: string): void {
    const { positionals } = this.spec;
    const next = positionals[Math.min(this.positionals, positionals.length - 1)];
    this.positionals += 1;
    if (!next || (this.positionals > positionals.length && !next.variadic)) {
      this.problem(text.slice(0, 60), `${quoted(text)} is one argument too many.`);
      return;
    }
    this.seen.add(next.key);
    this.value(next, text);
  }

  private value(value: OptionSpec | PositionalSpec, text: string): void {
    const before = this.values.get(value.key);
    const read = readValue(value, text, before);
    if ('problem' in read) this.problem(shown(value), `${shown(value)}: ${read.problem}`);
    else if ('variadic' in value) this.values.set(value.key, [...(Array.isArray(before) ? before : []), read.value]);
    else this.values.set(value.key, read.value);
  }

  private problem(target: string, problem: string): void {
    this.problems.push({ target, problem });
  }
}

function nodeOptions(spec: CommandSpec): Record<string, { type: 'string' | 'boolean'; short?: string }> {
  const options = [...spec.options, ...GLOBAL_OPTIONS].map(
    ({ flag, form }) => [flag, { type: form === 'flag' ? 'boolean' : 'string' }] as const,
  );
  return { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } };
}

function usage(spec: CommandSpec, details: Detail[]): DevCliError {
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return new DevCliError('USAGE', `dev-cli ${spec.name}: ${details[0]?.problem}${more}`, {
    details,
    fix: { command: 'help', input: { command: spec.name.split(' ') } },
  });
}
