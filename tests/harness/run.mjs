// npm run test:harness -- [gemini|codex] [PLAY …]: real coding agents against a scripted model, in a network namespace of
// their own. DEV_CLI_RIG names the rig (README.md). Not part of verify.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { act } from './stage.mjs';

const HARNESSES = ['gemini', 'codex'];
const rig = process.env['DEV_CLI_RIG'];
if (rig === undefined || !existsSync(join(rig, 'run.mjs'))) {
  console.error('DEV_CLI_RIG does not name a rig: a directory with run.mjs, gemini/ and codex/.');
  process.exit(2);
}
const words = process.argv.slice(2);
const plays = readdirSync(join(import.meta.dirname, 'plays')).map((name) => name.replace('.mjs', ''));
const unknown = words.filter((word) => ![...HARNESSES, ...plays].includes(word));
if (unknown.length > 0) {
  console.error(`No such harness or play: ${unknown.join(', ')}. There are ${[...HARNESSES, ...plays].join(', ')}.`);
  process.exit(2);
}
const chosen = (all) => (words.some((word) => all.includes(word)) ? all.filter((one) => words.includes(one)) : all);

const counts = { passed: 0, failed: 0, 'left out': 0 };
for (const harness of chosen(HARNESSES)) {
  for (const play of chosen(plays)) {
    const { how, why, title } = await tryPlay(harness, play);
    counts[how] += 1;
    console.log(`${how === 'failed' ? 'FAILED' : how} ${harness} ${play} (${title})${why === null ? '' : `: ${why}`}`);
  }
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts['left out']} left out`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** Plays one, and once more with nothing installed where it says how it fails then. */
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
