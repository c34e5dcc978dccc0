// npm run test:harness -- [gemini|codex|claude] [PLAY …|trials]: runs real coding agents against a scripted model, in
// their own network namespace, and tests doctor's findings about their settings. DEV_CLI_RIG names the rig (README.md).
// Not part of verify.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { act } from './stage.mjs';
import { tryAll } from './trials.mjs';

const HARNESSES = ['gemini', 'codex'];
const rig = process.env['DEV_CLI_RIG'];
if (rig === undefined || !existsSync(join(rig, 'run.mjs'))) {
  console.error('DEV_CLI_RIG does not name a rig: a directory with run.mjs, gemini/ and codex/.');
  process.exit(2);
}
const words = process.argv.slice(2);
const plays = readdirSync(join(import.meta.dirname, 'plays')).map((name) => name.replace('.mjs', ''));
const known = [...HARNESSES, 'claude', ...plays, 'trials'];
const unknown = words.filter((word) => !known.includes(word));
if (unknown.length > 0) {
  console.error(`No such harness or play: ${unknown.join(', ')}. There are ${known.join(', ')}.`);
  process.exit(2);
}
const chosen = (all) => (words.some((word) => all.includes(word)) ? all.filter((one) => words.includes(one)) : all);
const [harnesses, parts] = [chosen([...HARNESSES, 'claude']), chosen([...plays, 'trials'])];

const counts = { passed: 0, failed: 0, 'left out': 0 };
for (const harness of harnesses) {
  if (parts.includes('trials')) countTrials(harness);
  if (!HARNESSES.includes(harness)) continue;
  for (const play of parts.filter((part) => part !== 'trials')) {
    const { how, why, title } = await tryPlay(harness, play);
    counts[how] += 1;
    console.log(`${how === 'failed' ? 'FAILED' : how} ${harness} ${play} (${title})${why === null ? '' : `: ${why}`}`);
  }
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts['left out']} left out`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** Runs and counts the tests of doctor's findings about planted settings. */
function countTrials(harness) {
  const isThere = existsSync(join(rig, harness, 'node_modules'));
  for (const { title, why } of isThere ? tryAll(rig, harness) : [{ title: 'not installed in the rig' }]) {
    const how = why === undefined ? 'left out' : why === null ? 'passed' : 'failed';
    counts[how] += 1;
    console.log(`${how === 'failed' ? 'FAILED' : how} ${harness} trials (${title})${why ? `: ${why}` : ''}`);
  }
}

/**
 * Runs a play. If its `planted` says how it fails without dev-cli, runs it once more with dev-cli not installed, and
 * checks that it fails like that.
 */
async function tryPlay(harness, name) {
  const script = join(import.meta.dirname, 'plays', `${name}.mjs`);
  const play = await import(script);
  const { title } = play;
  const isThere = existsSync(join(rig, harness, 'node_modules'));
  const cannot = isThere ? play.cannot?.[harness] : 'not installed in the rig';
  if (cannot !== undefined) return { how: 'left out', why: cannot, title };
  const failure = play.planted?.[harness];
  const why = await act({ rig, harness, name, script, play });
  if (why !== null || failure === undefined) return { how: why === null ? 'passed' : 'failed', why, title };
  const planted = await act({ rig, harness, name, script, play, installed: false });
  if (planted !== null && failure.test(planted)) return { how: 'passed', why: null, title };
  return {
    how: 'failed',
    title,
    why: `without dev-cli installed it ought to fail by ${failure}, and: ${planted}`,
  };
}
