import { resolve } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { parseCommandLine } from '../../plan/model/command-line.js';
import type { InputIn } from '../../registry/spec.js';
import type { Context } from '../../run/context.js';
import { type Bench, runCase, type Verdict } from './case.js';
import type { Case } from './fixture.js';
import { buildReport, type Result, renderReport } from './report.js';
import type { CONFORMANCE_SPECS } from './specs.js';
import { readRequirements, readStateSchemas, readSuite, type Shipped } from './suite.js';
import type { Commands } from './target.js';

type Input = InputIn<typeof CONFORMANCE_SPECS, 'conformance run'>;

const SUITES = ['published', 'own'];
const HARNESS = 'dev-cli-agent';
const SECONDS = 10;
/** Cases that are run at a time. */
const AT_ONCE = 4;

/** What a call needs besides its context. */
interface Call {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * `conformance run` (neutral.md, Conformance).
 * @throws DevCliError `USAGE` for nothing to run it against, or no case; `SCHEMA_INVALID` for fixtures that are none; `INTERRUPTED`
 */
export async function run(context: Context, input: Input, { cwd, env }: Call): Promise<Answer> {
  const shipped = openShipped(context);
  const harness = input.harness ?? HARNESS;
  const cases = chooseCases(input, shipped, harness, cwd);
  const bench: Bench = {
    commands: readCommands(input, context.program),
    naming: { prefix: input.prefix ?? '', renamed: new Map(Object.entries(input.rename ?? {})) },
    rules: { schemas: readStateSchemas(shipped), harness },
    env,
    signal: context.signal,
    seconds: input.timeout ?? SECONDS,
  };
  const verdicts = new Map<Case, Verdict>();
  const waiting = [...cases];
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      verdicts.set(one, isSilent([...verdicts.values()]) ? NOT_TRIED : await runCase(one, bench));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const results = cases.flatMap((one): Result[] => {
    const verdict = verdicts.get(one);
    return verdict === undefined ? [] : [{ case: one, verdict }];
  });
  const report = buildReport(results, readRequirements(shipped), input.strict === true);
  return { json: report, exit: report.ok ? 0 : 3, recorded: true, text: () => renderReport(report) };
}

const NOT_TRIED: Verdict = { kind: 'error', why: 'not tried: no case before it got an answer' };

/** Whether nobody answers: to wait once more for each case would take minutes. */
function isSilent(verdicts: readonly Verdict[]): boolean {
  const tried = verdicts.filter(({ kind }) => kind !== 'unsupported');
  return tried.length >= AT_ONCE && tried.every(({ kind }) => kind === 'error');
}

/** The package, which holds the suites. */
export function openShipped({ library: { reader, shipped } }: Pick<Context, 'library'>): Shipped {
  return { reader, package: shipped };
}

function chooseCases({ suite = SUITES, strict, only }: Input, shipped: Shipped, harness: string, cwd: string): Case[] {
  const named = suite.map((one) => (SUITES.includes(one) ? one : resolve(cwd, one)));
  const all = named.flatMap((one) => readSuite(one, shipped, harness)).filter((one) => strict === true || !one.strict);
  const words = only?.map((word) => word.toLowerCase());
  const isMeant = ({ id, folder, steps }: Case): boolean =>
    words === undefined || words.some((word) => [id, folder, ...steps.map(({ name }) => name)].includes(word));
  const chosen = all.filter(isMeant);
  if (chosen.length > 0) return chosen;
  throw new DevCliError('USAGE', 'No case is meant by that.', {
    details: [{ target: '--only', problem: 'names no case, tool, event or folder of the suites' }],
    fix: 'Name one as the report does, or leave --only out.',
  });
}

function readCommands({ server, command, self }: Input, program: readonly string[]): Commands {
  if (self === true) {
    return {
      server: [...program, 'mcp', '--tools', 'neutral'],
      command: [...program, 'nexus', 'call', '{call}', '--data', '{params}'],
    };
  }
  if (server === undefined && command === undefined) {
    throw new DevCliError('USAGE', 'There is nothing to run the suite against.', {
      fix: 'Give --server, --command or both; --self is dev-cli.',
    });
  }
  return {
    ...(server !== undefined && { server: readLine(server, '--server') }),
    ...(command !== undefined && { command: readLine(command, '--command') }),
  };
}

function readLine(line: string, target: string): string[] {
  const read = parseCommandLine(line);
  if (read.kind === 'words' && read.argv.length > 0) return read.argv;
  const problem = read.kind === 'fault' ? read.problem : 'it is empty';
  throw new DevCliError('USAGE', `${target} is no command line: ${problem}`, {
    details: [{ target, problem }],
    fix: 'Give a program and its arguments; no shell reads them.',
  });
}
