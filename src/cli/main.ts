import { isatty } from 'node:tty';
import { ask } from './ask.js';
import { front } from './front.js';
import { writeWhole } from './output.js';

function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

void front(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  stdinIsTerminal: isatty(0),
  stdoutIsTerminal: isatty(1),
  interruption,
  ask,
}).then(({ stdout, stderr, exit }) => {
  writeWhole(1, stdout);
  writeWhole(2, stderr);
  process.exit(exit);
});
