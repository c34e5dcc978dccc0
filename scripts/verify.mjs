// Checks everything that must hold before a change goes in, from a clean checkout: install, build, types, lint, tests,
// proofs. Streams the output. The last line is `N passed, N failed`: it counts tests and proofs, and each other stage
// that failed as one failure. The checked-out tree seeds all random choices, so that the same tree always gets the same
// verdict.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'dev-cli-verify-'));

const NEEDED = [
  { name: 'install', command: ['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'] },
  { name: 'build', command: ['npm', 'run', '--silent', 'build'] },
];
/** Stages that run alongside the tests, which sometimes leave a core idle; their output is shown after the tests. */
const BESIDE = [
  { name: 'types', command: ['npm', 'run', '--silent', 'typecheck'] },
  { name: 'lint', command: ['npm', 'run', '--silent', 'lint'] },
];

let failed = 0;
let passed = 0;
try {
  const broken = await runNeeded();
  if (broken === null) {
    const beside = BESIDE.map(({ name, command }) => ({ name, ended: runQuietly(command) }));
    await runTests();
    for (const { name, ended } of beside) {
      const { exit, output } = await ended;
      console.log(`\n== ${name}: exit ${exit}\n${output}`);
      if (exit !== 0) failed += 1;
    }
  } else console.log(`\nThe tests were not run: without ${broken} there is nothing to test.`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Runs the stages that the tests need. Returns the name of the first that failed, or null. */
async function runNeeded() {
  for (const { name, command } of NEEDED) {
    const exit = await run(name, command);
    if (exit === 0) continue;
    failed += 1;
    console.log(`${name} failed (exit ${exit})`);
    return name;
  }
  return null;
}

/** Runs tests and proofs, and adds up their counts. */
async function runTests() {
  const report = join(scratch, 'tests.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  // Tells the tests not to build the binary, because it has just been built.
  const env = { DEV_CLI_TESTS_BUILT: '1', DEV_CLI_TEST_SHARE: '2', DEV_CLI_TEST_PROOFS: '6', ...seedOfTree() };
  console.log(
    '\nOf the stories and of what takes long every second file, of the proofs every sixth, as the seed of the tree says.',
  );
  console.log('`npm run test:all` and `npm run prove` run all.');
  const exit = await run('tests and proofs', ['npx', 'vitest', 'run', ...reporters], env);
  const counted = countsIn(report);
  if (counted === null) {
    failed += 1;
    console.log(`the tests left no report (exit ${exit})`);
    return;
  }
  passed += counted.passed;
  failed += counted.failed;
  if (counted.skipped > 0) console.log(`${counted.skipped} skipped; each says why above or in its title`);
  if (counted.passed + counted.failed === 0) {
    failed += 1;
    console.log('no test was run');
  } else if (exit !== 0 && counted.failed === 0) {
    failed += 1;
    console.log(`the test runner failed (exit ${exit}) though no test did`);
  }
}

/** Returns the tests' seed, derived from the tree; nothing if the environment sets a seed or this is no checkout. */
function seedOfTree() {
  if (process.env.DEV_CLI_TEST_SEED) return {};
  try {
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    return { DEV_CLI_TEST_SEED: String(Number.parseInt(tree.slice(0, 7), 16)) };
  } catch {
    return {};
  }
}

/** Counts the tests in a report. A file that could not be loaded counts as one failure. */
function countsIn(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    const unloaded = testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    ).length;
    return { passed: numPassedTests, failed: numFailedTests + unloaded, skipped: numPendingTests + numTodoTests };
  } catch {
    return null;
  }
}

/** Runs a command and passes its output through. Returns its exit code. */
async function run(name, command, env = {}) {
  console.log(`\n== ${name}: ${command.join(' ')}`);
  return (await start(command, { env: { ...process.env, ...env }, stdio: 'inherit' })).exit;
}

function runQuietly(command) {
  return start(command, { stdio: ['ignore', 'pipe', 'pipe'] });
}

function start([program, ...args], options) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => {
      console.log(`${program}: ${error.message}`);
      resolve({ exit: 127, output });
    });
    child.on('close', (code, signal) => resolve({ exit: code ?? (signal === null ? 1 : 128), output }));
  });
}
