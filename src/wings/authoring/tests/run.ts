import { basename, dirname, isAbsolute, resolve } from 'node:path';
import type { Answer, StreamAnswer, StreamItem } from '../../../base/answer.js';
import { DevCliError } from '../../../base/errors.js';
import { isName } from '../../../base/name.js';
import { renderCount } from '../../../base/words.js';
import { requireInside } from '../../../project/own-places.js';
import { awaitChange, listTestFiles, writeTestFile } from '../../../project/test-files.js';
import { renderLintReport } from '../../../recipe/lint/report.js';
import type { InputIn } from '../../../registry/spec.js';
import type { Context } from '../../../run/context.js';
import type { AUTHORING_SPECS } from '../specs.js';
import { renderJunit } from './junit.js';
import { runTestFile, type TestedFile } from './run-file.js';
import { getSnapshotPath, openSnapshots } from './snapshots.js';

type Input = Omit<InputIn<typeof AUTHORING_SPECS, 'recipe test'>, 'files'>;

/**
 * `recipe test`: runs test files in memory (authoring.md, recipe test). Exits with 3 if a case fails or coverage is too
 * low. Writes only snapshots and the report, if asked to.
 * @param files test files or recipe names from the command line; if empty, all tests of the project
 * @param cwd absolute base directory of relative paths
 * @throws DevCliError `IO` if something cannot be written, `INTERRUPTED`
 */
export async function runTests(
  context: Context,
  files: readonly string[],
  input: Input,
  cwd: string,
): Promise<Answer | StreamAnswer> {
  const list = () =>
    files.length > 0 ? files.flatMap((given) => listMeant(context.root, given, cwd)) : listTestFiles(context.root);
  if (input.watch === true) return { exit: 0, stream: watchTests(context, list, input) };
  const tested = await runAll(context, list(), input);
  if (input.junit !== undefined) {
    writeTestFile(isAbsolute(input.junit) ? input.junit : resolve(cwd, input.junit), renderJunit(tested), context.root);
  }
  return report(tested);
}

/** Lists the test files that an argument means: a file, or the tests named after a recipe. */
function listMeant(root: string, given: string, cwd: string): string[] {
  if (!isName(given)) return [isAbsolute(given) ? given : resolve(cwd, given)];
  const named = listTestFiles(root).filter((path) => basename(path).replace(/\.test\.ya?ml$/, '') === given);
  return named.length > 0 ? named : [`${root}/.dev/recipes/${given}.test.yaml`];
}

/** Runs all test files of the project, and writes nothing. @throws DevCliError `INTERRUPTED` */
export function testProject(context: Context): Promise<TestedFile[]> {
  return runAll(context, listTestFiles(context.root), {});
}

async function runAll(context: Context, paths: readonly string[], { coverage, update }: Input): Promise<TestedFile[]> {
  const { root, library } = context;
  const tested: TestedFile[] = [];
  // Checked before any file is written, as `recipe new` does, because a symbolic link in a clone may lead anywhere.
  if (update === true)
    for (const path of paths.filter((one) => one.startsWith(`${root}/`)))
      requireInside(root, getSnapshotPath(path).slice(root.length + 1));
  for (const path of paths) {
    const kept = getSnapshotPath(path);
    const snapshots = openSnapshots(kept === path ? null : readOrNull(library.reader, kept), update === true);
    const file = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
    const one = await runTestFile(context, { path, file, threshold: coverage, snapshots });
    tested.push(one);
    // The snapshots of an invalid file stay as they are, because its cases are unknown.
    const text = one.recipe === null ? null : snapshots.render();
    if (text !== null && kept !== path) writeTestFile(kept, text, root);
  }
  return tested;
}

function readOrNull(reader: Context['reader'], path: string): string | null {
  try {
    return reader.read(path);
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}

async function* watchTests(context: Context, list: () => string[], input: Input): AsyncGenerator<StreamItem> {
  const left = new AbortController();
  const signal = AbortSignal.any([context.signal, left.signal]);
  try {
    for (let seq = 1; ; seq += 1) {
      const paths = list();
      // Watching begins before the tests run, so that changes during the run count.
      const changed = awaitChange(context.root, paths.map(dirname), signal);
      const { json, text } = report(await runAll(context, paths, input));
      yield { json: { seq, type: 'tested', ...json }, text: (format) => text?.(format) ?? null, block: true };
      if (!(await changed)) throw new DevCliError('INTERRUPTED', 'Interrupted. Nothing was written.');
    }
  } finally {
    left.abort();
  }
}

function report(tested: readonly TestedFile[]): Answer {
  const problems = tested.flatMap((one) => one.problems);
  const ok = problems.length === 0;
  const texts = Object.fromEntries(tested.map(({ file, text }) => [file, text]));
  const cases = tested.flatMap((one) => one.cases);
  const failed = cases.filter((one) => one.problems.length > 0).length;
  return {
    exit: ok ? 0 : 3,
    json: {
      ok,
      cases: cases.length,
      failed,
      files: tested.map(({ text: _, ...one }) => ({ ...one, ok: one.problems.length === 0 })),
    },
    text: () => {
      if (tested.length === 0)
        return 'This project has no tests of recipes: *.test.yaml below .dev/recipes or .dev/workflows.';
      const lines = tested.map(renderFile);
      const findings = ok ? [] : ['', renderLintReport(problems, texts)];
      return [...lines, ...findings, `${cases.length - failed} passed, ${failed} failed`].join('\n');
    },
  };
}

/** Maximum uncovered transitions that are named below a file's result. */
const UNCOVERED_SHOWN = 8;

function renderFile({ file, cases, coverage, problems }: TestedFile): string {
  const mark = problems.length === 0 ? 'ok  ' : 'FAIL';
  const covered =
    coverage === null
      ? ''
      : `, ${coverage.covered} of ${renderCount(coverage.total, 'transition')} (${coverage.percent} %)`;
  const uncovered = coverage?.uncovered ?? [];
  const rest = uncovered.length - UNCOVERED_SHOWN;
  const named = uncovered.slice(0, UNCOVERED_SHOWN).map((edge) => `       not covered: ${edge}`);
  return [
    `${mark} ${file}: ${renderCount(cases.length, 'case')}${covered}`,
    ...named,
    ...(rest > 0 ? [`       and ${rest} more: --json names them`] : []),
  ].join('\n');
}
