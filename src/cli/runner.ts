import { runCommand } from '../app/run-command.js';

// Nobody reads this process's output: a command.json without an exit.json beside it shows that it failed.
const specFile = process.argv[2];
if (specFile === undefined) process.exitCode = 2;
else {
  runCommand(specFile, process.env).catch(() => {
    process.exitCode = 1;
  });
}
