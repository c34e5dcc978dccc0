import { createRunner } from '../app/run-command.js';

// Nobody reads this process's output; calls detect its failure by a command.json without an exit.json.
const [, , first, mode] = process.argv;
if (first === undefined) process.exitCode = 2;
else {
  work(mode === 'wait' ? null : first).catch(() => {
    // Exits at once, because waiting calls detect the failure by the end of this process.
    process.exit(1);
  });
}

/**
 * Runs one command, then each command that the call hands over as a line of JSON on stdin, until the call has ended.
 */
async function work(file: string | null): Promise<void> {
  const runner = createRunner(process.env);
  if (file === null) runner.prepare();
  else await runner.run(file);
  let rest = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) await runner.run(JSON.parse(line));
  }
}
