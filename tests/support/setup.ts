import fc from 'fast-check';
import { callDoor, loadChecks, type Printed } from './door.js';
import { type Around, inShell, lineOf, runLinesBy } from './line.mjs';
import { beforeRemoval } from './project.mjs';
import { chosenSeed } from './seeded.js';
import { findRealTerminal, NO_TERMINAL, typeInto } from './terminal.mjs';

// Vitest runs this module at the start of every test file.

fc.configureGlobal({ seed: chosenSeed() });

beforeRemoval((project) => loadChecks().replayEveryRun(project));

runLinesBy(byDoor);

// Text that is typed ahead, or with a control key, needs a real terminal; all other calls go through the front door.
typeInto((command, { cwd, env, answers = [], ahead = '' }) => {
  if (ahead === '' && !/[\x00-\x1f]/.test(answers.join(''))) {
    const { exit, stdout } = byDoor(command, { cwd, env, typed: answers });
    return { exit, output: stdout };
  }
  const terminal = findRealTerminal();
  if (terminal === null) throw new Error(NO_TERMINAL);
  return terminal(command, { cwd, env, answers, ahead });
});

function byDoor(command: string, around: Around): Printed {
  const line = lineOf(command);
  const [program, ...argv] = line?.words ?? [];
  if (program !== 'dev-cli') return inShell(command, around);
  const printed = callDoor({ argv, stdin: line?.stdin, ...around });
  return around.typed === undefined ? printed : { ...printed, stdout: printed.stdout + printed.stderr, stderr: '' };
}
