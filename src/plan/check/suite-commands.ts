/**
 * Recognizes commands that run every test of a project. A todo that such a command judges may fail because of another
 * todo's unfinished work (documents.md, Semantic checks). A command that is not clearly in the table counts as one that
 * runs only some tests.
 */

/** Words that start another command. That command follows them, after any options. */
const RUNNERS: readonly (readonly string[])[] = [
  ['env'],
  ['npx'],
  ['bunx'],
  ['pnpm', 'exec'],
  ['yarn', 'exec'],
  ['npm', 'exec'],
  ['poetry', 'run'],
  ['uv', 'run'],
  ['pipenv', 'run'],
  ['bundle', 'exec'],
  ['python', '-m'],
  ['python3', '-m'],
];

/** The beginnings of commands that run all tests unless an argument narrows them. */
const SUITES: readonly (readonly string[])[] = [
  ...['npm', 'pnpm', 'yarn', 'bun'].flatMap((manager) => [
    [manager, 'test'],
    [manager, 'run', 'test'],
  ]),
  ['npm', 't'],
  ['npm', 'tst'],
  ['node', '--test'],
  ['deno', 'test'],
  ['vitest', 'run'],
  ['vitest'],
  ['jest'],
  ['mocha'],
  ['ava'],
  ['playwright', 'test'],
  ['pytest'],
  ['py.test'],
  ['unittest'],
  ['unittest', 'discover'],
  ['tox'],
  ['nox'],
  ['cargo', 'test'],
  ['cargo', 'nextest', 'run'],
  ['go', 'test', './...'],
  ['make', 'test'],
  ['make', 'check'],
  ['mvn', 'test'],
  ['mvn', 'verify'],
  ['gradle', 'test'],
  ['gradle', 'check'],
  ['gradlew', 'test'],
  ['gradlew', 'check'],
  ['dotnet', 'test'],
  ['swift', 'test'],
  ['mix', 'test'],
  ['rspec'],
  ['rake', 'test'],
  ['rake', 'spec'],
  ['phpunit'],
  ['composer', 'test'],
  ['ctest'],
  ['sbt', 'test'],
];

/** Options that change how tests run, but not which tests run. */
const HOW = /^-*[\w-]*(?:report|cov|colou?r|worker|bail|timeout|verbos|log|format|jobs|max|retr|tb)[\w-]*=/i;

/** Returns whether a command certainly runs all tests of its directory. */
export function runsWholeSuite(run: readonly string[]): boolean {
  const script = getScript(run);
  if (script === null) return isSuite(run);
  return script.split(/&&|\|\||[;\n|]/).some((command) => isSuite(command.trim().split(/\s+/)));
}

/** Returns the script of `sh -c SCRIPT`, or null. */
export function getScript(run: readonly string[]): string | null {
  if (!/^(?:.*\/)?(?:ba|da|z|k)?sh$/.test(run[0] ?? '')) return null;
  const at = run.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at < 0 ? null : (run[at + 1] ?? null);
}

function isSuite(run: readonly string[]): boolean {
  const words = skipRunners(run);
  const chosen = words.filter((word) => !isNoChoice(word) || (word === '--test' && words[0] === 'node'));
  return SUITES.some((suite) => suite.length === chosen.length && begins(chosen, suite));
}

/**
 * Returns whether a word selects no tests: a number, an option without a value, or an option that only changes how
 * tests run. Any other word may be a path or the name of a test.
 */
function isNoChoice(word: string): boolean {
  return /^\d+$/.test(word) || (word.startsWith('-') && (!word.includes('=') || HOW.test(word)));
}

/** Drops assignments and runners in front of the actual command, and the directory of its program. */
export function skipRunners(run: readonly string[]): readonly string[] {
  const at = run.findIndex((word) => !word.startsWith('-') && !/^\w+=/.test(word));
  if (at < 0) return [];
  const program = run[at] ?? '';
  const words = [program.slice(program.lastIndexOf('/') + 1), ...run.slice(at + 1)];
  const runner = RUNNERS.find((known) => begins(words, known));
  return runner === undefined ? words : skipRunners(words.slice(runner.length));
}

function begins(run: readonly string[], words: readonly string[]): boolean {
  return words.every((word, index) => run[index] === word);
}
