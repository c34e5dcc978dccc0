/**
 * Commands of a plan that run every test of a project. A todo that is judged by one while others are at work fails for
 * their half-done work (documents.md, Semantic checks). Whatever the table does not surely know counts as narrow.
 */

/** Words that begin another command: what follows them, after their options, is what runs. */
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

/** How commands begin that run all tests unless something narrows them. */
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

/** Names of options that say how tests run, and not which. */
const HOW = /^-*[\w-]*(?:report|cov|colou?r|worker|bail|timeout|verbos|log|format|jobs|max|retr|tb)[\w-]*=/i;

/** Whether a command surely runs all tests of the directory that it runs in. */
export function runsWholeSuite(run: readonly string[]): boolean {
  const script = getScript(run);
  if (script === null) return isSuite(run);
  return script.split(/&&|\|\||[;\n|]/).some((command) => isSuite(command.trim().split(/\s+/)));
}

/** The script of `sh -c SCRIPT`, or null. */
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

/** Whether a word chooses no tests: a number, or an option without a value of its own. Any other may be a path or a name. */
function isNoChoice(word: string): boolean {
  return /^\d+$/.test(word) || (word.startsWith('-') && (!word.includes('=') || HOW.test(word)));
}

/** Drops assignments and runners before the command itself, and the directory of its program. */
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
