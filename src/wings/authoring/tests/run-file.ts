import { DevCliError } from '../../../base/errors.js';
import type { CapturedRecipe } from '../../../recipe/captured.js';
import { requireRecipe } from '../../../recipe/load/load.js';
import type { ResolvedRecipe } from '../../../recipe/resolved.js';
import { type RecipeProblem, sortProblems } from '../../../recipe/source/problem.js';
import type { ProblemLog } from '../../../recipe/source/report.js';
import type { ReadContext } from '../../../run/context.js';
import { listEdges, listTaken } from '../edges.js';
import { openFixtures } from '../fixtures.js';
import { type PlayResult, playScript } from '../play.js';
import { createFileProblem, readTestFile } from '../script.js';
import type { TestFile } from '../script-schema.js';
import { nameStage } from '../stage-edges.js';
import type { Snapshots } from './snapshots.js';

/** The transitions that the cases of a file have taken. */
interface Coverage {
  covered: number;
  total: number;
  /** Rounded down, so that 100 means all. */
  percent: number;
  uncovered: string[];
}

/** The result of running a test file. */
export interface TestedFile {
  /** The file's path as it is shown to the user. */
  file: string;
  /** Null if the file is invalid. */
  recipe: string | null;
  cases: { name: string; actions: number; problems: RecipeProblem[] }[];
  coverage: Coverage | null;
  /** Problems of all cases, and of the file itself. */
  problems: RecipeProblem[];
  /** The file's text, from which the report quotes the place of each problem. */
  text: string;
}

/** Options for running a file. */
export interface RunOptions {
  /** Absolute. */
  path: string;
  /** The file's path as it is shown to the user. */
  file: string;
  /** The coverage in percent that a file must reach, unless it states its own. */
  threshold: number | undefined;
  snapshots: Snapshots;
}

/**
 * Runs the cases of a test file (authoring.md, recipe test).
 * @throws DevCliError `INTERRUPTED`; faults of the file are returned as problems instead
 */
export async function runTestFile(context: Surroundings, options: RunOptions): Promise<TestedFile> {
  const { file, snapshots } = options;
  const text = readWhole(context, options.path);
  if (text instanceof DevCliError) return fail(file, '', [createFileProblem(file, text.message)]);
  const read = readTestFile(text, file);
  const { log, value } = read;
  if (value === null) return fail(file, text, log.problems);
  const captured = requireTested(context, value, log);
  if (captured === null) return fail(file, text, log.problems);
  reportRepeatedNames(value, log);
  const taken = new Set<string>();
  const cases: TestedFile['cases'] = [];
  for (const [index, one] of value.cases.entries()) {
    const before = log.problems.length;
    const made = await playCase(context, options, value, one);
    for (const { place, message, fix } of made.findings) {
      log.error(['cases', index, ...place], `${one.name}: ${message}`, { fix });
    }
    for (const edge of listTaken(captured, made.on.decided)) taken.add(edge);
    for (const edge of await listSkippedStages(captured.recipe, made)) taken.add(edge);
    if (made.findings.length > 0) snapshots.keepRest(one.name);
    cases.push({ name: one.name, actions: made.played.length, problems: log.problems.slice(before) });
  }
  const coverage = measure(captured, taken);
  demand(coverage, value.coverage, options.threshold, log);
  return { file, recipe: value.recipe, cases, coverage, problems: sortProblems(log.problems), text };
}

type Surroundings = Pick<ReadContext, 'library' | 'signal'>;

/** Builds the result for a file that cannot be run. */
function fail(file: string, text: string, problems: RecipeProblem[]): TestedFile {
  return { file, recipe: null, cases: [], coverage: null, problems, text };
}

/** Reads a file's text; returns the error if that fails. */
function readWhole({ library }: Surroundings, path: string): string | DevCliError {
  try {
    return library.reader.read(path) ?? new DevCliError('DATA_MISSING', 'There is no such file.');
  } catch (error) {
    if (error instanceof DevCliError) return error;
    throw error;
  }
}

/** Loads the recipe that a file tests; returns null and reports a problem if that fails. */
function requireTested({ library }: Surroundings, { recipe }: TestFile, log: ProblemLog): CapturedRecipe | null {
  try {
    return requireRecipe(library, recipe);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    const fix = error.code === 'UNKNOWN_RECIPE' ? 'dev-cli recipe list' : `dev-cli recipe lint ${recipe}`;
    log.error(['recipe'], error.message, { fix });
    return null;
  }
}

function playCase(
  { library, signal }: Surroundings,
  { path, snapshots }: RunOptions,
  file: TestFile,
  { name, given, steps, end }: TestFile['cases'][number],
): Promise<PlayResult> {
  return playScript(
    file.recipe,
    { given: { ...file.given, ...given }, steps, end },
    {
      library,
      signal,
      fixtures: openFixtures(library, path),
      compare: (action, step) => snapshots.compare(name, step, action),
    },
  );
}

/** Lists the skipped stages of todos. They are read from the state, because no event reports them. */
async function listSkippedStages({ engine: recipe }: ResolvedRecipe, { on, last }: PlayResult): Promise<string[]> {
  if (last === null || recipe === undefined) return [];
  const { engine } = await on.read();
  return Object.values(engine?.todos ?? {}).flatMap(({ substeps }) =>
    Object.entries(substeps).flatMap(([stage, { status }]) =>
      status === 'skipped' ? [`${nameStage(recipe, stage)}: skipped`] : [],
    ),
  );
}

/** Reports a coverage below the minimum that the file or, failing that, the command line demands. */
function demand(
  { percent, uncovered }: Coverage,
  own: number | undefined,
  threshold: number | undefined,
  log: ProblemLog,
): void {
  const wanted = own ?? threshold ?? 0;
  if (percent >= wanted) return;
  const named = uncovered.slice(0, UNCOVERED_NAMED).join('; ');
  const rest = uncovered.length > UNCOVERED_NAMED ? `; and ${uncovered.length - UNCOVERED_NAMED} more` : '';
  log.error(
    own === undefined ? ['recipe'] : ['coverage'],
    `The cases cover ${percent} % of the transitions, expected ${wanted} %.`,
    { fix: `Not covered: ${named}${rest}.` },
  );
}

/** Maximum transitions that a finding names. */
const UNCOVERED_NAMED = 12;

function reportRepeatedNames({ cases }: TestFile, log: ProblemLog): void {
  const seen = new Set<string>();
  for (const [index, { name }] of cases.entries()) {
    if (seen.has(name)) log.error(['cases', index, 'name'], `Two cases are called ${JSON.stringify(name)}.`);
    seen.add(name);
  }
}

function measure(captured: CapturedRecipe, taken: ReadonlySet<string>): Coverage {
  const edges = listEdges(captured);
  const uncovered = edges.filter((edge) => !taken.has(edge));
  const covered = edges.length - uncovered.length;
  const percent = edges.length === 0 ? 100 : Math.floor((100 * covered) / edges.length);
  return { covered, total: edges.length, percent, uncovered };
}
