import { type Command, CommanderError } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { commanderProgram } from '../../../src/cli/commander.js';
import { COMMANDS, findSpec, GLOBAL_OPTIONS, locate } from '../../../src/registry/find.js';
import { parseCommand, splitCommand } from '../../../src/registry/parse.js';
import { renderCommand } from '../../../src/registry/render.js';
import { brokenRules } from '../../../src/registry/rules.js';
import type { CommandSpec } from '../../../src/registry/spec.js';
import { argument, invocation } from '../../core/registry/invocations.js';

type Outcome = 'refused' | 'help' | { command: string; input: object; globals: object };

function ours(words: readonly string[]): Outcome {
  try {
    const { command, input, globals } = parseCommand(words);
    return command === 'help' ? 'help' : { command, input, globals };
  } catch (error) {
    if (error instanceof DevCliError) return 'refused';
    throw error;
  }
}

function walk(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) walk(child, visit);
}

/** What commander makes of the words; on top come the rules that commander does not know: nothing twice, what goes together. */
function commanders(words: readonly string[]): Outcome {
  const program = commanderProgram();
  const counts = new Map<string, number>();
  const taken: Command[] = [];
  walk(program, (command) => {
    command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
    for (const option of command.options) {
      if (option.attributeName() === 'set') continue;
      command.on(`option:${option.name()}`, () => counts.set(option.name(), (counts.get(option.name()) ?? 0) + 1));
    }
    if (command.commands.length === 0) {
      command.action(() => {
        taken.push(command);
      });
    }
  });
  try {
    program.parse([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.code === 'commander.helpDisplayed' ? 'help' : 'refused';
  }
  const [leaf] = taken;
  const name = leaf?.parent?.parent ? `${leaf.parent.name()} ${leaf.name()}` : leaf?.name();
  const spec = findSpec(name ?? '');
  if (!leaf || !spec || [...counts.values()].some((count) => count > 1)) return 'refused';
  return name === 'help' ? 'help' : outcome(leaf, spec);
}

function outcome(command: Command, spec: CommandSpec): Outcome {
  const values: Record<string, unknown> = command.optsWithGlobals();
  spec.positionals.forEach(({ key, variadic }, index) => {
    const value: unknown = command.processedArgs[index];
    if (value !== undefined && !(variadic && Array.isArray(value) && value.length === 0)) values[key] = value;
  });
  if (brokenRules(spec, new Set(Object.keys(values))).length > 0) return 'refused';
  const globals = Object.fromEntries(GLOBAL_OPTIONS.flatMap(({ key }) => (key in values ? [[key, values[key]]] : [])));
  const input = Object.fromEntries(Object.entries(values).filter(([key]) => !(key in globals)));
  return { command: spec.name, input, globals };
}

describe('the parser of the registry and commander', () => {
  it.each(
    [
      'next',
      'next x',
      'next x y',
      'next --wait 5 x',
      'next --wait=5',
      'next --wait',
      'next --wait x',
      'next --wait -5',
      'next --full --full',
      'next --full=yes',
      'next --ful',
      'next -f',
      'next -',
      'next -- --full',
      'next --json --text',
      '--root d next',
      '--root=d next --json',
      '--root d --root e next',
      '--json next --json',
      '--bogus next',
      'nxt',
      'step',
      'step nope',
      'step --json complete --action a1',
      'step complete',
      'step complete --action a1 --step b',
      'step complete --action a1 --data {} --choice x',
      'step complete --action a1 --without a,b --reason --json',
      'step complete --action a1 --without a,,b --reason r',
      'step fail --action a1 --reason --',
      'step fail --action a1 --reason=',
      'step fail --action a1',
      'init',
      'init x --quick --standard',
      'init x --set a=1 --set b=2',
      'init x --set a=1 --set a=2',
      'init x --set a',
      'recipe lint a b c',
      'schema state',
      'schema nope',
      'completion bash',
      'completion',
      'completion bash --candidates name',
      'help',
      'help step complete',
      '--help',
      '-h',
      'step --help',
      'step complete -h',
      'step complete --bogus --help',
      'step fail --action a1 --reason --help',
      'dev-clix',
      'memory',
    ].map((line) => [line]),
  )('agree on: %s', (line) => {
    const words = splitCommand(line);
    expect(ours(words)).toEqual(commanders(words));
  });

  it('would notice a difference', () => {
    expect(ours(['next', 'x'])).not.toEqual(commanders(['next', 'y']));
    expect(commanders(['step', 'complete', 'x', '--action', 'a1'])).toEqual({
      command: 'step complete',
      input: { name: 'x', action: 'a1' },
      globals: {},
    });
  });

  it('agree on every invocation, and on what becomes of it when words are lost, doubled or added', () => {
    const flags = COMMANDS.flatMap(({ options }) => options.map(({ flag }) => `--${flag}`));
    const strays = fc.oneof(argument, fc.constantFrom('--json', '--root', '--nope', '--full=1', 'a1', ...flags));
    const change = fc.record({ at: fc.nat(12), kind: fc.constantFrom('drop', 'double', 'insert'), word: strays });
    fc.assert(
      fc.property(invocation, fc.array(change, { maxLength: 3 }), (given, changes) => {
        const words = splitCommand(renderCommand(given)).slice(1);
        for (const { at, kind, word } of changes) {
          const kept = words[at] ?? word;
          words.splice(Math.min(at, words.length), kind === 'insert' ? 0 : 1, ...wordsFor(kind, kept, word));
        }
        fc.pre(comparable(words));
        expect(ours(words)).toEqual(commanders(words));
      }),
      { numRuns: 400 },
    );
  });
});

function wordsFor(kind: string, kept: string, word: string): string[] {
  if (kind === 'drop') return [];
  return kind === 'double' ? [kept, kept] : [word];
}

/**
 * Where the two differ on purpose: no command at all is help for us; `--` in front of a command is refused; a negative
 * number is an option to us when it stands alone; help wins over what is wrong in front of it.
 */
function comparable(words: readonly string[]): boolean {
  const { spec, path, rest } = locate(words);
  if (!spec && (rest[0] === '--' || (path.length === 0 && rest.length === 0))) return false;
  return !words.some((word) => /^-(\d|\.\d|h.)/.test(word) || word === '--help' || word === '-h' || word === '-V');
}
