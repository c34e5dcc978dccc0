import { ask } from './ask.js';
import { front } from './front.js';
import { writeWhole } from './output.js';
import { isTerminal } from './terminal.js';

function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

void front(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  stdinIsTerminal: isTerminal(0),
  stdoutIsTerminal: isTerminal(1),
  interruption,
  write: (text) => writeWhole(1, text),
  ask,
}).then(({ stdout, stderr, exit }) => {
  writeWhole(1, stdout);
  writeWhole(2, stderr);
  process.exit(exit);
});
