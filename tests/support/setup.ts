import fc from 'fast-check';
import { callDoor } from './door.js';
import { inShell, lineOf, runLinesBy } from './line.mjs';
import { beforeRemoval } from './project.mjs';
import { replayEveryRun } from './replayed.js';
import { chosenSeed } from './seeded.js';

// What every test file begins with.

fc.configureGlobal({ seed: chosenSeed() });

beforeRemoval(replayEveryRun);

runLinesBy((command, { cwd, env, typed }) => {
  const line = lineOf(command);
  const [program, ...argv] = line?.words ?? [];
  if (program !== 'dev-cli') return inShell(command, { cwd, env, ...(typed === undefined ? {} : { typed }) });
  const printed = callDoor({ argv, cwd, env, stdin: line?.stdin, typed });
  return typed === undefined ? printed : { ...printed, stdout: printed.stdout + printed.stderr, stderr: '' };
});
