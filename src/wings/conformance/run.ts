import { resolve } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { parseCommandLine } from '../../plan/model/command-line.js';
import type { InputIn } from '../../registry/spec.js';
import type { Context } from '../../run/context.js';
import { type CaseSetup, type CaseVerdict, runCase } from './case.js';
import type { Case } from './fixture.js';
import { buildConformanceReport, renderReport } from './report.js';
import type { CONFORMANCE_SPECS } from './specs.js';
import { readStateSchemas, readSuite, readSuiteRequirements, type ShippedPackage } from './suite.js';
import type { TargetCommands } from './target.js';

type Input = InputIn<typeof CONFORMANCE_SPECS, 'conformance run'>;

const SUITES = ['published', 'own'];
const HARNESS = 'dev-cli-agent';
const SECONDS = 10;
const LONGEST = 3600;
/** Number of cases run in parallel. */
const AT_ONCE = 4;

/** The directory and environment of a call. */
interface Call {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * `conformance run` (neutral.md, Conformance).
 * @throws DevCliError `USAGE` if there is no target or no case; `SCHEMA_INVALID` for invalid fixtures; `INTERRUPTED`
 */
export async function runConformance(context: Context, input: Input, { cwd, env }: Call): Promise<Answer> {
  const shipped = openShipped(context);
  const harness = input.harness ?? HARNESS;
  const seconds = input.timeout ?? SECONDS;
  if (seconds < 1 || seconds > LONGEST) {
    throw new DevCliError('USAGE', `--timeout is not a number of seconds from 1 to ${LONGEST}.`, {
      details: [{ target: '--timeout', problem: `${seconds} is out of these bounds` }],
      fix: `Give 1 to ${LONGEST} seconds, or leave it out.`,
    });
  }
  const cases = chooseCases(input, shipped, harness, cwd);
  const bench: CaseSetup = {
    commands: readCommands(input, context.program),
    naming: { prefix: input.prefix ?? '', renamed: new Map(Object.entries(input.rename ?? {})) },
    rules: { schemas: readStateSchemas(shipped), harness },
    env,
    signal: context.signal,
    seconds,
  };
  const verdicts: CaseVerdict[] = [];
  const waiting = cases.entries();
  const work = async (): Promise<void> => {
    for (const [n, one] of waiting) verdicts[n] = isSilent(verdicts) ? NOT_TRIED : await runCase(one, bench);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const results = cases.map((one, n) => ({ case: one, verdict: verdicts[n] ?? NOT_TRIED }));
  const report = buildConformanceReport(results, readSuiteRequirements(shipped), input.strict === true);
  return { json: report, exit: report.ok ? 0 : 3, recorded: true, text: () => renderReport(report) };
}

const NOT_TRIED: CaseVerdict = { kind: 'error', why: 'not tried: no case before it got an answer' };

/**
 * Returns whether the target seems to be dead; if so, the other cases are not run, since waiting for each would take
 * minutes.
 * @param verdicts may have holes, for cases that are not finished, which `filter` skips
 */
function isSilent(verdicts: readonly CaseVerdict[]): boolean {
  const tried = verdicts.filter(({ kind }) => kind !== 'unsupported');
  return tried.length >= AT_ONCE && tried.every(({ kind }) => kind === 'error');
}

/** Returns the installed package of dev-cli, which contains the suites. */
export function openShipped({ library: { reader, shipped } }: Pick<Context, 'library'>): ShippedPackage {
  return { reader, package: shipped };
}

function chooseCases(
  { suite = SUITES, strict, only, rename = {} }: Input,
  shipped: ShippedPackage,
  harness: string,
  cwd: string,
) {
  const named = new Set(suite.map((one) => (SUITES.includes(one) ? one : resolve(cwd, one))));
  const all = [...named].flatMap((one) => readSuite(one, shipped, harness));
  const calls = all
    .flatMap(({ steps }) => steps)
    .flatMap(({ name, params }) => [name, ...Object.keys(params).map((key) => `${name}.${key}`)]);
  requireKnown('--rename', Object.keys(rename), calls, 'tool, event or tool.parameter of the suites');
  const cases = all.filter((one) => strict === true || !one.strict);
  const namesOf = ({ id, folder, steps }: Case): string[] => [id, folder, ...steps.map(({ name }) => name)];
  requireKnown('--only', only ?? [], cases.flatMap(namesOf), 'case, tool, event or folder of the suites');
  const chosen = cases.filter((one) => only === undefined || namesOf(one).some((name) => only.includes(name)));
  if (chosen.length > 0) return chosen;
  throw new DevCliError('USAGE', 'Every case of these suites is one for --strict.', { fix: 'Add --strict.' });
}

/** @throws DevCliError `USAGE` if a word is not among the known ones */
function requireKnown(target: string, words: readonly string[], known: readonly string[], kind: string): void {
  const details = words
    .filter((word) => !known.includes(word))
    .map((word) => ({ target, problem: `${JSON.stringify(word)} is no ${kind}` }));
  if (details.length === 0) return;
  throw new DevCliError('USAGE', `${target} names what the suites do not have.`, {
    details,
    fix: 'Name it as the report does, or leave it out. Some cases are there with --strict alone.',
  });
}

function readCommands({ server, command, self }: Input, program: readonly string[]): TargetCommands {
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
